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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import truediv
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar.audit.points import Points
from overbar.audit.profile import Array
from overbar.errors import ParameterError

Places = tuple[int, ...]
#: Who comes out, each with a value in grid steps where it is told.
Told = Iterable[tuple[int, int | None]]
#: An answer, its chance for each bar, and how far that may be off.
Answers = Iterator[tuple[Told, Array, float]]
#: More than a chance can be off by, in units of the largest term of its sum.
TERM_ERROR = 1e-14


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores with noise, of which so many come out at most.

    `bars` are the values of the bar in grid steps; none without a bar.
    """

    points: Points
    scores: Sequence[int]
    most: int
    bars: Array | None

    @property
    def size(self) -> int:
        """How long a full answer is."""
        return min(self.most, len(self.scores))

    @property
    def lengths(self) -> Sequence[int]:
        """How many come out; all that can, where nobody has to reach a bar."""
        return [self.size] if self.bars is None else range(self.size + 1)

    @property
    def values(self) -> Array:
        """All values that there are, the highest first."""
        steps = self.points.steps
        return np.arange(max(self.scores) + steps[-1], min(self.scores) + steps[0] - 1, -1.0)


class ByValue(Ranking):
    """With noise on the grid. Levels go from one above the highest value to the lowest."""

    @cached_property
    def levels(self) -> Array:
        """All values, and one above them."""
        return np.append(self.values[0] + 1, self.values)

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

    def chances(self) -> Answers:
        """Yield each answer without values."""
        reached: dict[Places, Array] = {(): np.ones(len(self.levels))}
        for length in range(self.size + 1):
            for found in itertools.permutations(range(len(self.scores)), length):
                if length == self.size:
                    terms = sum(self._last_block(found, reached), np.zeros(len(self.levels)))
                    yield without_values(found), np.cumsum(terms)[self.bar_levels], 0.0
                    continue
                if found:
                    terms = sum(self._blocks(found, reached), np.zeros(len(self.levels)))
                    reached[found] = np.cumsum(terms)
                if self.bars is not None:
                    chance = reached[found] * self._all_lower(found)
                    yield without_values(found), chance[self.bar_levels], 0.0

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

    def with_values(self) -> Answers:
        """Yield each answer with the values in grid steps."""
        bars, last = self.bar_levels, len(self.levels) - 1
        for length in self.lengths:
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
                    yield zip(found, values, strict=True), mass * others * reached, 0.0


@dataclass(frozen=True, eq=False)
class ByArrival(Ranking):
    """With Gumbel noise of a scale in grid steps."""

    scale: float

    def chances(self) -> Answers:
        """Yield each order."""
        times = None if self.bars is None else self._time(self.bars)
        for found, own, left in self._orders():
            if times is None:
                each = map(truediv, own, left)
                yield without_values(found), np.array([math.prod(each)]), 0.0
            else:
                yield without_values(found), *_in_order(own, left, times)

    def with_values(self) -> Answers:
        """Yield each order with whole values: who comes within one step."""
        values = self.values.astype(int).tolist()
        edges = {value: float(self._time(value)) for value in [*values, values[0] + 1]}
        times = np.array([math.inf]) if self.bars is None else self._time(self.bars)
        for found, own, left in self._orders():
            refuse_many(math.comb(len(values) + len(found), len(found)))
            for told in itertools.combinations_with_replacement(values, len(found)):
                chance, off, clock = _step_by_step(told, own, left, edges)
                nobody = np.exp(-left[-1] * (times - clock)) if left[-1] else np.ones_like(times)
                reached = times >= clock * (1 - 1e-12)
                yield zip(found, told, strict=True), np.where(reached, chance * nobody, 0.0), off

    def _time(self, values: Any) -> Any:
        """Return when who has such a value comes; the highest score has rate one."""
        with np.errstate(over="ignore"):
            return np.exp((max(self.scores) - np.asarray(values)) / self.scale)

    def _orders(self) -> Iterator[tuple[Places, list[float], list[float]]]:
        """Yield all orders, with the rates of who comes and of who is left after each.

        After a full answer nobody is asked.
        """
        rates = [math.exp((score - max(self.scores)) / self.scale) for score in self.scores]
        for count in self.lengths:
            for found in itertools.permutations(range(len(rates)), count):
                own = [rates[place] for place in found]
                beaten = [rate for place, rate in enumerate(rates) if place not in found]
                left = [math.fsum(own[gone:] + beaten) for gone in range(count + 1)]
                yield found, own, [*left[:-1], 0.0 if count == self.size else left[-1]]


def _in_order(own: Sequence[float], left: Sequence[float], times: Array) -> tuple[Array, float]:
    """Return the chance that these come in order within a time, and nobody else."""
    terms = math.prod(own) * np.array(list(_terms(left, times)))
    return np.maximum(terms.sum(axis=0), 0.0), TERM_ERROR * float(np.abs(terms).max())


def _step_by_step(
    told: Sequence[int], own: Sequence[float], left: Sequence[float], edges: Mapping[int, float]
) -> tuple[float, float, float]:
    """Return the chance of these values, how far it is off, and when the last step ends."""
    chance, off, clock, at = 1.0, 0.0, 0.0, 0
    for value, same in itertools.groupby(told):
        end, start = at + len(list(same)), edges[value + 1]
        chance *= math.exp(-left[at] * (start - clock))
        clock = edges[value]
        (within,), error = _in_order(own[at:end], left[at : end + 1], np.array([clock - start]))
        chance, off, at = chance * within, off + error, end
    return chance, off, clock


def _terms(left: Sequence[float], times: Array) -> Iterator[Array]:
    if len(set(left)) < len(left):
        raise ParameterError(
            "query_noise must be larger: floats do not tell these scores apart; audit a plan with "
            "a smaller epsilon"
        )
    for place, rate in enumerate(left):
        gone = np.exp(-rate * times) if rate else np.ones_like(times)
        yield gone / math.prod(other - rate for k, other in enumerate(left) if k != place)


def without_values(found: Places) -> Told:
    """Return who comes out, of whom no values are told."""
    return ((place, None) for place in found)


def refuse_many(count: int, most: int = 300_000) -> None:
    """Raise if there are too many outcomes to be enumerated."""
    if count > most:
        raise ParameterError(f"scores must be so few that there are at most {most:,} outcomes")
