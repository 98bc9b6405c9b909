"""Who has the highest noisy values, and in which order: chances at every value of the bar.

**Noise on the grid.** Let E(a, …, z; v) be the chance that exactly these have values of at least v,
and in this order, but for the others. The last of them that are equal, b of them, have the value u,
and those before them had more: E is the sum over u and b of E(those before; u + 1) times the chance
of b values u, over b! for the lot. Then all others are below the bar, or at most as high as the
last of a full answer.

**Gumbel noise.** A candidate arrives at a time that is exponential with rate e^(score/scale), and
the highest value arrives first; the bar is the time e^(-bar/scale). Let R_1 be the rate of all, R_2
of all but the first, and so on. Arrivals in a given order, and nobody else in time t, have the
chance

    product of the rates of those who arrive · Σ_i e^(-R_i·t) / Π_{j ≠ i} (R_j - R_i),

with R = 0 for the last where the answer is full: whoever comes later is not asked.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import truediv

import numpy as np
from numpy.typing import NDArray

from overbar.audit.points import Points
from overbar.audit.profile import Array
from overbar.errors import ParameterError

Places = tuple[int, ...]
#: More than a chance can be off by, in units of the largest term of its sum.
TERM_ERROR = 1e-14


@dataclass(frozen=True, eq=False)
class ByValue:
    """Scores with noise on the grid, of which so many come out at most.

    `bars` are the values of the bar in grid steps; none without a bar. Levels go from one above
    the highest value to the lowest.
    """

    points: Points
    scores: Sequence[int]
    most: int
    bars: Array | None

    @cached_property
    def size(self) -> int:
        """How long a full answer is."""
        return min(self.most, len(self.scores))

    @cached_property
    def levels(self) -> Array:
        """All values that there are, the highest first, and one above them."""
        steps = self.points.steps
        return np.arange(max(self.scores) + steps[-1] + 1, min(self.scores) + steps[0] - 1, -1.0)

    @cached_property
    def bar_levels(self) -> NDArray[np.intp]:
        """The level of each bar; the lowest where there is none."""
        last = len(self.levels) - 1
        if self.bars is None:
            return np.array([last])
        return np.asarray(np.clip(self.levels[0] - self.bars, 0, last), dtype=np.intp)

    @cached_property
    def equal(self) -> list[Array]:
        """The chance of each level, for each score."""
        each = np.zeros((len(self.scores), len(self.levels)))
        for row, score in zip(each, self.scores, strict=True):
            places = (self.levels[0] - score - self.points.steps).astype(int)
            row[places] = np.exp(self.points.log_masses)
        return list(each)

    @cached_property
    def lower(self) -> list[Array]:
        """The chance to be below each level, for each score."""
        return [np.append(np.cumsum(row[:0:-1])[::-1], 0.0) for row in self.equal]

    def chances(self) -> Iterator[tuple[Places, Array]]:
        """Yield each answer with its chance for each bar."""
        reached: dict[Places, Array] = {(): np.ones(len(self.levels))}
        for length in range(self.size + 1):
            for found in itertools.permutations(range(len(self.scores)), length):
                if length == self.size:
                    terms = sum(self._last_block(found, reached), np.zeros(len(self.levels)))
                    yield found, np.cumsum(terms)[self.bar_levels]
                    continue
                if found:
                    terms = sum(self._blocks(found, reached), np.zeros(len(self.levels)))
                    reached[found] = np.cumsum(terms)
                if self.bars is not None:
                    yield found, (reached[found] * self._all_lower(found))[self.bar_levels]

    def _rest(self, found: Places) -> list[int]:
        return [place for place in range(len(self.scores)) if place not in found]

    def _all_equal(self, places: Sequence[int]) -> Array:
        return math.prod((self.equal[k] for k in places), start=np.ones(len(self.levels)))

    def _all_lower(self, found: Places) -> Array:
        """Return the chance that all others are lower."""
        return math.prod(
            (self.lower[k] for k in self._rest(found)), start=np.ones(len(self.levels))
        )

    def _blocks(self, found: Places, reached: dict[Places, Array]) -> Iterator[Array]:
        """Yield for each level the chance that those at the end, so many of them, have it."""
        for many in range(1, len(found) + 1):
            before = reached[found[:-many]]
            above = np.append(before[:1], before[:-1])
            yield above * self._all_equal(found[-many:]) / math.factorial(many)

    def _last_block(self, found: Places, reached: dict[Places, Array]) -> Iterator[Array]:
        """Yield the same for a full answer: of others that are equal none comes before, by lot."""
        if not found:
            yield np.append(1.0, np.zeros(len(self.levels) - 1))
        for many, block in enumerate(self._blocks(found, reached), start=1):
            yield block * math.factorial(many) * self._beaten(found, many)

    def _beaten(self, found: Places, many: int) -> Array:
        """Return the chance that the others are lower, or equal and behind so many by lot."""
        total = np.zeros(len(self.levels))
        for ties in range(len(self.scores) - len(found) + 1):
            by_lot = math.factorial(ties) / math.factorial(many + ties)
            for equal in itertools.combinations(self._rest(found), ties):
                total += by_lot * self._all_equal(equal) * self._all_lower((*found, *equal))
        return total

    def with_values(self) -> Iterator[tuple[tuple[tuple[int, int], ...], Array]]:
        """Yield each answer with the values in grid steps, and its chance for each bar."""
        bars, last = self.bar_levels, len(self.levels) - 1
        for length in range(self.size + 1):
            if length < self.size and self.bars is None:
                continue
            refuse_many(math.perm(len(self.scores), length) * math.comb(last + length, length))
            for found in itertools.permutations(range(len(self.scores)), length):
                beaten = [self._beaten(found, many) for many in range(length + 1)]
                lower = self._all_lower(found)[bars]
                for at in itertools.combinations_with_replacement(range(1, last + 1), length):
                    mass = math.prod(self.equal[k][i] for k, i in zip(found, at, strict=True))
                    if not mass:
                        continue
                    *blocks, end = [len(list(own)) for _, own in itertools.groupby(at)] or [0]
                    mass /= math.prod(map(math.factorial, blocks))
                    if length == self.size:
                        others: Array | float = beaten[end][at[-1]] if at else 1.0
                    else:
                        others = lower / math.factorial(end)
                    values = (int(self.levels[i]) for i in at)
                    reached = bars >= (at[-1] if at else 0)
                    yield tuple(zip(found, values, strict=True)), mass * others * reached


def arrivals(
    scores: Sequence[int], scale: float, most: int, bars: Array | None
) -> Iterator[tuple[Places, Array, float]]:
    """Yield every order of Gumbel values, its chance for each bar, and how far that is off."""
    size, middle = min(most, len(scores)), max(scores)
    rates = [math.exp((score - middle) / scale) for score in scores]
    with np.errstate(over="ignore"):
        times = None if bars is None else np.exp((middle - bars) / scale)
    for count in range(size + 1) if times is not None else [size]:
        for found in itertools.permutations(range(len(scores)), count):
            own = [rates[place] for place in found]
            beaten = [rate for place, rate in enumerate(rates) if place not in found]
            left = [math.fsum(own[gone:] + beaten) for gone in range(count + 1)]
            if times is None:
                yield found, np.array([math.prod(map(truediv, own, left))]), 0.0
                continue
            if count == size:
                left[-1] = 0.0
            terms = math.prod(own) * np.array(list(_terms(left, times)))
            yield found, np.maximum(terms.sum(axis=0), 0.0), TERM_ERROR * np.abs(terms).max()


def _terms(left: Sequence[float], times: Array) -> Iterator[Array]:
    if len(set(left)) < len(left):
        raise ParameterError(
            "query_noise must be larger: floats do not tell these scores apart; audit a plan with "
            "a smaller epsilon"
        )
    for place, rate in enumerate(left):
        gone = np.exp(-rate * times) if rate else np.ones_like(times)
        yield gone / math.prod(other - rate for k, other in enumerate(left) if k != place)


def refuse_many(count: int, most: int = 300_000) -> None:
    """Raise if there are too many outcomes to be enumerated."""
    if count > most:
        raise ParameterError(f"scores must be so few that there are at most {most:,} outcomes")
