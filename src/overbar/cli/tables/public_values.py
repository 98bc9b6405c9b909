"""Labels of a public list as an item column holds them, by the column's type, which is public."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import UTC, date, datetime
from decimal import Decimal

Read = Callable[[str], Hashable]


def moment_text(moment: datetime) -> str:
    """Write a moment as the engine does: 2024-01-31 08:15:00.25, in UTC where it has a zone.

    >>> moment_text(datetime(2024, 1, 31, 8, 15, 0, 250_000))
    '2024-01-31 08:15:00.25'
    """
    plain = moment.replace(tzinfo=None).isoformat(" ")
    plain = plain.rstrip("0") if moment.microsecond else plain
    return plain if moment.tzinfo is None else f"{plain}+00"


def reader_of(kind: str) -> tuple[Read, str] | None:
    """Return how a text is read as a label of a type, and what it must be; None for plain text.

    >>> read, what = reader_of("DECIMAL(10,2)")
    >>> read("1.5"), what
    ('1.50', 'numbers with at most 2 digits after the point')
    """
    if kind == "BOOLEAN":
        return _boolean, "true and false"
    if kind == "DATE":
        return date.fromisoformat, "dates such as 2024-01-31"
    if kind.endswith("HUGEINT"):
        return lambda text: str(int(text)), "whole numbers"
    if kind.endswith(("INT", "INTEGER")) or kind in ("FLOAT", "DOUBLE"):
        return int, "whole numbers"
    if kind.startswith("DECIMAL"):
        digits = int(kind.removesuffix(")").rpartition(",")[2])
        what = f"numbers with at most {digits} digits after the point"
        return lambda text: _decimal(text, digits), what
    if kind.startswith("TIMESTAMP"):
        zoned = "TZ" in kind or "ZONE" in kind
        what = "moments such as 2024-01-31 08:15:00"
        if zoned:
            what = "moments with a zone such as 2024-01-31 08:15:00+01:00"
        return lambda text: _moment(text, zoned), what
    return None


def _boolean(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


def _decimal(text: str, digits: int) -> str:
    number = Decimal(text)
    rounded = number.quantize(Decimal(1).scaleb(-digits))
    if rounded != number:
        raise ValueError
    return f"{rounded:f}"


def _moment(text: str, zoned: bool) -> str:
    moment = datetime.fromisoformat(text)
    if zoned != (moment.tzinfo is not None):
        raise ValueError
    return moment_text(moment.astimezone(UTC) if zoned else moment)
