"""Rows of a ledger: canonical text, and a hash that binds each row to all rows before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from overbar.errors import LedgerError

#: What the first row is chained to.
BEGINNING = hashlib.sha256(b"overbar ledger").hexdigest()


@dataclass(frozen=True)
class Row:
    """One event, as it is stored."""

    number: int
    content: str
    hash: str

    @property
    def fields(self) -> dict[str, Any]:
        """The content, read."""
        try:
            found = json.loads(self.content)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise LedgerError(f"row {self.number} of the ledger is not readable; it was edited")
        return found

    def belongs_to(self, dataset: str) -> bool:
        """Return whether the row is about a dataset. Most others are told without reading them."""
        # Within a value the quotes would be escaped.
        return f'"dataset":{json.dumps(dataset)}' in self.content and self.says(dataset=dataset)

    def says(self, **wanted: object) -> bool:
        """Return whether these fields have these values."""
        fields = self.fields
        return all(name in fields and fields[name] == value for name, value in wanted.items())


def link(previous: str, content: str) -> str:
    """Return the hash of a row: over the hash before it and its own text."""
    return hashlib.sha256(f"{previous}\n{content}".encode()).hexdigest()


def canonical(fields: Mapping[str, object]) -> str:
    """Write fields as text, always in the same way: ASCII, sorted, without spaces."""
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), allow_nan=False)
