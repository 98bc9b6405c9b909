"""Which rows of a table in PostgreSQL take part: comparisons that cannot fail on a row.

What can be compared is told by the types that are declared. A number is compared as a number, a
text by its bytes; what is missing is on neither side, nor is NaN. What was typed goes to the server
as a parameter, never as SQL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple, NoReturn

from overbar.errors import ParameterError, named
from overbar.frames.columns import refuse_missing
from overbar.frames.postgres_query import FLOATS, TEXTS, WHOLE, Column, identifier

#: How a day begins that can be compared as text, and before the time of day a T or a blank.
DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
DAY_TEXT = re.compile(DAY)
SIGNS = ("=", "<>", "<", "<=", ">", ">=")


class Compared(NamedTuple):
    """A column, a sign, and a number or a text."""

    column: str
    sign: str
    number: str | None
    text: str


def conditions(rows: Sequence[Compared], there: Mapping[str, Column]) -> tuple[str, dict[str, str]]:
    """Return what keeps rows that take part, for SQL, and its parameters."""
    parts, values = [], {}
    for place, one in enumerate(rows):
        refuse_missing("where", one.column, list(there))
        assert one.sign in SIGNS  # whoever read what was typed has seen to that
        name = f"where_{place}"
        parts.append(_condition(one, there[one.column], f"%({name})s"))
        values[name] = one.text if one.number is None else one.number
        if DAY_TEXT.match(one.text):
            values[name] = one.text[:10] + one.text[10:].replace("T", " ", 1)
    return " AND ".join(parts), values


def _condition(one: Compared, there: Column, value: str) -> str:
    column, kind = identifier(one.column), there.kind
    if one.number is not None:
        if kind in FLOATS:  # NaN is the largest there
            number = f"{column}::float8"
            return f"({number} {one.sign} {value}::float8 AND {number} < 'NaN')"
        if kind in WHOLE or kind == "numeric":
            number = f"{column}::numeric"
            return f"({number} {one.sign} {value}::numeric AND {number} < 'NaN')"
        _refuse(one, there, "compare it with a text in quotes")
    if "\0" in one.text:
        _refuse(one, there, "no text has a NUL in it")
    if kind in ("date", "timestamp"):
        _check_day(one, there)
        return f"{column} {one.sign} {value}::{kind}"
    if kind == "bool":
        if one.text not in ("true", "false"):
            _refuse(one, there, "compare it with 'true' or 'false'")
        return f"{column} {one.sign} {value}::boolean"
    if kind not in TEXTS:
        is_number = kind in (*FLOATS, *WHOLE, "numeric")
        other = "compare it with a number, no quotes" if is_number else "cast it in a view"
        _refuse(one, there, other)
    text = f'({column}::text COLLATE "C")'
    if not DAY_TEXT.match(one.text):
        return f"{text} {one.sign} {value}::text"
    with_blank = f"overlay({text} PLACING ' ' FROM 11)"
    written = f"CASE WHEN substr({text}, 11, 1) = 'T' THEN {with_blank} ELSE {text} END"
    return f"({text} ~ '{DAY}' AND ({written}) {one.sign} {value}::text)"


def _check_day(one: Compared, there: Column) -> None:
    read = date.fromisoformat if there.kind == "date" else datetime.fromisoformat
    try:
        moment = read(one.text)
    except ValueError:
        moment = None
    if moment is None or not DAY_TEXT.match(one.text) or getattr(moment, "tzinfo", None):
        _refuse(one, there, "write a day as '2024-07-01'")


def _refuse(one: Compared, there: Column, instead: str) -> NoReturn:
    raise ParameterError(f"{named('where')}: {one.column!r} is {there.declared}; {instead}")
