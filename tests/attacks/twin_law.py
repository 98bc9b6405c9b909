"""The laws of broken twins: more than a plan can say, and more than a release does.

A correction computed from the data, another rounding, released values, noise in floats, noise
reflected at zero. The attacks work on these laws only: :func:`law_of` makes one of a plan too, so
what they do to a broken mechanism is what they do to ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from overbar._check import Number, rational
from overbar.audit.profile import Array, Outcomes
from overbar.errors import ParameterError
from overbar.mechanisms import Plan
from overbar.noise import Gumbel, Noise
from tests.attacks.exact import law as plan_laws
from tests.attacks.exact.in_turn import Queue
from tests.attacks.exact.key_outcomes import KeyLaw
from tests.attacks.exact.run import DEEP, Branch, Inquiry, Points, Run, log_mass

#: Lists of a sparse vector run, and of Gumbel values, have at most so many scores.
LONGEST = 4
#: Released values are enumerated as far as the noise reaches with this log-chance; what is beyond
#: is one more outcome, which nobody needs to tell apart for a lower bound.
VALUE_DEPTH = 20.0
#: Of a grid step; scores differ by few.
HARDLY = 1 / (1 << 30)
#: Nodes of the Gauss-Legendre rule on each panel, for continuous noise.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


@dataclass(frozen=True)
class Law(plan_laws.Law):
    """A mechanism that compares queries with a noisy threshold, and says what came out.

    Attributes
    ----------
    rounding
        Turns a score into grid steps; by default as releases do.
    level_moves
        Steps added to the level, computed from all scores of a run: a correction from the data.
    mirrored
        Whether the threshold noise is reflected at zero: exponential noise then has its tail to the
        left.
    continuous
        Whether the threshold noise is not on the grid; it is integrated, without a proved error.
    """

    rounding: Callable[[Fraction], int] | None = None
    level_moves: Callable[[tuple[int, ...]], int] | None = None
    mirrored: bool = False
    continuous: bool = False

    @property
    def plain(self) -> bool:
        """Whether the level does not depend on scores, and answers come without values."""
        return self.level_moves is None and not self.releases_value

    @property
    def certified(self) -> bool:
        """Whether both ends of all bounds hold; rare values that are released are left out."""
        return super().certified and not self.continuous

    @property
    def reach(self) -> int:
        """The sensitivity in grid steps."""
        return int(self.sensitivity / self.grid)

    @property
    def list_size(self) -> int:
        """How many scores are looked at: enough for a full answer and, if cheap, one more."""
        return min(LONGEST, self.cutoff + 1)

    @property
    def unseen(self) -> str:
        """What short lists do not show; empty where they show all that can be told.

        Of a histogram a person moves so many values, whatever else comes out. Elsewhere it is a
        full answer that costs most; one score more is beaten, moves the other way, or tells where
        the bar is, unless a bar decides about each value and all scores move in one direction.
        """
        if not self.takes_a_list or self.cutoff is None:
            return ""
        size = self.list_size
        if self.releases_value and self.items is not None:
            return f"more than {size} items of one person" if self.items > size else ""
        barred = isinstance(self, RankedLaw) and self.has_bar and self.monotonic
        longest = size if barred else size - 1
        return f"answers of more than {longest}" if self.cutoff > longest else ""

    def steps(self, score: Number) -> int:
        """Turn a score into grid steps by the mechanism's own rounding."""
        if self.rounding is not None:
            return self.rounding(rational("score", score))
        return super().steps(score)

    def bar_points(self, depth: float) -> Points:
        """Return the threshold noise, out to a mass of about e^-depth."""
        points = super().bar_points(depth)
        return mirror(points) if self.mirrored else points

    def run(self, depth: float) -> Run:
        """Return what the comparisons of a run do."""
        return TwinRun(self, depth)

    def asked(self, scores: tuple[int, ...], *, labels: bool = False) -> Inquiry:
        """Return a list that is asked in turn; of a batch the labels alone come out."""
        if labels and self.releases_value:
            raise ParameterError("a mechanism that releases values is audited by its answers")
        asked = super().asked(scores, labels=labels)
        return _Valued(self, scores, labels=False) if self.releases_value else asked


