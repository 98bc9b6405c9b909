"""Quantiles on a ladder: intervals hold, and few persons get fewer digits.

``make campaign NAME=intervals`` makes 2,000 runs of each case; without it 60 are made.
"""

from __future__ import annotations

import os
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
import scipy

from overbar import ParameterError
from overbar.calibration.quantile_kind import margin, mean_plan, quantile_plan
from overbar.frames.ladders import ladder_of
from overbar.frames.scoring import RankedValues
from overbar.mechanism import quantile_draw
from overbar.mechanism.quantile_draw import aim, drawn_quantiles, shares_within
from overbar.noise import Laplace
from overbar.sampling.entropy import system

RUNS = int(os.environ.get("OVERBAR_INTERVALS", "60"))


def enough(runs):
    """Return a share of runs below which a chance of 95 % falls less than once in 10^9 times."""
    return float(scipy.stats.binom.ppf(1e-9, runs, 0.95)) / runs


def coverage(below, ladder, share, epsilon, truth, runs=RUNS):
    plan = quantile_plan(epsilon, [share], len(ladder.rungs))
    held = 0
    for _ in range(runs):
        answer = drawn_quantiles(plan, ladder.rungs, ladder.levels, below, system)
        held += answer.counts[1].low <= truth <= answer.counts[1].high
    return held / runs


#: All persons on one rung; spread evenly; all but one beyond; and who is nobody's middle.
WORST = {
    "one rung": [0] * 20 + [60] + [0] * 19,
    "even": [3] * 40,
    "two ends": [50] + [0] * 38 + [51],
    "few": [0] * 39 + [2],
}


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(19, 20), Fraction(1, 10)])
@pytest.mark.parametrize("case", WORST)
def test_intervals_hold_with_95_percent(case, share):
    ladder, each = ladder_of("1:40:1"), np.array(WORST[case], dtype=np.int64)
    below = np.cumsum(each)
    truth = next(place + 1 for place in range(40) if below[place] >= share * below[-1])
    assert coverage(below, ladder, share, "0.5", truth) >= enough(RUNS)


def test_control_intervals_of_no_persons_do_not():
    ladder, below = ladder_of("1:40:1"), np.arange(1, 41, dtype=np.int64)
    with mock.patch.object(quantile_draw, "margin", return_value=0):
        assert coverage(below, ladder, Fraction(1, 2), "0.1", 20, 200) < enough(200)


def mean_coverage(each, epsilon, runs=RUNS):
    """Return how often the interval of a mean holds the mean of the values as they were clamped."""
    ladder, persons = ladder_of("1:40:1"), np.array(each, dtype=np.int64)
    plan, values = mean_plan(epsilon, 40), RankedValues(np.arange(1, 41), persons, 0)
    held = 0
    for _ in range(runs):
        ranks = ladder.rungs, ladder.levels, np.cumsum(persons)
        answer = drawn_quantiles(plan, *ranks, system, values.total)
        _, low, high, mean = answer.counts
        clamped = np.clip(values.values, float(low.value), float(high.value))
        truth = float(clamped @ persons / persons.sum())
        held += float(mean.low) - 1e-9 <= truth <= float(mean.high) + 1e-9
    return held / runs


@pytest.mark.parametrize("case", WORST)
def test_the_interval_of_a_mean_holds_with_95_percent(case):
    assert mean_coverage(WORST[case], "0.5") >= enough(RUNS)
    assert mean_coverage([100 * many for many in WORST[case]], 2, RUNS // 4) >= enough(RUNS // 4)


def test_a_mean_of_nobody_raises_nothing_whatever_the_noise_is():
    noise = Laplace(Fraction(3))
    for persons in range(-30, 3):
        mean = quantile_draw._mean(noise, noise, (Fraction(1), Fraction(5)), 7, persons, False)
        assert 1 <= mean.low <= mean.value <= mean.high <= 5


def test_control_the_interval_of_a_mean_without_noise_does_not():
    with mock.patch.object(quantile_draw, "MEAN_LOG", Fraction(1, 100)):
        assert mean_coverage([300] * 40, "0.1") < enough(RUNS)


def test_a_margin_is_what_noise_reaches():
    """The chance that a rung so far away is chosen, at its worst: all others are just there."""
    plan, share = quantile_plan(1, ["0.5"], 200, intervals=False), Fraction(1, 2)
    away = margin(plan, share, 0.05)
    below = np.array([2 * away] * 199 + [2 * away], dtype=np.int64)  # the first is right
    runs = 1000
    wrong = sum(quantile_draw._nearest(plan, share, below, 0, system) > 0 for _ in range(runs))
    assert 0.005 < wrong / runs < 0.09  # the bound is met, and nearly attained


def test_few_persons_get_fewer_digits_and_many_all():
    ladder, plan = ladder_of(None), quantile_plan(1, ["0.5", "0.95"], 3243)
    sizes = [
        len(aim(plan, share, ladder.levels, n)[0]) for share in plan.shares for n in (20, 10**6)
    ]
    finest, middle, coarsest = map(len, ladder.levels)
    assert sizes == [coarsest, finest] * 2
    assert finest > middle > coarsest
    for level in ladder.levels:
        assert level[-1] == finest - 1  # beyond it nobody is left
    median, high = plan.shares
    assert aim(plan, median, ladder.levels, 500)[1] == 0
    assert aim(plan, high, ladder.levels, 10**6)[1] == 0
    assert 0 < aim(plan, high, ladder.levels, 2000)[1] <= 900
    low = quantile_plan(1, ["0.05"], 3243)
    assert aim(low, low.shares[0], ladder.levels, 500)[1] < 0


def test_shares_are_about_the_persons_that_were_counted():
    ladder, below = ladder_of("1:100:1"), np.arange(1, 101, dtype=np.int64) * 100
    plan = quantile_plan(1, ["0.25", "0.5"], 100)
    answer = drawn_quantiles(plan, ladder.rungs, ladder.levels, below, system)
    for (low, high), share in zip(
        shares_within(plan, ladder.levels, answer.counts[0]), plan.shares, strict=True
    ):
        assert 0 < low < share < high < 1
    assert answer.labels == ("persons", "0.25", "0.5")
    assert answer.spent == 1


@pytest.mark.parametrize(
    "at", [(), (0,), (1,), ("0.5", "0.5"), ("0.9", "0.1"), ("0.12345678",), "x"]
)
def test_bad_shares_are_refused(at):
    with pytest.raises(ParameterError):
        quantile_plan(1, at, 10)
