"""Proofs of a plan: sequences of steps, each of which holds by itself.

A mechanism says *which steps* it costs, and never a number. Where that holds in several ways, as
for each shift of a threshold's noise, all of them hold, and the one that says most is looked for
(:mod:`overbar.privacy.account`).

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from overbar.privacy.shifts import Glance
from overbar.privacy.steps import Steps, renyi_of


@dataclass(frozen=True)
class Proof:
    """A sequence of steps, and what of it is paid when a run begins and with each positive.

    A *filter* may be told what a run has cost so far, at an order and by a proof that were fixed
    beforehand (:doc:`/theory/instalments`). Where nothing is paid with each positive, all is paid
    at the start.
    """

    steps: Steps
    start: Steps = ()
    each: Steps = ()
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
class OnDemand(Sequence[Proof]):
    """Proofs that are made when they are asked for: of many a look says which."""

    make: Callable[[int], Proof]
    size: int
    made: dict[int, Proof] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many there are."""
        return self.size

    def __getitem__(self, place: Any) -> Any:
        """Return one of them, or some."""
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(self.size)))
        if not 0 <= place < self.size:
            raise IndexError(place)
        if place not in self.made:
            self.made[place] = self.make(place)
        return self.made[place]


@dataclass(frozen=True, eq=False)
class Proofs:
    """Proofs of one kind: one of them, or one for each shift of a threshold's noise."""

    every: Sequence[Proof]
    glance: Glance | None = None


def one(*steps: Proof) -> Proofs:
    """Return proofs of which none needs a look."""
    return Proofs(steps)
