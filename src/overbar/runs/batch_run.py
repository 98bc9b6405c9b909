"""A batch run: candidates go in, the best come out. How they are found, the kind of plan says.

Theory: :doc:`/theory/mechanism`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar.errors import ParameterError, named
from overbar.mechanisms import ScorePlan
from overbar.privacy import spent
from overbar.runs.counting import ALL_SCORES, Count, KnownScores, counted_values
from overbar.runs.exact import Exact, check_drawable
from overbar.runs.positives import Batch
from overbar.runs.scores import lowered
from overbar.runs.selection import Selection
from overbar.sampling.entropy import Source


class _Counted:
    """Batches, and how many candidates there were in those that were taken."""

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._batches, self.total = batches, 0

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._batches:
            self.total += len(batch.steps)
            yield batch


@dataclass(frozen=True)
class BatchRun:
    """The public side of a batch run.

    `level` is threshold plus correction in grid steps, None where there is no bar. `known` is what
    is public about all scores; counts are moved into it. `own` is how far above zero the threshold
    of each candidate is, in grid steps, where each has its own: it is taken off the score, which
    stays as sensitive as it was, and put back on the count.
    """

    plan: ScorePlan
    level: int | None
    known: KnownScores = ALL_SCORES
    own: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        self.plan.labels.check_batch()

    @classmethod
    def of(cls, plan: ScorePlan, threshold: Number | None = None) -> BatchRun:
        """Return a run of a plan at a public threshold.

        For a top that is asked in turn it is a number that no score exceeds, unless the plan has
        one; every other top has no bar.
        """
        if plan.bar is None:
            return cls(plan, None)
        name = "threshold"
        if plan.bar.above_all:
            name, own = "upper_bound", plan.bar.upper_bound
            threshold = threshold if own is None else own
        if threshold is None:
            raise ParameterError(
                f"{named('upper_bound')} must be given to the plan of a top that is asked in turn: "
                "a public number that no score exceeds, such as the number of people. Far too high "
                "costs nothing"
            )
        if isinstance(threshold, Iterable) and not isinstance(threshold, str):
            raise ParameterError(
                f"{name} must be one public number for all candidates; overbar.select takes one "
                "for each, for scores that come at once"
            )
        return cls(plan, plan.level(_check.rational(name, threshold)))

    @classmethod
    def of_each(cls, plan: ScorePlan, thresholds: Iterable[Number]) -> BatchRun:
        """Return a run in which each candidate has a public threshold of its own."""
        base = plan.level(0)
        return cls(plan, base, own=tuple(plan.level(one) - base for one in thresholds))

    @property
    def threshold(self) -> Fraction | None:
        """The public level without the correction, on the grid; None without one for all."""
        if self.level is None or self.own is not None:
            return None
        return self.level * self.plan.grid - self.plan.correction

    def check(self) -> None:
        """Refuse a run that cannot be made, before anything is paid or drawn."""
        check_drawable(self.plan)

    def run(self, batches: Iterable[Batch], source: Source) -> Selection:
        """Have the plan run on its candidates, and return who came out.

        A plan in groups has one batch for each, and each is asked by itself, in the order given.
        """
        exact = Exact(source)
        self.check()
        if self.own is not None:
            batches = self._above_own(batches)
        groups = [batches] if self.plan.groups is None else ([batch] for batch in batches)
        indices: list[int] = []
        labels: list[Hashable] = []
        counts: list[Count] = []
        total = 0
        for group in map(_Counted, groups):
            found, values = self.plan.run(exact, group, self.level)
            if values is not None:
                counts += counted_values(values, self.plan, self.level)
            indices += [total + one for one in found.candidates]
            labels += found.labels
            total += group.total
        begun = total or self.plan.first is not None
        return Selection(
            indices=tuple(indices),
            labels=tuple(labels),
            plan=self.plan,
            spent=spent(self.plan, len(labels)) if begun else Fraction(0),
            counts=self._shown(counts, indices) if self.plan.gives_counts else None,
        )

    def _above_own(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the batches with each score as far as it is above its own threshold."""
        assert self.own is not None
        start = 0
        for batch in batches:
            own = self.own[start : start + len(batch.steps)]
            yield batch._replace(steps=lowered(batch.steps, own))
            start += len(own)

    def _shown(self, counts: list[Count], indices: list[int]) -> tuple[Count, ...]:
        """Return counts of the scores as they were, within what is public about them."""
        steps = [0 if self.own is None else self.own[one] for one in indices]
        moved = (
            Count(value + by, None if low is None else low + by, high + by)
            for (value, low, high), by in zip(
                counts, (self.plan.grid * own for own in steps), strict=True
            )
        )
        return tuple(map(self.known.fitted, moved))
