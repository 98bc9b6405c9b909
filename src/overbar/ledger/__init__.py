"""Privacy budgets, kept safe: what may be spent on a dataset, and what was spent.

Internal files::

    ledger        reserve before the first draw, settle before the answer leaves
    reservation   a cost that is held, or an answer that was stored
    booking       which dataset of which ledger pays for a release
    description   what is said of a run, or of another mechanism
    values        where a dataset stands, its account, receipts
    row_events    what rows say, for each thing that can happen to a dataset
    answers       answers as a row has them
    rows          rows bound to all before them by a hash, and how the newest of one is found
    continuity    what was seen before: a ledger must go on from there
    store         the file: SQLite, one writer, every commit on the disk
    postgres      the database: one writer, and no answer before its row is on the disk
    postgres_schema   what is declared there, and who may do what
    address       where the database is, and what of that is shown
    fields        values as fields of a row, and back
    amounts       charges, schedules and balances, in exact fractions
    budget        what may be spent, and which Rényi orders that follows
    charges       what a run of a plan is charged, decided beforehand
    endings       what it has cost when it has ended
    verification  going through all of it again, trusting nothing
"""

from __future__ import annotations

from overbar.ledger.booking import Booking
from overbar.ledger.budget import Budget
from overbar.ledger.costs import Charge
from overbar.ledger.ledger import Ledger
from overbar.ledger.values import Account, Entry, Receipt, Standing

__all__ = [
    "Account",
    "Booking",
    "Budget",
    "Charge",
    "Entry",
    "Ledger",
    "Receipt",
    "Standing",
]
