"""The search for the path that gives away most.

Two kinds of steps make the worst paths: some negatives at one score, which tell where the
threshold is, and some positives at another. All pairs of positions, all moves and many lengths are
tried at once by matrix products; then each of the best is improved one number at a time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from overbar.audit.profile import Array
from overbar.errors import ParameterError
from overbar.mechanisms import Plan, SparseVectorPlan
from tests.attacks.online import (
    Game,
    Path,
    Queries,
    Step,
    coarse_points,
    directions,
    moves,
)

#: Events rarer than e^-RAREST for each positive, and once more, are not looked for.
RAREST = 25.0
#: Of the mass of threshold noise about e^-DEPTH is left out.
DEPTH = 120.0
#: Negatives looked at.
FEW = (0, 1, 3, 8, 32, 128)


@dataclass
class PathSearch:
    """A search for the largest loss or, at a given ε, for the largest P - e^ε·Q.

    Of a path taken `repeat` times: with fresh threshold noise after each positive a run falls
    apart into stretches, and the worst run repeats the worst stretch. Stretches are searched, not
    repetitions.
    """

    plan: Plan
    level: int
    epsilon: float | None
    repeat: int = 1
    looked_at: int = 0

    @classmethod
    def of(cls, plan: SparseVectorPlan, level: int, epsilon: float | None) -> PathSearch:
        """Search the paths of a plan for the largest loss, or for δ at ε."""
        repeats = plan.repeats
        if not repeats.resample:
            return cls(plan, level, epsilon)
        limit = repeats.max_queries
        repeat = plan.cutoff if limit is None else min(plan.cutoff, limit)  # each has a comparison
        each = replace(repeats, resample=False, max_queries=limit and limit // repeat)
        return cls(replace(plan, cutoff=1, repeats=each), level, epsilon, repeat)

    def best(self) -> Path | None:
        """Return the best path found."""
        starts = sorted(self._seeds(), key=lambda seed: -seed[0])[:3]
        if not starts:
            return None
        stretch = max((self._climbed(path) for _, path in starts), key=lambda end: end[0])[1]
        return Path(stretch.steps * (self.repeat if stretch.positives else 1))

    def _lengths(self) -> Iterator[tuple[int, int]]:
        """Yield numbers of negatives and of positives."""
        cutoff, limit = self.plan.cutoff, self.plan.repeats.max_queries
        most = cutoff if cutoff < 100 else 4
        for negatives, positives in itertools.product(FEW, sorted({0, 1, most // 2, most})):
            if 0 < negatives + positives <= (limit or math.inf):
                yield negatives, positives

    def _seeds(self) -> list[tuple[float, Path]]:
        """Try all pairs of positions at once; return the best for each length and way to move."""
        points = coarse_points(self.plan)
        around = [(self.level - gap) * self.plan.grid for gap in self._gaps()]
        tables = {
            move: Queries.of(self.plan, self.level, around, [move], points).logs[1]
            for move in moves(self.plan)
        }
        lengths = list(self._lengths())
        below = [(move, times) for move in tables for times in {n for n, _ in lengths}]
        above = [(move, times) for move in tables for times in {p for _, p in lengths}]
        log_all = _log_products(
            np.array([points.log_masses + _power(tables[move][0], n) for move, n in below]),
            np.array([_power(tables[move][1], p) for move, p in above]),
        )

        def logs(down: Fraction, negatives: int, up: Fraction, positives: int) -> Array:
            return log_all[below.index((down, negatives)), :, above.index((up, positives))]

        seeds: list[tuple[float, Path]] = []
        for (low, high), together in itertools.product(lengths, directions(self.plan)):
            log_p = logs(Fraction(0), low, Fraction(0), high)
            for down, up in itertools.product(together, repeat=2):
                if not ((down and low) or (up and high)):
                    continue
                value = self._worth(log_p, logs(down, low, up, high), high)
                self.looked_at += value.size
                i, j = np.unravel_index(int(np.argmax(value)), value.shape)
                steps = (
                    Step(False, around[i], around[i] + down, low),
                    Step(True, around[j], around[j] + up, high),
                )
                seeds.append((value[i, j], Path(tuple(step for step in steps if step.times))))
        return seeds

    def _gaps(self) -> list[Fraction]:
        """Return gaps in steps: close together around zero, and far apart beyond."""
        bar = self.plan.threshold_noise
        scales = [float(noise.scale) for noise in (self.plan.query_noise, bar) if noise]
        far = max(12 * sum(scales) / float(self.plan.grid), 8.0)
        beyond = {round(gap) for gap in np.geomspace(2.0, far, 20).tolist()}
        return sorted(map(Fraction, {*range(-2, 3), *beyond, *(-gap for gap in beyond)}))

    # One number at a time -----------------------------------------------------------------------

    def _value(self, path: Path) -> float:
        self.looked_at += 1
        game = Game(self.plan, self.level, DEPTH)
        try:
            game.check(path)
            sides = [game.outcomes(path, side) for side in ("score", "neighbour")]
        except ParameterError:
            return -math.inf
        one, other = (side.chances[path] for side in sides)
        return float(self._worth(np.array(one[0]), np.array(other[1]), path.positives))

    def _worth(self, log_p: Array, log_q: Array, positives: int) -> Array:
        """Return what events with these log-probabilities on both sides are worth."""
        with np.errstate(invalid="ignore", over="ignore"):
            if self.epsilon is None:
                loss = self.repeat * (log_p - np.maximum(log_q, -1e4))
                seen = log_p > -min(RAREST * (1 + positives), DEPTH - 20)
                value = np.where(seen, loss, -math.inf)
            else:
                value = np.exp(self.repeat * log_p) - np.exp(self.repeat * log_q + self.epsilon)
        return np.where(np.isnan(value), -math.inf, value)

    def _climbed(self, path: Path) -> tuple[float, Path]:
        """Change one step at a time for as long as it helps."""
        value = self._value(path)
        for _ in range(12):
            better = False
            for place in range(len(path.steps)):
                for changed in self._changes(path.steps[place]):
                    steps = Path((*path.steps[:place], changed, *path.steps[place + 1 :]))
                    if (reached := self._value(steps)) > value + 1e-12:
                        path, value, better = steps, reached, True
            if not better:
                break
        return value, path

    def _changes(self, step: Step) -> Iterator[Step]:
        for size in (1, 2, 5, 12, 30):
            for shift in (size * self.plan.grid, -size * self.plan.grid):
                yield replace(step, score=step.score + shift, neighbour=step.neighbour + shift)
        for move in moves(self.plan):
            yield replace(step, neighbour=step.score + move)
        if not step.positive:
            for times in (step.times * 2, step.times // 2, step.times + 1, step.times - 1):
                if 1 <= times <= 4096:
                    yield replace(step, times=times)


def _power(logs: Array, times: int) -> Array:
    """Return the log of a power; a power of zero is one, also where the chance is zero."""
    return times * logs if times else np.zeros_like(logs)


def _log_products(left: Array, right: Array) -> Array:
    """Log of the sum of e^(left + right) over the points, which are the last axis of both.

    Each row is scaled by its largest term, so that nothing underflows that matters. One product for
    all of them: many small ones would wait for each other's threads.
    """
    tops = [np.max(side, axis=2) for side in (left, right)]
    tops = [np.where(np.isfinite(top), top, 0.0) for top in tops]
    rows = [np.exp(side - top[..., None]) for side, top in zip((left, right), tops, strict=True)]
    with np.errstate(divide="ignore"):
        inner = np.log(np.tensordot(rows[0], rows[1], axes=(2, 2)))
    return np.asarray(inner + tops[0][..., None, None] + tops[1])
