"""What a row says: one kind of event for each thing that can happen to a dataset.

Every field has a type and a meaning, and is written in one way: a row that would be written
otherwise is refused (:mod:`overbar.ledger.fields`).
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from overbar.errors import LedgerError
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.budget import Balance, Budget, Charge
from overbar.ledger.description import Description
from overbar.ledger.fields import Name, Words, from_fields, to_fields
from overbar.ledger.links import Links
from overbar.ledger.rows import BEGINNING, Row, Rows, canonical, link
from overbar.ledger.values import Standing


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
    """A cost is held for a run, with how many earlier tries of its request were not settled."""

    kind = "reserved"
    request: Name | None
    description: Description
    form: Literal["curves", "approximate", "stated"]
    charge: Charge
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


def event_of(row: Row) -> RowEvent:
    """Return what a row says."""
    event: RowEvent = from_fields(KINDS, row.fields)
    fits = len(event.balance.held.renyi) == len(event.budget.orders)
    # Before the first reservation nothing is spent, and from then on it is settled how runs add up.
    if not fits or not (event.budget.settled or event.balance == event.budget.unspent):
        raise LedgerError(f"row {row.number} does not fit its budget; it was edited")
    return event


def text_of(event: RowEvent) -> str:
    """Return an event as it is written."""
    return canonical(to_fields(event))


def record(rows: Rows, kind: type[RowEvent], after: Standing, **said: Any) -> Row:
    """Write what happened to a dataset, and where it stands after it."""
    last = rows.last()
    event = kind(
        number=1 if last is None else last.number + 1,
        time=_now(),
        links=rows.links(after.dataset, said.get("request")),
        dataset=after.dataset,
        budget=after.budget,
        balance=after.balance,
        closed=after.is_closed,
        **said,
    )
    text = text_of(event)
    row = Row(event.number, text, link(BEGINNING if last is None else last.hash, text))
    return rows.append(row)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC).replace(microsecond=0)
