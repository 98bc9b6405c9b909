"""What privacy asks of a plan: its parts, and what is proved of each.

Each mechanism answers in its own file (``mechanisms/``, of which nothing is known here); what is
meant stands in ``mechanisms/plan.py``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from overbar._check import Number
from overbar.privacy.proofs import Proofs


class Plan(Protocol):
    """A plan, as seen from here."""

    def __hash__(self) -> int: ...

    @property
    def labels(self) -> Plan: ...

    @property
    def first(self) -> Plan | None: ...

    @property
    def groups(self) -> object: ...

    @property
    def gives_values(self) -> bool: ...

    @property
    def most_found(self) -> int: ...

    @property
    def items_per_person(self) -> int | None: ...

    def paid(self) -> tuple[Plan, ...]: ...

    def pure(self, positives: int | None = None) -> Fraction: ...

    def proofs(self) -> list[Proofs]: ...

    def lone_delta(self) -> Fraction: ...

    def unlisted_delta(self, threshold: Number, items: int) -> float: ...
