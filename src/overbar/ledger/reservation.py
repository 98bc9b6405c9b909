"""What a ledger gives to a run: a cost that is held, or an answer that was stored."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from overbar import _check
from overbar.errors import LedgerError
from overbar.ledger.answers import StoredAnswer, check_answer
from overbar.ledger.costs import Charge, Schedule
from overbar.ledger.description import Description, StatedCost
from overbar.ledger.endings import cost_of
from overbar.ledger.fields import to_fields
from overbar.ledger.row_events import Reserved, Settled, event_of, latest, record
from overbar.ledger.rows import Row, Rows
from overbar.ledger.values import Receipt, Standing
from overbar.mechanisms import Plan

if TYPE_CHECKING:
    from overbar.ledger.ledger import Ledger


@dataclass(frozen=True)
class Stored:
    """An answer that was given before, or that another run of the same request gave first."""

    answer: StoredAnswer | None
    receipt: Receipt


@dataclass(frozen=True)
class Reservation:
    """A cost that is held on the disk. Until it is settled it counts as spent, in full."""

    ledger: Ledger
    plan: Plan | StatedCost
    form: str
    charge: Charge
    schedule: Schedule | None
    receipt: Receipt

    def settle(self, *, positives: int, asked: bool, answer: StoredAnswer | None = None) -> Stored:
        """Write down the end of the run, before its answer is given to anyone.

        Returns the answer to give: this one, or for a request that another run has answered in the
        meantime, that one.
        """
        number = _check.whole("positives", positives, lowest=0)
        receipt, key = self.receipt, self.receipt.request_id
        with self.ledger._rows.writing(receipt.number) as rows:
            if self._settlement(rows) is not None:
                raise LedgerError("this run is settled already")
            last = latest(rows, receipt.dataset)
            first = None
            if key is not None:
                first = Tries(rows, receipt.dataset, key).answer(last.standing)
            cost = self.charge
            if first is None:  # an answer that is thrown away must not show in its cost
                if key is not None and isinstance(self.plan, Plan):
                    answer = check_answer(answer, self.plan, number, asked)
                cost = cost_of(self.plan, self.form, cost, number, asked, self.schedule)
            after = replace(last.standing, balance=last.balance.settle(self.charge, cost))
            row = record(
                rows,
                Settled,
                after,
                run=receipt.number,
                request=key,
                cost=cost,
                answer=answer if key is not None and first is None else None,
                superseded=first is not None,
            )
        if first is not None:
            return replace(first, receipt=replace(first.receipt, standing=after))
        settled = replace(receipt, cost=cost, head=row.hash, time=row.time, standing=after)
        return Stored(answer, settled)

    def settled(self) -> Receipt | None:
        """Return what was written down about the end of the run; None if it is still held.

        Whoever was interrupted while settling asks here first.
        """
        with self.ledger._rows.reading() as rows:
            row = self._settlement(rows)
        event = None if row is None else event_of(row)
        if row is None or not isinstance(event, Settled):
            return None
        return replace(
            self.receipt, cost=event.cost, head=row.hash, time=row.time, standing=event.standing
        )

    def _settlement(self, rows: Rows) -> Row | None:
        """Return the row that settled the run; refuse a ledger that has not reserved it.

        It goes back through all rows since the reservation.
        """
        settlement, receipt = None, self.receipt
        for row in rows.backwards():
            if row.number <= receipt.number:
                if row.hash == receipt.head:
                    return settlement
                break
            if row.says(dataset=receipt.dataset, kind="settled", run=receipt.number):
                settlement = row
        raise LedgerError(
            "the reservation of this run is not in the ledger any more: an older copy was "
            "put back. Its answer is not given out; bring back the newer ledger"
        )


class Tries:
    """All that was done for a request."""

    def __init__(self, rows: Rows, dataset: str, request: str) -> None:
        self._rows, self._request = rows, request
        events = [event_of(row) for row in rows.of_request(dataset, request)]
        self._reserved = [event for event in events if isinstance(event, Reserved)]
        self._settled = [event for event in events if isinstance(event, Settled)]

    @property
    def unfinished(self) -> int:
        """How many reservations were never settled."""
        return len(self._reserved) - len(self._settled)

    def check_same(self, asked: Description) -> None:
        """Refuse an id that was used before for another question."""
        for known in (event.description for event in self._reserved):
            names = sorted(one.name for one in fields(asked))
            other = [name for name in names if getattr(asked, name) != getattr(known, name)]
            if other:
                words = ", ".join(other)
                if isinstance(asked.plan, StatedCost):
                    words = words.replace("plan", "cost")
                raise LedgerError(
                    f"request {self._request!r} was made before with another {words}; take a new "
                    "request id for a new question"
                )

    def answer(self, standing: Standing) -> Stored | None:
        """Return the answer that was stored, and where the dataset stands."""
        for event in self._settled:
            if not event.superseded:
                receipt = Receipt(
                    dataset=standing.dataset,
                    request_id=self._request,
                    number=event.run,
                    cost=event.cost,
                    repeated=True,
                    unfinished=self.unfinished,
                    head=self._rows.head(),
                    time=to_fields(event.time),
                    standing=standing,
                )
                return Stored(event.answer, receipt)
        return None
