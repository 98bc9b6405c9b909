"""The sparse vector technique: one question after the other, until the positives are used up.

It alone can run online. Redrawing, rounds and a limit on comparisons live here and nowhere else.

Theory: :doc:`/theory/mechanism`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from overbar._numbers import people_text
from overbar.errors import ParameterError
from overbar.mechanisms.plan import Plan, noise_text, part
from overbar.mechanisms.reach_and_bar import ONCE, Bar, Reach, Repeats
from overbar.mechanisms.run import Answer, Run
from overbar.noise import Noise


@part("sparse-vector")
@dataclass(frozen=True, repr=False)
class SparseVectorPlan(Plan):
    """The paper's Algorithm 1, online or in a batch, and its appending.

    Parameters
    ----------
    query_noise : Noise
        What is added to each query.
    bar : Bar
        What is added to the threshold.
    cutoff : int
        How many positives the run may give before it halts.
    reach : Reach
        How far one person moves a query's answer.
    grid : Fraction, default 1
        Every score, threshold and noisy threshold of a release is a multiple of this.
    repeats : Repeats
        How often a query is asked, and whether the threshold noise is drawn anew.
    items_per_person : int, optional
        How many scores one person can move at most; None if it may be all of them.
    """

    finds = "in turn"

    query_noise: Noise
    bar: Bar
    cutoff: int
    reach: Reach
    grid: Fraction = Fraction(1)
    repeats: Repeats = ONCE
    items_per_person: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.bar, Bar):
            raise ParameterError("bar must be a Bar, such as Bar(Laplace(1))")
        if not isinstance(self.repeats, Repeats):
            raise ParameterError("repeats must be Repeats, such as Repeats(rounds=1)")
        self._check_numbers()

    def run(self, run: Run, scores: Any, level: int) -> Answer:
        """Ask all of a batch in turn, until the positives are used up."""
        bar = level + run.draw(self.bar.noise, self.grid)
        rounds = self.repeats.rounds
        noise, most = self.query_noise, self.cutoff
        return Answer(run.passing(scores, noise, self.grid, bar, most=most, rounds=rounds))

    def ask(self, run: Run, scores: Iterable[Any], level: int) -> Iterator[bool]:
        """Answer one question after the other, until the positives are used up: online.

        In the paper: Algorithm 1, and with `resample` Algorithm 2. A question may depend on all
        answers before it.

        Parameters
        ----------
        run : Run
            Whoever runs it.
        scores : iterable
            In grid steps.
        level : int
            Threshold plus correction in grid steps.

        Yields
        ------
        bool
            Whether the score plus noise reached the bar.
        """
        bar = level + run.draw(self.bar.noise, self.grid)
        positives = 0
        for asked, score in enumerate(scores, start=1):
            answer = run.passes(score, self.query_noise, self.grid, bar)
            positives += answer
            yield answer
            if positives == self.cutoff or asked == self.repeats.max_queries:
                return
            if answer and self.repeats.resample:
                bar = level + run.draw(self.bar.noise, self.grid)

    @property
    def one_goes_on(self) -> bool:
        """Whether runs in a row are one: no noise that they share, no limit of each."""
        return self.bar.noise is None and not (self.repeats.resample or self.repeats.max_queries)

    def bare(self, items: int | None) -> SparseVectorPlan:
        """Return it without noise on the threshold, where a person moves so many scores.

        Parameters
        ----------
        items : int or None
            How many; None for all.

        Returns
        -------
        SparseVectorPlan
            Another plan.
        """
        repeats = replace(self.repeats, resample=False)
        bar = Bar(None, self.correction)
        return replace(self, bar=bar, repeats=repeats, items_per_person=items)

    @property
    def answer_text(self) -> str:
        """What it answers."""
        if self.for_top:
            return super().answer_text
        if self.repeats.rounds is None:
            return f"{self.cutoff:,} candidates, higher scores more likely, {self._each}."
        return f"Up to {self.cutoff:,} candidates above the threshold, {self._each}."

    def _method(self, there: str) -> str:
        most, items = self.repeats.max_queries, self.items_per_person
        limit = f", at most {most:,} comparisons in all" if most else ""
        if items is not None and self.bar.noise is None:
            limit += f"; a person moves at most {items:,} scores{there}"
        return f"sparse-vector: one by one, {self._each}{limit}"

    @property
    def _each(self) -> str:
        """How often each candidate is asked."""
        return f"each asked {self._how_often}"

    @property
    def _how_often(self) -> str:
        rounds = self.repeats.rounds
        if rounds is None:
            return "as often as it takes"
        return "once" if rounds == 1 else f"up to {rounds:,} times"

    def __str__(self) -> str:
        noise, repeats = self.bar.noise, self.repeats
        threshold = "no noise" if noise is None else noise_text(noise)
        again = ", drawn anew after each positive" if repeats.resample else ""
        limit = "" if repeats.max_queries is None else f" or {repeats.max_queries:,} comparisons"
        return (
            f"{noise_text(self.query_noise)} on {self.reach.on('queries')} "
            f"and {threshold} on the threshold{again}, "
            f"which is moved by {people_text(self.correction)}; each query is asked "
            f"{self._how_often}, and the run halts after {self.cutoff:,} "
            f"positive{'s' * (self.cutoff > 1)}{limit}. "
            f"Releases happen on a grid of {people_text(self.grid)}."
        )
