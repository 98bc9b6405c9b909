"""One more step in front of a profile: never below the best adversary in rationals, and close."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from overbar.privacy import profile_operator
from overbar.privacy.profile_operator import (
    ProfileBound,
    bits_about,
    chords,
    gaussian_bits,
    nothing_to_come,
    picks,
)
from tests.reference import profiles as reference
from tests.reference.profiles import exact_profile, odds_above, pick_bits, turned

pytestmark = pytest.mark.one_in(2)

#: The range of a pick is ln(root)·places.
RANGES = [(Fraction(26, 25), 16), (Fraction(301, 300), 16)]
CELLS = 32


def range_of(root, places):
    return places * math.log(root) * (1 + 1e-15)


def claimed(step, times, last=40.0):
    return step.before(nothing_to_come(step.interval, last), times)


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
@pytest.mark.parametrize(("root", "places"), RANGES)
def test_picks_are_never_below_the_best_adversary_and_close(root, places, steps):
    """Rational levels and losses, both directions; above by 1 % and κ/2000 at most."""
    menu, reach = pick_bits(root, places), range_of(root, places)
    profile = claimed(picks(reach, CELLS), steps, steps * reach)
    best, other = exact_profile(menu, steps), exact_profile(turned(menu), steps)
    for place in range(-steps * places, steps * places, places // 4):
        exact = best(root**place)
        assert exact == other(root**place)
        level = place * math.log(root) * (1 - 1e-15 * math.copysign(1, place))
        assert exact <= Fraction(profile.at(level))
        assert profile.at(level) <= 1.01 * exact + reach / 2000


@pytest.mark.parametrize(("shift", "steps"), [(0.05, 2), (0.5, 1), (0.5, 2), (2.0, 2), (0.7, 3)])
def test_bits_about_gaussian_noise_are_never_below_the_best_adversary_and_close(shift, steps):
    cuts = np.linspace(-2, 2 + shift, 25 if steps < 3 else 9)
    menu = reference.gaussian_bits(shift, [float(u) for u in cuts])
    fine = gaussian_bits(shift, shift / 16, 128)
    profile = claimed(fine, steps, 3 * shift * steps)
    for level in (-shift, 0.0, 0.3 * shift, shift):
        exact = exact_profile(menu, steps)(odds_above(level))
        assert exact <= Fraction(profile.at(level))
        assert exact_profile(turned(menu), steps)(odds_above(level)) <= Fraction(profile.at(level))
        assert steps == 3 or profile.at(level) <= 1.03 * exact


def test_one_bit_has_the_profile_that_it_is_about():
    """From nothing, the step leads to the profile of the other pair, met from above."""
    shift = 0.5
    profile = claimed(gaussian_bits(shift, shift / 32, 256), 1, 4.0)
    for level in np.linspace(0, 1.5, 16):
        u = level / shift - shift / 2
        near, far = math.erfc(u / math.sqrt(2)), math.erfc((u + shift) / math.sqrt(2))
        exact = (near - math.exp(level) * far) / 2
        assert exact * (1 - 1e-12) <= profile.at(level) <= exact * 1.004 + 1e-6


@pytest.mark.parametrize("kind", ["pick", "gaussian"])
def test_another_part_may_come_last_or_first(kind):
    """Randomised response beside two steps: as the profile to start from, exactly met."""
    odds, root, places = Fraction(3, 2), Fraction(11, 10), 8
    response = ((1 / (1 + odds), odds / (1 + odds)),)
    part = math.log(odds) * (1 + 1e-15)
    if kind == "pick":
        menu, step = pick_bits(root, places), picks(range_of(root, places), CELLS)
    else:
        menu = reference.gaussian_bits(0.5, [float(u) for u in np.linspace(-1, 2.5, 22)])
        step = gaussian_bits(0.5, 1 / 64, 256)

    def delta(level):
        return max(0.0, -math.expm1(level - part)) * float(odds / (1 + odds)) * (1 + 1e-12)

    levels = np.linspace(0.0, part, 2000)
    heights = np.array([delta(level) for level in levels])
    profile = step.before(chords(levels, heights, step.interval, 4.0), 2)
    for level in (-0.5, 0.0, 0.3, 0.7, 1.1):
        exact = exact_profile(menu, 2, response)(odds_above(level))
        assert exact <= Fraction(profile.at(level)) <= exact * Fraction(103, 100)


def test_it_converges_with_the_square_of_the_grid():
    """Fifty picks at (1, 10⁻⁶): at 16 cells κ is off by less than 0.3 %, at 32 by a quarter."""
    logs = [math.log(claimed(picks(0.067, cells), 50, 1.8).at(1.0)) for cells in (8, 16, 32)]
    gaps = -np.diff(logs)
    assert gaps[0] > 3 * gaps[1] > 0
    wider = math.log(claimed(picks(0.067 * 1.003, CELLS), 50, 1.8).at(1.0))
    assert logs[1] < wider


def test_what_lies_beyond_the_last_level_counts_as_if_it_were_there():
    near, far = (claimed(picks(0.067, CELLS), 50, last) for last in (1.4, 2.5))
    for level in (0.0, 0.5, 1.0):
        assert far.at(level) <= near.at(level) * (1 + 1e-12)
    assert near.at(1.0) < far.at(1.0) * 1.001
    assert near.at(5.0) == near.at(1.5) > far.at(1.5)


def test_levels_and_deltas_meet():
    profile = claimed(picks(0.067, CELLS), 50, 1.8)
    for log_delta in (-3.0, -5.0, -13.8):
        level = profile.level(log_delta)
        assert profile.at(level) <= math.exp(log_delta) < profile.at(level * (1 - 1e-9))
    assert profile.level(0.0) == 0.0
    assert profile.level(-60.0) == math.inf
    assert ProfileBound(1.0, np.array([0.5, 0.25])).level(math.log(0.25)) == math.inf
    no_number = ProfileBound(1.0, np.full(3, math.nan))
    assert (no_number.level(-1.0), no_number.at(1.0)) == (math.inf, 1.0)
    lost = picks(0.5, 8).before(ProfileBound(0.5 / 8, np.full(20, math.nan)))
    assert (lost.values == 1).all()
    unknown = chords(np.array([0.0, 1.0]), np.array([math.nan, 0.1]), 0.25, 1.0)
    assert (unknown.values[:4] == 1).all()


def test_heights_that_are_no_profile_are_refused():
    with pytest.raises(ValueError, match="convex"):
        bits_about(np.array([0.0, 0.1, 0.2]), np.array([0.3, 0.29, 0.1]), 0.1)
    with pytest.raises(ValueError, match="begin at zero"):  # the mirror image would not join
        bits_about(np.array([0.1, 0.2]), np.array([0.1, 0.0]), 0.1)


# Broken twins: each must fall below the best adversary --------------------------------------------


def is_below(profile, steps, root=Fraction(11, 10), places=8):
    """Whether some level shows that a claim is wrong."""
    best = exact_profile(pick_bits(root, places), steps)
    levels = range(steps * places)
    return any(Fraction(profile.at(j * math.log(root))) < best(root**j) for j in levels)


def pick_step(cells=8):
    return picks(range_of(Fraction(11, 10), 8), cells)


def test_a_step_left_out_is_caught():
    assert not is_below(claimed(pick_step(), 3), 3)
    assert is_below(claimed(pick_step(), 2), 3)


def test_chords_that_lie_below_are_caught():
    """The value at the right end of a cell, and the tangent's side of the middle."""
    step = pick_step(5)  # cells that do not divide the reference's
    assert not is_below(claimed(step, 2), 2)
    places = np.floor(step.losses / step.interval) * step.interval
    assert is_below(claimed(replace(step, losses=places), 2), 2)


