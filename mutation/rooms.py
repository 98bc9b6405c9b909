"""The rooms whose tests are put to the test, and where these tests are."""

from __future__ import annotations

#: By room: folders and files whose tests are run, besides the room's own doctests.
ROOMS: dict[str, tuple[str, ...]] = {
    "accounting": ("tests/accounting",),
    "sampling": ("tests/sampling",),
    "mechanism": ("tests/mechanism",),
    "ledger": ("tests/ledger",),
}
