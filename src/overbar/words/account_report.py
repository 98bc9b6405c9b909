"""What is said about budgets: what was granted, spent and held, what is left, and every run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import ROUND_FLOOR
from fractions import Fraction

from overbar._numbers import at_most_text, number_text, people_text
from overbar.errors import OverbarError
from overbar.ledger import Account, Charge, Ledger, Standing
from overbar.ledger.charges import reserved
from overbar.ledger.fields import to_fields
from overbar.mechanisms import Plan
from overbar.report import Gauge, Report, ReportTable, Section

NO_DATASET = "no dataset has a budget yet; give it one: overbar ledger open"
NO_LEDGER = "No ledger pays, so nothing keeps count of what is spent: give one with --ledger."
CLOSED = (
    "The Gaussian potential is closed for good, by a run about which nothing is proved there, such "
    "as a pure one of a larger epsilon: runs add up by their divergences or their epsilon from "
    "here on."
)
WOULD_CLOSE = (
    "It would close the Gaussian potential for good: small runs would cost more after it. Smaller "
    "runs, or Gaussian noise, leave it open."
)
SHARES = "Where delta is positive, spent, held open and left are shares of the budget."
OPEN_RUNS = (
    "A run is open if it is under way, or if it was lost in a crash: then what it holds stays "
    "spent, because nobody knows what it had answered."
)
#: How it begins to say that a run cannot be paid for.
NO_ROOM = "This run does not fit:"
INTACT = "intact: every row follows from those before it, and no budget is overspent"
HEAD = ("dataset", "state", "epsilon", "delta", "spent", "held open", "left", "runs")
RUN_HEAD = ("row", "time", "kind", "purpose", "request", "threshold", "reserved", "cost")


def what_it_cost(cost: str, standing: Standing) -> str:
    """Say what a run has cost of a budget, and what is left: each rounded to the safe side."""
    granted, left, name = standing.granted, standing.left, standing.dataset
    if "δ" in granted:  # where costs do not simply add up
        return f"this cost {cost} of {granted}; one more run for {name} may cost {left}"
    granted, left = granted.removeprefix("ε = "), left.removeprefix("ε = ")
    return f"this cost {cost} of {granted}; {left} are left for {name}"


def what_is_left(standing: Standing | None) -> list[str]:
    """Say what is left of a budget, if there is one."""
    if standing is None:
        return []
    granted, left = standing.granted, standing.left
    rest = f"one more run may cost {left}" if "δ" in granted else f"{left} is left"
    return [f"Of the budget of {granted} for {standing.dataset}, {rest}."]


def what_would_be_left(
    standing: Standing | None, plan: Plan, unlisted_delta: Fraction = Fraction(0)
) -> list[str]:
    """Say what is left, and what a run of a plan would leave."""
    if standing is None:
        return [NO_LEDGER]
    sentences = what_is_left(standing)
    if standing.is_closed:
        return [*sentences, f"{NO_ROOM} {standing.dataset} is closed."]
    try:
        after, _, _ = reserved(standing, plan, unlisted_delta)
    except OverbarError as error:
        return [*sentences, f"{NO_ROOM} {error.as_typed()}"]
    rest = f"another may cost {after.left}" if after.budget.delta else f"{after.left} would be left"
    closes = [WOULD_CLOSE] * (_has_closed(after) and not _has_closed(standing))
    return [*sentences, f"After this run {rest}.", *closes]


def ledger_report(ledger: Ledger) -> Report:
    """Return what is said about all budgets of a ledger, with every run."""
    accounts = [ledger.show(name) for name in ledger.datasets()]
    return account_report(accounts, runs=True)


def account_report(accounts: Sequence[Account], *, runs: bool) -> Report:
    """Return what is said about some budgets, maybe with every run."""
    notes = [SHARES] if any(account.budget.delta for account in accounts) else []
    if any(entry.open for account in accounts for entry in account.entries):
        notes.append(OPEN_RUNS)
    table = ReportTable(HEAD, tuple(map(_row, accounts)), words=2)
    budgets = Section(
        name="budgets",
        sentences=() if accounts else (NO_DATASET,),
        table=table if accounts else None,
        notes=tuple(notes),
    )
    return Report("", (budgets, *(map(_runs, accounts) if runs else ())))


def _row(account: Account) -> tuple[str, ...]:
    budget = account.budget
    return (
        account.dataset,
        "closed" if account.closed else "open",
        people_text(budget.epsilon),
        people_text(budget.delta),
        _amount(account, account.spent),
        _amount(account, account.held),
        _left(account),
        str(len(account.entries)),
    )


def _runs(account: Account) -> Section:
    rows = []
    for entry in account.entries:
        threshold = "" if entry.threshold is None else number_text(Fraction(entry.threshold))
        cost = "open" if entry.cost is None else _amount(account, entry.cost)
        rows.append(
            (
                str(entry.number),
                entry.time[:16].replace("T", " "),
                entry.kind,
                entry.purpose,
                entry.request_id or "",
                threshold,
                _amount(account, entry.reserved),
                cost + " (superseded)" * entry.superseded,
            )
        )
    return Section(
        name=f"runs-{account.entries[0].number if account.entries else account.dataset}",
        title=f"Runs on {account.dataset}",
        pairs=(
            ("granted", account.granted),
            *_gone(account),
            ("next run may cost", account.left),
            ("note", account.note),
        ),
        sentences=(*(() if rows else ("No runs.",)), *_closed_ways(account)),
        table=ReportTable(RUN_HEAD, tuple(rows), words=5) if rows else None,
    )


def _closed_ways(account: Account) -> tuple[str, ...]:
    """Say that small runs do not add up as Gaussian noise any more, if that is so."""
    return (CLOSED,) if _has_closed(account) else ()


def _has_closed(account: Account | Standing) -> bool:
    own, total = account.budget.potential, account.balance.total
    return own is not None and total.gaussian > own.limit


def _gone(account: Account) -> list[tuple[str, Gauge]]:
    """Return a bar of what is gone of a budget in one number; others have no such number."""
    budget = account.budget
    if budget.delta:
        return []
    ((spent, most),) = budget.used(account.balance.total)
    words = f"{at_most_text(spent)} of {people_text(most)} is gone"
    return [("gone", Gauge(float(spent / most), words))]


def _amount(account: Account, charge: Charge) -> str:
    """Write a charge: as ε where the budget is pure, or as a share of the budget.

    With δ > 0 the share is that of the order which is least used up, the pure one included.
    """
    if account.budget.delta:
        return _percent(account, charge)[1]
    ((amount, _),) = account.budget.used(charge)
    return at_most_text(amount)


def _left(account: Account) -> str:
    """Write what is left, in the unit of what was spent."""
    if account.budget.delta:
        return "0.0%" if account.closed else _percent(account, account.spent)[0]
    ((spent, most),) = account.budget.used(account.balance.total)
    return "0" if account.closed else people_text(most - spent, ROUND_FLOOR)


def _percent(account: Account, charge: Charge) -> tuple[str, str]:
    """Return the shares of the budget that are left and that a charge takes."""
    budget, total = account.budget, account.balance.total
    ways = zip(budget.used(total), budget.used(charge), strict=True)
    least = min((all_ / limit, this / limit) for (all_, limit), (this, _) in ways)
    return f"{float(1 - least[0]):.1%}", f"{float(least[1]):.1%}"


def account_fields(account: Account) -> dict[str, object]:
    """Return a dataset for a JSON file, exactly."""
    return {
        "dataset": account.dataset,
        "note": account.note,
        "opened": account.opened,
        "closed": account.closed,
        "budget": to_fields(account.budget),
        "spent": to_fields(account.spent),
        "held": to_fields(account.held),
        "remaining": str(account.remaining),
        "runs": [
            {
                "row": entry.number,
                "time": entry.time,
                "kind": entry.kind,
                "purpose": entry.purpose,
                "request": entry.request_id,
                "plan": json.loads(entry.plan),
                "threshold": entry.threshold,
                "neighbours": entry.neighbours,
                "reserved": to_fields(entry.reserved),
                "cost": to_fields(entry.cost),
                "superseded": entry.superseded,
            }
            for entry in account.entries
        ],
    }
