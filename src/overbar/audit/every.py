"""All that a mechanism can say, with lower and upper bounds on how likely it is.

:class:`Every` runs a function of a run (:mod:`overbar.mechanisms.run`) again and again, each time
along another path: whenever a verb is called it takes the next turn that was not tried yet. So
loops, conditions and sets in a mechanism need nothing written for them.

The noise of a bar is not tried value by value: a path has one column for each value of it. When
noise is drawn anew the columns are added up, and when it is told a path goes on in one of them.

The grid is infinite and a sum is not. What is left out could be any outcome.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from overbar.audit.points import BARE, DEEP, Points, grid_points, log_reached, log_total
from overbar.audit.profile import Array, Outcomes
from overbar.audit.ranking import ByArrival, ByValue, refuse_many
from overbar.errors import ParameterError
from overbar.noise import Gumbel, Noise

#: Where numbers are told, what is rarer than about e^-SHALLOW is left out.
SHALLOW = 30.0


@dataclass(frozen=True, eq=False)
class Drawn:
    """Noise that was drawn and is not told, so all of its values at once; moved, or turned over."""

    number: int
    noise: Noise
    grid: Fraction
    sign: int = 1
    moved: int = 0

    def __add__(self, steps: int) -> Drawn:
        return replace(self, moved=self.moved + int(steps))

    __radd__ = __add__

    def __sub__(self, steps: int) -> Drawn:
        return self + -steps

    def __rsub__(self, steps: int) -> Drawn:
        return replace(self, sign=-self.sign, moved=int(steps) - self.moved)


class Winner(NamedTuple):
    """A candidate that came out."""

    candidate: int
    value: int | None
    score: int


class State(NamedTuple):
    """Where a path is: the log-weight of each column, and whose values the columns are.

    Noise of the bars before it was added up, and can be used no more.
    """

    weights: Array = BARE.log_masses
    points: Points = BARE
    number: int = -1
    before: frozenset[int] = frozenset()


#: What a verb may answer, and its log-chance: in every column, or in all of them.
Turn = tuple[Any, Array | float]


@dataclass
class Fork:
    """A place where a path may go on by several turns."""

    state: State
    turns: list[Turn]
    place: int = 0
    _after: State | None = None

    def go_on(self) -> None:
        """Take the next turn."""
        self.place, self._after = self.place + 1, None

    @property
    def after(self) -> State:
        """Where the path is behind it."""
        if self._after is None:
            weights = self.state.weights + self.turns[self.place][1]
            self._after = self.state._replace(weights=weights)
        return self._after


class Every:
    """Whoever enumerates: a run that takes all turns, out to a mass of about e^-depth.

    With a public order candidates are asked as they are given, and else in an order by lot: proofs
    hold for each order, so an attack may choose it.
    """

    def __init__(self, depth: float = DEEP, *, public_order: bool = False) -> None:
        self.depth, self.public_order = depth, public_order

    def outcomes(self, mechanism: Callable[[Any], Hashable]) -> Outcomes:
        """Return all that a function of a run can give back.

        Parameters
        ----------
        mechanism : callable
            It is called once for each path.

        Returns
        -------
        Outcomes
            Bounds on the log-chance of each outcome.
        """
        self._path: list[Fork] = []
        self._off, self._told = 0.0, False
        done: dict[Hashable, float] = {}
        while True:
            self._at = self._draws = 0
            outcome = mechanism(self)
            log_chance = log_total(self._state.weights)
            done[outcome] = float(np.logaddexp(done.get(outcome, -math.inf), log_chance))
            refuse_many(len(done))
            while self._path and self._path[-1].place + 1 == len(self._path[-1].turns):
                self._path.pop()
            if not self._path:
                return Outcomes.within(done, self._off, complete=not self._told)
            self._path[-1].go_on()

    # Paths --------------------------------------------------------------------------------------

    @property
    def _state(self) -> State:
        return self._path[-1].after if self._path else State()

    def _take(self, turns: Callable[[State], Iterator[Turn]], bar: object = None) -> Any:
        """Take the next turn that was not tried yet."""
        if self._at == len(self._path):
            state = self._facing(bar)
            weights = state.weights
            possible = [turn for turn in turns(state) if np.max(weights + turn[1]) > -math.inf]
            self._path.append(Fork(state, possible))
        fork = self._path[self._at]
        self._at += 1
        return fork.turns[fork.place][0]

    def _facing(self, bar: object) -> State:
        """Return the state with the columns of a bar: another one's are added up."""
        state = self._state
        if not isinstance(bar, Drawn) or bar.number == state.number:
            return state
        if bar.number in state.before:
            raise ParameterError("noise that was drawn before another cannot be used after it")
        points = grid_points(bar.noise, bar.grid, self.depth)
        so_far = log_total(state.weights)
        self._off += math.exp(so_far + points.log_beyond)
        before = state.before | {state.number}
        return State(points.log_masses + so_far, points, bar.number, before)

    # Verbs --------------------------------------------------------------------------------------

    def draw(self, noise: Noise | None, grid: Fraction) -> Any:
        """Draw noise on the grid; without any it is zero."""
        self._draws += 1
        return 0 if noise is None else Drawn(self._draws, noise, grid)

    def draws(self, noise: Noise, grid: Fraction, count: int) -> list[Any]:
        """Draw so many, independently."""
        return [self.draw(noise, grid) for _ in range(count)]

    def passes(
        self, score: Any, noise: Noise | None, grid: Fraction, bar: Any, on_grid: bool = False
    ) -> bool:
        """Tell whether one score plus noise reaches the bar."""

        def turns(state: State) -> Iterator[Turn]:
            gaps = _steps(bar, state) - int(score)
            for answer in (True, False):
                yield answer, log_reached(noise, grid, gaps, answer, on_grid)

        return bool(self._take(turns, bar))

    def passing(
        self,
        scores: Any,
        noise: Noise | None,
        grid: Fraction,
        bar: Any,
        *,
        most: int,
        rounds: int | None = 1,
        on_grid: bool = False,
    ) -> list[Winner]:
        """Return the first so many whose score plus noise reaches the bar."""
        found: list[int] = []
        places = list(range(len(scores)))
        if rounds == 1 and not self.public_order:  # the order of those who pass is all that matters
            passed = [k for k in places if self.passes(scores[k], noise, grid, bar, on_grid)]
            return _winners(self.shuffled(passed, most), scores)
        order = places if self.public_order else self.shuffled(places, len(places))
        if rounds is None:
            return _winners(self._around(order, scores, noise, grid, bar, most), scores)
        for place in order * rounds:
            asked = place not in found and len(found) < most
            if asked and self.passes(scores[place], noise, grid, bar, on_grid):
                found.append(place)
        return _winners(found, scores)

    def _around(
        self,
        left: list[int],
        scores: Any,
        noise: Noise | None,
        grid: Fraction,
        bar: Any,
        most: int,
    ) -> list[int]:
        """Ask round after round without end: who is next is one turn.

        With the others F before it, it is k with a chance of F·…·F·S / (1 - product of all F).
        """
        if noise is None:
            raise ParameterError("rounds must be limited without noise on queries")
        found: list[int] = []

        def turns(state: State) -> Iterator[Turn]:
            gaps = [_steps(bar, state) - int(scores[k]) for k in left]
            log_any = _log_any(np.array([noise.log_hazard(gap * float(grid)) for gap in gaps]))
            yield None, np.where(np.isneginf(log_any), 0.0, -math.inf)
            before = np.where(np.isneginf(log_any), -math.inf, -np.maximum(log_any, -1e300))
            for k, gap in zip(left, gaps, strict=True):
                yield k, np.minimum(before + log_reached(noise, grid, gap, True), 0.0)
                before = before + log_reached(noise, grid, gap, False)

        while left and len(found) < most:
            place = self._take(turns, bar)
            if place is None:
                break
            found.append(place)
            at = left.index(place)
            left = left[at + 1 :] + left[:at]
        return found

    def highest(
        self,
        scores: Any,
        noise: Noise,
        grid: Fraction,
        bar: Any,
        *,
        most: int,
        values: bool = False,
    ) -> list[Winner]:
        """Return those with the highest score plus noise that reach the bar, in order."""
        steps = [int(score) for score in scores]

        def turns(state: State) -> Iterator[Turn]:
            so_far = math.exp(log_total(state.weights))
            points = grid_points(noise, grid, min(self.depth, SHALLOW if values else self.depth))
            law: Any = ByValue(points, steps, most, None if bar is None else _steps(bar, state))
            if type(noise) is Gumbel:
                law = ByArrival(**vars(law), scale=float(noise.scale / grid))
            # What is too small for a float is not impossible.
            self._off += so_far * len(steps) * math.exp(points.log_beyond) + math.ulp(0.0)
            self._told |= values
            for told, chance, error in law.with_values() if values else law.chances():
                self._off += so_far * error
                yield [Winner(k, value, steps[k]) for k, value in told], _log(chance)

        return list(self._take(turns, bar)) if steps else []

    def choose(self, counts: Sequence[int], chances: Sequence[int], bits: int) -> list[int]:
        """Return the places that come out: a count n with chances[n]/2^bits, from the last on 1."""
        whole, last = 1 << bits, len(chances) - 1

        def comes_out(count: int) -> bool:
            chance = chances[min(count, last)]
            yes, no = _log(np.array([chance / whole, (whole - chance) / whole])).tolist()
            return bool(self._take(lambda _: iter([(True, yes), (False, no)])))

        return [place for place, count in enumerate(counts) if comes_out(int(count))]

    def lot(self, things: Sequence[Any], most: int) -> Sequence[Any]:
        """Return so many of the things, each as likely as another, in their order."""
        some = list(itertools.combinations(things, min(most, len(things))))
        return tuple(self._take(lambda _: ((one, -math.log(len(some))) for one in some)))

    def shuffled(self, things: Sequence[Any], most: int) -> list[Any]:
        """Return so many of the things in an order by lot."""
        refuse_many(math.perm(len(things), min(most, len(things))))
        chosen: list[Any] = []
        while len(chosen) < min(most, len(things)):
            chosen += self.lot([thing for thing in things if thing not in chosen], 1)
        return chosen

    def tell(self, number: Any) -> Any:
        """Return a number that may be known: a path goes on with each of its values."""
        if not isinstance(number, Drawn):
            return int(number)

        def turns(state: State) -> Iterator[Turn]:
            self._told = True
            likely = state.points.log_masses > -SHALLOW
            self._off += math.exp(log_total(state.weights[~likely])) if not likely.all() else 0.0
            for place in np.flatnonzero(likely):
                value = number.sign * int(state.points.steps[place]) + number.moved
                yield value, np.where(np.arange(len(likely)) == place, 0.0, -math.inf)

        return self._take(turns, number)


def _steps(bar: Any, state: State) -> Array:
    """Return the bar in every column."""
    if isinstance(bar, Drawn):
        return bar.sign * state.points.steps + bar.moved
    return np.full(len(state.weights), float(bar))


def _winners(places: Sequence[int], scores: Any) -> list[Winner]:
    return [Winner(place, None, int(scores[place])) for place in places]


def _log(chance: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(chance))


def _log_any(log_hazards: Array) -> Array:
    """Log of 1 - e^-(sum of hazards): a sum as small as it likes keeps its digits."""
    log_sum = np.logaddexp.reduce(log_hazards, axis=0)
    with np.errstate(over="ignore", divide="ignore"):
        hazard = np.exp(log_sum)
        near = np.log(-np.expm1(-hazard))
    return np.asarray(np.where(log_sum < -18.5, log_sum - np.minimum(hazard, 1.0) / 2, near))
