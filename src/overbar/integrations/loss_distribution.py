"""A run's privacy loss on a grid, for composition with other mechanisms.

The grid's pair dominates the run's: its profile is the true one at the grid's losses and, linear in
e^ε between them, above it elsewhere (Doroshenko et al. 2022, "Connect the dots",
arXiv:2207.04380v1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from overbar._numbers import rounded_up
from overbar.errors import ParameterError
from overbar.privacy.account import account_of
from overbar.privacy.guarantees import proved_about
from overbar.privacy.loss_profile import HAIR, Array, LossProfile
from overbar.privacy.plan import Plan
from overbar.privacy.reading import Reader, epsilon_of, log_delta_of, read, reader_of
from overbar.privacy.steps import Steps, pure_of

#: Losses are kept out to where δ falls below e^-DEPTH; the rest counts as infinite.
DEPTH = 60.0
POINTS = 4000
#: Where each takes long, about so many levels are read.
FEW = 1000
MOST_POINTS = 2_000_000
#: Theorems are compared at this ln δ.
COMPARED_AT = math.log(1e-6)
#: e^loss must be a float.
LARGEST_LOSS = 700.0


@dataclass(frozen=True)
class LossDistribution:
    """Masses of the losses (first + i)·interval under the first law; the rest is infinite.

    The pair serves both directions: it dominates (D, D′) and (D′, D) for every pair of neighbours.
    """

    interval: float
    first: int
    masses: Array
    infinite: float

    @property
    def losses(self) -> Array:
        """The losses the masses belong to."""
        return (self.first + np.arange(self.masses.size, dtype=np.float64)) * self.interval

    def delta(self, epsilon: float) -> float:
        """Hockey-stick divergence of the pair at ε."""
        gain = -np.expm1(np.minimum(epsilon - self.losses, 0.0))
        return float(np.sum(self.masses * gain)) + self.infinite


def loss_distribution(plan: Plan, interval: float | None = None) -> LossDistribution:
    """Return a loss distribution that dominates a run of any plan with a guarantee.

    It is read off the profile of the plan's steps, in the way that says most at δ = 10⁻⁶. Where
    only divergences are known, or there is too much to follow, it joins what they say at levels
    from zero on, in both directions. A search for keys has a mass at infinity: the chance of a key
    that one person alone holds.

    Parameters
    ----------
    plan : Plan
        The plan, of all parts together.
    interval : float, optional
        The distance between losses; if nothing is said, some thousand over the range.

    Returns
    -------
    LossDistribution
        Never below the true loss.
    """
    way = account_of(plan).way(COMPARED_AT)
    if not way:
        proved_about(plan)  # says why
    last = min(epsilon_of(way, -DEPTH), pure_of(way))
    width, levels = _levels(float(last), interval)
    found = reader_of(way, DEPTH)
    if levels[-1] > LARGEST_LOSS:
        raise ParameterError(
            f"a loss above {LARGEST_LOSS:g} cannot be composed; give the noise a larger scale"
        )
    values = _joined(way, levels) if found is None else _read(found, levels)
    whole, alone = connect_the_dots(values, -(levels.size // 2), width), plan.lone_delta()
    # A key that one person alone holds has no bound: its chance is the mass at infinity.
    return replace(whole, infinite=rounded_up(Fraction(whole.infinite) + alone)) if alone else whole


def _levels(last: float, interval: float | None) -> tuple[float, Array]:
    """Return the distance between losses, and losses from about -last to last around zero."""
    width = last / POINTS if interval is None else float(interval)
    if not width > 0 or last / width > MOST_POINTS:
        raise ParameterError(
            f"interval must be at least {last / MOST_POINTS:.3g} for this plan, got {interval}"
        )
    points = math.ceil(last / width)
    return width, np.arange(-points, points + 1, dtype=np.float64) * width


def _read(found: LossProfile | Reader, levels: Array) -> Array:
    """Read a profile at all levels; what is in closed form at few of them, joined by chords."""
    every = 1 if isinstance(found, LossProfile) else max(1, levels.size // FEW)
    few = np.unique(np.append(np.arange(0, levels.size, every), levels.size - 1))
    heights = read(found)(levels[few] * (1 - HAIR)) * (1 + HAIR)
    return np.asarray(np.interp(np.exp(levels), np.exp(levels[few]), heights))


def _joined(way: Steps, levels: Array) -> Array:
    """Join what a way keeps at few levels from zero on by chords, and turn it around below."""
    middle = levels.size // 2
    few = np.unique(np.append(np.arange(middle, levels.size, 10), levels.size - 1))
    heights = np.exp([log_delta_of(way, float(levels[place])) for place in few])
    z, kept = np.exp(levels[few]), np.exp(levels[middle:])
    hull = _lower_hull(z, heights)
    above = np.interp(kept, z[hull], heights[hull])
    below = -np.expm1(-levels[middle + 1 :]) + np.exp(-levels[middle + 1 :]) * above[1:]
    return np.concatenate((below[::-1], above))


def _lower_hull(x: Array, y: Array) -> NDArray[np.int64]:
    """Indices of the greatest convex curve below the points: the true profile is convex."""
    kept: list[int] = []
    for i in range(x.size):
        while len(kept) > 1:
            j, k = kept[-2], kept[-1]
            if (y[k] - y[j]) * (x[i] - x[k]) <= (y[i] - y[k]) * (x[k] - x[j]):
                break
            kept.pop()
        kept.append(i)
    return np.array(kept, dtype=np.int64)


def connect_the_dots(profile: Array, first: int, interval: float) -> LossDistribution:
    """Turn δ at the losses (first + i)·interval into the pair whose profile joins them."""
    falls = -np.diff(profile)
    from_below = falls / -math.expm1(-interval)
    from_above = falls / math.expm1(interval)
    masses = np.concatenate([[1 - profile[0]], from_below])
    masses[:-1] -= from_above
    # Convexity makes them non-negative; rounding may not. Moving the total up keeps it a bound.
    return LossDistribution(interval, first, np.maximum(masses, 0.0), float(profile[-1]))
