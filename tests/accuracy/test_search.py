from fractions import Fraction

import pytest

import overbar
from overbar.accuracy import chances, epsilon_for, margin_for
from overbar.accuracy.detection import _rounded_up
from overbar.errors import ParameterError
from overbar.noise import NOISES, Gaussian, Laplace
from overbar.planning.plan_parameters import methods, plan_of
from tests.queue_plans import queue_plan
from tests.reference.plans import any_plan

SETTING = {"cutoff": 5, "candidates": 300}


def make(epsilon, **more):
    return queue_plan(epsilon=epsilon, **SETTING, monotonic=True, **more)


def recall_of(plan, margin):
    return chances(plan, margin, candidates=300).above


@pytest.mark.parametrize("recall", ["0.1", "0.5", "0.95", "0.999"])
@pytest.mark.parametrize("rounds", [1, 2])
def test_the_margin_is_enough_and_one_digit_less_is_not(recall, rounds):
    plan = make(1, rounds=rounds)
    margin = margin_for(plan, recall, candidates=300)
    assert recall_of(plan, margin) >= float(recall)
    assert recall_of(plan, max(0, margin - abs(margin) / 50)) < float(recall) or margin <= 0
    assert len(str(float(margin)).replace(".", "").strip("0")) <= 3


@pytest.mark.parametrize("margin", ["0.5", "20", "500", "123456"])
def test_the_epsilon_is_enough_and_one_digit_less_is_not(margin):
    epsilon = epsilon_for(make, "0.95", margin, candidates=300)
    assert recall_of(make(epsilon), margin) >= 0.95
    # The correction is rounded up to the grid, so a hair less may do by luck; two per cent not.
    assert recall_of(make(epsilon * Fraction(98, 100)), margin) < 0.95


def test_the_epsilon_of_an_approximate_plan():
    def approximate(epsilon):  # a bare threshold, whose plan is made at once
        return make(epsilon, delta="1e-6", noise="gumbel", threshold_noise="none")

    epsilon = epsilon_for(approximate, "0.9", 30, candidates=300)
    assert recall_of(approximate(epsilon), 30) >= 0.9


def test_the_margin_of_the_top():
    plan = plan_of(None, {"epsilon": 1, "cutoff": 5, "monotonic": True}, top=True)
    margin = margin_for(plan, "0.95", candidates=300)
    assert recall_of(plan, margin) >= 0.95 > recall_of(plan, margin * Fraction(98, 100))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"rounds": None}, "runs that ask without end"),
        ({"resample": True}, "resample=True"),
        ({"max_queries": 99}, "max_queries"),
    ],
)
def test_what_is_not_predicted_says_so(change, what):
    for search in (lambda plan: margin_for(plan, "0.9"), lambda plan: chances(plan, 9)):
        with pytest.raises(ParameterError, match=f"accuracy is not predicted for {what}"):
            search(make(1, **change))


def test_the_top_needs_the_number_of_candidates():
    plan = plan_of(None, {"epsilon": 1, "cutoff": 5, "monotonic": True}, top=True)
    with pytest.raises(ParameterError, match="candidates must be given"):
        margin_for(plan, "0.9")
    assert chances(plan, 0, candidates=5) == (1.0, chances(plan, 0, candidates=9).below)


@pytest.mark.parametrize("recall", ["0", "1", "2", "-1", "often"])
def test_a_recall_is_a_share(recall):
    with pytest.raises(ParameterError, match="recall must be"):
        margin_for(make(1), recall, candidates=300)


def test_no_epsilon_finds_what_lies_on_the_threshold():
    with pytest.raises(ParameterError, match=r"no epsilon up to 1000 gives a recall of 0\.95"):
        epsilon_for(make, "0.95", "1/1000000", candidates=300)
    with pytest.raises(ParameterError, match="margin must be positive"):
        epsilon_for(make, "0.95", 0, candidates=300)


def test_methods_are_the_sound_ones():
    def way(chosen):
        return overbar.plan(epsilon=1, monotonic=True, **SETTING, **chosen)

    assert [one.name for one in methods(way, 0)] == [
        "ranked, exponential",
        "sparse-vector, exponential",
        "sparse-vector, gumbel",
        "sparse-vector, laplace",
    ]
    named = dict(methods(way, "1e-6"))
    assert named["ranked, gumbel, bare bar"].threshold_noise is None
    assert named["ranked, exponential, δ = 0"] == overbar.plan(epsilon=1, monotonic=True, **SETTING)
    assert {plan.labels.kind for plan in named.values()} == {"ranked", "sparse-vector"}


def test_methods_for_more_rounds_ask_in_turn():
    def way(chosen):
        return overbar.plan(epsilon=1, monotonic=True, rounds=3, **SETTING, **chosen)

    assert {one.plan.labels.kind for one in methods(way, 0)} == {"sparse-vector"}


BARRED = {"sparse-vector", "ranked"}


@pytest.mark.parametrize("top", [False, True])
def test_a_histogram_stands_beside_the_others(top):
    """Every way that is not refused is listed, and a top that ranks has one bar: none."""

    def way(chosen):
        bar = {"auto": Laplace(1), "gaussian": Gaussian(1)}.get(chosen["threshold_noise"])
        return any_plan(
            NOISES[chosen["noise"]](1),
            None
            if chosen["mechanism"] == "histogram" or (top and chosen["mechanism"] == "ranked")
            else bar,
            0,
            5,
            is_top=top,
            mechanism=chosen["mechanism"],
            items_per_person=2,
        )

    assert [one.name for one in methods(way, 0)][:2] == [
        "ranked, exponential",
        "histogram, laplace",
    ]
    names = [one.name for one in methods(way, "1e-6")]
    assert {"histogram, gaussian", "histogram, laplace, δ = 0"} < set(names)
    assert ("ranked, gumbel, bare bar" in names) != top
    assert "sparse-vector, gumbel, bare bar" in names


def test_an_answer_that_is_not_enough_after_rounding_is_raised():
    assert _rounded_up(Fraction(1), lambda value: value >= 1.005) == Fraction("1.01")
    assert _rounded_up(Fraction("0.12345"), lambda value: value > 0) == Fraction("0.124")
