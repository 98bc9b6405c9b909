"""How a batch run finds its labels: the highest noisy values, or those who pass when asked in turn.

**The highest** win batch after batch, against one bar or none.

**In turn** candidates are asked once, or again and again. Asking again after every negative answer
is a race (see :mod:`overbar.sampling.race_draw`): one draw per candidate gives the whole run,
identical in law to asking one by one, round after round. Races merge, so candidates may come in
batches, and then only the first so far are kept.

**The queue** matters where comparisons are limited or the threshold is redrawn. A negative query
goes back to its end, in the same relative order. So when the query in place i turns positive in
round G, every query before it has been asked G times and every query behind it G - 1 times, but for
those that turned positive before.

Theory: :doc:`/theory/ranked`, :doc:`/theory/histogram`, :doc:`/theory/appending`.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from overbar.errors import ParameterError, SecrecyError
from overbar.mechanism.hidden_bar import HiddenBar, first_passing
from overbar.mechanism.scores import Steps
from overbar.plans import Plan
from overbar.sampling.entropy import Source, random_words, shuffled
from overbar.sampling.ranked_draw import Ranked
from overbar.sampling.runner import Runner

#: What positives sort by: when they were found, or how high their values are.
Key = Runner | Ranked | int


class Batch(NamedTuple):
    """Some of the candidates, as grid steps."""

    steps: Steps
    labels: Sequence[Hashable] | None

    def label(self, place: int, offset: int) -> Hashable:
        """Return the label of a candidate; its index among all where there are no labels."""
        return offset + place if self.labels is None else self.labels[place]


class Positive(NamedTuple):
    """A candidate that turned positive. Positives sort by when that was."""

    when: Key
    candidate: int
    label: Hashable
    #: In grid steps, where it gets new noise for a count. It is private.
    score: int | None = None

    def __repr__(self) -> str:
        return f"Positive at {self.candidate}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError("a positive holds a secret score: it cannot be pickled or copied")


class Positives:
    """The best so far of candidates that come in batches. It is private until a run is over."""

    def __init__(self, most: int, *, with_scores: bool) -> None:
        self.best: list[Positive] = []
        self.total = 0
        self._most, self._with_scores = most, with_scores

    @property
    def full(self) -> bool:
        """Whether as many were found as may be."""
        return len(self.best) == self._most

    def add(self, batch: Batch, passed: Iterable[tuple[Key, int]]) -> None:
        """Take in those of a batch that passed, and keep the best of all."""
        offset, kept = self.total, self._with_scores
        self.best += (
            Positive(
                when,
                offset + place,
                batch.label(place, offset),
                int(batch.steps[place]) if kept else None,
            )
            for when, place in passed
        )
        self.best = sorted(self.best)[: self._most]
        self.total += len(batch.steps)

    def __repr__(self) -> str:
        return "Positives (hidden)"


def capped_race(bar: HiddenBar, steps: Steps, level: int, plan: Plan) -> list[int]:
    """Return the places that turn positive within ``max_queries`` comparisons, in order found."""
    limit = plan.repeats.max_queries
    rounds = plan.repeats.rounds if limit is None else min(plan.repeats.rounds or limit, limit)
    runners = bar.race(steps, level, count=plan.cutoff, rounds=rounds)
    if limit is None:
        return [runner.place for runner in runners]
    winners = [(runner.round, runner.place) for runner in runners]
    counts = comparisons(winners, len(steps))
    return [place for (_, place), count in zip(winners, counts, strict=True) if count <= limit]


def comparisons(winners: list[tuple[int, int]], total: int) -> list[int]:
    """Return how many comparisons a run has made when each winner (round, place) turns positive.

    Precondition: winners come in the order found, sorted by (round, place).
    """
    counts: list[int] = []
    earlier: list[int] = []  # the places of earlier winners, sorted
    answers = 0  # how often they were asked in all
    for round_, place in winners:
        behind = len(earlier) - bisect_right(earlier, place)
        # Had they stayed, those behind would have been asked once less than those before.
        saved = round_ * len(earlier) - behind - answers
        counts.append((round_ - 1) * total + place + 1 - saved)
        insort(earlier, place)
        answers += round_
    return counts


def resampled_race(bar: HiddenBar, steps: Steps, level: int, plan: Plan) -> list[int]:
    """Return the places that turn positive, in order found, with fresh noise after each.

    The geometric law has no memory: after a positive everyone left starts a new race against the
    new bar, from where the queue stands. Whoever was behind the winner is asked first.
    """
    left = np.arange(len(steps))
    used = np.zeros(len(steps), dtype=np.int64)
    winners: list[int] = []
    asked = 0
    while len(left) and len(winners) < plan.cutoff:
        room = None if plan.repeats.max_queries is None else plan.repeats.max_queries - asked
        caps = _caps(plan.repeats.rounds, room, used)
        ahead = bar.race(steps[left], level, len(winners), count=1, rounds=caps)
        if not ahead:
            break
        place = ahead[0].place
        if caps is not None:
            times = np.full(len(left), ahead[0].round, dtype=np.int64)
            times[place + 1 :] -= 1
            # Someone whose rounds were used up was not in the queue any more.
            times = np.minimum(times, caps) if plan.repeats.rounds is not None else times
            asked += _total(times)
            if plan.repeats.max_queries is not None and asked > plan.repeats.max_queries:
                break
            used = used + times
        winners.append(int(left[place]))
        left = np.concatenate([left[place + 1 :], left[:place]])
        used = np.concatenate([used[place + 1 :], used[:place]])
        if plan.repeats.rounds is not None:
            left, used = left[used < plan.repeats.rounds], used[used < plan.repeats.rounds]
    return winners


def _total(times: NDArray[np.int64]) -> int:
    """Return the exact sum, also where it does not fit in a word."""
    fits = int(times.max()) * len(times) <= np.iinfo(np.int64).max
    return int(times.sum()) if fits else sum(times.tolist())


def _caps(
    rounds: int | None, room: int | None, used: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """Return how often each may still be asked: by its own rounds, and by what the run has left."""
    if rounds is None and room is None:
        return None
    by_run = np.full(len(used), room if room is not None else np.iinfo(np.int64).max)
    return by_run if rounds is None else np.minimum(by_run, rounds - used)


@dataclass(frozen=True)
class Highest:
    """Gives each candidate a noisy value and keeps the highest that reach the level.

    Where values come out, one more than the cutoff is kept: the highest that was beaten.
    """

    plan: Plan
    level: int | None
    #: Whether scores get new noise for counts.
    with_scores: bool = False

    @property
    def at_once(self) -> bool:
        """Whether all candidates must be there at once: values may be compared as they come."""
        return False

    def checked(self, batches: Iterable[Batch]) -> Iterable[Batch]:
        """Return the batches: they may come one after the other."""
        return batches

    def find(self, batches: Iterable[Batch], bar: HiddenBar, _: Source) -> Positives:
        """Return those with the highest values."""
        most = self.plan.cutoff + self.plan.gives_values
        positives = Positives(most, with_scores=self.with_scores)
        for batch in batches:
            positives.add(batch, bar.highest(batch.steps, self.level, most))
        return positives


@dataclass(frozen=True)
class InTurn:
    """Asks candidates in turn, in a public order, against one bar."""

    plan: Plan
    level: int
    #: Whether scores get new noise for counts.
    with_scores: bool = False

    @property
    def at_once(self) -> bool:
        """Whether all candidates must be there before the first is asked."""
        return self.plan.repeats.resample or self.plan.repeats.max_queries is not None

    def checked(self, batches: Iterable[Batch]) -> Iterable[Batch]:
        """Return the batches of a run that can be made; refuse before anything is paid or drawn."""
        return [_only(batches)] if self.at_once else batches

    def find(self, batches: Iterable[Batch], bar: HiddenBar, source: Source) -> Positives:
        """Return who was positive first."""
        if self.at_once:
            return self._in_order(_only(batches), bar, source)
        once = self.plan.repeats.rounds == 1
        ask: Callable[..., Sequence[tuple[Key, int]]] = (
            self._asked_once if once else self._asked_again
        )
        positives = Positives(self.plan.cutoff, with_scores=self.with_scores)
        for batch in batches:
            positives.add(batch, ask(batch.steps, bar, positives.total, source))
            if once and self.plan.order == "given" and positives.full:
                break  # whoever is still to come would be asked later
        return positives

    def _asked_once(
        self, steps: Steps, bar: HiddenBar, offset: int, source: Source
    ) -> list[tuple[int, int]]:
        """Ask each once. In a random order, the order of the few that pass is all that matters."""
        places = bar.passing(steps, self.level)
        if self.plan.order == "given":
            return [(offset + place, place) for place in places[: self.plan.cutoff].tolist()]
        keys = random_words(len(places), 64, source)
        first = np.argsort(keys, kind="stable")[: self.plan.cutoff]
        return list(zip(keys[first].tolist(), places[first].tolist(), strict=True))

    def _asked_again(
        self, steps: Steps, bar: HiddenBar, offset: int, _: Source
    ) -> list[tuple[Runner, int]]:
        """Ask each until it turns positive. Positions decide between those of one round."""
        given = np.arange(offset, offset + len(steps)) if self.plan.order == "given" else None
        runners = bar.race(
            steps,
            self.level,
            count=self.plan.cutoff,
            rounds=self.plan.repeats.rounds,
            positions="random" if given is None else given,
        )
        return [(runner, runner.place) for runner in runners]

    def _in_order(self, batch: Batch, bar: HiddenBar, source: Source) -> Positives:
        """Run where places in the queue matter for more than ties: put the queue in order first."""
        plan, repeats, total = self.plan, self.plan.repeats, len(batch.steps)
        queue = np.arange(total) if self.plan.order == "given" else shuffled(total, source)
        steps = batch.steps[queue]
        if repeats.rounds == 1:
            room = total if repeats.max_queries is None else min(total, repeats.max_queries)
            places, _ = first_passing(
                bar, steps[:room], self.level, count=plan.cutoff, resample=repeats.resample
            )
        elif repeats.resample:
            places = resampled_race(bar, steps, self.level, plan)
        else:
            places = capped_race(bar, steps, self.level, plan)
        positives = Positives(plan.cutoff, with_scores=self.with_scores)
        positives.add(batch, [(turn, int(queue[place])) for turn, place in enumerate(places)])
        return positives


def _only(batches: Iterable[Batch]) -> Batch:
    pieces = list(batches)
    if len(pieces) > 1:
        raise ParameterError(
            "resample and max_queries need all scores at once: pass an array, not an iterator"
        )
    return pieces[0] if pieces else Batch(np.empty(0, dtype=np.int64), None)
