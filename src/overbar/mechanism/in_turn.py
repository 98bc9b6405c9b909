"""A sparse vector run on a batch: candidates are asked in turn, once or again and again.

Asking again after every negative answer is a race (see :mod:`overbar.sampling.race_draw`): one draw
per candidate gives the whole run, identical in law to asking one by one, round after round. Races
merge, so candidates may come in batches, and then only the first so far are kept.

Theory: :doc:`/theory/appending`, :doc:`/theory/mechanism`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from overbar.errors import ParameterError
from overbar.mechanism.bar import HiddenBar, first_passing
from overbar.mechanism.positives import Batch, Key, Positives
from overbar.mechanism.queue import capped_race, resampled_race
from overbar.mechanism.scores import Steps
from overbar.plans import Plan
from overbar.sampling.entropy import Source, random_words, shuffled
from overbar.sampling.runner import Runner


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
