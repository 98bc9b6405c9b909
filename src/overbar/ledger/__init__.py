"""Privacy budgets on disk: what may be spent on a dataset, and what was spent.

Internal files::

    ledger        reserve before the first draw, settle before the answer leaves
    store         the file: SQLite, one writer, every commit on the disk
    rows          reading and appending rows, within one transaction
    chain         a row, bound to all before it by a hash
    fields        reading the fields of a row that anyone may have written
    budget        charges and balances, in exact fractions
    orders        which Rényi orders an (ε, δ) budget follows, and their limits
    charges       what a run of a plan is charged, decided beforehand
    verification  going through all of it again, trusting nothing
"""

from __future__ import annotations

from overbar.ledger.budget import Balance, Budget, Charge
from overbar.ledger.description import Description
from overbar.ledger.ledger import Ledger, Reservation, Stored
from overbar.ledger.values import Account, Entry, Receipt

__all__ = [
    "Account",
    "Balance",
    "Budget",
    "Charge",
    "Description",
    "Entry",
    "Ledger",
    "Receipt",
    "Reservation",
    "Stored",
]
