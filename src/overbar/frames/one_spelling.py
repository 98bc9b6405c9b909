"""One person, one spelling: text that is a whole number, a point and zeros is the number.

Somebody who stands in a table as 1, as 1.0 and as "1" would count three times, and a release would
cost more than it says. Two persons who are taken for one cost accuracy alone. So the text of a
*person* is rewritten by a rule that looks at nothing else, the same on every engine: digits, a
point and zeros lose the point and the zeros, and zero its minus. In columns of floats 1.0 is the
whole number 1 already, and in an object column too, whatever holds it.

All else stays as it is: leading zeros, case, blanks, other digits than 0 to 9, exponents. Those may
be different persons, and the owner's check shows them.
"""

from __future__ import annotations

import re
from typing import Any

#: For RE2, Rust and PostgreSQL, where the dollar is the very end; the groups have one number each.
NUMBER = "^(?:-(0+)|(0+|-?0*[1-9][0-9]*))[.]0+$"
#: Which texts are worth a look: only these can be such numbers.
POINT = ".0"

_FULL = re.compile(NUMBER.removesuffix("$"))


def one_text(text: str) -> str:
    """Return the text of a person.

    >>> [one_text(text) for text in ("1", "1.0", "-7.00", "-0.0", "007.0", "1.5", "1.0 ", "1e0")]
    ['1', '1', '-7', '0', '007', '1.5', '1.0 ', '1e0']
    """
    number = _FULL.fullmatch(text) if POINT in text else None
    return text if number is None else number[1] or number[2]


def of_arrow(column: Any) -> Any:
    """Return text of Arrow so; the same column where nothing is to do."""
    import pyarrow
    from pyarrow import compute

    odd = compute.match_substring(column, POINT)
    if not compute.any(odd).as_py():
        return column
    parts = [
        compute.replace_substring_regex(chunk, NUMBER, r"\1\2")
        for chunk in getattr(column, "chunks", [column])
    ]
    return pyarrow.chunked_array(parts, column.type)


def of_polars(column: Any) -> Any:
    """Return a Series so."""
    odd = column.str.contains(POINT, literal=True)
    return column.str.replace(NUMBER, "${1}${2}") if odd.any() else column


def of_duckdb(text: str) -> str:
    """Write it for DuckDB. The first sign of a number is cheap to compare."""
    number = f"regexp_replace({text}, '{NUMBER}', '\\1\\2')"
    inside = f"{text} < ':' and contains({text}, '{POINT}')"
    return f"case when {inside} then {number} else {text} end"


def of_spark(column: Any) -> Any:
    """Return a column so: in Java the dollar is before a last line break too."""
    from pyspark.sql import functions as F  # noqa: N812  # the name every Spark user knows

    number = F.regexp_replace(column, NUMBER.replace("$", r"\z"), "$1$2")
    return F.when(F.contains(column, F.lit(POINT)), number).otherwise(column)


def of_postgres(text: str) -> str:
    """Write it for PostgreSQL, whatever it takes a backslash for."""
    number = f"regexp_replace({text}, '{NUMBER}', E'\\\\1\\\\2')"
    return f"CASE WHEN strpos({text}, '{POINT}') > 0 THEN {number} ELSE {text} END"
