"""The audit's enumeration of keys agrees with the slow search, and its claims are not idle."""

import math

import pytest

from overbar.audit.between import law
from overbar.planning.key_rounds import set_union
from tests.attacks.our_claims import CROWD, _all_keys
from tests.reference.set_union import Search


@pytest.mark.parametrize(("items", "rounds", "at_least"), [(1, 1, 1), (2, 2, 1), (2, 1, 2)])
def test_outcomes_are_those_of_the_slow_search(items, rounds, at_least):
    union = set_union(2, "0.1", items_per_person=items, rounds=rounds, at_least=at_least)
    slow = Search(union.rounds, items, at_least, union.weights)
    found = {said: math.exp(low) for said, (low, _) in law(union, CROWD).chances.items()}
    wanted = slow.outcomes({person: set(keys) for person, keys in CROWD.items()})
    assert found == pytest.approx(dict(wanted))


@pytest.mark.parametrize("check", _all_keys(), ids=lambda check: check.name)
def test_claims_hold_and_are_nearly_reached(check):
    worst, shown = check.exact()
    assert 0.4 * float(check.claim.delta) < worst <= float(check.claim.delta)
    assert shown == str((check.pairs[0].first, {}))  # two keys of one person
    outcomes = check.mechanism.sample(check.pairs[1].first, 20)
    assert outcomes.shape == (20, 3)
