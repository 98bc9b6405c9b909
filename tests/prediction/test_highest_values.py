"""What is found where the highest values win: against levels, a fine sum and simulated runs."""

from fractions import Fraction

import numpy as np
import pytest

from overbar import calibrate, calibrate_top
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.prediction import epsilon_for, expected_accuracy, highest_values, margin_for
from overbar.prediction.population import LEAST_LOG, Population
from tests.prediction.test_expected import CANDIDATES, _all, consistent, simulated
from tests.reference.plans import any_plan
from tests.reference.prediction import highest

LEVELS = 600


def ranked(query, bar, correction, cutoff, **more):
    return any_plan(
        query, bar, correction, cutoff, monotonic=True, **{"mechanism": "ranked"} | more
    )


def histogram(query, correction, cutoff, **more):
    few = {"mechanism": "histogram", "items_per_person": 1}
    return any_plan(query, None, correction, cutoff, **few | more)


PLANS = {
    "free bar": ranked(Exponential(2), Exponential(2), 2, 3),
    "two-sided bar": ranked(Exponential(2), Laplace(1), 2, 3),
    "gumbel": ranked(Gumbel(2), Laplace(2), 1, 3),
    "gaussian bar": ranked(Gumbel(2), Gaussian(2), 1, 3),
    "bare bar": ranked(Gumbel(2), None, 1, 3),
    "top": ranked(Exponential(2), None, 0, 3, is_top=True),
    "gumbel top": ranked(Gumbel(2), None, 0, 3, is_top=True),
    "histogram": histogram(Laplace(2), 1, 3),
    "gaussian histogram": histogram(Gaussian(2), 0, 3),
    "top of a histogram": histogram(Laplace(2), 0, 3, is_top=True),
}


def by_levels(plan, margin, above, below):
    """The slow reference on so many levels that two values seldom share one."""
    noise, bar, level = plan.query_noise, plan.threshold_noise, float(plan.correction)
    low, high = float(noise.quantile(1e-6)) - margin, float(noise.isf(1e-6)) + margin
    if bar is None and not plan.for_top:
        low = level  # a bare bar ends it all
    edges = np.linspace(high, low, LEVELS + 1)
    logs = [noise.logcdf(edges + side) for side in (-margin, margin)]
    # The bar lies in the midst of its level: half of those of the level come before it.
    half = (edges[0] - edges[1]) / 2
    logs.append(0 * edges if bar is None else bar.logcdf(edges + half - level))
    first, second, reached = (
        -np.expm1(np.maximum(log[1:], LEAST_LOG) - np.maximum(log[:-1], LEAST_LOG)) for log in logs
    )
    come = list(zip(first.tolist(), second.tolist(), strict=True))
    return highest(above, below, plan.cutoff, come, reached.tolist())


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize(("above", "below", "margin"), [(3, 4, 1.5), (2, 5, 0.5), (5, 2, 1.0)])
def test_found_is_what_looking_down_level_by_level_gives(name, above, below, margin):
    plan = PLANS[name]
    hits, precision = by_levels(plan, margin, above, below)
    found = highest_values.highest_values(plan, margin, Population(above, below, plan.cutoff))
    assert found == pytest.approx((hits, precision), abs=3e-4)


def test_the_levels_can_tell_one_noise_too_little():
    """The control: a bar without its noise, and values without the bar."""
    plan, crowd = PLANS["free bar"], (3, 4)
    hits, _ = by_levels(plan, 1.5, *crowd)
    for wrong in (ranked(Exponential(2), None, 2, 3), PLANS["top"]):
        found = highest_values.highest_values(wrong, 1.5, Population(*crowd, 3))
        assert abs(found[0] - hits) > 0.05


@pytest.mark.parametrize(
    ("plan", "margin", "above"),
    [
        (calibrate(epsilon=1, cutoff=5, monotonic=True, candidates=CANDIDATES), 20.0, 5),
        (calibrate(epsilon=1, cutoff=5, monotonic=True, candidates=CANDIDATES), 20.0, 2),
        (ranked(Exponential(5), Laplace(9), 12, 5), 15.0, 12),
        (ranked(Gumbel(5), Gaussian(7), 12, 5), 20.0, 5),
        (ranked(Gumbel(5), None, 12, 5), 15.0, 5),
        (ranked(Gumbel(5), None, 0, 5, is_top=True), 12.0, 20),
        (histogram(Laplace(5), 14, 5), 18.0, 4),
        (histogram(Gaussian(8), 9, 5), 17.0, 8),
        (histogram(Laplace(5), 0, 5, is_top=True), 14.0, 5),
    ],
)
def test_simulated_runs_agree_and_would_notice_a_small_error(plan, margin, above):
    measured = simulated(plan, margin, above)
    predicted = expected_accuracy(plan, margin, candidates=CANDIDATES, above=above)
    wrong = expected_accuracy(plan, margin + 2, candidates=CANDIDATES, above=above)
    assert all(consistent(*pair) for pair in zip(measured, _all(predicted), strict=True))
    assert not all(consistent(*pair) for pair in zip(measured, _all(wrong), strict=True))


