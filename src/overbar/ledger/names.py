"""Names and notes in a ledger: public, and safe to look up and to show."""

from __future__ import annotations

from overbar import _check
from overbar.errors import ParameterError

LONGEST_NAME = 200
LONGEST_NOTE = 2000


def checked_name(what: str, value: object) -> str:
    """Return a name that a row can be looked up by."""
    # Printable: SQLite ends text at a zero, and a terminal obeys what it is shown.
    if (
        not isinstance(value, str)
        or not value.strip()
        or len(value) > LONGEST_NAME
        or not value.isprintable()
    ):
        raise ParameterError(
            f"{what} must be a name of 1 to {LONGEST_NAME} printable characters, "
            f"got {_check._show(value)}"
        )
    return value


def checked_words(what: str, value: object) -> str:
    """Return a text that is only ever shown."""
    if (
        not isinstance(value, str)
        or len(value) > LONGEST_NOTE
        or not all(sign.isprintable() or sign in "\n\t" for sign in value)
    ):
        raise ParameterError(
            f"{what} must be printable text of at most {LONGEST_NOTE} characters, "
            f"got {_check._show(value)}"
        )
    return value
