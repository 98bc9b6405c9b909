"""Numbers of plans are those of the golden file: neither worse nor, without a reason, better.

A part is asked here, with something of every tag; `make campaign NAME=golden` asks all, and
`python -m tests.golden.table` says what differs.
"""

import pytest

from tests.golden import seam as house
from tests.golden.compare import at_same_noise, failing, read_better
from tests.golden.entries import first_of_each, named, read

PLANS = read("plans")
FIRST, REST = first_of_each(PLANS)
LINES = read_better()


@pytest.mark.parametrize("entry", FIRST, ids=named)
def test_a_plan_of_each_kind(entry):
    assert failing(entry, at_same_noise(entry, house.numbers), LINES) == {}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("entry", REST, ids=named)
def test_plans(entry):
    assert failing(entry, at_same_noise(entry, house.numbers), LINES) == {}


#: The chances of a search for one key are not made by hand.
BY_HAND = [one for one in PLANS if not {"persons", "refused"} & one["is"].keys()]


@pytest.mark.one_in(48)
@pytest.mark.parametrize("entry", BY_HAND, ids=named)
def test_costs_at_the_golden_noise_by_hand_from_the_plan_for_another_epsilon(entry, monkeypatch):
    other = house.planned(**entry["ask"] | {"epsilon": 1.07 * float(entry["ask"]["epsilon"])})
    monkeypatch.setattr(house, "_planned", lambda _: other)
    assert failing(entry, house.numbers(entry["ask"], entry["is"]), LINES) == {}
