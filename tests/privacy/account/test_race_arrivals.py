"""An arrival of a race in front of any profile: never too little, close to it; broken twins."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from overbar.privacy import race as module
from overbar.privacy.hazard import log_excess_faster, log_excess_slower
from overbar.privacy.loss_profile import LossProfile, nothing
from overbar.privacy.race import raced
from tests.reference.step_deltas import deltas, levels_for
from tests.reference.steps import Race, gaussian, response, turned


def claims(steps, epsilons, fine=16, race=raced):
    """Return δ where races are the ones here, and all else is of the reference."""
    levels = levels_for(steps, epsilons, fine)
    profile = levels.nothing
    for step in reversed(steps):
        if isinstance(step, Race):
            behind = LossProfile(levels.spacing, -levels.most, profile, is_mirrored=False)
            profile = race(behind, step.rise, step.fall, step.times).values
        else:
            profile = step.before(levels, profile)
    return [levels.read(profile, epsilon) for epsilon in epsilons]


def settings():
    """Races with steps before and behind, and levels inside and outside of what those lose."""
    rng = np.random.default_rng(24)
    for number in range(40):
        rise, fall = np.exp(rng.uniform(math.log(0.05), math.log(0.5), 2)).round(3).tolist()
        rise, fall = {0: (rise, 0.0), 1: (0.0, fall)}.get(number % 8, (rise, fall))
        front, back = rng.choice([0.1, 0.3, 0.8], 2).tolist()
        before = ((response(front),), (), (gaussian(front),))[number % 3]
        behind = ((response(back),), (gaussian(back),), ())[number // 3 % 3]
        steps = (*before, Race(int(rng.integers(1, 6)), rise, fall), *behind)
        epsilons = [-0.5 * front, 0.3 * front, 0.9 * front, 1.5 * front, front + back]
        yield pytest.param(steps, epsilons, id=f"{number}")


def shares(steps, epsilons, race=raced):
    """Return the least and the largest share of the truth, beyond what is unsure of that."""
    known = deltas(steps, epsilons, 8)
    pairs = [
        (claim, one)
        for claim, one in zip(claims(steps, epsilons, race=race), known, strict=True)
        if one.value > 1e-9
    ]
    least = min(claim / (one.value * (1 - one.error)) for claim, one in pairs)
    return least, max(claim / (one.value * (1 + one.error)) for claim, one in pairs)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("steps", "epsilons"), list(settings()))
def test_it_is_what_the_slow_reference_says(steps, epsilons):
    for direction in (steps, turned(steps)):
        least, most = shares(direction, epsilons)
        assert least >= 1
        assert most <= 1.005


EXTREMES = [
    (response(1e-9), Race(2, 1e-9, 5e-10), gaussian(1e-9)),
    (Race(1, 3.0, 2.0), response(1.0)),
    (response(1.0), Race(2, 14.0, 1.0)),
    (gaussian(0.1), Race(30, 0.02, 0.01)),
]


@pytest.mark.parametrize("steps", EXTREMES)
def test_the_least_and_the_largest(steps):
    size = min(steps[0].finest, 2.0)
    for direction in (steps, turned(steps)):
        try:
            least, most = shares(direction, [-size, 0.2 * size, 0.9 * size, 2 * size])
        except ValueError:  # too much for the reference
            continue
        assert least >= 1
        assert most <= 1.01


ONE_WAY = [
    (1, 1e-9),
    (50, 1e-9),
    (1, 0.3),
    (5, 0.3),
    (50, 0.04),
    (5000, 0.003),
    (1, 4.0),
    (2, 14.0),
]


@pytest.mark.parametrize("closed", [log_excess_faster, log_excess_slower])
@pytest.mark.parametrize(("times", "kappa"), ONE_WAY)
def test_one_way_is_the_closed_form(times, kappa, closed):
    ends = (kappa, 0.0) if closed is log_excess_faster else (0.0, kappa)
    spread = kappa * math.sqrt(times)
    interval = spread / 400
    levels = np.arange(-round(9 * spread / interval), round(9 * spread / interval) + 1)
    start = nothing(interval, int(levels[0]), int(levels[-1]))
    found = np.log(raced(start, *ends, times).values)
    truth = closed(times, kappa, levels * interval)
    near, close = truth > math.log(1e-20), truth > math.log(1e-5)
    assert np.all(found[near] >= truth[near] - 2e-10 * (1 + np.abs(levels[near] * interval)))
    close &= (np.abs(levels) < 6 * 400) & (levels * interval < 0.9 * times * kappa)
    assert np.all(found[close] <= truth[close] + (0.05 if times < 100 else 0.15))


def test_the_error_falls_with_the_square_of_the_interval():
    values = []
    for cells in (20, 40, 80):
        interval = 0.06 / cells
        bound = raced(nothing(interval, -cells * 10, cells * 20), 0.04, 0.02, 20)
        values.append(bound.values[cells * 15])
    coarse, middle, fine = values
    assert fine < middle < coarse
    assert middle - fine < 0.3 * (coarse - middle)


@pytest.mark.parametrize("part", [(5, 0.2, 0.05), (5, 0.05, 0.2), (50, 0.0275, 0.0275)])
def test_how_far_a_grid_must_reach(part):
    """To where e^8 less is lost, and with both sides exchanged e^2 less: 10⁻⁴ more is claimed."""
    times, rise, fall = part
    interval = (rise + fall) / 40
    wide = raced(nothing(interval, -4000, 4000), rise, fall, times).values
    z = np.exp(interval * np.arange(-4000, 4001.0))
    here = int(np.argmax(wide < 1e-4))
    last = int(np.argmax(wide < 1e-4 * math.exp(-8)))
    first = int(np.argmax(1 - (1 - wide) / z > 1e-4 * math.exp(-2)))
    found = raced(nothing(interval, first - 4000, last - 4000), rise, fall, times).values
    assert 1 - 1e-12 < found[here - first] / wide[here] < 1.0001
    near = int(np.argmax(wide < 1e-4 * math.exp(-1)))  # control: the end would be seen
    short = raced(nothing(interval, first - 4000, near - 4000), rise, fall, times).values
    assert short[here - first] / wide[here] > 1.001


def test_ends_cost_nothing_where_they_are_of_no_use():
    """On few levels bounds are loose, and hold."""
    wide = raced(nothing(0.01, -2000, 2000), 0.3, 0.1, 3).values
    for first, last in [(-20, 20), (-1, 1), (0, 50), (-50, 1), (-300, 300)]:
        found = raced(nothing(0.01, first, last), 0.3, 0.1, 3).values
        assert np.all(found >= wide[2000 + first : 2001 + last] * (1 - 1e-9))
        assert np.all(found <= 1)


@pytest.mark.parametrize("interval", [0.01, 0.3, 3.0])
def test_a_race_that_is_small_beside_the_grid(interval):
    """In front of a coarse profile it adds about as much as it could."""
    behind = raced(nothing(interval, -30, 30), interval, interval / 2, 2)
    for rise, fall in [
        (1e-9, 1e-9),
        (1e-9, 1e-5),
        (1e-5, 1e-9),
        (1e-9, interval),
        (1e-300, 1e-300),
    ]:
        found = raced(behind, rise, fall, 3).values
        assert np.all(found >= behind.values * (1 - 1e-12))
        if max(rise, fall) < 1e-8:
            near = behind.values > 1e-6
            assert np.all(found[near] <= behind.values[near] * (1 + 1e-4))


def test_what_it_says_of_itself():
    start = nothing(0.1, -5, 5)
    assert start.is_mirrored
    bound = raced(start, 0.2, 0.1, 2)
    assert (bound.interval, bound.first, bound.values.size) == (0.1, -5, 11)
    assert not bound.is_mirrored
    assert np.array_equal(raced(start, 0.0, 0.0, 3).values, start.values)
    assert np.array_equal(start.values, nothing(0.1, -5, 5).values)  # what comes later stays
    with pytest.raises(ValueError, match="at most 65,536 levels"):
        raced(nothing(1e-5, -40_000, 40_000), 0.1, 0.1, 1)


# Twins --------------------------------------------------------------------------------------------


def mirrored(later, *race):
    """What stands behind is read off the levels above zero."""
    z = np.exp(later.interval * (later.first + np.arange(later.values.size)))
    folded = np.where(z < 1, 1 - z + z * later.values[::-1], later.values)
    return raced(replace(later, values=folded), *race)


def without_fall(later, rise, _, times):
    return raced(later, rise, 0.0, times)


def without_rise(later, _, fall, times):
    return raced(later, 0.0, fall, times)


def one_less(later, rise, fall, times):
    return raced(later, rise, fall, times - 1)


def sides_exchanged(later, rise, fall, times):
    return raced(later, fall, rise, times)


def from_nothing(later, *race):
    return raced(nothing(later.interval, later.first, -later.first), *race)


LEVELS = (0.01, 0.05, 0.1, 0.2, 0.28, 0.4, 0.8)
FRONT, BEHIND = response(0.3), gaussian(0.3)
TWINS = {
    mirrored: (FRONT, Race(1, 0.3, 0.02), Race(1, 0.3, 0.02)),
    without_fall: (FRONT, Race(2, 0.1, 0.3), BEHIND),
    without_rise: (FRONT, Race(2, 0.2, 0.1), BEHIND),
    one_less: (Race(3, 0.3, 0.1),),
    sides_exchanged: (FRONT, Race(2, 0.05, 0.3)),
    from_nothing: (Race(2, 0.3, 0.1), BEHIND),
}


@pytest.mark.parametrize("twin", TWINS)
def test_control_a_broken_twin_claims_too_little(twin):
    assert shares(TWINS[twin], LEVELS, race=twin)[0] < 0.995
    assert shares(TWINS[twin], LEVELS)[0] >= 1


class ReadHere(module.Drift):
    """What is paid is read at the level itself where it lies above, or below."""

    above = True

    def read(self, every, margin, payoff, spare):
        if (self.move > 0) == self.above:
            payoff[:] = every[margin : margin + payoff.size]
        else:
            super().read(every, margin, payoff, spare)


class ReadHereBelow(ReadHere):
    above = False


class NoDrift(module.Drift):
    def sweep(self, values, payoff):
        pass


class DownOnly(module.Drift):
    def sweep(self, values, payoff):
        if self.move > 0:
            super().sweep(values, payoff)


class UpOnly(module.Drift):
    def sweep(self, values, payoff):
        if self.move < 0:
            super().sweep(values, payoff)


@pytest.mark.parametrize(
    ("twin", "ends"),
    [
        (ReadHereBelow, (0.2, 0.1)),
        (NoDrift, (0.2, 0.1)),
        (DownOnly, (0.2, 0.1)),
        (UpOnly, (0.1, 0.3)),
    ],
)
def test_control_a_broken_sweep_claims_too_little(twin, ends, monkeypatch):
    monkeypatch.setattr(module, "Drift", twin)
    assert shares((FRONT, Race(2, *ends), BEHIND), LEVELS)[0] < 0.995


def test_control_payoffs_read_too_near_claim_too_much(monkeypatch):
    monkeypatch.setattr(module, "Drift", ReadHere)
    assert shares((FRONT, Race(2, 0.2, 0.1), BEHIND), LEVELS)[1] > 1.05
