"""Steps of chosen bits in front of a profile: never below the best adversary in rationals."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from overbar.privacy import choices, loss_profile
from overbar.privacy.choices import bits_about, chords, gaussian_bits, pair_of, picks
from overbar.privacy.loss_profile import LossProfile, nothing
from overbar.privacy.pairs import Pure
from tests.reference import profiles as reference
from tests.reference.profiles import exact_profile, odds_above, pick_bits, turned

pytestmark = pytest.mark.one_in(2)

#: The range of a pick is ln(root)·places.
ROOT, PLACES, CELLS = Fraction(11, 10), 8, 32


def range_of(root=ROOT, places=PLACES):
    return places * math.log(root) * (1 + 1e-15)


def claimed(step, times, last=40.0, first=0.0):
    ends = (math.floor(first / step.interval), math.ceil(last / step.interval) + 2)
    return step.before(nothing(step.interval, *ends), times)


def pick_step(cells=8):
    return picks(range_of(), cells, range_of() / cells)


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
@pytest.mark.parametrize(("root", "places"), [(Fraction(26, 25), 16), (Fraction(301, 300), 16)])
def test_picks_are_never_below_the_best_adversary_and_close(root, places, steps):
    """Rational levels and losses, both directions; above by 1 % and κ/2000 at most."""
    menu, reach = pick_bits(root, places), range_of(root, places)
    found = claimed(picks(reach, CELLS, reach / CELLS), steps, steps * reach, -steps * reach)
    best, other = exact_profile(menu, steps), exact_profile(turned(menu), steps)
    for place in range(-steps * places, steps * places, places // 4):
        exact = best(root**place)
        assert exact == other(root**place)
        level = place * math.log(root) * (1 - 1e-15 * math.copysign(1, place))
        assert exact <= Fraction(found.delta(level)) <= 1.01 * exact + reach / 2000


@pytest.mark.parametrize(("shift", "steps"), [(0.05, 2), (0.5, 1), (0.5, 2), (2.0, 2), (0.7, 3)])
def test_bits_about_gaussian_noise_are_never_below_the_best_adversary_and_close(shift, steps):
    cuts = np.linspace(-2, 2 + shift, 25 if steps < 3 else 9)
    menu = reference.gaussian_bits(shift, [float(u) for u in cuts])
    found = claimed(gaussian_bits(shift, shift / 16, 128), steps, 3 * shift * steps, -2 * shift)
    for level in (-shift, 0.0, 0.3 * shift, shift):
        for one in (menu, turned(menu)):
            exact = exact_profile(one, steps)(odds_above(level))
            assert exact <= Fraction(found.delta(level))
        assert steps == 3 or found.delta(level) <= 1.03 * exact


def test_one_bit_has_the_profile_that_it_is_about():
    """From nothing, the step leads to the profile of the other pair, met from above."""
    shift = 0.5
    found = claimed(gaussian_bits(shift, shift / 32, 256), 1, 4.0)
    for level in np.linspace(0, 1.5, 16):
        u = level / shift - shift / 2
        near, far = math.erfc(u / math.sqrt(2)), math.erfc((u + shift) / math.sqrt(2))
        exact = (near - math.exp(level) * far) / 2
        assert exact * (1 - 1e-12) <= found.delta(level) <= exact * 1.004 + 1e-6


# What is behind --------------------------------------------------------------------------------


def of_bits(last, interval, first, final, *, is_mirrored=False):
    """The profile of one bit, exact at the levels."""
    grid = nothing(interval, first, final).levels
    values = [float(exact_profile((), 0, last)(odds_above(level))) for level in grid]
    return LossProfile(interval, first, np.array(values) * (1 + 1e-12), is_mirrored)


@pytest.mark.parametrize("kind", ["pick", "gaussian"])
@pytest.mark.parametrize(
    "last", [(Fraction(2, 5), Fraction(3, 5)), (Fraction(1, 10), Fraction(1, 5))]
)
def test_behind_may_be_what_cannot_be_turned_around(kind, last):
    """A bit that says more of one side. A twin that mirrors it says too little of the other."""
    if kind == "pick":
        menu, cells = pick_bits(ROOT, PLACES), 32
        steps = {
            few: picks(range_of(), cells, range_of() / cells, few=few) for few in (True, False)
        }
    else:
        menu = reference.gaussian_bits(0.5, [float(u) for u in np.linspace(-1, 2.5, 22)])
        steps = {few: gaussian_bits(0.5, 1 / 64, 256, few=few) for few in (True, False)}
    step = steps[False]
    ends = -round(3.0 / step.interval), round(4.0 / step.interval)
    caught = False
    for bit in (last, last[::-1]):
        later = of_bits((bit,), step.interval, *ends)
        found = step.before(later, 2)
        twin = steps[True].before(replace(later, is_mirrored=True), 2)
        assert not found.is_mirrored
        for level in (-0.7, -0.2, 0.0, 0.3, 0.7):
            exact = exact_profile(menu, 2, (bit,))(odds_above(level))
            assert exact <= Fraction(found.delta(level)) <= exact * Fraction(103, 100)
            caught |= Fraction(twin.delta(level)) < exact * Fraction(99, 100)
    assert caught == (last[0] + last[1] != 1)


@pytest.mark.parametrize("kind", ["pick", "gaussian"])
def test_what_comes_last_and_what_comes_first_are_not_the_same(kind):
    """Randomised response before a pick is more than behind it: the adversary has seen it.

    The broken twin takes the one for the other.
    """
    if kind == "pick":
        menu, step = pick_bits(ROOT, PLACES), picks(range_of(), CELLS, range_of() / CELLS)
    else:
        menu = reference.gaussian_bits(0.9, [float(u) for u in np.linspace(-2, 3, 41)])
        step = gaussian_bits(0.9, 1 / 64, 256)
    odds = Fraction(13, 10)
    yes = odds / (1 + odds)
    start = nothing(step.interval, -round(4 / step.interval), round(4 / step.interval))
    answer = Pure(Fraction(math.log(odds) * (1 + 1e-15)))
    first, last = answer.before(step.before(start)), step.before(answer.before(start))
    after, alone = exact_profile(menu, 1, ((1 - yes, yes),)), exact_profile(menu, 1)
    for level in (0.0, 0.2, 0.5):
        z = odds_above(level)
        before = yes * alone(z / odds) + (1 - yes) * alone(z * odds)
        assert before <= Fraction(first.delta(level)) <= before * Fraction(103, 100)
        assert after(z) <= Fraction(last.delta(level)) <= after(z) * Fraction(103, 100)
        if level == 0:
            assert Fraction(last.delta(0.0)) < before * Fraction(97, 100)


def test_a_pair_is_its_chords_in_both_directions():
    """Also where its profile is known at some levels alone."""
    levels = np.array([0.0, 0.3, 0.8, 1.5])
    heights = np.array([0.3, 0.15, 0.04, 0.01])
    found = pair_of(levels, heights, 0.1).before(nothing(0.1, -40, 40))
    for level, height in zip(levels, heights, strict=True):
        assert height <= found.delta(level) <= height * (1 + 1e-6) + 1e-8
        turned_around = 1 - math.exp(-level) * (1 - height)
        assert turned_around <= found.delta(-level) <= turned_around + 1e-7
    middle = 0.15 + (0.04 - 0.15) * math.expm1(0.25) / math.expm1(0.5)
    assert middle <= found.delta(0.55) < middle * 1.001
    assert 0.01 <= found.delta(3.0) < 0.01 * (1 + 1e-6)
    read = chords(levels, heights, np.array([0.0, 0.3, 0.55, 1.5, 9.0]))
    assert read == pytest.approx([0.3, 0.15, middle, 0.01, 0.01], rel=1e-12)
    assert np.all(read >= [0.3, 0.15, middle, 0.01, 0.01])


# The grid --------------------------------------------------------------------------------------


def test_it_converges_with_the_square_of_the_grid():
    """Fifty picks at (1, 10⁻⁶): at 16 cells κ is off by less than 0.3 %, at 32 by a quarter."""

    def log(range_, cells):
        return math.log(claimed(picks(range_, cells, range_ / cells), 50, 1.8).delta(1.0))

    logs = [log(0.067, cells) for cells in (8, 16, 32)]
    gaps = -np.diff(logs)
    assert gaps[0] > 3 * gaps[1] > 0
    assert logs[1] < log(0.067 * 1.003, 32)


def test_what_lies_beyond_the_last_level_counts_as_if_it_were_there():
    step = picks(0.067, CELLS, 0.067 / CELLS)
    near, far = (claimed(step, 50, last) for last in (1.4, 2.5))
    for level in (0.0, 0.5, 1.0):
        assert far.delta(level) <= near.delta(level) * (1 + 1e-12)
    assert near.delta(1.0) < far.delta(1.0) * 1.001
    assert near.delta(5.0) == near.delta(1.5) > far.delta(1.5)


def test_what_is_no_number_is_lost():
    lost = picks(0.5, 8, 0.5 / 8).before(LossProfile(0.5 / 8, 0, np.full(20, math.nan)))
    assert (lost.values == 1).all()


def test_heights_that_are_no_profile_are_refused():
    with pytest.raises(ValueError, match="convex"):
        bits_about(np.array([0.0, 0.1, 0.2]), np.array([0.3, 0.29, 0.1]), 0.1)
    with pytest.raises(ValueError, match="begin at zero"):  # the mirror image would not join
        bits_about(np.array([0.1, 0.2]), np.array([0.1, 0.0]), 0.1)


# Broken twins: each must fall below the best adversary -----------------------------------------


def is_below(found, steps):
    """Whether some level shows that a claim is wrong."""
    best = exact_profile(pick_bits(ROOT, PLACES), steps)
    places = range(steps * PLACES)
    return any(Fraction(found.delta(j * math.log(ROOT))) < best(ROOT**j) for j in places)


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
    t = np.array([0.125, 0.375, 0.875]) * range_of()
    p = np.expm1(t - range_of()) / math.expm1(-range_of())
    few = replace(pick_step(), masses=np.array([p, 1 - p]), losses=np.array([t, t - range_of()]))
    assert is_below(claimed(few, 2), 2)


def test_a_last_level_that_is_taken_for_zero_is_caught(monkeypatch):
    assert not is_below(claimed(pick_step(), 3, 0.8), 3)
    monkeypatch.setattr(loss_profile.np, "full", lambda count, _: np.zeros(count))
    assert is_below(claimed(pick_step(), 3, 0.8), 3)


def test_rounding_down_is_caught(monkeypatch):
    """At level zero one pick is met exactly, tanh(κ/4), so the last digits decide."""
    exact = exact_profile(pick_bits(ROOT, PLACES), 1)(Fraction(1))
    close = Fraction(claimed(pick_step(), 1).delta(0.0)) / exact - 1
    assert 0 <= close < Fraction(1, 10**11)
    monkeypatch.setattr(choices, "HAIR", -1e-14)
    monkeypatch.setattr(choices, "GROWN", 1.0)
    monkeypatch.setattr(loss_profile, "HAIR", -1e-14)
    assert Fraction(claimed(pick_step(), 1).delta(0.0)) < exact
