"""What privacy asks of a plan: which parts it has, and what is proved of each.

A mechanism answers in its own file (:mod:`overbar.mechanisms`). Here nobody knows which there are.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from overbar._check import Number
from overbar.privacy.proofs import Proofs


class Plan(Protocol):
    """A plan, as seen from here."""

    def __hash__(self) -> int:
        """It is frozen."""

    @property
    def labels(self) -> Plan:
        """The part that gives labels."""

    @property
    def first(self) -> Plan | None:
        """What is run first on the same data."""

    @property
    def groups(self) -> object:
        """In which groups it is run; None if it is run once."""

    @property
    def gives_values(self) -> bool:
        """Whether the noisy values that decided come out."""

    @property
    def cutoff(self) -> int:
        """How many come out at most, of each group."""

    @property
    def most_found(self) -> int:
        """How many come out at most, of all groups."""

    @property
    def items_per_person(self) -> int | None:
        """How many scores one person can move at most; None if it may be all of them."""

    @property
    def asks_without_end(self) -> bool:
        """Whether all that are left come out in the end, however low."""

    def paid(self) -> tuple[Plan, ...]:
        """Return the plans of one part whose costs add up to that of this one."""

    def pure(self, positives: int | None = None) -> Fraction:
        """Return the pure ε of a run, or of one that has given so many positives."""

    def proofs(self) -> list[Proofs]:
        """Return all other proofs of a plan of one part."""

    def lone_delta(self) -> Fraction:
        """Return the chance that a key comes out that one person alone holds."""

    def unlisted_delta(self, threshold: Number, items: int) -> float:
        """Return the δ of candidates read off the data, of which a person holds so many."""
