"""One run against a noisy threshold: the chance of each answer, for all its values at once.

Arrays have one column for each point of the threshold noise and two more: all that lies to the
left of the points, and all that lies to the right. In these two a chance is replaced by an upper
bound: S falls and F rises with the threshold, so S is at most one on the left and S(last point)
on the right, and F the other way round. All chances are logs.

The grid is infinite and a sum is not. Beyond the last points the mass is bounded in closed form,
so every probability that is summed here has a lower and an upper end.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from overbar.audit.profile import Array, Outcomes
from overbar.errors import ParameterError
from overbar.noise import Gaussian, Laplace, Noise

if TYPE_CHECKING:
    from tests.attacks.exact.law import Law

#: Certified sums leave out a mass of about e^-DEEP.
DEEP = 95.0


@dataclass(frozen=True, eq=False)
class Points:
    """Threshold noise in grid steps.

    ``log_below`` and ``log_above`` bound the mass left out on either side.
    """

    steps: Array
    log_masses: Array
    log_below: float = -math.inf
    log_above: float = -math.inf


BARE = Points(np.zeros(1), np.zeros(1))


@lru_cache(maxsize=64)
def grid_points(noise: Noise | None, grid: float, depth: float, floored: bool = False) -> Points:
    """Return the points of noise as a release draws it, out to a mass of about e^-depth.

    On the grid Laplace and Gaussian noise have masses in proportion to their densities; all other
    noise is floored to it, and exponential noise is then geometric.
    """
    if noise is None:
        return BARE
    if type(noise) is Gaussian and not floored:
        return _gaussian(float(noise.scale) / grid, depth)
    if type(noise) is Laplace and not floored:
        return _laplace(grid / float(noise.scale), depth)
    return _floored(noise, grid, depth)


def _laplace(rate: float, depth: float) -> Points:
    """Two-sided geometric law: mass tanh(rate/2)·e^(-rate·|j|)."""
    last = math.ceil(depth / rate) + 1
    j = np.arange(-last, last + 1, dtype=np.float64)
    log_tail = -rate * (last + 1) - math.log1p(math.exp(-rate)) + 1e-12
    return Points(j, math.log(math.tanh(rate / 2)) - rate * np.abs(j), log_tail, log_tail)


def _gaussian(scale: float, depth: float) -> Points:
    """Discrete Gaussian law: mass proportional to e^(-j²/2·scale²).

    Beyond the last point each weight is at most a fixed share of the one before. The masses are
    divided by a total that is summed as deep as any: its relative error is about e^-DEEP.
    """
    deepest = math.ceil(math.sqrt(2 * max(depth, DEEP)) * scale) + 1
    weights = np.exp(-((np.arange(-deepest, deepest + 1) / scale) ** 2) / 2)
    log_total = math.log(math.fsum(weights.tolist()))
    last = math.ceil(math.sqrt(2 * depth) * scale) + 1
    j = np.arange(-last, last + 1, dtype=np.float64)
    log_weights = -((j / scale) ** 2) / 2
    fall = (2 * last + 3) / (2 * scale * scale)
    log_tail = -(((last + 1) / scale) ** 2) / 2 - math.log(-math.expm1(-fall)) - log_total + 1e-12
    return Points(j, log_weights - log_total, log_tail, log_tail)


def _floored(noise: Noise, grid: float, depth: float) -> Points:
    """Mass of each cell of the grid."""
    tail = math.exp(-depth)
    first = math.floor(float(noise.quantile(tail)) / grid) - 1
    last = math.ceil(float(noise.isf(tail)) / grid) + 1
    edges = np.arange(first, last + 2, dtype=np.float64) * grid
    log_masses = log_mass(noise, edges[:-1], edges[1:])
    inside = log_masses > -math.inf
    steps = np.arange(first, last + 1, dtype=np.float64)
    below, above = float(noise.logcdf(edges[0])), float(noise.logsf(edges[-1]))
    return Points(steps[inside], log_masses[inside], below + 1e-12, above + 1e-12)


def log_mass(noise: Noise, low: Array, high: Array) -> Array:
    """Log-chance of noise from `low` to below `high`; from the smaller tail: no digits cancel."""
    with np.errstate(divide="ignore", invalid="ignore"):
        above, beyond = noise.logsf(low), noise.logsf(high)
        below, before = noise.logcdf(high), noise.logcdf(low)
        from_above = above + np.log(-np.expm1(beyond - above))
        from_below = below + np.log(-np.expm1(before - below))
    return np.where(above < below, from_above, from_below)


#: More outcomes than this are not enumerated.
MOST_OUTCOMES = 300_000


@dataclass(frozen=True)
class Told:
    """The end of a run: what it has said."""

    outcome: Hashable


#: What may come next: the log-chance in every column, the state after it or the end, and whether it
#: is a positive, after which threshold noise may be drawn anew.
Branch = tuple[Array, Any, bool]


class Inquiry(Protocol):
    """What one data set is asked: a walk through states, of which each knows what may come next."""

    @property
    def start(self) -> Any:
        """The first state, or the end."""

    def branches(self, run: Run, state: Any) -> Iterator[Branch]:
        """Yield what may come next."""


class Run:
    """What one run's comparisons do."""

    def __init__(self, law: Law, depth: float) -> None:
        self.law = law
        self.level = law.level
        self.points = law.bar_points(depth)
        self._cache: dict[tuple[int, bool], Array] = {}

    def answer(self, score: int, positive: bool) -> Array:
        """Return the log-chance of an answer in every column."""
        if (score, positive) not in self._cache:
            self._cache[score, positive] = self._answer(score, positive)
        return self._cache[score, positive]

    def _answer(self, score: int, positive: bool) -> Array:
        gaps = self.level + self.points.steps - score
        if positive:
            chances = log_positive(self.law, gaps)
            return np.concatenate([chances, [0.0, chances[-1]]])
        chances = log_negative(self.law, gaps)
        return np.concatenate([chances, [chances[0], 0.0]])

    def start(self) -> Array:
        """Return log-weights before anything was said: a lower row and an upper row."""
        points = self.points
        upper = np.concatenate([points.log_masses, [points.log_below, points.log_above]])
        lower = np.concatenate([points.log_masses, [-math.inf, -math.inf]])
        return np.stack([lower, upper])

    def walk(self, asked: Inquiry) -> Outcomes:
        """Send all probability through the states; those that are equal are added up."""
        done: dict[Hashable, Array] = {}
        going: dict[Any, Array] = {}
        later: dict[Any, Array] = {}

        def arrive(state: Any, weights: Array) -> None:
            into, key = (done, state.outcome) if isinstance(state, Told) else (later, state)
            before = into.get(key)
            into[key] = weights if before is None else np.logaddexp(weights, before)

        arrive(asked.start, self.start())
        while later:
            going, later = later, {}
            for state, weights in going.items():
                for chance, after, positive in asked.branches(self, state):
                    reached = weights + chance
                    if positive and self.law.resample:
                        reached = self.start() + log_total(reached)[:, None]
                    arrive(after, reached)
            if len(done) > MOST_OUTCOMES:
                raise ParameterError(
                    f"scores must be so few that there are at most {MOST_OUTCOMES:,} transcripts"
                )
        totals = {outcome: log_total(weights).tolist() for outcome, weights in done.items()}
        return Outcomes({outcome: (low, high) for outcome, (low, high) in totals.items()})


def log_positive(law: Law, gaps: Array) -> Array:
    """Log of S at gaps in steps; without query noise a positive is certain up to a gap of zero."""
    if law.query is None:
        return np.where(gaps <= 0, 0.0, -math.inf)
    return law.query.logsf(gaps * float(law.grid))


def log_negative(law: Law, gaps: Array) -> Array:
    """Log of F at gaps in steps."""
    if law.query is None:
        return np.where(gaps > 0, 0.0, -math.inf)
    return law.query.logcdf(gaps * float(law.grid))


def log_total(weights: Array) -> Array:
    """Log of the sum of e^weights over the last axis; minus infinity for an empty sum."""
    largest = np.max(weights, axis=-1)
    finite = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(finite + np.log(np.sum(np.exp(weights - finite[..., None]), axis=-1)))
