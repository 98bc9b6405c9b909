"""What a ledger gives to a run: a cost that is held, or an answer that was stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from overbar import _check
from overbar.errors import LedgerError
from overbar.ledger.answers import check_answer
from overbar.ledger.budget import Charge
from overbar.ledger.charges import cost_of
from overbar.ledger.fields import field, flag, mapping, whole
from overbar.ledger.history import open_tries, record, state_of
from overbar.ledger.rows import Row, Rows
from overbar.ledger.stated_cost import StatedCost
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
    plan: Plan | StatedCost
    form: str
    charge: Charge
    receipt: Receipt

    def settle(self, *, positives: int, asked: bool, answer: Any = None) -> Stored:
        """Write down the end of the run, before its answer is given to anyone.

        Parameters
        ----------
        positives : int
            How many there were.
        asked : bool
            Whether anything was asked at all.
        answer : optional
            What to store for the same request; JSON must be able to write it.

        Returns
        -------
        Stored
            The answer to give: this one, or for a request that another run has answered in the
            meantime, that one.

        Raises
        ------
        LedgerError
            If it is settled already, or an older copy of the ledger was put back.
        """
        given = _check.whole("positives", positives, lowest=0)
        receipt, key = self.receipt, self.receipt.request_id
        with self.ledger._store.writing(receipt.dataset, receipt.number) as rows:
            if self._settlement(rows) is not None:
                raise LedgerError("this run is settled already")
            state = state_of(rows, receipt.dataset)
            first = None if key is None else answered(rows, receipt.dataset, key)
            cost = self.charge
            if first is None:  # an answer that is thrown away must not show in its cost
                if key is not None and isinstance(self.plan, Plan):
                    check_answer(answer, self.plan, given, asked)
                cost = cost_of(self.plan, self.form, cost, given, asked)
            row = record(
                rows,
                "settled",
                receipt.dataset,
                replace(state, balance=state.balance.settle(self.charge, cost)),
                run=receipt.number,
                request=key,
                cost=cost.to_fields(),
                answer=answer if key is not None and first is None else None,
                superseded=first is not None,
            )
        return first or Stored(answer, replace(receipt, cost=cost, head=row.hash))

    def settled(self) -> Receipt | None:
        """Return what was written down about the end of the run; None if it is still held.

        Whoever was interrupted while settling asks here first.
        """
        with self.ledger._store.reading() as rows:
            row = self._settlement(rows)
        if row is None:
            return None
        cost = Charge.from_fields(mapping(row.fields, "cost"))
        return replace(self.receipt, cost=cost, head=row.hash)

    def _settlement(self, rows: Rows) -> Row | None:
        """Return the row that settled the run; refuse a ledger that has not reserved it.

        It goes back through all rows since the reservation.
        """
        found, receipt = None, self.receipt
        for row in rows.backwards():
            if row.number <= receipt.number:
                if row.hash == receipt.head:
                    return found
                break
            if row.says(dataset=receipt.dataset, kind="settled", run=receipt.number):
                found = row
        raise LedgerError(
            "the reservation of this run is not in the ledger any more: an older copy was "
            "put back. Its answer is not given out; bring back the newer ledger"
        )


def check_same(rows: Rows, dataset: str, request: str, asked: dict[str, object]) -> None:
    """Refuse an id that was used before for another question."""
    for row in rows.requests(dataset, request, "reserved"):
        known = mapping(row.fields, "description")
        if known != asked:
            other = ", ".join(sorted(name for name in asked if asked[name] != known.get(name)))
            raise LedgerError(
                f"request {request!r} was made before with another {other}; take a new "
                "request id for a new question"
            )


def answered(rows: Rows, dataset: str, request: str) -> Stored | None:
    """Return the answer that was stored for a request."""
    for row in rows.requests(dataset, request, "settled"):
        fields = row.fields
        if not flag(fields, "superseded"):
            cost = Charge.from_fields(mapping(fields, "cost"))
            tries = open_tries(rows, dataset, request)
            number = whole(fields, "run")
            receipt = Receipt(dataset, request, number, cost, True, tries, rows.head())
            return Stored(field(fields, "answer"), receipt)
    return None
