"""What an adversary asks online: one path, or queries that depend on the answers.

A pure loss is the loss of one transcript, and along one transcript it makes no difference whether
the queries were chosen adaptively. So the search for the largest loss looks at paths. A step that
is taken many times in a row counts with its power, which makes long runs cheap.

A strategy is a list of nodes. Each asks one query, given by its score on both data sets, and goes
on to a later node after either answer. Two answers may lead to the same node: then the adversary
forgets which it was, which can only lower what it learns, so a δ found this way is still a true
lower bound, and long runs stay small. What an adversary sees in the end is where it stopped.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from overbar._numbers import number_text
from overbar.audit.between import check_moves, exact_profile
from overbar.audit.points import BARE, DEEP, Points, grid_points, log_reached, log_total
from overbar.audit.profile import Array, Outcomes, Profile
from overbar.errors import ParameterError
from overbar.mechanisms import ScorePlan as Plan
from overbar.mechanisms import SparseVectorPlan
from overbar.noise import Noise
from overbar.runs.scores import Ruler


@dataclass(frozen=True)
class Step:
    """A query with its score on both data sets and the answer it gets, some times in a row."""

    positive: bool
    score: Fraction
    neighbour: Fraction
    times: int = 1

    def __str__(self) -> str:
        often = "" if self.times == 1 else f", {self.times} times"
        answer = "above" if self.positive else "below"
        return f"{number_text(self.score)} | {number_text(self.neighbour)}: {answer}{often}"


@dataclass(frozen=True)
class Path:
    """Steps in the order taken. It reads: score on one data set | on its neighbour: answer."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "; ".join(map(str, self.steps))

    @property
    def positives(self) -> int:
        """How many answers are positive."""
        return sum(step.times for step in self.steps if step.positive)


@dataclass(frozen=True)
class Node:
    """A query, and the place in the list where it goes on after a negative or a positive answer.

    None ends the run. So does the mechanism, by itself, at its last positive.
    """

    score: Fraction
    neighbour: Fraction
    no: int | None = None
    yes: int | None = None


@dataclass(frozen=True)
class Strategy:
    """Nodes in an order in which every link points to a later one. The first is where it starts."""

    nodes: tuple[Node, ...]

    def __str__(self) -> str:
        shown = "; ".join(
            f"{number_text(node.score)} | {number_text(node.neighbour)}" for node in self.nodes[:12]
        )
        more = "" if len(self.nodes) <= 12 else f"; … ({len(self.nodes):,} nodes)"
        return f"adaptive: {shown}{more}"


@dataclass(frozen=True)
class Game:
    """A run online, seen by whoever asks: what each answer says of the noisy threshold."""

    plan: Plan
    level: int
    depth: float = DEEP

    @cached_property
    def points(self) -> Points:
        """The threshold noise."""
        noise = self.plan.threshold_noise
        return BARE if noise is None else grid_points(noise, self.plan.grid, self.depth)

    def profile(self, asked: Path | Strategy) -> Profile:
        """Return what both data sets say."""
        self.check(asked)
        return Profile.between(*(self.outcomes(asked, side) for side in ("score", "neighbour")))

    def check(self, asked: Path | Strategy) -> None:
        """Raise unless one person can move all scores so."""
        queries = asked.steps if isinstance(asked, Path) else asked.nodes
        check_moves(self.plan, *zip(*((one.score, one.neighbour) for one in queries), strict=True))

    def outcomes(self, asked: Path | Strategy, side: str) -> Outcomes:
        """Return what one data set says."""
        chances = self._taken(asked, side) if isinstance(asked, Path) else self._led(asked, side)
        draws = self.plan.cutoff if self.plan.repeats.resample else 1
        return Outcomes.within(chances, draws * math.exp(self.points.log_beyond), complete=True)

    def _answer(self, query: Any, side: str, positive: bool) -> Array:
        score = getattr(query, side)
        return _answer(
            self.plan.query_noise, self.points, self.level, self.plan.grid, score, positive
        )

    def _redrawn(self, weights: Array) -> Array:
        return self.points.log_masses + log_total(weights)

    def _taken(self, path: Path, side: str) -> dict[Hashable, float]:
        """Return the chance of the path, if it is one that the run can take."""
        cutoff, most, last = self.plan.cutoff, self.plan.repeats.max_queries, path.steps[-1]
        before = path.positives - (last.times if last.positive else 0)
        if path.positives > cutoff or before >= cutoff:
            raise ParameterError(f"a run halts after {cutoff} positives, and this path goes on")
        if most is not None and sum(step.times for step in path.steps) > most:
            raise ParameterError(f"a run has at most {most} comparisons, and this path more")
        weights = self.points.log_masses
        for step in path.steps:
            answer = self._answer(step, side, step.positive)
            if step.positive and self.plan.repeats.resample:
                for _ in range(step.times):
                    weights = self._redrawn(weights + answer)
            else:
                weights = weights + step.times * answer
        return {path: log_total(weights)}

    def _led(self, strategy: Strategy, side: str) -> dict[Hashable, float]:
        """Send all probability through the nodes."""
        most = self.plan.repeats.max_queries
        going: dict[int, dict[tuple[int, int], Array]] = defaultdict(dict)
        going[0][0, 0] = self.points.log_masses
        told: dict[Hashable, float] = {}
        for place, node in enumerate(strategy.nodes):
            for (positives, count), weights in going.pop(place, {}).items():
                if count == most:
                    raise ParameterError(f"a run has at most {count} comparisons")
                for answer, link in ((False, node.no), (True, node.yes)):
                    after = weights + self._answer(node, side, answer)
                    if link is None or positives + answer == self.plan.cutoff:
                        so_far = told.get((place, answer), -math.inf)
                        told[place, answer] = float(np.logaddexp(so_far, log_total(after)))
                        continue
                    if link <= place or link >= len(strategy.nodes):
                        raise ParameterError("a strategy's links must point to later nodes")
                    after = self._redrawn(after) if answer and self.plan.repeats.resample else after
                    state = positives + answer, 0 if most is None else count + 1
                    before = going[link].get(state)
                    together = after if before is None else np.logaddexp(before, after)
                    going[link][state] = together
        return told


