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
from tests.attacks.neighbours import (
    SHALLOW,
    coarse_points,
    directions,
    log_tables,
    moves,
    path_gaps,
    scales,
)
from tests.attacks.strategies import Path, Step
from tests.attacks.twin_law import Law, log_cell

#: Events rarer than e^-RAREST for each positive, and once more, are not looked for.
RAREST = 25.0
#: Positives looked at where a mechanism has no cutoff.
UNLIMITED = (1, 2, 4, 8, 16, 32)
#: Negatives looked at.
FEW = (0, 1, 3, 8, 32, 128)
MANY = (0, 1, 2, 3, 4, 8, 16, 64, 256)


@dataclass
class PathSearch:
    """A search for the largest loss or, at a given ε, for the largest P - e^ε·Q.

    Of a path taken `repeat` times: with fresh threshold noise after each positive a run falls
    apart into stretches, and the worst run repeats the worst stretch. Stretches are searched, not
    repetitions.
    """

    law: Law
    epsilon: float | None
    thorough: bool
    repeat: int = 1
    looked_at: int = 0

    @classmethod
    def of(cls, law: Law, epsilon: float | None, thorough: bool) -> PathSearch:
        """Search the paths of a law for the largest loss, or for δ at ε."""
        if not law.resample:
            return cls(law, epsilon, thorough)
        repeat, limit = UNLIMITED[-1] if law.cutoff is None else law.cutoff, law.max_queries
        if limit is not None:
            repeat = min(repeat, limit)  # each stretch has a comparison
            limit //= repeat
        stretch = replace(law, resample=False, cutoff=1, max_queries=limit)
        return cls(stretch, epsilon, thorough, repeat)

    def best(self) -> Path | None:
        """Return the best path found."""
        starts = sorted(self._seeds(), key=lambda seed: -seed[0])[: 8 if self.thorough else 3]
        if not starts:
            return None
        stretch = max((self._climbed(path) for _, path in starts), key=lambda end: end[0])[1]
        return Path(stretch.steps * (self.repeat if stretch.positives else 1))

    def _lengths(self) -> Iterator[tuple[int, int]]:
        """Yield numbers of negatives and of positives."""
        law = self.law
        most = UNLIMITED if law.cutoff is None else sorted({0, 1, law.cutoff // 2, law.cutoff})
        for negatives, positives in itertools.product(MANY if self.thorough else FEW, most):
            total = negatives + positives
            if not law.plain and negatives not in {0, 1, 32, 256}:
                continue
            if total and (law.max_queries is None or total <= law.max_queries):
                yield negatives, positives

    def _seeds(self) -> list[tuple[float, Path]]:
        """Try all pairs of positions at once; return the best for each length and way to move.

        Where levels move or values are released no matrix knows how likely a path is. There all of
        a few are returned.
        """
        law = self.law
        points = coarse_points(law)
        gaps = path_gaps(law, 90 if self.thorough else 50)
        if not law.plain:
            gaps = path_gaps(law, 24 if self.thorough else 16)[:: 1 if self.thorough else 2]
        positions = [(law.level - gap) * law.grid for gap in gaps]
        tables = {
            move: log_tables(law, [score + move for score in positions], points)
            for move in moves(law, self.thorough)
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
        for (negatives, positives), together in itertools.product(
            lengths, directions(law, self.thorough)
        ):
            log_p = logs(Fraction(0), negatives, Fraction(0), positives)
            for down, up in itertools.product(together, repeat=2):
                if (down == 0 or not negatives) and (up == 0 or not positives):
                    continue
                value = self._worth(log_p, logs(down, negatives, up, positives), positives)
                self.looked_at += value.size
                best = np.unravel_index(int(np.argmax(value)), value.shape)
                for i, j in [best] if law.plain else np.ndindex(value.shape):
                    steps = _stretch((positions[i], down, negatives), (positions[j], up, positives))
                    path = self._with_value(Path(steps))
                    seeds.append((float(value[i, j]) if law.plain else self._value(path), path))
        return seeds

    def _with_value(self, path: Path) -> Path:
        """Give every positive step the released value that tells its two scores apart best."""
        if not self.law.releases_value:
            return path
        law, query = self.law, scales(self.law)[0]

        def valued(step: Step) -> Step:
            one, other = law.steps(step.score), law.steps(step.neighbour)
            around = [one, other, round(one + 2 * query), round(one - 2 * query)]
            ratios = {
                v: log_cell(law, v - one) - log_cell(law, v - other)
                for v in around
                if log_cell(law, v - one) > -RAREST
            }
            return replace(step, value=max(ratios, key=lambda v: ratios[v], default=one))

        return Path(tuple(valued(s) if s.positive else s for s in path.steps))

    # One number at a time -----------------------------------------------------------------------

    def _value(self, path: Path) -> float:
        self.looked_at += 1
        try:
            one, other = path.asked(self.law)
        except ParameterError:
            return -math.inf
        p, q = (self.law.outcomes(side, SHALLOW).chances[path] for side in (one, other))
        return float(self._worth(np.array(p[0]), np.array(q[1]), path.positives))

    def _worth(self, log_p: Array, log_q: Array, positives: int) -> Array:
        """Return what events with these log-probabilities on both sides are worth."""
        with np.errstate(invalid="ignore", over="ignore"):
            if self.epsilon is None:
                loss = self.repeat * (log_p - np.maximum(log_q, -1e4))
                value = np.where(log_p > -RAREST * (1 + positives), loss, -math.inf)
            else:
                value = np.exp(self.repeat * log_p) - np.exp(self.repeat * log_q + self.epsilon)
        return np.where(np.isnan(value), -math.inf, value)

    def _climbed(self, path: Path) -> tuple[float, Path]:
        """Change one step at a time for as long as it helps."""
        value = self._value(path)
        for _ in range(40 if self.thorough else 12):
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
        grid = self.law.grid
        for size in (1, 2, 5, 12, 30):
            for shift in (size * grid, -size * grid):
                moved = replace(step, score=step.score + shift, neighbour=step.neighbour + shift)
                yield moved
                if step.value is not None:
                    value = step.value + round(shift / grid)
                    yield replace(step, value=value)
                    yield replace(moved, value=value)
        for move in moves(self.law, thorough=True):
            yield replace(step, neighbour=step.score + move)
        if not step.positive:
            for times in (step.times * 2, step.times // 2, step.times + 1, step.times - 1):
                if 1 <= times <= 4096:
                    yield replace(step, times=times)


def _stretch(
    negative: tuple[Fraction, Fraction, int], positive: tuple[Fraction, Fraction, int]
) -> tuple[Step, ...]:
    """Negatives first, then positives; steps that are taken no times are left out."""
    both = ((False, *negative), (True, *positive))
    return tuple(
        Step(answer, score, score + move, times) for answer, score, move, times in both if times
    )


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
