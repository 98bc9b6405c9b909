"""Where the highest noisy values win: batch after batch, against one bar or none.

Theory: :doc:`/theory/ranked`, :doc:`/theory/histogram`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from overbar.mechanism.bar import HiddenBar
from overbar.mechanism.positives import Batch, Positives
from overbar.plans import Plan
from overbar.sampling.entropy import Source


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
