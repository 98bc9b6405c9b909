"""The budget station: what was granted, spent and left, and whether the ledger is intact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from overbar.errors import LedgerError
from overbar.ledger import Ledger
from overbar.report import Report, Section
from overbar.report.as_html import sections
from overbar.words.account_report import INTACT, ledger_report

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
        report = Report("", (Section(name="none", sentences=(NO_LEDGER,)),))
        if self.ledger is not None:
            report = ledger_report(self.ledger)
        return {"html": sections(report, "accounts-")}

    def verified(self, _: Mapping[str, str]) -> dict[str, Any]:
        """Recompute every hash and balance, and say what was found."""
        if self.ledger is None:
            return {"error": NO_LEDGER}
        try:
            head = self.ledger.verify()
        except LedgerError as error:
            return {"error": error.as_typed()}
        return {"text": f"{INTACT}. Head {head}"}
