"""Reading the rows of a dataset back as values."""

from __future__ import annotations

from fractions import Fraction

from overbar.ledger.budget import Balance, Budget, Charge
from overbar.ledger.chain import Row
from overbar.ledger.room import remaining
from overbar.ledger.store import Rows
from overbar.ledger.values import Account, Entry


def open_tries(rows: Rows, dataset: str, request: str) -> int:
    """Return how many reservations of a request were never settled."""
    made = len(rows.requests(dataset, request, "reserved"))
    return made - len(rows.requests(dataset, request, "settled"))


def account_of(dataset: str, rows: list[Row]) -> Account:
    """Put a dataset's rows together."""
    opened = rows[0].fields
    budget = Budget.from_fields(opened["budget"])
    settled: dict[int, dict[str, object]] = {}
    closed: str | None = None
    for row in rows:
        fields = row.fields
        if fields["kind"] == "settled":
            settled[fields["run"]] = fields
        elif fields["kind"] == "closed":
            closed = fields["time"]
    entries = tuple(
        _entry(row, settled.get(row.number)) for row in rows if row.fields["kind"] == "reserved"
    )
    balance = Balance.from_fields(rows[-1].fields["balance"])
    return Account(
        dataset=dataset,
        note=opened["note"],
        opened=opened["time"],
        closed=closed,
        budget=budget,
        balance=balance,
        remaining=Fraction(0) if closed else remaining(budget, balance.total),
        entries=entries,
    )


def _entry(row: Row, settled: dict[str, object] | None) -> Entry:
    fields = row.fields
    told = fields["description"]
    cost = None
    if settled is not None:
        assert isinstance(settled["cost"], dict)
        cost = Charge.from_fields(settled["cost"])
    return Entry(
        number=row.number,
        time=fields["time"],
        kind=told["kind"],
        purpose=told["purpose"],
        request=fields["request"],
        plan=told["plan"],
        threshold=told["threshold"],
        reserved=Charge.from_fields(fields["charge"]),
        cost=cost,
        superseded=settled is not None and bool(settled["superseded"]),
    )
