"""The curves of an arrival prove in balls what the program claims; worse ones prove nothing."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from overbar.privacy.loss_profile import LossProfile, nothing
from overbar.privacy.race import Arrival, raced
from tests.reference import race_cells as module
from tests.reference.race_cells import cells
from tests.reference.race_certificate import Certificate

VALUES = ("rises", "falls", "down", "up")


def behind(rng, outcomes):
    """Return the profile of a random pair of laws, of which the second cannot give one outcome."""
    interval = math.exp(rng.uniform(math.log(0.003), math.log(0.1)))
    below, above = rng.integers(8, 60, 2)
    z = np.exp(interval * np.arange(-below, above + 1.0))
    p = rng.dirichlet(np.ones(outcomes))
    q = p * np.exp(-interval * 10 * rng.gamma(2.0, 1.0, outcomes) * rng.choice([-0.3, 1], outcomes))
    q /= max(1.0, float(q.sum()))
    lost = 10 ** rng.uniform(-12, -2)
    values = lost + (1 - lost) * np.maximum(p[:, None] - q[:, None] * z, 0).sum(axis=0)
    return LossProfile(interval, -int(below), np.minimum(values, 1.0), is_mirrored=False)


def race(rng, interval, number):
    """Return by how much hazards rise and fall: some not at all, some far less than a cell."""
    rise, fall = (4 * interval * np.exp(rng.uniform(-1.5, 2.0, 2))).tolist()
    return {1: (rise, 0.0), 2: (0.0, fall), 3: (1e-7 * rise, fall), 4: (rise, 1e-7 * fall)}.get(
        number % 10, (rise, fall)
    )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("ten", range(12))
def test_what_is_claimed_is_proved(ten):
    rng = np.random.default_rng(ten)
    for number in range(10):
        later = behind(rng, int(rng.choice([2, 5, 40])))
        if number % 4 == 3:
            later = raced(later, *race(rng, later.interval, 0), 2)
        ends = race(rng, later.interval, number)
        assert Certificate(cells(later, *ends), later, *ends).bounds(raced(later, *ends, 1))


@pytest.mark.parametrize("ends", [(14.0, 14.0), (14.0, 0.1), (0.1, 14.0), (14.0, 0.0)])
def test_the_largest(ends):
    rng = np.random.default_rng(3)
    for outcomes in (3, 30):
        later = behind(rng, outcomes)
        assert Certificate(cells(later, *ends), later, *ends).bounds(raced(later, *ends, 1))


@pytest.mark.parametrize("ends", [(1e-9, 1e-9), (2e-9, 5e-10), (1e-10, 1e-9)])
def test_the_least(ends):
    later = raced(nothing(2e-11, -100, 100), *ends, 2)
    for _ in range(3):
        later, before = raced(later, *ends, 1), later
        assert Certificate(cells(before, *ends), before, *ends).bounds(later)


# Controls -----------------------------------------------------------------------------------------


def lowered(names, found, *_):
    return replace(found, **{name: getattr(found, name) * (1 - 1e-9) for name in names})


def shorter(_, later, rise, fall):
    return cells(later, rise * (1 - 1e-6), fall * (1 - 1e-6))


def rise_shorter(_, later, rise, fall):
    return cells(later, rise * (1 - 1e-6), fall)


def without_fall(_, later, rise, __):
    return cells(later, rise, 0.0)


def lower_behind(_, later, *ends):
    return cells(replace(later, values=later.values * (1 - 1e-9)), *ends)


def mirrored(_, later, *ends):
    """What stands behind is read off the levels above zero."""
    most = max(-later.first, later.first + later.values.size - 1)
    wide = later.widened(most + later.first, most - later.first - later.values.size + 1)
    z = np.exp(later.interval * np.arange(-most, most + 1.0))
    folded = np.where(z < 1, 1 - z + z * wide[::-1], wide)
    start = most + later.first
    return cells(replace(later, values=folded[start : start + later.values.size]), *ends)


CONTROLS = {
    "all lowered": partial(lowered, VALUES),
    "values lowered": partial(lowered, VALUES[2:]),
    "payoffs lowered": partial(lowered, VALUES[:2]),
    "shorter": shorter,
    "rise shorter": rise_shorter,
    "without fall": without_fall,
    "lower behind": lower_behind,
    "mirrored": mirrored,
}


def controls():
    """Return profiles without edges, and races that rise and fall by some cells."""
    rng = np.random.default_rng(7)
    for _ in range(12):
        later = behind(rng, 60)
        yield later, later.interval * rng.uniform(1, 6), later.interval * rng.uniform(6, 12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", CONTROLS)
def test_control_less_is_not_proved(name):
    proved = []
    for later, *ends in controls():
        worse = CONTROLS[name](cells(later, *ends), later, *ends)
        proved.append(Certificate(worse, later, *ends).bounds(raced(later, *ends, 1)))
    assert not any(proved)


def test_control_these_are_proved():
    for later, *ends in controls():
        assert Certificate(cells(later, *ends), later, *ends).bounds(raced(later, *ends, 1))


def test_control_the_profile_must_not_be_below():
    for later, *ends in controls():
        claim = raced(later, *ends, 1)
        less = replace(claim, values=claim.values * (1 - 1e-9))
        assert not Certificate(cells(later, *ends), later, *ends).bounds(less)


class NotRaised(Arrival):
    """Ends of a cell are left alone where a stop inside is best."""

    def _raise(self, peaks):
        pass


class NoFirst(Arrival):
    """Below the first level nothing is due."""

    def __init__(self, *grid):
        super().__init__(*grid)
        self.line = 0.0, 0.0


class NoLast(Arrival):
    """Beyond the last level nothing is due but what is worth a stop there."""

    def stop(self, later):
        peaks = super().stop(later)
        self.values[-1] = self.of_rises * self.rises[-1] + self.of_falls * self.falls[-1]
        return peaks


class LighterDrift(Arrival):
    """A weight of a drift is less by 10⁻⁹."""

    def __init__(self, *grid):
        super().__init__(*grid)
        self.falling.near *= 1 - 1e-9


@pytest.mark.parametrize("twin", [NotRaised, NoFirst, NoLast, LighterDrift])
def test_control_a_broken_arrival_proves_less(twin, monkeypatch):
    proved = []
    for later, *ends in controls():
        claim = raced(later, *ends, 1)
        monkeypatch.setattr(module, "Arrival", twin)
        proved.append(Certificate(cells(later, *ends), later, *ends).bounds(claim))
        monkeypatch.undo()
    assert not all(proved)
