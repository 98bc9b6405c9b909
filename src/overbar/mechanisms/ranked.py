"""Ranked selection: one noisy value for each candidate, and the highest of those that pass.

Theory: :doc:`/theory/ranked`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from overbar.errors import ParameterError
from overbar.mechanisms.plan import Plan, highest_text, noise_text, part
from overbar.mechanisms.reach_and_bar import Bar, Reach, Repeats
from overbar.mechanisms.run import Answer, Run
from overbar.mechanisms.sparse_vector import SparseVectorPlan
from overbar.noise import Gaussian, Gumbel, Noise


@part("ranked")
@dataclass(frozen=True, repr=False)
class RankedPlan(Plan):
    """The highest noisy values of scores that are all at hand.

    Parameters
    ----------
    query_noise : Noise
        What is added to each score.
    bar : Bar or None
        What values must reach; None for the top.
    cutoff : int
        How many come out at most.
    reach : Reach
        How far one person moves a score.
    grid : Fraction, default 1
        Every score, threshold and noisy threshold of a release is a multiple of this.
    items_per_person : int, optional
        How many scores one person can move at most; None if it may be all of them.
    shared : Gaussian, optional
        Where the values come out as counts: the noise that is taken off all of them, and is the
        noise of the bar. The noise on scores is Gumbel noise then.
    """

    finds = "highest"

    query_noise: Noise
    bar: Bar | None
    cutoff: int
    reach: Reach
    grid: Fraction = Fraction(1)
    items_per_person: int | None = None
    shared: Gaussian | None = None

    def __post_init__(self) -> None:
        self._check_numbers()
        if self.shared is None:
            return
        barred = self.bar is not None and self.bar.noise is not None
        if type(self.query_noise) is not Gumbel or type(self.shared) is not Gaussian or barred:
            raise ParameterError(
                "values come out of gumbel noise on scores, less gaussian noise that they share, "
                "which is the noise of the bar: leave out a noise there"
            )

    def run(self, run: Run, scores: Any, level: int | None) -> Answer:
        """Give each a noisy value: the highest come out, of those that reach a noisy bar.

        Values are told less the noise that they share, also that of one more.
        """
        own = run.draw(self.threshold_noise, self.grid)
        best = run.highest(
            scores,
            self.query_noise,
            self.grid,
            None if level is None else level + own,
            most=self.cutoff + self.gives_values,
            values=self.gives_values,
        )
        values = tuple(run.tell(one.value - own) for one in best) if self.gives_values else None
        return Answer(best[: self.cutoff], values)

    @property
    def threshold_noise(self) -> Noise | None:
        """The noise that all comparisons share."""
        return self.shared or super().threshold_noise

    @property
    def gives_values(self) -> bool:
        """Whether the noisy values come out."""
        return self.shared is not None

    def paid(self) -> tuple[Plan, ...]:
        """Return what is paid: values tell when each has come, of a race that finds one more.

        Returns
        -------
        tuple of Plan
            Plans of one part.
        """
        if self.shared is None:
            return (self,)
        race = SparseVectorPlan(
            self.query_noise,
            Bar(self.shared),
            self.cutoff + 1,
            self.reach,
            self.grid,
            Repeats(rounds=None),
            self.items_per_person,
        )
        return (race,)

    @property
    def one_goes_on(self) -> bool:
        """Whether runs in a row are one: without noise on a bar."""
        return self.threshold_noise is None

    def bare(self, items: int | None) -> RankedPlan:
        """Return it without noise on the threshold, where a person moves so many scores.

        Parameters
        ----------
        items : int or None
            How many; None for all.

        Returns
        -------
        RankedPlan
            Another plan.
        """
        bar = None if self.bar is None else Bar(None, self.correction)
        return replace(self, bar=bar, items_per_person=items, shared=None)

    def _method(self, _: str) -> str:
        bar = "nothing is spent on a threshold" if self.for_top else "the bar costs nothing extra"
        if self.threshold_noise is not None and type(self.query_noise) is Gumbel:
            bar = "δ buys less noise"
        return f"ranked: one noisy value for each candidate, the highest win, and {bar}"

    def __str__(self) -> str:
        if self.shared is None:
            return highest_text(self)
        less = f" Counts are these values, less {noise_text(self.shared)} for all."
        return highest_text(self, less)
