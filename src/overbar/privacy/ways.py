"""Proofs of a plan: sequences of steps, each of which holds by itself.

A theorem says *which steps* a plan has, and never a number (:mod:`overbar.privacy.theorems`). Where
it holds in several ways, as for each shift of a threshold's noise, all of them hold, and the one
that says most is looked for (:mod:`overbar.privacy.account`).

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

from dataclasses import dataclass

from overbar.mechanisms import Plan
from overbar.mechanisms.by_kind import ByKind
from overbar.privacy.pairs import Shifted
from overbar.privacy.shifts import Glance
from overbar.privacy.steps import Race, Way, Worst, renyi_of
from overbar.privacy.threshold_loss import Shift


@dataclass(frozen=True)
class Proof:
    """A sequence of steps, and what of it is paid when a run begins and with each positive.

    A *filter* may be told what a run has cost so far, at an order and by a proof that were fixed
    beforehand (Feldman & Zrnic 2021, "Individual privacy accounting via a Rényi filter",
    arXiv:2008.11193v4; Lécuyer 2021, arXiv:2103.01379v2). Where nothing is paid with each positive,
    all is paid at the start.
    """

    steps: Way
    start: Way = ()
    each: Way = ()
    times: int = 1
    redraws: bool = False

    def renyi(self, order: float) -> float:
        """Return the divergence of a whole run."""
        return renyi_of(self.steps, order)

    @property
    def is_filter(self) -> bool:
        """Whether something of it is paid on the way."""
        return bool(self.each) or self.redraws

    def spent(self, positives: int, order: float) -> float:
        """Return the divergence of a run so far; negatives are free (docs/theory/steps.md)."""
        if not self.is_filter:
            return self.renyi(order)
        draws = min(positives + 1, self.times) if self.redraws else 1
        own = min(positives, self.times)
        paid = draws * renyi_of(self.start, order) if self.start else 0.0
        return paid + (own * renyi_of(self.each, order) if own else 0.0)  # which may be infinite


@dataclass(frozen=True, eq=False)
class Proofs:
    """Proofs of one kind: one of them, or one for each shift of a threshold's noise."""

    every: tuple[Proof, ...]
    glance: Glance | None = None


@ByKind
def proofs(plan: Plan) -> list[Proofs]:  # noqa: ARG001  # others use it
    """Return all proofs of a plan of one part, beside the pure one; none of what derives."""
    return []


def one(*steps: Proof) -> Proofs:
    """Return proofs of which none needs a look."""
    return Proofs(steps)


def race(
    count: int, rise: float, fall: float, shift: Shift | None, *, redraws: bool = False
) -> Proof:
    """Return a race of so many positives, behind a threshold's noise that is moved by a shift.

    With the rise below the fall the other direction of neighbours is the same race turned around.
    """
    start = () if shift is None else (Shifted(shift),)
    both = [(rise, fall)] if rise >= fall else [(rise, fall), (fall, rise)]
    again = redraws and shift is not None
    ways = [(*start, Race(*ends, times=1 if again else count)) for ends in both]
    steps: Way = ways[0]
    if len(ways) > 1 or again:
        steps = (Worst(tuple(ways), times=count if again else 1),)
    return Proof(steps, start, (Race(rise, fall),), count, again)
