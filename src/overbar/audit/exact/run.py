"""One run against a noisy threshold: the chance of each answer, for all its values at once.

Arrays have one column for each point of the threshold noise and two more: all that lies to the
left of the points, and all that lies to the right. In these two a chance is replaced by an upper
bound: S falls and F rises with the threshold, so S is at most one on the left and S(last point)
on the right, and F the other way round. All chances are logs.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from overbar.audit.exact.noise_points import grid_points, log_mass, panel_points
from overbar.audit.exact.profile import Array, Outcomes
from overbar.errors import ParameterError

if TYPE_CHECKING:
    from overbar.audit.exact.law import Law

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