@pytest.mark.parametrize("above", [10, 50, 100])
@pytest.mark.parametrize(
    "plan",
    [
        ranked(Exponential(50), Exponential(50), 115, 50),
        ranked(Exponential(50), Laplace(5), 115, 50),
        ranked(Exponential(5), Exponential(500), 30, 50),
        ranked(Gumbel(16), Gaussian(40), 50, 50),
        ranked(Gumbel(16), None, 0, 50, is_top=True),
        histogram(Laplace(1), 3, 50),
    ],
)
def test_the_integral_is_what_a_fine_sum_gives(plan, above):
    population = Population(above, 10_000 - above, plan.cutoff)
    noise, bar, level = plan.query_noise, plan.threshold_noise, float(plan.correction)
    scale = float(noise.scale)
    for margin in (0.0, scale / 2, 3 * scale, 8 * scale):
        ends = margin + float(noise.quantile(1e-13)), margin + float(noise.isf(1e-13))
        y = np.linspace(*ends, 10_001)
        y = (y[:-1] + y[1:]) / 2
        logs = [np.maximum(noise.logcdf(y + side), LEAST_LOG) for side in (-margin, margin)]
        reached = np.ones_like(y)
        if bar is not None:
            reached = bar.cdf(y - level)
        elif not plan.for_top:
            reached = (y >= level).astype(float)
        mass = np.diff(np.linspace(*ends, 10_001))[0] * noise.pdf(y - margin) * reached
        hits = above * mass @ population.at_most(*logs)
        found, _ = highest_values.highest_values(plan, margin, population)
        # A bare bar falls into the midst of one of the steps of the sum.
        assert found == pytest.approx(hits, abs=2e-5 * above if bar or plan.for_top else 1e-3)


@pytest.mark.parametrize("name", PLANS)
def test_recall_rises_with_the_margin_to_one(name):
    recalls = [
        expected_accuracy(PLANS[name], m / 2, candidates=CANDIDATES).recall for m in range(80)
    ]
    assert np.all(np.diff(recalls) > -1e-8)
    assert recalls[-1] > 0.999


def test_at_margin_zero_the_top_is_chance():
    found = expected_accuracy(PLANS["top"], 0, candidates=CANDIDATES)
    assert found.recall == pytest.approx(3 / CANDIDATES, abs=1e-6)


def test_more_places_than_candidates():
    found = expected_accuracy(PLANS["gumbel top"], 1, candidates=2, above=1)
    assert _all(found) == pytest.approx((1, 1 / 2, 3 / 6))


@pytest.mark.parametrize("query", [Exponential(5), Gumbel(5)])
@pytest.mark.parametrize("bar", [Exponential(5), None])
def test_normal_counts_are_off_by_less_than_said(query, bar, monkeypatch):
    cutoff = highest_values.MANY + 1
    for correction, margin, above in ((0, 8, cutoff), (10, 15, 60), (30, 25, 2 * cutoff)):
        plan = ranked(query, bar, correction, cutoff)
        rough = expected_accuracy(plan, margin, candidates=5000, above=above)
        with monkeypatch.context() as patch:
            patch.setattr(highest_values, "MANY", cutoff)
            exact = expected_accuracy(plan, margin, candidates=5000, above=above)
        assert _all(rough) == pytest.approx(_all(exact), abs=0.001)
        assert _all(rough) != _all(exact)


def test_searches_give_what_is_enough_and_no_more():
    def select(epsilon):
        return calibrate(epsilon=epsilon, cutoff=5, monotonic=True, candidates=300)

    def counted(epsilon):
        return histogram(Laplace(1 / epsilon), round(2 / epsilon), 5)

    def first(epsilon):
        return calibrate_top(epsilon=epsilon, cutoff=5, monotonic=True)

    for make in (select, counted, first):
        margin = margin_for(make(Fraction(1)), "0.95", candidates=300)
        epsilon = epsilon_for(make, "0.95", 2 * margin, candidates=300)
        assert Fraction("0.45") < epsilon < Fraction("0.55")
        for share, enough in ((1, True), (Fraction(97, 100), False)):
            by_margin = expected_accuracy(make(Fraction(1)), share * margin, candidates=300)
            by_epsilon = expected_accuracy(make(share * epsilon), 2 * margin, candidates=300)
            assert (by_margin.recall >= 0.95, by_epsilon.recall >= 0.95) == (enough, enough)
