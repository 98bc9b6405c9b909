"""Check a ledger from its first row, trusting nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from overbar.errors import LedgerError, OverbarError
from overbar.ledger.answers import read_answer
from overbar.ledger.budget import Balance, Budget, Charge
from overbar.ledger.charges import can_have_cost, falls_short
from overbar.ledger.fields import (
    field,
    flag,
    mapping,
    number,
    signed_or_none,
    text,
    text_or_none,
    whole,
)
from overbar.ledger.orders import within_delta
from overbar.ledger.rows import BEGINNING, Row, Rows, canonical
from overbar.ledger.stated_cost import StatedCost
from overbar.plan import Plan

_plan = lru_cache(maxsize=256)(Plan.from_json)


class _Run:
    """A reservation that is not settled yet."""

    def __init__(self, fields: dict[str, Any]) -> None:
        told = mapping(fields, "description")
        self.plan = (
            StatedCost.from_fields(mapping(told, "stated"))
            if "stated" in told
            else _plan(text(told, "plan"))
        )
        for name in ("kind", "purpose", *(["question"] if "question" in told else [])):
            text(told, name)
        self.kind = text(told, "kind")
        text_or_none(told, "order")
        signed_or_none(told, "threshold")
        self.unlisted = number(told, "unlisted_delta")
        self.form = text(fields, "form")
        self.charge = Charge.from_fields(mapping(fields, "charge"))
        self.request = text_or_none(fields, "request")


class _Dataset:
    """What the rows so far say about a dataset."""

    def __init__(self, budget: Budget) -> None:
        self.settle_for(budget)
        self.named_in_rows = not budget.settled
        self.held: dict[int, _Run] = {}
        self.answered: set[str] = set()
        self.closed = False

    def settle_for(self, budget: Budget) -> None:
        """Take a budget of which nothing was reserved yet."""
        if not within_delta(budget):
            raise LedgerError("its limits are more than its delta allows")
        self.budget = budget
        self.balance = budget.unspent


def verify_rows(rows: Rows, head: str | None) -> str:
    """Check the file, the chain, and that every row follows from those before; return the head."""
    rows.table.sound()
    previous = BEGINNING
    seen = head in (None, BEGINNING)
    datasets: dict[str, _Dataset] = {}
    for row in rows.all():
        previous = row.hash
        seen = seen or row.hash == head
        try:
            _follow(datasets, row)
        except (OverbarError, ArithmeticError, ValueError, RecursionError) as error:
            raise rows.trouble(
                f"row {row.number} does not follow from those before: {error}"
            ) from None
    if not seen:
        raise rows.trouble(
            f"the head {head} is not in it: an older copy was put back, or its last rows were "
            "taken away"
        )
    return previous


def copy_rows(rows: Rows, new: Rows) -> None:
    """Write rows into an empty ledger, and check both."""
    if new.last() is not None:
        raise new.trouble("it has rows already; copy into a new one")
    head = verify_rows(rows, None)
    for row in rows.all():
        new.table.insert(row)
    if verify_rows(new, None) != head:
        raise new.trouble("what was written to it is not what it holds")


def _follow(datasets: dict[str, _Dataset], row: Row) -> None:
    """Replay one row."""
    fields = row.fields
    if canonical(fields) != row.content or field(fields, "number") != row.number:
        raise LedgerError("its text is not in the canonical form")
    name = text(fields, "dataset")
    if fields.get("kind") == "opened":
        if name in datasets:
            raise LedgerError("the dataset was opened before")
        text(fields, "note")
        datasets[name] = _Dataset(Budget.from_fields(mapping(fields, "budget")))
    elif name not in datasets:
        raise LedgerError("its dataset was not opened")
    else:
        _change(datasets[name], fields, row.number)
    known = datasets[name]
    text(fields, "time")
    if Balance.from_fields(mapping(fields, "balance")) != known.balance:
        raise LedgerError("its balance is wrong")
    if flag(fields, "closed") != known.closed:
        raise LedgerError("it does not say whether the dataset is closed")
    # Rows of form 1 leave the budget to the row that opened the dataset, which had settled it.
    named = known.named_in_rows or "budget" in fields
    if named and Budget.from_fields(mapping(fields, "budget")) != known.budget:
        raise LedgerError("its budget is another")


def _change(known: _Dataset, fields: dict[str, Any], number: int) -> None:
    kind = field(fields, "kind")
    if kind == "closed":
        known.closed = True
    elif kind == "reserved":
        _reserve(known, fields, number)
    elif kind == "settled":
        _settle(known, fields)
    else:
        raise LedgerError(f"it is of an unknown kind, {kind!r}")


def _reserve(known: _Dataset, fields: dict[str, Any], number: int) -> None:
    if known.closed:
        raise LedgerError("the dataset was closed")
    if not known.budget.settled:  # the first reservation says how runs add up
        budget = Budget.from_fields(mapping(fields, "budget"))
        promised = (known.budget.epsilon, known.budget.delta)
        if not budget.settled or (budget.epsilon, budget.delta) != promised:
            raise LedgerError("it does not settle how runs add up")
        known.settle_for(budget)
    run = _Run(fields)
    if len(run.charge.renyi) != len(known.budget.orders):
        raise LedgerError("its charge does not fit its budget")
    known.balance = known.balance.reserve(run.charge)
    known.held[number] = run
    if not known.budget.allows(known.balance.total):
        raise LedgerError("it is over the budget")
    if falls_short(run.plan, run.form, run.charge, known.budget, run.unlisted):
        raise LedgerError("its charge is less than its plan costs")


def _settle(known: _Dataset, fields: dict[str, Any]) -> None:
    run = known.held.pop(whole(fields, "run"), None)
    if run is None:
        raise LedgerError("nothing is held for its run")
    cost = Charge.from_fields(mapping(fields, "cost"))
    if len(cost.renyi) != len(run.charge.renyi):
        raise LedgerError("its cost does not fit its budget")
    known.balance = known.balance.settle(run.charge, cost)
    request = text_or_none(fields, "request")
    if run.request != request:
        raise LedgerError("it belongs to another request")
    superseded = flag(fields, "superseded")
    if superseded != (request in known.answered):
        raise LedgerError("its request is answered twice, or not at all")
    if request is not None:
        known.answered.add(request)
    if superseded and cost != run.charge:
        raise LedgerError("an answer that was thrown away costs all that was reserved")
    if not can_have_cost(run.plan, run.form, run.charge, cost, _given(run, fields, superseded)):
        raise LedgerError("its cost is not what its run can have cost")


def _given(run: _Run, fields: dict[str, Any], superseded: bool) -> range:
    """Return how many positives a run can have had, by the answer that is stored of it.

    An answer to nothing is -1 positives: it has cost nothing. Whether there is anything in a table
    from which candidates are read is not public, so such a run costs as much as any.
    """
    least = 0 if run.unlisted else -1
    if run.request is None or superseded or isinstance(run.plan, StatedCost):
        if field(fields, "answer") is not None:
            raise LedgerError("it has an answer that nobody can ask for")
        return range(least, 0 if isinstance(run.plan, StatedCost) else run.plan.most_found + 1)
    answer = read_answer(fields, run.plan)
    # Keys have their counts from the noise of the whole search, which is the plan.
    if run.kind != "keys" and (answer.counts is None) != (run.plan.counts is None):
        raise LedgerError("its answer has counts where its plan has none, or none where it has")
    if not answer.asked:
        return range(least, 0)
    if answer.labels is not None:
        return range(len(answer.labels), len(answer.labels) + 1)
    if run.unlisted == 0:  # labels that are known beforehand are refused if they cannot be stored
        raise LedgerError("its answer has no labels")
    return range(1, run.plan.most_found + 1)
