"""Broken twins of ledgers, monitors and intervals: each is caught by a suite in `tests/frozen`.

The seam offers them by name. Whoever replaces a room breaks the new one here in the same way.
"""

from __future__ import annotations

from types import SimpleNamespace

from overbar.ledger import Standing, postgres, row_events, store
from overbar.ledger.budget import budget_of
from overbar.ledger.costs import Balance
from overbar.ledger.fields import from_fields
from overbar.ledger.rows import Rows
from overbar.mechanisms import RankedPlan, ScorePlan
from overbar.runs.person_store import PersonStore


def commits_are_not_forced(patch):
    """The server is not made to write its log before the answer is out."""
    patch.setattr(postgres, "FORCE", "SELECT 1")


def hits_come_late(patch):
    """An alarm is out, and its hits are written with the next question."""
    write, late = PersonStore.write, []

    def write_later(*alarm):
        for one in late:
            write(*one)
        late[:] = [alarm]

    patch.setattr(PersonStore, "write", write_later)


def the_index_has_no_say(patch):
    """The last row is that of the table."""

    def from_the_table(table, number):
        wanted = (store.LAST, ()) if number is None else (store.ONE, (number,))
        return table.connection.execute(*wanted).fetchone()

    patch.setattr(store.SqliteTable, "row", from_the_table)


def a_row_is_believed(patch):
    """A row is found by its number, and what it says of itself is enough."""
    patch.setattr(Rows, "at", lambda rows, pointer: next(rows.backwards(pointer[0])))


def the_opening_row_is_believed(patch):
    """How runs add up is what it was when ε = 1 and δ = 10⁻⁶ were opened."""
    opened = budget_of(1, "1e-6", None)

    def believed(row):
        balance = from_fields(Balance, row.fields["balance"])
        standing = Standing("data", opened, balance, is_closed=False)
        return SimpleNamespace(budget=opened, balance=balance, closed=False, standing=standing)

    patch.setattr(row_events, "event_of", believed)


def nobody_was_selected(patch):
    """Intervals are y ± the half-width of the noise."""
    for kind in (ScorePlan, RankedPlan):
        plain = kind.around
        patch.setattr(kind, "around", lambda plan, value, *_, plain=plain: plain(plan, value))


TWINS = {
    "commits are not forced": commits_are_not_forced,
    "hits come late": hits_come_late,
    "the index has no say": the_index_has_no_say,
    "a row is believed": a_row_is_believed,
    "the opening row is believed": the_opening_row_is_believed,
    "nobody was selected": nobody_was_selected,
}
