"""What was seen of a ledger before: one that does not go on from there is refused.

An older copy that is put back is a ledger without fault; only who has seen a later row can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from overbar.errors import ParameterError, named
from overbar.ledger.rows import Pointer, Rows, Store


class Continuity:
    """A store, and the last row that was seen of it, or at first a head that was written down."""

    def __init__(self, store: Store, head: str | None) -> None:
        if head is not None and not (isinstance(head, str) and re.fullmatch("[0-9a-f]{64}", head)):
            raise ParameterError(
                f"{named('head')} must be the 64 signs behind the word head that a report or "
                f"overbar ledger verify prints, got {head!r}"
            )
        self._store, self._head = store, head
        self._seen: Pointer | None = None

    def reading(self) -> AbstractContextManager[Rows]:
        """Look at a ledger that goes on from what was seen."""
        return self._behind(self._store.reading())

    def writing(self, since: int | None = None) -> AbstractContextManager[Rows]:
        """Be the one writer of it; a place that is far may fetch rows since one beforehand."""
        return self._behind(self._store.writing(since))

    @contextmanager
    def _behind(self, transaction: AbstractContextManager[Rows]) -> Iterator[Rows]:
        seen = self._seen  # before it begins: others may see more meanwhile
        with transaction as rows:
            if seen is not None:
                rows.go_on_from(*seen)
            elif self._head is not None:
                rows.have(self._head)
            yield rows
        if rows.newest is not None and rows.newest > (self._seen or (0, "")):
            self._seen = rows.newest
