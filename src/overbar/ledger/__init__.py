"""Privacy budgets on disk: what may be spent on a dataset, and what was spent.

Internal files::

    ledger        reserve before the first draw, settle before the answer leaves
    reservation   a cost that is held, or an answer that was stored
    booking       which dataset of which ledger pays for a release
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

from overbar.ledger.booking import Booking
from overbar.ledger.budget import Balance, Budget, Charge
from overbar.ledger.description import Description
from overbar.ledger.ledger import Ledger
from overbar.ledger.reservation import Reservation, Stored
from overbar.ledger.values import Account, Entry, Receipt

__all__ = [
    "Account",
    "Balance",
    "Booking",
    "Budget",
    "Charge",
    "Description",
    "Entry",
    "Ledger",
    "Receipt",
    "Reservation",
    "Stored",
]
