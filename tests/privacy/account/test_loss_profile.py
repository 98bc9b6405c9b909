"""A profile between and beyond its levels, on both sides: never below what lies there."""

import math

import numpy as np
import pytest

from overbar.privacy.loss_profile import LossProfile, nothing

WIDTH = 0.5
PROFILE = LossProfile(WIDTH, -1, np.array([0.95, 0.8, 0.4, 0.1, 0.05]))


def chord(left, level):
    """Linear in e^x between two levels."""
    place = left - PROFILE.first
    low, high = PROFILE.values[place], PROFILE.values[place + 1]
    share = math.expm1(level - left * WIDTH) / math.expm1(WIDTH)
    return low + (high - low) * share


@pytest.mark.parametrize(("left", "level"), [(-1, -0.5), (-1, -0.2), (0, 0.0), (0, 0.3), (2, 1.4)])
def test_between_two_levels_it_is_their_chord_rounded_up(left, level):
    exact = chord(left, level)
    assert exact < PROFILE.delta(level) < exact * (1 + 1e-11)


@pytest.mark.parametrize("level", [1.5, 1.6, 40.0, 700.0])
def test_beyond_the_last_level_it_stays_at_its_last_value(level):
    assert 0.05 <= PROFILE.delta(level) < 0.05 * (1 + 1e-11)


@pytest.mark.parametrize("below", [0.1, 1.1, 30.0])
def test_below_the_first_it_is_the_chord_to_all_is_lost(below):
    odds = math.exp(-below)
    found = PROFILE.delta(-WIDTH - below)
    assert found == pytest.approx(1 - odds + odds * 0.95, rel=1e-11)
    assert 1 - odds + odds * 0.95 <= found <= 1


def test_widened_values_are_what_it_is_there():
    wide = LossProfile(WIDTH, -4, PROFILE.widened(3, 2))
    assert wide.last == PROFILE.last + 2
    for level in np.linspace(-2.5, 3.0, 23):
        assert wide.delta(level) == pytest.approx(PROFILE.delta(level), rel=1e-11)


def test_nothing_to_come_is_one_less_odds():
    for first, last in ((-8, 8), (0, 3), (-3, 0)):
        profile = nothing(0.25, first, last)
        exact = -np.expm1(np.minimum(0.0, profile.levels))
        assert np.all(profile.values >= exact)
        assert profile.values == pytest.approx(exact, rel=1e-13)
        assert profile.is_nothing
    assert not PROFILE.is_nothing


def test_one_side_says_both_where_all_can_be_turned_around():
    values = np.array([0.3, 0.2, 0.05])
    profile = nothing(0.25, -4, 2).mirrored(values)
    assert profile.is_mirrored
    assert profile.values[4:].tolist() == values.tolist()
    for place, above in ((1, 0.2), (2, 0.05), (4, 0.05)):
        turned = 1 - math.exp(-0.25 * place) * (1 - above)
        assert turned <= profile.values[4 - place] <= turned * (1 + 1e-13)


def test_what_is_no_number_is_one():
    lost = LossProfile(1.0, 0, np.full(3, math.nan))
    assert (lost.level(-1.0), lost.delta(1.0)) == (math.inf, 1.0)
    assert LossProfile(0.5, 0, np.array([1.0, 0.4, 0.1])).delta(0.0) == 1.0  # and never above


def test_levels_and_deltas_meet():
    for log_delta in (math.log(0.5), math.log(0.2), math.log(0.06)):
        level = PROFILE.level(log_delta)
        assert PROFILE.delta(level) <= math.exp(log_delta) < PROFILE.delta(level * (1 - 1e-9))
    assert PROFILE.level(0.0) == PROFILE.level(math.log(0.81)) == 0.0
    assert PROFILE.level(math.log(0.05)) == PROFILE.level(-60.0) == math.inf