def test_a_few_bits_without_corners_are_caught():
    """Three bits on the curve itself are a maximum over a coarse grid of t."""
    reach = range_of(Fraction(11, 10), 8)
    t = np.array([0.125, 0.375, 0.875]) * reach
    p = np.expm1(t - reach) / math.expm1(-reach)
    step = replace(pick_step(), masses=np.array([p, 1 - p]), losses=np.array([t, t - reach]))
    assert is_below(claimed(step, 2), 2)


def test_a_last_level_that_is_taken_for_zero_is_caught(monkeypatch):
    assert not is_below(claimed(pick_step(), 3, 0.8), 3)
    monkeypatch.setattr(profile_operator.np, "full", lambda count, _: np.zeros(count))
    assert is_below(claimed(pick_step(), 3, 0.8), 3)


def test_rounding_down_is_caught(monkeypatch):
    """At level zero one pick is met exactly, tanh(κ/4), so the last digits decide."""
    root, places = Fraction(11, 10), 8
    exact = exact_profile(pick_bits(root, places), 1)(Fraction(1))
    close = Fraction(claimed(pick_step(), 1).at(0.0)) / exact - 1
    assert 0 <= close < Fraction(1, 10**11)
    monkeypatch.setattr(profile_operator, "HAIR", -1e-14)
    assert Fraction(claimed(pick_step(), 1).at(0.0)) < exact
