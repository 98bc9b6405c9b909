"""Rounds that release bits only: each key that a person keeps is out, or not, and no weight shows.

A key comes out if its weight and noise reach the bar. One person moves the weight by at most w_t,
so this is a bit about Gaussian noise that is shifted by at most d = w_t/σ. Let T_d put one such bit
in front of what is still to come (:mod:`overbar.privacy.profile_operator`).

**Claim.** With V_R(x) = (1 - e^x)₊ and V_(r-1) = max over t <= m of T^t V_r, shifts w_t/σ_r, rounds
of bits with any weights are (ε, V_0(ε)) close. At order a their Rényi divergence is at most
Σ_r max_t t·R_a, with R_a the largest divergence of one bit.

**One bit.** e^((a-1)·R) is convex in (q, p), so over a polygon it is largest at a corner, but for
cuts beyond the last level, u >= U. There (Jensen, on the event above u) it is at most
1 + e^(a(a-1)d²/2)·Φ̄(U - a·d), and with both sides exchanged at most e^p·(1 - p)^(1-a), where
p = Φ̄(U - d).
No bit about Gaussian noise says more than all of it: a·d²/2.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from overbar.privacy.profile_operator import (
    DEVIATIONS,
    HAIR,
    ProfileBound,
    ProfileStep,
    gaussian_bits,
    nothing_to_come,
)
from overbar.privacy.theorem import RunBound

#: Of one round: numbers of keys, and by how many deviations each of so many keys is moved.
Shifts = tuple[tuple[int, float], ...]
#: How fine levels are, in parts of the total shift and of the root of the most keys.
FINE, FINEST, LEAST_LEVELS = 12.0, 80, 64
#: Profiles are followed so many total shifts far.
FAR = 6.5
#: More bits than this are not followed, nor wider shifts, nor such as floats cannot tell from none.
MOST_BITS, WIDEST, NARROWEST = 15_000, 10.0, 1e-9
#: Up to so many keys single bits matter, far out: cells are fine there, or half as fine. For more,
#: cuts near the middle do, and few cells are enough that grow outwards.
FEW, SOME, FEWEST, GROWTH = 4, 24, 15, 1.2
#: More than the rounding of a few floats, and than the part by which lines are lifted.
SLACK, LIFTED = 1e-13, 1e-11


@dataclass(frozen=True)
class Bits(RunBound):
    """Rounds of bits; `shown` is what holds even if noisy weights are shown."""

    shown: RunBound
    rounds: tuple[Shifts, ...]

    def log_delta(self, epsilon: float) -> float:
        """Log of a δ that holds at ε >= 0, rounded up."""
        shown, profile = self.shown.log_delta(epsilon), bits_profile(self.rounds)
        if profile is None:
            return shown
        value = math.log(profile.at(epsilon))  # never zero: each step adds something
        return min(shown, value + HAIR * (1 + abs(value)))

    def epsilon(self, log_delta: float) -> float:
        """Return an ε whose δ is at most the one given; what is returned has been evaluated."""
        profile = bits_profile(self.rounds)
        level = math.inf if profile is None else profile.level(log_delta)
        return level if level == 0 else min(level, self.shown.epsilon(log_delta))

    def renyi(self, order: float) -> float:
        """Rényi divergence of an order above 1, rounded up."""
        if bits_profile(self.rounds) is None:
            return self.shown.renyi(order)
        total = sum(max(t * bit_renyi(d, order) for t, d in each) for each in self.rounds)
        return min(self.shown.renyi(order), total * (1 + SLACK))


@lru_cache(maxsize=64)
def bits_profile(rounds: tuple[Shifts, ...], fine: float = FINE) -> ProfileBound | None:
    """Return V_0, rounded up; None where there is too much to follow."""
    total = math.sqrt(sum(max(t * d * d for t, d in each) for each in rounds))
    most, bits = max(t for t, _ in rounds[0]), sum(t for each in rounds for t, _ in each)
    narrow = min(d for each in rounds for _, d in each) < NARROWEST
    if bits > MOST_BITS or total > WIDEST or narrow:
        return None
    interval = total / max(LEAST_LEVELS, fine * math.sqrt(most))
    later = nothing_to_come(interval, total * (FAR + total / 2))
    for each in reversed(rounds):
        ways = [_bit(d, t, interval).before(later, t).values for t, d in each]
        later = ProfileBound(interval, np.max(ways, axis=0))
    return later


def _bit(shift: float, items: int, interval: float) -> ProfileStep:
    if items <= SOME:
        return gaussian_bits(shift, interval, FINEST if items <= FEW else FINEST // 2)
    return gaussian_bits(shift, interval, FEWEST, GROWTH)


@lru_cache(maxsize=1 << 14)
def bit_renyi(shift: float, order: float) -> float:
    """Return the largest Rényi divergence of a bit about noise that is shifted, rounded up."""
    whole, more = order * shift**2 / 2, order - 1
    masses, losses = _corners(shift)
    with np.errstate(over="ignore", invalid="ignore"):
        moments = np.where(masses > 0, masses * np.exp(more * losses), 0.0)
    corners = float(np.max(np.sum(moments, axis=0)))
    last = DEVIATIONS + shift / 2
    beyond = more * whole + float(scipy.special.log_ndtr(order * shift - last)) + order * LIFTED
    alone = 2 * float(scipy.special.ndtr(shift - last))
    turned = alone - more * math.log1p(-alone)
    sums = [math.log(corners), float(np.logaddexp(0, beyond)), turned]
    return min(whole, (max(sums) + SLACK) / more) * (1 + SLACK)


@lru_cache(maxsize=1 << 10)
def _corners(shift: float) -> tuple[np.ndarray, np.ndarray]:
    """Return masses and losses of all corners but the one of which one side is never there."""
    step = gaussian_bits(shift, shift, 4 * FINEST, few=False)
    finite = np.all(np.isfinite(step.losses), axis=0)
    return step.masses[:, finite], step.losses[:, finite]
