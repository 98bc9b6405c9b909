"""Intervals by tails are intervals by adding up, and hold the truth as often as they say.

Intervals around values hold the score about 95 % of the time, wherever it lies: 94.2 % or more.

That is added up, not proved.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy

from overbar.accuracy.interval import MISSES, _lower_end, _upper_end, interval, value_interval
from overbar.noise import Gaussian, Gumbel, Laplace

ONE = Fraction(1)
REACH = 600
STEPS = np.arange(-REACH, REACH + 1)


def masses(noise):
    scale = float(noise.scale)
    power = np.abs(STEPS) if isinstance(noise, Laplace) else STEPS**2 / (2 * scale)
    weights = np.exp(-power / scale)
    return weights / weights.sum()


def reach(noise):
    return int(20 * noise.scale)


def odd(noise, value, bar):
    """For each score around the value: how odd the value is, by adding up."""
    found = {}
    law = masses(noise)
    for score in range(value - reach(noise), value + reach(noise) + 1):
        inside = np.ones(law.size, dtype=bool) if bar is None else bar - score <= STEPS
        far = np.abs(STEPS) >= abs(value - score)
        found[score] = law[inside & far].sum() / law[inside].sum()
    return found


@pytest.mark.parametrize("noise", [Laplace(8), Gaussian(8), Laplace("1.5"), Gaussian("1.2")])
@pytest.mark.parametrize("above", [None, 0, 1, 3, 9, 20, 28, 40])
def test_ends_are_those_of_a_plain_sum(noise, above):
    value = 500
    bar = None if above is None else value - above
    fits = [score for score, chance in odd(noise, value, bar).items() if chance > MISSES]
    assert fits == list(range(fits[0], fits[-1] + 1))  # an interval
    low, high = interval(noise, ONE, value, bar)
    assert high == fits[-1]
    assert low is None or low <= value <= high
    if fits[0] > value - reach(noise):
        assert low == fits[0]
    else:
        assert low is None or low <= fits[0]


@pytest.mark.parametrize("noise", [Laplace(8), Gaussian(8)])
@pytest.mark.parametrize("score", [-40, -3, 0, 4, 30])
@pytest.mark.parametrize("tied", [False, True])
def test_the_truth_is_inside_as_often_as_is_said(noise, score, tied):
    """Exactly, over all values that reach a bar at zero, of which one equal to it may have lost."""
    law = masses(noise)
    reached = [(score + n, p) for n, p in zip(STEPS.tolist(), law, strict=True) if score + n >= 0]
    kept = [(value, p / 3 if tied and value == 0 else p) for value, p in reached]

    def hits(bar):
        inside = 0.0
        for value, chance in kept[:150]:  # the rest is less than 1e-9 for these scores
            low, high = interval(noise, ONE, value, bar, tied=tied)
            inside += chance * ((-math.inf if low is None else low) <= score <= high)
        return inside / sum(chance for _, chance in kept)

    assert 0.95 <= hits(0) <= (0.98 if tied else 0.97)
    if score == -40:  # control: without the correction for selection
        assert hits(None) < 0.9


def test_fresh_noise_has_the_same_width_everywhere():
    assert interval(Laplace(10), ONE, 0) == (-30, 30)
    assert interval(Gaussian(10), Fraction(1, 4), 1000) == (1000 - 78, 1000 + 78)


@pytest.mark.parametrize("noise", [Laplace(8), Gaussian(8)])
@pytest.mark.parametrize("above", [0, 9, 24, 40, 100, 799, 801, 10**9])
def test_on_a_fine_grid_the_ends_are_nearly_the_same_and_never_inside(noise, above):
    coarse, fine = (
        interval(noise, grid, int(500 / grid), int((500 - above) / grid))
        for grid in (Fraction(1, 64), Fraction(1, 10**6))
    )
    for one, other in zip(coarse, fine, strict=True):
        assert (one is None) == (other is None)
        assert one is None or abs(Fraction(one, 64) - Fraction(other, 10**6)) < Fraction(1, 10)
    if above > 100:
        assert fine == interval(noise, Fraction(1, 10**6), 500 * 10**6)


#: Chances that stand for all leads.
CHANCES = (np.arange(40) + 0.5) / 40
#: How far a score lies above the first value left out, in scales.
DISTANCES = (-30, -4, -1, 0, 0.5, 1, 3, 9)
STANDARD = Gumbel(Fraction(1))


def coverage(width, distance, supposed=None, selected=True, chances=CHANCES):
    """How often the interval holds a score, over all leads with which it comes out and all ρ.

    `supposed` is a width of the shared noise other than the true one, and without `selected`
    nothing is made of the lead: the controls.
    """
    supposed = width if supposed is None else supposed
    log_out = float(STANDARD.unit_logsf(np.array(-distance)))
    shared = width * scipy.special.ndtri((np.arange(200) + 0.5) / 200)
    hits = 0.0
    for chance in chances:
        log_tail = math.log(chance) + log_out
        noise = -log_tail if log_tail < -30 else float(STANDARD.isf(math.exp(log_tail)))
        lead = noise + distance if selected else math.inf
        low, high = _lower_end(supposed, lead, False), _upper_end(supposed, lead, False)
        offsets = shared - noise  # of the score from its value less ρ
        hits += np.mean((offsets >= low) & (offsets <= high))
    return hits / len(chances)


def coverage_above_a_level(width, distance, fixed=True):
    """The same for a score so far above a level, of which the shared noise is a part."""
    shared = width * scipy.special.ndtri((np.arange(60) + 0.5) / 60)
    log_out = STANDARD.unit_logsf(shared - distance)
    hits = 0.0
    for one, out in zip(shared, log_out, strict=True):
        for chance in CHANCES:
            log_tail = math.log(chance) + out
            noise = -log_tail if log_tail < -30 else float(STANDARD.isf(math.exp(log_tail)))
            value = noise - one
            low, high = (
                end(width, round(value + distance, 3), fixed) for end in (_lower_end, _upper_end)
            )
            hits += math.exp(out) * (low <= -value <= high)
    return hits / len(CHANCES) / np.exp(log_out).sum()


@pytest.mark.parametrize("width", [0.2, 0.8, 1.8])
def test_coverage_wherever_the_score_lies(width):
    found = [coverage(width, distance) for distance in DISTANCES]
    assert min(found) >= 0.942
    assert max(found) <= 0.961


@pytest.mark.parametrize(
    ("width", "distance", "least"), [(1.2, 1, 0.942), (1.8, 0.5, 0.942), (8, 6, 0.936)]
)
def test_where_an_interval_holds_least(width, distance, least):
    """The worst of many places that were tried: no page may say more."""
    fine = (np.arange(100) + 0.5) / 100
    assert least <= coverage(width, distance, chances=fine) < least + 0.002


@pytest.mark.one_in(8)
@pytest.mark.parametrize("distance", [-6, -1, 1, 6])
def test_coverage_above_a_level(distance):
    assert 0.945 <= coverage_above_a_level(0.8, distance) <= 0.965


def test_both_kinds_are_inside_where_places_are_filled():
    noise, shared, grid = Gumbel(Fraction(10)), Gaussian(Fraction(8)), Fraction(1)
    for lead in (3, 20, 60):
        both = value_interval(noise, shared, grid, 100, 0, 100 - lead)
        for one in (
            value_interval(noise, shared, grid, 100, 100 - lead),
            value_interval(noise, shared, grid, 100, beaten=100 - lead),
        ):
            assert both[0] is None or both[0] <= one[0]
            assert both[1] >= one[1]


@pytest.mark.parametrize("width", [0.001, 8, 100, 10**6])
def test_shared_noise_of_any_width_is_inside(width):
    """A plan made by hand may have it: of G - ρ, the Gaussian is then nearly all."""
    scale = 1000
    low, high = value_interval(Gumbel(scale), Gaussian(Fraction(width) * scale), Fraction(1), 0)
    places = scipy.special.ndtri((np.arange(2000) + 0.5) / 2000) * width
    below, above = (
        np.exp(STANDARD.unit_logcdf(places - end / scale)).mean() for end in (high, low)
    )
    assert 0.94 <= above - below <= 0.97
    for bar in ({"level": -1}, {"beaten": -1}, {"level": -9, "beaten": 0}):
        near = value_interval(
            Gumbel(scale), Gaussian(Fraction(width) * scale), Fraction(1), 0, **bar
        )
        assert near[0] is None or near[0] < near[1]


def test_who_came_out_by_chance_is_missed_without_the_correction_for_selection():
    assert coverage(0.8, -4, selected=False) < 0.25


def test_shared_noise_that_is_left_out_is_missed():
    assert coverage(1.8, 9, supposed=1e-9) < 0.85


@pytest.mark.parametrize("lead", [0, 1, 5, 40, 400, 4000, None])
def test_ends_enclose_those_of_the_continuum(lead):
    noise, shared, grid = Gumbel(Fraction(10)), Gaussian(Fraction(6)), Fraction(1, 4)
    beaten = None if lead is None else 1000 - lead
    low, high = value_interval(noise, shared, grid, 1000, beaten=beaten)
    exact = math.inf if lead is None else lead / 40
    least = _lower_end(0.6, exact, False)
    assert low is None or low <= 1000 + least * 40
    assert (low is None) == (least == -math.inf)
    assert high >= 1000 + _upper_end(0.6, exact, False) * 40
    assert low is None or high - low < 400