@lru_cache(maxsize=1 << 16)
def _answer(
    noise: Noise, points: Points, level: int, grid: Fraction, score: Fraction, positive: bool
) -> Array:
    """Return the log-chance of an answer at each point."""
    return log_reached(noise, grid, level + points.steps - Ruler.of(grid).one(score), positive)


def profile_of(
    plan: Plan, between: Any, *, threshold: Any = 0, release: str = "answers"
) -> Profile:
    """Compute what a run gives away, also to whoever asks along a path or by a strategy."""
    if not isinstance(between, Path | Strategy):
        return exact_profile(plan, between, threshold=threshold, release=release)
    if takes_a_list(plan):
        raise ParameterError("between must be two lists of scores: this release takes a whole list")
    return Game(plan, plan.level(threshold)).profile(between)


def in_turn(plan: Plan) -> bool:
    """Tell whether candidates are asked one by one."""
    return isinstance(plan.labels, SparseVectorPlan)


def takes_a_list(plan: Plan) -> bool:
    """Tell whether a plan runs on a list of scores that is there from the start, never online."""
    few = plan.items_per_person is not None or plan.counts is not None
    return few or not in_turn(plan)


def moves(plan: Plan) -> list[Fraction]:
    """Return how far one person may move a score: all the way or not at all."""
    most = plan.reach.most
    return [-most, Fraction(0), most]


def directions(plan: Plan) -> list[list[Fraction]]:
    """Return the sets of moves that may go together: of one sign where queries are monotonic."""
    everything = moves(plan)
    if not plan.reach.one_way:
        return [everything]
    return [[move for move in everything if move >= 0], [move for move in everything if move <= 0]]


def scores_around(plan: Plan, level: int, count: int) -> list[Fraction]:
    """Return scores at which an answer is neither certain nor hopeless."""
    noise, grid = plan.query_noise, float(plan.grid)
    bar = 0.0 if plan.threshold_noise is None else float(plan.threshold_noise.scale) / grid
    low, high = (float(noise.isf(p)) / grid for p in (0.999, 1e-4))
    gaps = np.linspace(low - 4 * bar, high + 4 * bar, count)
    around = np.linspace(low, high, max(2, count // 2))
    steps = {round(gap) for gap in [*gaps.tolist(), *around.tolist()]}
    return [(level - gap) * plan.grid for gap in sorted(steps)]


#: The search leaves out a mass of the threshold noise of about e^-SHALLOW.
SHALLOW = 40.0


def coarse_points(plan: Plan, most: int = 700) -> Points:
    """Return the threshold noise, thinned out to a number of points: good enough to climb by."""
    if plan.threshold_noise is None:
        return BARE
    points = grid_points(plan.threshold_noise, plan.grid, SHALLOW)
    stride = math.ceil(points.steps.size / most)
    return Points(points.steps[::stride], points.log_masses[::stride] + math.log(stride))


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries that may be asked: their scores on both data sets, and the logs of their chances.

    ``logs[side, answer]`` has a row for each query and a column for each point of the noise.
    """

    scores: list[tuple[Fraction, Fraction]]
    logs: Array

    @classmethod
    def of(
        cls,
        plan: Plan,
        level: int,
        around: list[Fraction],
        moved: Sequence[Fraction],
        points: Points,
    ) -> Queries:
        """Tabulate queries at these scores, moved in each of these ways."""
        scores = [(score, score + move) for score in around for move in moved]
        sides = [
            [
                [_answer(plan.query_noise, points, level, plan.grid, score, yes) for score in side]
                for yes in (False, True)
            ]
            for side in zip(*scores, strict=True)
        ]
        return cls(scores, np.array(sides))
