"""Reading the rows of a dataset back as values."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from fractions import Fraction

from overbar.errors import LedgerError
from overbar.ledger.budget import Balance, Budget, Charge
from overbar.ledger.fields import flag, mapping, text, text_or_none, whole
from overbar.ledger.rows import Row, Rows
from overbar.ledger.values import Account, Entry


@dataclass(frozen=True)
class State:
    """Where a dataset stands after its last row."""

    budget: Budget
    balance: Balance
    closed: bool

    @property
    def remaining(self) -> Fraction:
        """The largest pure ε that one more run may have."""
        return Fraction(0) if self.closed else self.budget.remaining(self.balance.total)

    def to_fields(self) -> dict[str, object]:
        """Write the state for a row."""
        return {
            "budget": self.budget.to_fields(),
            "balance": self.balance.to_fields(),
            "closed": self.closed,
        }


def record(rows: Rows, kind: str, dataset: str, state: State, **said: object) -> Row:
    """Write what happened to a dataset, and where it stands after it."""
    return rows.append(
        {"kind": kind, "dataset": dataset, "time": _now(), **said, **state.to_fields()}
    )


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def state_of(rows: Rows, dataset: str) -> State:
    """Return where a dataset stands, or say which there are."""
    last = rows.latest(dataset)
    if last is None:
        known = ", ".join(repr(name) for name in rows.datasets()) or "none"
        raise LedgerError(
            f"dataset {dataset!r} is not in this ledger (it has: {known}); give it a budget "
            "with open"
        )
    # Rows of form 1 leave the budget to the row that opened the dataset.
    return _state(last if "budget" in last.fields else rows.opening(dataset), last)


def _state(told: Row, last: Row) -> State:
    budget = Budget.from_fields(mapping(told.fields, "budget"))
    balance = Balance.from_fields(mapping(last.fields, "balance"))
    # Before the first reservation nothing is spent, and from then on each row says how runs add up.
    unfit = not budget.settled and (told != last or balance.total != budget.nothing)
    if unfit or len(balance.held.renyi) != len(budget.orders):
        raise LedgerError(f"row {last.number} does not fit its budget; it was edited")
    return State(budget, balance, flag(last.fields, "closed"))


def open_tries(rows: Rows, dataset: str, request: str) -> int:
    """Return how many reservations of a request were never settled."""
    made = len(rows.requests(dataset, request, "reserved"))
    return made - len(rows.requests(dataset, request, "settled"))


def account_of(dataset: str, rows: list[Row]) -> Account:
    """Put a dataset's rows together."""
    opened, last = rows[0], rows[-1]
    state = _state(last if "budget" in last.fields else opened, last)
    settled: dict[int, dict[str, object]] = {}
    closed: str | None = None
    for row in rows:
        if row.says(kind="settled"):
            settled[whole(row.fields, "run")] = row.fields
        elif row.says(kind="closed"):
            closed = text(row.fields, "time")
    entries = tuple(
        _entry(row, settled.get(row.number)) for row in rows if row.says(kind="reserved")
    )
    return Account(
        dataset=dataset,
        note=text(opened.fields, "note"),
        opened=text(opened.fields, "time"),
        closed=closed,
        budget=state.budget,
        balance=state.balance,
        remaining=state.remaining,
        entries=entries,
    )


def _entry(row: Row, settled: dict[str, object] | None) -> Entry:
    fields = row.fields
    told = mapping(fields, "description")
    return Entry(
        number=row.number,
        time=text(fields, "time"),
        kind=text(told, "kind"),
        purpose=text(told, "purpose"),
        request_id=text_or_none(fields, "request"),
        plan="null" if "stated" in told else text(told, "plan"),
        threshold=text_or_none(told, "threshold"),
        reserved=Charge.from_fields(mapping(fields, "charge")),
        cost=None if settled is None else Charge.from_fields(mapping(settled, "cost")),
        superseded=settled is not None and flag(settled, "superseded"),
    )
