"""The budget station: what was granted, spent and left, and whether the ledger is intact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from overbar import _html
from overbar._numbers import short_text
from overbar.cli.exit import clean
from overbar.cli.ledger_command import amount, left_words
from overbar.errors import LedgerError
from overbar.ledger import Account, Ledger

NO_LEDGER = (
    "No ledger was named. Make one with: overbar ledger open budget.db DATASET --epsilon TOTAL; "
    "then start with: overbar explore --ledger budget.db"
)


@dataclass(frozen=True)
class BudgetStation:
    """Shows a ledger; it changes nothing."""

    ledger: Ledger | None = None

    def shown(self, _: Mapping[str, str]) -> dict[str, Any]:
        """Return every dataset with its runs."""
        if self.ledger is None:
            return {"html": _html.paragraphs([NO_LEDGER])}
        accounts = [self.ledger.show(name) for name in self.ledger.datasets()]
        return {"html": "".join(map(_account, accounts)) or "<p>No dataset has a budget yet.</p>"}

    def verified(self, _: Mapping[str, str]) -> dict[str, Any]:
        """Recompute every hash and balance, and say what was found."""
        if self.ledger is None:
            return {"error": NO_LEDGER}
        try:
            head = self.ledger.verify()
        except LedgerError as error:
            return {"error": error.as_typed()}
        return {
            "text": "Intact: every row follows from those before it, and no budget is overspent. "
            f"Head {head}"
        }


def _account(account: Account) -> str:
    """Return a dataset: a bar of what is gone, the sums, and every run."""
    name = clean(account.dataset)
    pairs = [
        ("granted", account.granted),
        ("spent", amount(account, account.spent)),
        ("held by runs without an end", amount(account, account.held)),
        ("left", left_words(account)),
        ("next run may cost", account.left),
        ("state", "closed" if account.closed else "open"),
        ("note", clean(account.note)),
    ]
    rows = []
    for entry in account.entries:
        cost = "open" if entry.cost is None else amount(account, entry.cost)
        told = [
            entry.time[:16].replace("T", " "),
            clean(entry.purpose),
            clean(entry.request_id or ""),
        ]
        numbers = [amount(account, entry.reserved), cost + " (superseded)" * entry.superseded]
        cells = [_html.cell(text) for text in told]
        cells += [_html.cell(text, number=True) for text in numbers]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    head = ["time", "what for", "request", "reserved", "cost"]
    runs = (
        _html.table(head, rows, caption=f"Runs on {name}", first=3) if rows else "<p>No runs.</p>"
    )
    return f"<section><h2>{escape(name)}</h2>{_gone(account)}{_html.pairs(pairs)}{runs}</section>"


def _gone(account: Account) -> str:
    """Return a bar of what is gone of a pure budget; other budgets have no one number for it."""
    budget = account.budget
    if budget.delta:
        return ""
    share = float(account.balance.total.pure / budget.epsilon)
    said = f"{short_text(account.balance.total.pure)} of {short_text(budget.epsilon)} is gone"
    return (
        f'<svg class="gone" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(said)}"><rect class="room" width="100" height="4"/>'
        f'<rect class="full" width="{100 * share:.2f}" height="4"/></svg>'
    )
