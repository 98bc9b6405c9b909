"""The chance that a candidate reaches the bar, summed point by point over the noise on the grid."""

from __future__ import annotations

import math

from tests.reference.plans import repeats_of


def passing_chance(plan, steps):
    """P(score + noise >= bar) within the rounds, for a score so many steps above the level."""
    grid, noise = float(plan.grid), plan.threshold_noise
    if noise is None:
        bars = {0: 1.0}
    else:
        reach = range(-int(40 * noise.scale / plan.grid), int(40 * noise.scale / plan.grid) + 1)
        masses = {k: _density(noise, k * grid) for k in reach}
        total = math.fsum(masses.values())
        bars = {k: mass / total for k, mass in masses.items()}
    if plan.labels.kind == "histogram":
        values = range(-int(60 * plan.query_noise.scale / plan.grid), 60 * 1000)
        masses = {k: _density(plan.query_noise, k * grid) for k in values}
        reached = math.fsum(mass for k, mass in masses.items() if k >= -steps)
        return reached / math.fsum(masses.values())
    rounds = repeats_of(plan).rounds or 1
    return math.fsum(
        mass * (1 - (1 - _tail(plan.query_noise, (k - steps) * grid)) ** rounds)
        for k, mass in bars.items()
    )


def _density(noise, x):
    """A density up to a factor."""
    z = x / float(noise.scale)
    if noise.name == "exponential":
        return math.exp(-z) if z >= 0 else 0.0
    return math.exp(-z * z / 2) if noise.name == "gaussian" else math.exp(-abs(z))


def _tail(noise, x):
    """P(V >= x)."""
    z = x / float(noise.scale)
    if noise.name == "exponential":
        return math.exp(-max(0.0, z))
    assert noise.name == "gumbel"
    return -math.expm1(-math.exp(min(700.0, -z)))
