"""All that a mechanism can say, with lower and upper bounds on how likely it is.

:class:`Every` runs a function of a run (:mod:`overbar.mechanisms.run`) again and again, each time
along another path: whenever a verb is called it goes the next way that was not tried yet. So loops,
conditions and sets in a mechanism need nothing written for them.

The noise of a bar is not tried value by value: a path has one column for each value of it, and two
more, for all that lies to the left of its points and to the right. In these two a chance is
replaced by an upper bound. When noise is drawn anew the columns are added up, and when it is told a
path goes on in one of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from overbar.audit.passing import asked_around, asked_in_rounds, asked_once
from overbar.audit.points import (
    BARE,
    DEEP,
    Points,
    grid_points,
    log_reached,
    log_total,
    refuse_many,
)
from overbar.audit.profile import Array, Outcomes
from overbar.audit.ranking import ByValue, arrivals
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

    def __neg__(self) -> Drawn:
        return replace(self, sign=-self.sign, moved=-self.moved)

    def __rsub__(self, steps: int) -> Drawn:
        return -self + steps


class Winner(NamedTuple):
    """A candidate that came out."""

    candidate: int
    value: int | None
    score: int


class State(NamedTuple):
    """Where a path is: log-weights in a lower and an upper row, and whose values the columns are.

    Noise of the bars before it was added up, and can be used no more.
    """

    weights: Array
    points: Points = BARE
    number: int = -1
    before: frozenset[int] = frozenset()


class Turn(NamedTuple):
    """What a verb may answer, and its log-chance in every column."""

    answer: Any
    log_chance: Array


@dataclass
class Fork:
    """A place where a path may go on in several ways."""

    state: State
    ways: list[Turn]
    place: int = 0
    _after: State | None = None

    def go_on(self) -> None:
        """Take the next way."""
        self.place, self._after = self.place + 1, None

    @property
    def after(self) -> State:
        """Where the path is behind it."""
        if self._after is None:
            weights = self.state.weights + self.ways[self.place].log_chance
            self._after = self.state._replace(weights=weights)
        return self._after


@dataclass(frozen=True)
class Columns:
    """All values of a bar in grid steps, one for each column."""

    steps: Array
    turned: bool

    def log_chance(
        self, score: int, noise: Noise | None, grid: Fraction, passes: bool, on_grid: bool = False
    ) -> Array:
        """Return how likely a score passes, or fails: beyond the points the most it can be."""
        gaps = self.steps - score
        inner = log_reached(noise, grid, gaps, passes, on_grid)
        # Whoever passes does so for certain far to the left, and least likely at the last point.
        beyond = [0.0, inner[-1]] if passes is not self.turned else [inner[0], 0.0]
        return np.append(inner, beyond)


class Every:
    """Whoever enumerates: a run that goes all ways, out to a mass of about e^-depth."""

    def __init__(self, depth: float = DEEP) -> None:
        self.depth = depth

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
        self._left_out, self._told = -math.inf, False
        done: dict[Hashable, Array] = {}
        while True:
            self._at = self._draws = 0
            outcome = mechanism(self)
            log_chance = log_total(self._state().weights)
            before = done.get(outcome)
            done[outcome] = log_chance if before is None else np.logaddexp(before, log_chance)
            refuse_many(len(done))
            while self._path and self._path[-1].place + 1 == len(self._path[-1].ways):
                self._path.pop()
            if not self._path:
                return self._bounded(done)
            self._path[-1].go_on()

    def _bounded(self, done: dict[Hashable, Array]) -> Outcomes:
        """What is left out could be any outcome."""
        bounds = {}
        for outcome, (low, high) in done.items():
            bounds[outcome] = (float(low), float(np.logaddexp(high, self._left_out)))
        return Outcomes(bounds, self._left_out, complete=not self._told)

    # Paths --------------------------------------------------------------------------------------

    def _state(self) -> State:
        return (
            self._path[-1].after if self._path else State(np.array([[0.0] + [-math.inf] * 2] * 2))
        )

    def _go(self, ways: Callable[[], Iterable[Turn]], bar: object = None) -> Any:
        """Go on in the next way that was not tried yet."""
        if self._at == len(self._path):
            state = self._facing(bar)
            possible = [way for way in ways() if np.max(way.log_chance) > -math.inf]
            self._path.append(Fork(state, possible))
        fork = self._path[self._at]
        self._at += 1
        return fork.ways[fork.place].answer

    def _facing(self, bar: object) -> State:
        """Return the state with the columns of a bar: another one's are added up."""
        state = self._state()
        if not isinstance(bar, Drawn) or bar.number == state.number:
            return state
        if bar.number in state.before:
            raise ParameterError("noise that was drawn before another cannot be used after it")
        points = grid_points(bar.noise, float(bar.grid), self.depth)
        inner = np.tile(points.log_masses, (2, 1))
        beyond = [[-math.inf] * 2, [points.log_below, points.log_above]]
        weights = np.hstack([inner, beyond]) + log_total(state.weights)[:, None]
        return State(weights, points, bar.number, state.before | {state.number})

    def _leave_out(self, state: State, log_chance: float) -> None:
        """Add what is not enumerated from here on."""
        most = float(log_total(state.weights[1])) + log_chance
        self._left_out = float(np.logaddexp(self._left_out, most))

    def _bar(self, bar: Any) -> Columns:
        """Return the values of a bar, whose columns these are."""
        if not isinstance(bar, Drawn):
            return Columns(np.full(self._width, float(bar)), turned=False)
        return Columns(bar.sign * self._facing(bar).points.steps + bar.moved, bar.sign < 0)

    @property
    def _width(self) -> int:
        return int(self._state().weights.shape[1]) - 2

    # Verbs --------------------------------------------------------------------------------------

    def draw(self, noise: Noise | None, grid: Fraction) -> Any:
        """Draw noise on the grid; without any it is zero."""
        self._draws += 1
        return 0 if noise is None else Drawn(self._draws, noise, grid)

    def draws(self, noise: Noise, grid: Fraction, count: int) -> list[Any]:
        """Draw so many, independently."""
        return [self.draw(noise, grid) for _ in range(count)]

    def passes(self, score: Any, noise: Noise | None, grid: Fraction, bar: Any) -> bool:
        """Tell whether one score plus noise reaches the bar."""

        def ways() -> Iterable[Turn]:
            compared = self._bar(bar)
            for answer in (True, False):
                yield Turn(answer, compared.log_chance(int(score), noise, grid, answer))

        return bool(self._go(ways, bar))

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
    ) -> Sequence[Winner]:
        """Return the first so many whose score plus noise reaches the bar."""
        scores = [int(score) for score in scores]

        def ways() -> Iterable[Turn]:
            compared = self._bar(bar)
            columns = {
                (score, passes): compared.log_chance(score, noise, grid, passes, on_grid)
                for score in set(scores)
                for passes in (True, False)
            }

            def answer(place: int, passes: bool) -> Array:
                return columns[scores[place], passes]

            def log_hazard(place: int) -> Array:
                if noise is None:
                    raise ParameterError("rounds must be limited without noise on queries")
                gaps = (compared.steps - scores[place]) * float(grid)
                return np.append(noise.log_hazard(gaps), [0.0, 0.0])

            if rounds is None:
                chances = asked_around(answer, log_hazard, len(scores), most)
                for found, log_chance in chances.items():
                    log_chance[-2:] = 0.0  # beyond the points anything may happen
                    yield Turn(_found(found, scores), log_chance)
                return
            if rounds == 1:
                chances = asked_once(answer, len(scores), most)
            else:
                chances = asked_in_rounds(answer, len(scores), most, rounds)
            for found, log_chance in chances.items():
                yield Turn(_found(found, scores), log_chance)

        return list(self._go(ways, bar))

    def highest(
        self,
        scores: Any,
        noise: Noise,
        grid: Fraction,
        bar: Any,
        *,
        most: int,
        values: bool = False,
    ) -> Sequence[Winner]:
        """Return those with the highest score plus noise that reach the bar, in order."""
        scores = [int(score) for score in scores]

        def ways() -> Iterable[Turn]:
            bars = None if bar is None else self._bar(bar).steps
            if type(noise) is Gumbel:
                if values:
                    raise ParameterError("plan must be one without shared, which is not looked at")
                by_order = arrivals(scores, float(noise.scale / grid), most, bars)
                for found, both in by_order.items():
                    yield Turn(_found(found, scores), _with_beyond(np.stack(both), bars))
                return
            points = grid_points(noise, float(grid), SHALLOW if values else self.depth)
            if scores:
                self._leave_out(self._facing(bar), math.log(len(scores)) + points.log_beyond)
            else:
                yield Turn([], np.zeros(1))
                return
            law = ByValue(points, scores, most, bars)
            if not values:
                for found, chance in law.chances().items():
                    yield Turn(_found(found, scores), _with_beyond(chance, bars))
                return
            self._told = True
            for told, chance in law.with_values():
                yield Turn([Winner(k, v, scores[k]) for k, v in told], _with_beyond(chance, bars))

        return list(self._go(ways, bar))

    def choose(self, counts: Sequence[int], chances: Sequence[int], bits: int) -> Sequence[int]:
        """Return the places that come out: a count n with chances[n]/2^bits, from the last on 1."""

        def ways() -> Iterable[Turn]:
            each = [chances[min(int(count), len(chances) - 1)] / (1 << bits) for count in counts]
            for out in itertools.product((True, False), repeat=len(each)):
                chance = math.prod(p if yes else 1 - p for p, yes in zip(each, out, strict=True))
                yield Turn([k for k, yes in enumerate(out) if yes], _log(np.array([chance])))

        return list(self._go(ways))

    def lot(self, things: Sequence[Any], most: int) -> Sequence[Any]:
        """Return so many of the things, each as likely as another, in their order."""

        def ways() -> Iterable[Turn]:
            some = list(itertools.combinations(things, min(most, len(things))))
            return [Turn(one, np.array([-math.log(len(some))])) for one in some]

        return list(self._go(ways))

    def tell(self, number: Any) -> Any:
        """Return a number that may be known: a path goes on with each of its values."""
        if not isinstance(number, Drawn):
            return int(number)

        def ways() -> Iterable[Turn]:
            state = self._facing(number)
            points, self._told = state.points, True
            self._leave_out(state._replace(weights=state.weights[:, -2:]), 0.0)
            for place, step in enumerate(points.steps):
                if points.log_masses[place] > -SHALLOW:
                    column = np.full(len(points.steps) + 2, -math.inf)
                    column[place] = 0.0
                    yield Turn(number.sign * int(step) + number.moved, column)
                else:
                    self._leave_out(state._replace(weights=state.weights[:, [place]]), 0.0)

        return self._go(ways, number)


def _found(places: Iterable[int], scores: Sequence[int]) -> list[Winner]:
    return [Winner(place, None, scores[place]) for place in places]


def _with_beyond(chance: Array, bars: Array | None) -> Array:
    """Return log-chances with the columns beyond a bar's points, where anything may happen."""
    if bars is None:
        return _log(chance)
    return np.concatenate([_log(chance), np.zeros((*chance.shape[:-1], 2))], axis=-1)


def _log(chance: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.log(chance)
