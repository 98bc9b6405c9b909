"""A batch run: candidates go in, the first to turn positive come out.

Asking again after every negative answer is a race (see :mod:`overbar.sampling.race_draw`): one draw
per candidate gives the whole run, identical in law to asking one by one, round after round. Races
merge, so candidates may come in batches, and then only the best so far are kept.

Theory: :doc:`/theory/appending`, :doc:`/theory/mechanism`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, NoReturn, get_args

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.accounting import spent
from overbar.errors import ParameterError, SecrecyError, named
from overbar.mechanism.bar import Bar, check_drawable, first_passing, raise_bar
from overbar.mechanism.counting import Count, KnownScores, counted, counted_values
from overbar.mechanism.queue import capped_race, resampled_race
from overbar.mechanism.scores import Steps
from overbar.mechanism.secrecy import FORKS
from overbar.mechanism.selection import Selection
from overbar.noise import Gaussian, Laplace
from overbar.plan import Plan
from overbar.sampling.entropy import Source, random_words
from overbar.sampling.histogram_draw import noisy_values
from overbar.sampling.ranked_draw import Ranked
from overbar.sampling.runner import Runner
from overbar.sampling.shuffle import shuffled

OrderName = Literal["random", "given"]
#: Nothing is public about the scores.
ALL_SCORES = KnownScores()
ORDERS: tuple[OrderName, ...] = get_args(OrderName)


class Batch(NamedTuple):
    """Some of the candidates, as grid steps."""

    steps: Steps
    labels: Sequence[Hashable] | None

    def label(self, place: int, offset: int) -> Hashable:
        """Return the label of a candidate; its index among all where there are no labels."""
        return offset + place if self.labels is None else self.labels[place]


class Positive(NamedTuple):
    """A candidate that turned positive. Positives sort by when that was."""

    when: Runner | Ranked | int
    candidate: int
    label: Hashable
    #: In grid steps, where it gets new noise for a count. It is private.
    score: int | None = None

    def __repr__(self) -> str:
        return f"Positive at {self.candidate}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError("a positive holds a secret score: it cannot be pickled or copied")


#: Finds those of a batch that may be selected, each with what they sort by.
Find = Callable[[Steps, Bar, int, Source], Sequence[tuple[Runner | Ranked | int, int]]]


@dataclass(frozen=True)
class BatchRun:
    """The public side of a batch run.

    `level` is threshold plus correction in grid steps, None where there is no bar; `order` says in
    which public order the candidates are asked: "random" by a secure shuffle, "given" as they come.
    Where the highest values win, nobody is asked in turn. `known` is what is public about all
    scores; counts are moved into it.
    """

    plan: Plan
    level: int | None
    order: OrderName
    known: KnownScores = ALL_SCORES

    @classmethod
    def of(cls, plan: Plan, threshold: Number | None, order: object = None) -> BatchRun:
        """Return a run of a plan at a public threshold: for the top, a bound that no score exceeds.

        The top needs one only where candidates are asked in turn.
        """
        in_turn = plan.mechanism == "sparse-vector"
        if order is not None and not in_turn:
            raise ParameterError(
                f"{named('order')} is for a sparse vector run, which asks one by one: leave it "
                f"out, or write {named('mechanism', 'sparse-vector')}"
            )
        chosen = _check.choice("order", "random" if order is None else order, ORDERS)
        if plan.is_top and not in_turn:
            return cls(plan, None, chosen)
        if threshold is None:
            raise ParameterError(
                f"{named('upper_bound')} must be given with {named('mechanism', 'sparse-vector')}: "
                "a public number that no score exceeds, such as the number of people. Far too high "
                "costs nothing"
            )
        name = "upper_bound" if plan.is_top else "threshold"
        return cls(plan, plan.level(_check.rational(name, threshold)), chosen)

    @property
    def at_once(self) -> bool:
        """Whether all candidates must be there before the first is asked."""
        return self.plan.resample or self.plan.max_queries is not None

    def checked(self, batches: Iterable[Batch]) -> Iterable[Batch]:
        """Return the batches of a run that can be made; refuse before anything is paid or drawn."""
        check_drawable(self.plan)
        return [_only(batches)] if self.at_once and self.plan.groups is None else batches

    def run(self, batches: Iterable[Batch], source: Source) -> Selection:
        """Draw the threshold noise, ask everyone, and return who was positive.

        A plan in groups has one batch for each, and each is asked by itself, in the order given.
        Whoever hands out the scores may fork on the way: a child that asks no more is refused here.
        """
        forks = FORKS.here()
        groups = [batches] if self.plan.groups is None else ([batch] for batch in batches)
        positives: list[Positive] = []
        counts: list[Count] = []
        total = 0
        for group in groups:
            bar = raise_bar(self.plan, source)
            if self.at_once:
                found, size = self._in_order(_only(group), bar, source)
            else:
                found, size = self._merged(group, bar, source)
            if self.plan.counts is not None:
                counts += self._counted(found, bar, source)
            positives += (
                one._replace(candidate=total + one.candidate) for one in found[: self.plan.cutoff]
            )
            total += size
        FORKS.check(forks)
        begun = total or self.plan.before is not None
        return Selection(
            indices=tuple(entry.candidate for entry in positives),
            labels=tuple(entry.label for entry in positives),
            plan=self.plan,
            spent=spent(self.plan, len(positives)) if begun else Fraction(0),
            counts=None if self.plan.counts is None else tuple(counts),
        )

    def _counted(self, positives: list[Positive], bar: Bar, source: Source) -> tuple[Count, ...]:
        """Return a count for each: its value where values come out, else its score with new noise.

        Whoever came out by its value had one no lower than the level and the one after the last.
        That one is known as well: it is paid for, or all values may be released.
        """
        plan, noise = self.plan, self.plan.counts
        if not plan.gives_values:
            assert isinstance(noise, Laplace | Gaussian)  # no other can be drawn
            scores = [one.score for one in positives if one.score is not None]
            values = noisy_values(scores, noise=noise, grid=plan.grid, source=source)
            return counted(values, self.known, noise=noise, grid=plan.grid)
        values = [bar.value(one.when) for one in positives if not isinstance(one.when, int)]
        chosen, beaten = values[: plan.cutoff], values[plan.cutoff :]
        return counted_values(chosen, self.known, plan, self.level, beaten[0] if beaten else None)

    def _positive(
        self, when: Runner | Ranked | int, place: int, batch: Batch, offset: int
    ) -> Positive:
        fresh = self.plan.counts is not None and not self.plan.gives_values
        score = int(batch.steps[place]) if fresh else None
        return Positive(when, offset + place, batch.label(place, offset), score)

    def _merged(
        self, batches: Iterable[Batch], bar: Bar, source: Source
    ) -> tuple[list[Positive], int]:
        """Keep the highest, or the first to turn positive, batch after batch, against one bar."""
        ranked = self.plan.mechanism != "sparse-vector"
        kept = self.plan.cutoff + self.plan.gives_values
        once = not ranked and self.plan.rounds == 1
        find: Find = self._asked_once if once else self._asked_again
        positives: list[Positive] = []
        total = 0
        for batch in batches:
            positives += [
                self._positive(when, place, batch, total)
                for when, place in (
                    bar.highest(batch.steps, self.level, kept)
                    if ranked
                    else find(batch.steps, bar, total, source)
                )
            ]
            positives = sorted(positives)[:kept]
            total += len(batch.steps)
            if once and self.order == "given" and len(positives) == self.plan.cutoff:
                break  # whoever is still to come would be asked later
        return positives, total

    def _asked_once(
        self, steps: Steps, bar: Bar, offset: int, source: Source
    ) -> list[tuple[int, int]]:
        """Ask each once. In a random order, the order of the few that pass is all that matters."""
        places = bar.passing(steps, self.level)
        if self.order == "given":
            return [(offset + place, place) for place in places[: self.plan.cutoff].tolist()]
        keys = random_words(len(places), 64, source)
        first = np.argsort(keys, kind="stable")[: self.plan.cutoff]
        return list(zip(keys[first].tolist(), places[first].tolist(), strict=True))

    def _asked_again(
        self, steps: Steps, bar: Bar, offset: int, _: Source
    ) -> list[tuple[Runner, int]]:
        """Ask each until it turns positive. Positions decide between those of one round."""
        given = np.arange(offset, offset + len(steps)) if self.order == "given" else None
        runners = bar.race(
            steps,
            self.level,
            count=self.plan.cutoff,
            rounds=self.plan.rounds,
            positions="random" if given is None else given,
        )
        return [(runner, runner.place) for runner in runners]

    def _in_order(self, batch: Batch, bar: Bar, source: Source) -> tuple[list[Positive], int]:
        """Run where places in the queue matter for more than ties: put the queue in order first."""
        plan, total = self.plan, len(batch.steps)
        assert self.level is not None  # only a ranked run has no bar
        queue = np.arange(total) if self.order == "given" else shuffled(total, source)
        steps = batch.steps[queue]
        if plan.rounds == 1:
            room = total if plan.max_queries is None else min(total, plan.max_queries)
            places, _ = first_passing(
                bar, steps[:room], self.level, count=plan.cutoff, resample=plan.resample
            )
        elif plan.resample:
            places = resampled_race(bar, steps, self.level, plan)
        else:
            places = capped_race(bar, steps, self.level, plan)
        chosen = [int(queue[place]) for place in places]
        return [self._positive(at, at, batch, 0) for at in chosen], total


def _only(batches: Iterable[Batch]) -> Batch:
    pieces = list(batches)
    if len(pieces) > 1:
        raise ParameterError(
            "resample and max_queries need all scores at once: pass an array, not an iterator"
        )
    return pieces[0] if pieces else Batch(np.empty(0, dtype=np.int64), None)
