"""The rooms whose tests are put to the test, and where these tests are."""

from __future__ import annotations

#: By room: folders and files whose tests are run, besides the room's own doctests.
ROOMS: dict[str, tuple[str, ...]] = {
    "accounting": ("tests/accounting",),
    "sampling": ("tests/sampling",),
    "mechanism": (
        "tests/mechanism",
        "tests/ledger/test_releases.py",
        "tests/ledger/test_requests.py",
    ),
    # Without those that start processes of their own, which would load the unchanged code.
    "ledger": (
        "tests/ledger/test_abandoned_writes.py",
        "tests/ledger/test_bookkeeping.py",
        "tests/ledger/test_budget.py",
        "tests/ledger/test_faults.py",
        "tests/ledger/test_filter.py",
        "tests/ledger/test_refusals.py",
        "tests/ledger/test_releases.py",
        "tests/ledger/test_requests.py",
        "tests/ledger/test_room.py",
        "tests/ledger/test_rows.py",
        "tests/ledger/test_settling.py",
        "tests/ledger/test_stored_labels.py",
        "tests/ledger/test_verification.py",
        "tests/ledger/test_what_is_left.py",
    ),
}
