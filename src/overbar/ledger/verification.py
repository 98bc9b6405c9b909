"""Going through a ledger from its first row, trusting nothing."""

from __future__ import annotations

from overbar.errors import LedgerError
from overbar.ledger.budget import Balance, Budget, Charge
from overbar.ledger.chain import BEGINNING, Row, canonical, link
from overbar.ledger.store import SCHEMA, Rows, Store


class _Dataset:
    """What the rows so far say about a dataset."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.balance = Balance(budget.nothing, budget.nothing)
        self.held: dict[int, tuple[Charge, str | None]] = {}
        self.answered: set[str] = set()
        self.closed = False


def verify_rows(rows: Rows, store: Store, head: str | None) -> str:
    """Check the file, the chain, and that every row follows from those before; return the head."""
    rows.sound()
    if rows.schema() != set(SCHEMA):
        raise store.trouble("its tables were changed")
    previous = BEGINNING
    seen = head in (None, BEGINNING)
    datasets: dict[str, _Dataset] = {}
    for number, row in enumerate(rows.all(), 1):
        if row.number != number:
            raise store.trouble(f"row {number} is missing")
        if row.hash != link(previous, row.content):
            raise store.trouble(f"row {number} was edited, moved, or rows before it were")
        previous = row.hash
        seen = seen or row.hash == head
        try:
            _follow(datasets, row)
        except (LedgerError, AssertionError, KeyError, TypeError, ValueError) as error:
            raise store.trouble(
                f"row {number} does not follow from those before: {error}"
            ) from None
    if not seen:
        raise store.trouble(
            f"the head {head} is not in it: an older copy was put back, or its last rows were "
            "taken away"
        )
    return previous


def _follow(datasets: dict[str, _Dataset], row: Row) -> None:
    """Replay one row."""
    fields = row.fields
    if canonical(fields) != row.content or fields["number"] != row.number:
        raise LedgerError("its text is not in the canonical form")
    name = fields["dataset"]
    if fields["kind"] == "opened":
        if name in datasets:
            raise LedgerError("the dataset was opened before")
        datasets[name] = _Dataset(Budget.from_fields(fields["budget"]))
    else:
        _change(datasets[name], fields, row.number)
    if Balance.from_fields(fields["balance"]) != datasets[name].balance:
        raise LedgerError("its balance is wrong")
    if bool(fields.get("closed")) != datasets[name].closed:
        raise LedgerError("it does not say whether the dataset is closed")


def _change(known: _Dataset, fields: dict[str, object], number: int) -> None:
    request = fields.get("request")
    assert request is None or isinstance(request, str)
    kind = fields["kind"]
    if kind == "closed":
        known.closed = True
    elif kind == "reserved":
        charge = _charge(fields["charge"])
        if known.closed:
            raise LedgerError("the dataset was closed")
        known.balance = known.balance.reserve(charge)
        known.held[number] = charge, request
        if not known.budget.allows(known.balance.total):
            raise LedgerError("it is over the budget")
    elif kind == "settled":
        run = fields["run"]
        assert isinstance(run, int)
        charge, asker = known.held.pop(run)
        known.balance = known.balance.settle(charge, _charge(fields["cost"]))
        if asker != request:
            raise LedgerError("it belongs to another request")
        if fields["superseded"] != (request in known.answered):
            raise LedgerError("its request is answered twice, or not at all")
        if request is not None:
            known.answered.add(request)
    else:
        raise LedgerError(f"it is of an unknown kind, {kind!r}")


def _charge(fields: object) -> Charge:
    assert isinstance(fields, dict)
    return Charge.from_fields(fields)
