"""Predicted accuracy against simulated runs, against a slow average, and at its ends."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from overbar import metrics, simulate
from overbar.calibration.plan_parameters import plan_of
from overbar.errors import ParameterError
from overbar.noise import Gumbel, Laplace
from overbar.prediction import expected_accuracy
from overbar.prediction import population as populations
from overbar.prediction.population import Population
from tests.queue_plans import queue_plan
from tests.reference.plans import any_plan, other_plan
from tests.statistical.chi_square import FALSE_ALARM

CANDIDATES, RUNS, LEVEL = 300, 3000, 10_000


def made(**parameters):
    return queue_plan(
        **{"epsilon": 1, "cutoff": 5, "monotonic": True, "candidates": CANDIDATES, **parameters}
    )


def consistent(measured, predicted):
    """Student's test of a predicted mean."""
    error = measured.values.std(ddof=1) / math.sqrt(RUNS)
    return 2 * stats.t.sf(abs(measured.mean - predicted) / error, RUNS - 1) > FALSE_ALARM


def simulated(plan, margin, above):
    scores = np.full(CANDIDATES, LEVEL - margin)
    scores[:above] += 2 * margin
    runs = simulate(plan, scores, threshold=LEVEL, runs=RUNS, seed=11, workers=1).selected
    kinds = metrics.recall, metrics.precision, metrics.ncr
    return [kind(runs, scores, cutoff=plan.cutoff, threshold=LEVEL) for kind in kinds]


CASES = [
    # parameters, margin, above
    ({}, 25.0, 5),
    ({"noise": "laplace"}, 20.0, 12),
    ({"noise": "gumbel", "correction": "optimal-shared"}, 30.0, 3),
    ({"rounds": 3}, 25.0, 5),
    ({"rounds": None}, 15.0, 12),
    ({"delta": "1e-6", "noise": "gumbel", "threshold_noise": "gaussian"}, 25.0, 5),
    ({"delta": "1e-6", "noise": "gumbel", "threshold_noise": "none"}, 25.0, 5),
]


@pytest.mark.parametrize(("parameters", "margin", "above"), CASES)
def test_simulated_runs_agree_and_would_notice_a_small_error(parameters, margin, above):
    plan = made(**parameters)
    measured = simulated(plan, margin, above)
    predicted = expected_accuracy(plan, margin, candidates=CANDIDATES, above=above)
    wrong = expected_accuracy(plan, margin + 3, candidates=CANDIDATES, above=above)
    assert all(consistent(*pair) for pair in zip(measured, _all(predicted), strict=True))
    assert not all(consistent(*pair) for pair in zip(measured, _all(wrong), strict=True))


def _all(accuracy):
    return accuracy.recall, accuracy.precision, accuracy.ncr


def test_a_threshold_noise_of_its_own_for_each_candidate_would_be_noticed():
    """The control for sharing: chances averaged first, then counted, are rejected."""
    plan = made(allocation=3)
    margin, above = 30.0, 5
    seen = simulated(plan, margin, above)[1]
    assert consistent(seen, expected_accuracy(plan, margin, candidates=CANDIDATES).precision)
    places, weights = dense(plan)
    chances = [
        weights @ plan.query_noise.sf(float(plan.correction) + side + places)
        for side in (-margin, margin)
    ]
    hazards = [np.log(-np.log1p(-np.array([chance]))) for chance in chances]
    own = Population(above, CANDIDATES - above, 5).found(*hazards, 1).precision[0]
    assert not consistent(seen, own)


def test_top_agrees_with_simulated_runs():
    plan = plan_of(None, {"epsilon": 1, "cutoff": 5, "monotonic": True}, top=True)
    assert plan.for_top
    for margin, above in ((10.0, 5), (12.0, 20)):
        measured = simulated(plan, margin, above)
        right = expected_accuracy(plan, margin, candidates=CANDIDATES, above=above)
        wrong = expected_accuracy(plan, margin + 1, candidates=CANDIDATES, above=above)
        assert consistent(measured[0], right.recall)
        assert not consistent(measured[0], wrong.recall)


