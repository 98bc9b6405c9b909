"""Reading the rows of a dataset back as values."""

from __future__ import annotations

from overbar.errors import LedgerError
from overbar.ledger.fields import to_fields
from overbar.ledger.row_events import Closed, Opened, Reserved, RowEvent, Settled, event_of
from overbar.ledger.rows import Row, Rows
from overbar.ledger.stated_cost import StatedCost
from overbar.ledger.values import Account, Entry


def latest(rows: Rows, dataset: str) -> RowEvent:
    """Return the last event of a dataset, or say which datasets there are."""
    last = rows.latest(dataset)
    if last is None:
        known = ", ".join(repr(name) for name in rows.datasets()) or "none"
        raise LedgerError(
            f"dataset {dataset!r} is not in this ledger (it has: {known}); give it a budget "
            "with open"
        )
    return event_of(last)


def account_of(rows: list[Row]) -> Account:
    """Put a dataset's rows together."""
    events = [event_of(row) for row in rows]
    opened, last = events[0], events[-1].standing
    if not isinstance(opened, Opened):
        raise LedgerError(f"row {opened.number} does not open its dataset; it was edited")
    settled = {event.run: event for event in events if isinstance(event, Settled)}
    closed = [to_fields(event.time) for event in events if isinstance(event, Closed)]
    return Account(
        *(last.dataset, last.budget, last.balance, last.is_closed),
        note=opened.note,
        opened=to_fields(opened.time),
        closed=closed[0] if closed else None,
        entries=tuple(
            _entry(event, settled.get(event.number))
            for event in events
            if isinstance(event, Reserved)
        ),
    )


def _entry(event: Reserved, settled: Settled | None) -> Entry:
    run = event.description
    return Entry(
        number=event.number,
        time=to_fields(event.time),
        kind=run.kind,
        purpose=run.purpose,
        request_id=event.request,
        plan="null" if isinstance(run.plan, StatedCost) else run.plan.to_json(),
        threshold=None if run.threshold is None else str(run.threshold),
        neighbours=run.neighbours,
        reserved=event.charge,
        cost=None if settled is None else settled.cost,
        superseded=settled is not None and settled.superseded,
    )
