"""Labels and counts are audited together, and nothing holds that was not looked at."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import overbar
from overbar.audit.between import exact_profile
from overbar.errors import ParameterError
from overbar.frames import Question
from overbar.mechanisms import Bar, RankedPlan, Reach
from overbar.noise import Gaussian, Gumbel, Laplace
from tests.attacks.lists import unseen
from tests.attacks.online import Path, Step, profile_of
from tests.attacks.worst_case import audit_plan, search
from tests.privacy.test_counts_enumeration import peeled
from tests.reference.plans import any_plan, other_plan

pytestmark = pytest.mark.one_in(5)

ASKED = {"epsilon": 4, "cutoff": 1, "grid": 1, "counts": "1/2"}
GAUSSIAN = any_plan(
    *(Gumbel(40), None, 0, 2), monotonic=True, is_top=True, mechanism="ranked", counts=Gaussian(2)
)


def asked_in_turn(**changes):
    how = {
        "mechanism": "sparse-vector",
        "noise": "exponential",
        "threshold_noise": "laplace",
        "rounds": 2,  # in the order given
    }
    return overbar.plan(correction=0, **(ASKED | how | changes))


PLANS = {
    "top": overbar.plan(top=True, **ASKED, mechanism="ranked"),
    "top of counts": overbar.plan(top=True, **ASKED, mechanism="ranked", monotonic=True),
    "select": overbar.plan(**ASKED, mechanism="ranked", correction=0),
    "asked in turn": asked_in_turn(),
    "two asked in turn": asked_in_turn(cutoff=2),
}


def with_counts(plan, share):
    return replace(plan, counts=type(plan.counts)(plan.counts.scale * Fraction(share)))


@pytest.mark.parametrize("name", PLANS)
def test_labels_and_counts_lose_what_is_claimed_and_a_little_less_noise_is_caught(name):
    plan = PLANS[name]
    rows = audit_plan(plan)
    assert {row.verdict for row in rows} == {"holds"}
    assert 0.999 < rows[0].closeness <= 1
    witness = search(plan).witness
    shown = exact_profile(plan, witness, release="labels").loss().low  # for anyone to see
    assert rows[0].worst <= shown <= 4
    less = audit_plan(plan, really=with_counts(plan, "0.99"))
    assert less[0].verdict == "violated"
    # Control: an auditor of labels alone does not see it.
    blind = audit_plan(plan, really=plan.labels)
    assert max(row.closeness for row in blind) < 0.9


def test_broken_twins_are_caught_and_the_sound_one_is_not():
    plan = PLANS["two asked in turn"]
    assert search(plan).worst <= 4
    assert search(with_counts(plan, "1/2")).worst > 4.9  # noise for one count where two come out
    unpaid = other_plan(asked_in_turn(cutoff=2, counts=False), counts=plan.counts)
    assert search(unpaid).worst > 5.9  # labels with all of ε beside counts with their share


@pytest.mark.parametrize("scale", [2, Fraction(141, 100)])
def test_gaussian_counts_have_the_delta_of_a_slower_enumeration(scale):
    """The second has noise for one count where two come out, and more δ than is claimed."""
    plan = replace(GAUSSIAN, counts=Gaussian(scale))
    pair = (1, 0, 0), (2, 1, 0)
    slow = [peeled(GAUSSIAN, scores, plan.counts) for scores in pair]
    for epsilon in (0.5, 1):
        expected = [
            sum(np.maximum(one[said] - np.exp(epsilon) * other[said], 0).sum() for said in one)
            for one, other in (slow, slow[::-1])
        ]
        found = exact_profile(plan, pair).deltas(epsilon)
        assert [delta.low for delta in found] == pytest.approx(expected, rel=1e-6)
    claimed = overbar.guarantee(GAUSSIAN).delta(1)
    assert (search(plan, epsilon=1).worst > claimed) == (scale < 2)


def test_counts_of_unlisted_items_are_looked_at():
    plan = PLANS["select"]
    both = {"tea": 1, "mine": 1}, {"tea": 2}
    told = exact_profile(plan, both)
    alone = exact_profile(other_plan(plan, counts=None), both)
    assert told.delta(1).low > alone.delta(1).low + 0.1
    mine = [place for place, (labels, _) in enumerate(told.outcomes) if "mine" in labels]
    assert mine
    assert np.all(told.other[mine, 0] == -np.inf)  # on the neighbour nobody has it


# What is not looked at is said ------------------------------------------------------------------

RANKED = overbar.plan(epsilon=4, cutoff=2, grid=1, correction=0, mechanism="ranked")


@pytest.mark.parametrize(
    "more", [{"first": asked_in_turn(counts=False)}, {"groups": 2, "groups_per_person": 1}]
)
def test_what_is_more_than_one_run_is_refused(more):
    plan = other_plan(RANKED, **more)
    for attack in (audit_plan, search, lambda plan: exact_profile(plan, ((0, 0), (1, 0)))):
        with pytest.raises(ParameterError, match=r"without \w+, which is not looked at"):
            attack(plan)


SHARP = {"epsilon": 6, "cutoff": 2, "grid": 1, "monotonic": True}
HISTOGRAM = {"mechanism": "histogram", "items_per_person": 1, "noise": "laplace"}
KINDS = {
    "ranked": overbar.plan(**SHARP, mechanism="ranked", correction=0),
    "top": overbar.plan(top=True, **SHARP, mechanism="ranked"),
    "histogram": overbar.plan(**(SHARP | HISTOGRAM), correction=0),
    "counts": overbar.plan(top=True, **SHARP, mechanism="ranked", counts="1/2", items_per_person=1),
    "in turn": asked_in_turn(counts=False, **SHARP),
}
DEARER = [
    *((kind, {"sensitivity": 2}) for kind in KINDS),
    *((kind, {"monotonic": False}) for kind in ("ranked", "top", "in turn")),
    *((kind, {"cutoff": 3}) for kind in ("ranked", "in turn")),
    *((kind, {"items_per_person": 2}) for kind in ("histogram", "counts")),
    ("in turn", {"resample": True}),
]


@pytest.mark.parametrize(("kind", "change"), DEARER, ids=str)
def test_a_number_that_costs_more_is_seen_to_cost_more(kind, change):
    """What is claimed of the plan is held against a run with one number changed."""
    plan = KINDS[kind]
    assert search(plan).worst <= overbar.guarantee(plan).at(0)
    assert search(other_plan(plan, **change)).worst > overbar.guarantee(plan).at(0)


VALUES = any_plan(
    *(Gumbel(2), Gaussian(2), 0, 1), is_top=True, mechanism="ranked", counts=Gumbel(2)
)


def test_counts_of_a_kind_that_is_not_known_are_refused():
    """The values that decided are no fresh noise."""
    for attack in (audit_plan, search, lambda plan: exact_profile(plan, ((0, 0), (1, 0)))):
        with pytest.raises(ParameterError, match="without shared, which is not looked at"):
            attack(VALUES)


@pytest.mark.parametrize("items", [1, 2])
def test_counts_beside_keys_are_not_passed_over(items):
    asked = {"item": "key", "person": "who", "epsilon": 1, "delta": "0.01", "counts": True}
    union = Question.keys(**asked, items_per_person=items).plan
    with pytest.raises(ParameterError, match="without counts, which are not looked at"):
        exact_profile(union, ({"me": "a"}, {}))


def test_short_lists_do_not_speak_for_long_answers():
    one_way = replace(RANKED, reach=Reach(0, 1))
    assert unseen(one_way) == ""
    assert unseen(other_plan(one_way, cutoff=4)) == "answers of more than 3"
    # A third score that moves the other way makes a full answer dearer: two do not show that.
    assert unseen(RANKED) == "answers of more than 1"
    assert unseen(other_plan(RANKED, cutoff=4)) == "answers of more than 2"
    three = other_plan(KINDS["top"], cutoff=3)  # of three, and nobody is beaten: it looks like two
    assert search(three).worst <= overbar.guarantee(KINDS["top"]).at(0)
    assert unseen(three) == "answers of more than 2"
    assert unseen(asked_in_turn(cutoff=4)) == "answers of more than 3"
    few = {"mechanism": "histogram", "items_per_person": 3, "noise": "laplace"}
    plan = overbar.plan(**(ASKED | few | {"epsilon": 18, "counts": True}), correction=0)
    rows = audit_plan(plan)
    assert {row.verdict for row in rows} == {"not looked at: more than 2 items of one person"}
    assert unseen(other_plan(plan, items_per_person=2, cutoff=50)) == ""
    # Where more is found than is allowed, a short list is enough.
    broken = audit_plan(plan, really=replace(plan, query_noise=Laplace(Fraction(1, 10))))
    assert broken[0].verdict == "violated"


def test_few_items_of_a_person_are_moved_where_questions_are_asked_in_turn():
    """The guarantee of a list with few moved scores is not held against questions online."""
    plan = overbar.plan(
        epsilon=1, delta="1e-3", cutoff=2, grid=1, correction=0, mechanism="sparse-vector",
        noise="gumbel", threshold_noise="none", monotonic=True, items_per_person=1,
    )  # fmt: skip
    rows = audit_plan(plan)
    assert {row.verdict for row in rows} == {"holds"}
    assert rows[0].closeness > 0.9
    assert audit_plan(plan, really=replace(plan, items_per_person=2))[0].verdict == "violated"
    with pytest.raises(ParameterError, match="differ in 1 places at most"):
        exact_profile(plan, ((0, 0), (1, 1)))


def test_a_list_is_not_audited_by_questions_online():
    path = Path((Step(True, Fraction(0), Fraction(1)),))
    for plan in (PLANS["asked in turn"], RANKED):
        with pytest.raises(ParameterError, match="between must be two lists of scores"):
            profile_of(plan, path)


def test_fewer_comparisons_than_positives_are_looked_at():
    plan = other_plan(asked_in_turn(counts=False, rounds=1), cutoff=3, resample=True, max_queries=2)
    assert search(plan).worst > 0.9


def test_chances_too_small_for_floats_are_no_violation():
    few = {"mechanism": "histogram", "items_per_person": 1, "noise": "laplace"}
    plan = overbar.plan(epsilon=300, cutoff=1, grid=1, correction=0, **few)
    assert 299.9 < search(plan).worst <= 300
    sharp = RankedPlan(Gumbel(Fraction(1, 40)), Bar(None), 2, Reach(-1, 1))
    with pytest.raises(ParameterError, match="query_noise must be larger"):
        search(sharp)
