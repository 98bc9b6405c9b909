"""Broken operators, of one changed line each, claim less than the reference: it is seen."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from tests.reference.step_deltas import deltas
from tests.reference.steps import (
    Levels,
    Lost,
    Picks,
    Profile,
    Race,
    Step,
    Worst,
    gaussian,
    normal_bits,
    response,
)


@dataclass(frozen=True)
class Broken:
    """A step that puts itself in front as another does, but for what it makes of that."""

    step: Step

    @property
    def finest(self) -> float:
        return self.step.finest

    @property
    def widest(self) -> float:
        return self.step.widest

    @property
    def turned(self) -> Step:
        return replace(self, step=self.step.turned)

    def before(self, levels: Levels, profile: Profile) -> Profile:
        return self.step.before(levels, profile)


class Mirrored(Broken):
    """What stands behind is read off the levels above zero."""

    def before(self, levels, profile):
        found = self.step.before(levels, profile)
        z = np.exp(levels.places)
        return np.where(z < 1, 1 - z + z * found[::-1], found)


class FromNothing(Broken):
    """A race that begins as if nothing were to come."""

    def before(self, levels, profile):
        return self.step.before(levels, levels.nothing)


class HalfOfTheRange(Broken):
    """Picks of which the one side alone is tried."""

    def before(self, levels, profile):
        for _ in range(self.step.times):
            rises = np.linspace(0, self.step.kappa / 2, self.step.tried * levels.closely // 2 + 1)
            profile = np.max([self.step._one(levels, profile, float(t)) for t in rises], axis=0)
        return profile


class OtherHalf(HalfOfTheRange):
    def before(self, levels, profile):
        for _ in range(self.step.times):
            half = self.step.kappa / 2
            rises = np.linspace(half, 2 * half, self.step.tried * levels.closely // 2 + 1)
            profile = np.max([self.step._one(levels, profile, float(t)) for t in rises], axis=0)
        return profile


class FirstSequence(Broken):
    def before(self, levels, profile):
        return Worst(self.step.sequences[:1]).before(levels, profile)


class CornersOnTheCurve(Broken):
    """Few bits of the curve, and not the corners of a polygon around it."""

    def before(self, levels, profile):
        few = slice(None, None, len(self.step.first) // 12)
        bits = replace(self.step, first=self.step.first[few], second=self.step.second[few])
        return replace(bits, along=False).before(levels, profile)


class NotLost(Broken):
    def before(self, levels, profile):
        return profile


class OneArrivalLess(Broken):
    def before(self, levels, profile):
        return replace(self.step, times=self.step.times - 1).before(levels, profile)


UNEVEN, FRONT, BEHIND = Race(1, 0.3, 0.02), response(0.3), gaussian(0.3)
EITHER = Worst(((normal_bits(0.1, 4),), (normal_bits(0.3, 1),)))
TWINS = {
    "mirrored": ((FRONT, Mirrored(UNEVEN)), (FRONT, UNEVEN)),
    "from nothing": ((FromNothing(UNEVEN), BEHIND), (UNEVEN, BEHIND)),
    "lower half": ((FRONT, HalfOfTheRange(Picks(3, 0.4))), (FRONT, Picks(3, 0.4))),
    "upper half": ((FRONT, OtherHalf(Picks(3, 0.4))), (FRONT, Picks(3, 0.4))),
    "first of some": ((FirstSequence(EITHER), BEHIND), (EITHER, BEHIND)),
    "on the curve": ((CornersOnTheCurve(normal_bits(0.2, 5)),), (normal_bits(0.2, 5),)),
    "not lost": ((BEHIND, NotLost(Lost(1e-3))), (BEHIND, Lost(1e-3))),
    "one less": ((OneArrivalLess(Race(3, 0.3, 0.1)),), (Race(3, 0.3, 0.1),)),
}
LEVELS = (0.01, 0.05, 0.1, 0.2, 0.28, 0.4, 0.8)


def least_share(claimed, steps):
    """Return the least share of the truth that is claimed at any level, beyond what is unsure."""
    pairs = zip(deltas(claimed, LEVELS), deltas(steps, LEVELS), strict=True)
    return min(
        one.value / (known.value * (1 - known.error)) for one, known in pairs if known.value > 1e-9
    )


@pytest.mark.parametrize("name", TWINS)
def test_a_broken_operator_claims_too_little(name):
    broken, steps = TWINS[name]
    assert least_share(broken, steps) < 0.995
    assert least_share(steps, steps) >= 1


def test_a_mirrored_race_has_848_thousandths_of_the_truth():
    broken, steps = TWINS["mirrored"]
    assert least_share(broken, steps) == pytest.approx(0.848, abs=0.01)
    ((claimed,), (known,)) = (deltas(one, [0.7]) for one in ((*broken, BEHIND), (*steps, BEHIND)))
    assert claimed.value == pytest.approx(known.value, rel=0.02)  # far outside nobody would see it
