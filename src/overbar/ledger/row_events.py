"""What rows say: one kind of event for each thing that can happen to a dataset, and its account.

Every field has a type and a meaning, and is written in one way: a row that would be written
otherwise is refused (:mod:`overbar.ledger.fields`).
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

from overbar.errors import LedgerError
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.budget import Budget
from overbar.ledger.costs import Balance, Charge, Schedule
from overbar.ledger.description import Description, StatedCost
from overbar.ledger.fields import Name, Words, from_fields, to_fields
from overbar.ledger.rows import BEGINNING, Links, Row, Rows, canonical, link
from overbar.ledger.values import Account, Entry, Standing


@dataclass(frozen=True, kw_only=True)
class RowEvent:
    """What happened to a dataset, and where it stands after it."""

    kind: ClassVar[str]
    number: int
    time: datetime.datetime
    links: Links
    dataset: Name
    budget: Budget
    balance: Balance
    closed: bool

    @property
    def standing(self) -> Standing:
        """Where the dataset stands."""
        return Standing(self.dataset, self.budget, self.balance, self.closed)


@dataclass(frozen=True, kw_only=True)
class Opened(RowEvent):
    """A dataset was given its budget."""

    kind = "opened"
    note: Words


@dataclass(frozen=True, kw_only=True)
class Reserved(RowEvent):
    """A cost is held for a run, with how many earlier tries of its request were not settled.

    Its `schedule` says what of it is paid on the way, if anything may come back.
    """

    kind = "reserved"
    request: Name | None
    description: Description
    form: Literal["curves", "approximate", "stated"]
    charge: Charge
    schedule: Schedule | None
    unfinished: int


@dataclass(frozen=True, kw_only=True)
class Settled(RowEvent):
    """A run has ended; a superseded one after another of its request, and its answer is lost."""

    kind = "settled"
    request: Name | None
    run: int
    cost: Charge
    answer: StoredAnswer | None
    superseded: bool


@dataclass(frozen=True, kw_only=True)
class Closed(RowEvent):
    """All spending on a dataset has ended."""

    kind = "closed"


#: A row is read as one of them, by its kind.
KINDS: Any = Opened | Reserved | Settled | Closed


@lru_cache(maxsize=64)
def event_of(row: Row) -> RowEvent:
    """Return what a row says; of a row that was just read, to the letter, it is known."""
    event: RowEvent = from_fields(KINDS, row.fields)
    fits = len(event.balance.held.renyi) == len(event.budget.orders)
    # Before the first reservation nothing is spent, and from then on it is settled how runs add up.
    if not fits or not (event.budget.settled or event.balance == event.budget.unspent):
        raise LedgerError(f"row {row.number} does not fit its budget; it was edited")
    return event


def text_of(event: RowEvent) -> str:
    """Return an event as it is written."""
    return canonical(to_fields(event))


def record(rows: Rows, kind: type[RowEvent], after: Standing, **own: Any) -> Row:
    """Write what happened to a dataset, and where it stands after it."""
    last = rows.last()
    event = kind(
        number=1 if last is None else last.number + 1,
        time=_now(),
        links=rows.links(after.dataset, own.get("request")),
        dataset=after.dataset,
        budget=after.budget,
        balance=after.balance,
        closed=after.is_closed,
        **own,
    )
    text = text_of(event)
    row = Row(event.number, text, link(BEGINNING if last is None else last.hash, text))
    return rows.append(row)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC).replace(microsecond=0)


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