def dense(plan):
    """A slow average over the threshold noise: a fine sum instead of chosen pieces."""
    reach = float(plan.threshold_noise.isf(1e-12))
    places = np.linspace(-reach, reach, 12_001)
    weights = plan.threshold_noise.pdf(places)
    return places, weights / weights.sum()


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"noise": "laplace", "correction": "none"},
        {"noise": "gumbel", "correction": "mean"},
        {"cutoff": 50, "allocation": 500},
        {"cutoff": 50, "allocation": "0.01"},
        {"delta": "1e-6", "noise": "gumbel", "threshold_noise": "gaussian"},
    ],
)
def test_the_average_over_the_threshold_noise_is_what_a_fine_sum_gives(parameters):
    plan = made(**parameters)
    places, weights = dense(plan)
    population = Population(plan.cutoff, CANDIDATES - plan.cutoff, plan.cutoff)
    scale = float(plan.query_noise.scale)
    for margin in (0.0, scale / 2, 3 * scale, 8 * scale):
        gaps = [places + float(plan.correction) + side for side in (-margin, margin)]
        found = population.found(*(plan.query_noise.log_hazard(gap) for gap in gaps), 1)
        predicted = expected_accuracy(plan, margin, candidates=CANDIDATES)
        assert predicted.recall == pytest.approx(weights @ found.hits / plan.cutoff, abs=2e-5)
        assert predicted.precision == pytest.approx(weights @ found.precision, abs=2e-5)


@pytest.mark.parametrize("rounds", [1, 4, None])
def test_recall_rises_with_the_margin(rounds):
    plan = made(rounds=rounds)
    recalls = [
        expected_accuracy(plan, margin, candidates=CANDIDATES).recall for margin in range(0, 120, 6)
    ]
    assert recalls == sorted(recalls)
    assert recalls[-1] > 0.99


def test_with_next_to_no_noise_everything_is_right():
    plan = any_plan(Gumbel("1/1000"), Laplace("1/1000"), Fraction(0), cutoff=5)
    found = expected_accuracy(plan, 1, candidates=100)
    assert (found.recall, found.precision, found.ncr) == pytest.approx((1, 1, 1))


def test_at_margin_zero_only_chance_is_left():
    plan = made(rounds=None)
    found = expected_accuracy(plan, 0, candidates=CANDIDATES)
    assert found.recall == pytest.approx(5 / CANDIDATES, abs=1e-6)


def test_fewer_above_than_the_cutoff_are_worth_the_first_places():
    plan = any_plan(Gumbel("1/1000"), Laplace("1/1000"), Fraction(0), cutoff=5)
    found = expected_accuracy(plan, 1, candidates=100, above=2)
    assert found.ncr == pytest.approx((5 + 4) / 15)


def test_scaling_everything_changes_nothing():
    plan = made()
    larger = other_plan(
        plan,
        query_noise=type(plan.query_noise)(8 * plan.query_noise.scale),
        threshold_noise=Laplace(8 * plan.threshold_noise.scale),
        correction=8 * plan.correction,
    )
    one = expected_accuracy(plan, 20, candidates=CANDIDATES)
    other = expected_accuracy(larger, 160, candidates=CANDIDATES)
    assert _all(one) == pytest.approx(_all(other), rel=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"resample": True}, "resample=True"),
        ({"max_queries": 299}, "max_queries cuts a run short"),
        ({"max_queries": 10**6, "rounds": None}, "max_queries cuts a run short"),
    ],
)
def test_what_is_not_covered_is_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        expected_accuracy(other_plan(made(), **change), 1, candidates=CANDIDATES)
    assert expected_accuracy(other_plan(made(), max_queries=300), 1, candidates=300).recall > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"margin": -1, "candidates": 10}, "margin must be zero or positive"),
        ({"margin": 1, "candidates": 0}, "candidates must be a positive whole number"),
        ({"margin": 1, "candidates": 10, "above": 11}, "above must be at most the 10 candidates"),
        ({"margin": 1, "candidates": 10, "above": 0}, "above must be a positive whole number"),
    ],
)
def test_bad_numbers_are_refused(arguments, message):
    with pytest.raises(ParameterError, match=message):
        expected_accuracy(made(), arguments.pop("margin"), **arguments)


@pytest.mark.parametrize("rounds", [3, None])
def test_counts_at_their_means_are_off_by_less_than_said(rounds, monkeypatch):
    plan = made(cutoff=76, candidates=3000, rounds=rounds)
    scale = float(plan.query_noise.scale)
    for size in (1, 3, 5):
        rough = expected_accuracy(plan, size * scale, candidates=3000)
        with monkeypatch.context() as patch:
            patch.setattr(populations, "MANY_AGAIN", 10**6)
            exact = expected_accuracy(plan, size * scale, candidates=3000)
        assert _all(rough) == pytest.approx(_all(exact), abs=0.02)
        assert _all(rough) != _all(exact)
