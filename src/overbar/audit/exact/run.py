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

from overbar.audit.exact.profile import Array, Outcomes
from overbar.errors import ParameterError
from overbar.noise import Gaussian, Laplace, Noise

if TYPE_CHECKING:
    from overbar.audit.exact.law import Law

#: Certified sums leave out a mass of about e^-DEEP; the search is content with less.
DEEP = 95.0
SHALLOW = 40.0
#: Nodes of the Gauss-Legendre rule on each panel, for continuous noise.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


@dataclass(frozen=True, eq=False)
class Points:
    """Threshold noise in grid steps.

    ``log_below`` and ``log_above`` bound the mass left out on either side.
    """

    steps: Array
    log_masses: Array
    log_below: float = -math.inf
    log_above: float = -math.inf

    def mirrored(self) -> Points:
        """Return the noise reflected at zero."""
        masses = self.log_masses[::-1]
        return Points(-self.steps[::-1], masses, self.log_above, self.log_below)


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


def panel_points(noise: Noise, grid: float, depth: float, kinks: Array) -> Points:
    """Return nodes and weights for continuous noise: panels that end where something has a kink.

    Half a scale or less on each panel, sixteen nodes: all that is integrated is analytic there, and
    the error is far below what is carried for rounding. It is not a proved bound.
    """
    tail, width = math.exp(-depth), float(noise.scale) / 2
    low, high = float(noise.quantile(tail)), float(noise.isf(tail))
    even = np.linspace(low, high, max(2, math.ceil((high - low) / width) + 1))
    inner = np.concatenate([[0.0], kinks * grid])
    edges = np.unique(np.concatenate([even, inner[(inner > low) & (inner < high)]]))
    half = np.diff(edges) / 2
    x = (edges[:-1] + half)[:, None] + half[:, None] * _NODES[None, :]
    log_masses = noise.logpdf(x) + np.log(half[:, None] * _WEIGHTS[None, :])
    return Points(x.ravel() / grid, log_masses.ravel(), -depth, -depth)


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
    def scores(self) -> tuple[int, ...]:
        """All scores that are asked, in steps."""

    @property
    def start(self) -> Any:
        """The first state, or the end."""

    def branches(self, run: Run, state: Any) -> Iterator[Branch]:
        """Yield what may come next."""


class Run:
    """What one run's comparisons do, with the level its data give it."""

    def __init__(self, law: Law, scores: tuple[int, ...], depth: float) -> None:
        self.law = law
        self.level = law.level + (law.level_moves(scores) if law.level_moves else 0)
        grid, noise = float(law.grid), law.threshold
        if noise is not None and law.continuous:
            kinks = np.array(sorted(set(scores)), dtype=np.float64) - self.level
            if law.releases_value:  # a cell of values ends at every step
                reach = math.ceil(depth * float(noise.scale) / grid)
                kinks = np.arange(-reach, reach + 1, dtype=np.float64)
            points = panel_points(noise, grid, depth, -kinks if law.mirrored else kinks)
        else:
            points = grid_points(noise, grid, depth)
        self.points = points.mirrored() if law.mirrored else points
        self._cache: dict[tuple[int, type, int | bool], Array] = {}

    def answer(self, score: int, outcome: int | bool) -> Array:
        """Return the log-chance of an answer, or of a released value in steps, in every column."""
        key = (score, type(outcome), outcome)  # True and 1 are equal, and mean different things
        if key not in self._cache:
            self._cache[key] = self._answer(score, outcome)
        return self._cache[key]

    def _answer(self, score: int, outcome: int | bool) -> Array:
        gaps = self.level + self.points.steps - score
        if outcome is True:
            chances = log_positive(self.law, gaps)
            return np.concatenate([chances, [0.0, chances[-1]]])
        if outcome is False:
            chances = log_negative(self.law, gaps)
            return np.concatenate([chances, [chances[0], 0.0]])
        # What was compared lies in the cell of this value, and at or above the bar.
        value = outcome - score
        chances = log_between(self.law, np.maximum(gaps, value), float(value + 1))
        left = log_between(self.law, np.array([float(value)]), float(value + 1))
        return np.concatenate([chances, left, chances[-1:]])

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


def log_between(law: Law, low: Array, high: float) -> Array:
    """Log-chance that query noise is at least `low` and below `high`, in steps."""
    if law.query is None:
        return np.where((low <= 0) & (high > 0), 0.0, -math.inf)
    inside = low < high
    edge = np.where(inside, low, high - 1.0) * float(law.grid)
    masses = log_mass(law.query, edge, np.array(high) * float(law.grid))
    return np.where(inside & ~np.isnan(masses), masses, -math.inf)


def log_cell(law: Law, step: int) -> float:
    """Log-chance that query noise, floored to the grid, is this many steps."""
    return float(log_between(law, np.array([float(step)]), float(step + 1))[0])


def log_total(weights: Array) -> Array:
    """Log of the sum of e^weights over the last axis; minus infinity for an empty sum."""
    largest = np.max(weights, axis=-1)
    finite = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(finite + np.log(np.sum(np.exp(weights - finite[..., None]), axis=-1)))