@dataclass(frozen=True)
class RankedLaw(Law, plan_laws.RankedLaw):
    """A mechanism that draws one value for each score and gives the highest, in order.

    Attributes
    ----------
    ties_by_score
        Whether of equal values the one with the higher true score comes first, and not by lot.
    """

    ties_by_score: bool = False

    @property
    def list_size(self) -> int:
        """How many scores are looked at: enough for a full answer and, if cheap, one more."""
        if type(self.query) is Gumbel:
            return LONGEST
        return 2 if self.releases_value else max(2, min(3, self.cutoff + (not self.has_bar)))

    def outcomes(self, data: Any, depth: float = DEEP) -> Outcomes:
        """Return who is found; hardly more for a higher score is enough where values are equal."""
        if self.ties_by_score:
            data = tuple(score + HARDLY * (score - min(data)) for score in data)
        return super().outcomes(data, depth)


def law_of(subject: Plan | Law | KeyLaw, threshold: Number = 0) -> Law | KeyLaw:
    """Read off a plan the law of what a release does, at a public threshold; keep a law."""
    if isinstance(subject, Law | KeyLaw):
        return subject
    law = plan_laws.law_of(subject, threshold)
    if isinstance(law, KeyLaw):
        return law
    return (RankedLaw if isinstance(law, plan_laws.RankedLaw) else Law)(**vars(law))


class TwinRun(Run):
    """What one run's comparisons do, with the level its data give it."""

    def __init__(self, law: Law, depth: float) -> None:
        super().__init__(law, depth)
        self.depth = depth

    def walk(self, asked: Any) -> Outcomes:
        """Walk with the level and the panels that these scores give it."""
        law = self.law
        self.level += law.level_moves(asked.scores) if law.level_moves else 0
        if law.threshold is not None and law.continuous:
            self.points = self._panels(law, law.threshold, asked.scores)
        return super().walk(asked)

    def _panels(self, law: Law, noise: Noise, scores: tuple[int, ...]) -> Points:
        grid, sign = float(law.grid), -1 if law.mirrored else 1
        kinks = np.array(sorted(set(scores)), dtype=np.float64) - self.level
        if law.releases_value:  # a cell of values ends at every step
            reach = math.ceil(self.depth * float(noise.scale) / grid)
            kinks = np.arange(-reach, reach + 1, dtype=np.float64)
        points = panel_points(noise, grid, self.depth, sign * kinks)
        return mirror(points) if law.mirrored else points

    def answer(self, score: int, outcome: int | bool) -> Array:
        """Return the log-chance of an answer, or of a released value in steps, in every column."""
        if isinstance(outcome, bool):
            return super().answer(score, outcome)
        # What was compared lies in the cell of this value, and at or above the bar.
        gaps, value = self.level + self.points.steps - score, outcome - score
        chances = log_between(self.law, np.maximum(gaps, value), float(value + 1))
        left = log_between(self.law, np.array([float(value)]), float(value + 1))
        return np.concatenate([chances, left, chances[-1:]])


@dataclass(frozen=True)
class _Valued(Queue):
    """Answers in turn, of which a positive comes with the values that are likely to matter."""

    def branches(self, run: Run, state: Any) -> Iterator[Branch]:
        transcript, positives, count, ((query, _), *others) = state
        _, negative = super().branches(run, state)
        score = self.scores[query]
        for value in self._values(run, score):
            now = (*transcript, (query, value))
            after = self._state(now, positives + 1, count + 1, tuple(others))
            yield run.answer(score, value), after, True
        yield negative

    def _values(self, run: Run, score: int) -> list[int]:
        law, points = self.law, run.points.steps
        low = min(score, int(run.level + points[0])) - law.reach
        high = max(score, int(run.level + points[-1])) + law.reach
        values = range(low, high + 1)
        return [value for value in values if log_cell(law, value - score) > -VALUE_DEPTH]


def mirror(points: Points) -> Points:
    """Return noise reflected at zero."""
    masses = points.log_masses[::-1]
    return Points(-points.steps[::-1], masses, points.log_above, points.log_below)


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
