"""What a ledger gives to a run: a cost that is held, or an answer that was stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from overbar import _check
from overbar.ledger.budget import Charge
from overbar.ledger.values import Receipt
from overbar.plan import Plan

if TYPE_CHECKING:
    from overbar.ledger.ledger import Ledger


@dataclass(frozen=True)
class Stored:
    """An answer that was given before, or that another run of the same request gave first."""

    answer: Any
    receipt: Receipt


@dataclass(frozen=True)
class Reservation:
    """A cost that is held on the disk. Until it is settled it counts as spent, in full."""

    ledger: Ledger
    plan: Plan
    form: str
    charge: Charge
    receipt: Receipt

    def settle(self, *, positives: int, asked: bool, answer: Any = None) -> Stored:
        """Write down the end of the run, before its answer is given to anyone.

        Returns the answer to give: this one, or for a request that another run has answered in
        the meantime, that one.
        """
        given = _check.whole("positives", positives, lowest=0)
        return self.ledger._settle(self, given, asked, answer)

    def settled(self) -> Receipt | None:
        """Return what was written down about the end of the run; None if it is still held.

        Whoever was interrupted while settling asks here first.
        """
        return self.ledger._settled(self)
