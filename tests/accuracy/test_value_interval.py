"""Intervals around values hold the score about 95 % of the time, wherever it lies: 94.2 % or more.

That is added up, not proved.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy

from overbar.accuracy.value_interval import _lower_end, _upper_end, value_interval
from overbar.noise import Gaussian, Gumbel

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
