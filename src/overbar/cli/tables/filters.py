"""``--where``: which rows take part, told by comparisons that cannot fail on a row.

Each row is looked at by itself, so whoever's it is, it decides about nothing but itself. What was
typed is read here and never passed on as SQL: names and literals are written anew. A number is
compared with what can be read as a number, a text with text; what is missing or cannot be read is
on neither side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import duckdb

from overbar.cli.tables.column_names import NamedColumns, identifier, literal
from overbar.cli.tables.engine import refuse
from overbar.errors import ParameterError

SIGNS = {"=": "=", "==": "=", "!=": "<>", "<>": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_COMPARISON = re.compile(
    r"""\s*(?:(?P<plain>[^\W\d][\w.]*)|"(?P<quoted>(?:[^"]|"")+)")"""
    r"""\s*(?P<sign>[=!<>]{1,2})\s*"""
    r"""(?:(?P<number>[-+]?\d{1,15}(?:\.\d{1,15})?)|'(?P<text>(?:[^']|'')*)')\s*"""
)
#: A number with a decimal comma. A point is between groups of three; 12.50 is no such number.
WITH_COMMA = r"^\s*[-+]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)?(,[0-9]*)?([eE][-+]?[0-9]+)?\s*$"
#: How a day begins that can be compared as text: 2024-07-01. What is written in another way is on
#: neither side of it.
DAY = re.compile("^[0-9]{4}-[0-9]{2}-[0-9]{2}")
#: Other ways to write a day, and numbers: as texts they have another order than what they mean.
_OTHER_DAY = re.compile(
    r"\d{1,2}([./-])\s?\d{1,2}\1\s?(\d{4}|\d{2})?\b.*|\d{4}([./-])\d{1,2}\3\d{1,2}\b.*"
    r"|(\d{1,2}[.,]? ?)?[^\W\d]{3,9}[.,]? ?(\d{1,2}[.,]? ?)?\d{4}"
)
_NUMBER = re.compile(r"[-+]?\d[\d., ]*(e[-+]?\d+)?", re.IGNORECASE)
_AND = re.compile(r"and\b", re.IGNORECASE)


@dataclass(frozen=True)
class Comparison:
    """A column, a sign, and a number or a text."""

    column: str
    sign: str
    number: str | None
    text: str

    def __str__(self) -> str:
        with_what = literal(self.text) if self.number is None else self.number
        return f"{identifier(self.column)} {self.sign} {with_what}"

    def condition(self, decimal_comma: bool | None) -> str:
        """Write the comparison for SQL."""
        column = identifier(self.column)
        if self.number is None:
            text, wanted = f"cast({column} as varchar)", self.text
            is_day = ""
            if DAY.match(wanted):  # before the time of day is a T or a blank
                is_day = f"regexp_matches({text}, {literal(DAY.pattern)}) and "
                text = f"regexp_replace({text}, '^(.{{10}})T', '\\1 ')"
                wanted = wanted[:10] + wanted[10:].replace("T", " ", 1)
            return f"{is_day}{text} collate c {self.sign} {literal(wanted)}"
        value = number_of(column, decimal_comma)
        return f"({value} {self.sign} cast('{self.number}' as double) and not isnan({value}))"


def rows_that_fit(
    relation: duckdb.DuckDBPyRelation, where: Sequence[Comparison], decimal_comma: bool | None
) -> duckdb.DuckDBPyRelation:
    """Return the rows that take part; what can be compared is told by types alone."""
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    for one in where:
        kind = kinds[one.column]
        if one.number is not None and kind in ("DATE", "BOOLEAN"):
            refuse(f"--where: {one.column!r} is {kind}; compare it with a text in quotes")
        if one.number is None and kind not in ("VARCHAR", "DATE", "BOOLEAN"):
            refuse(f"--where: {one.column!r} is {kind}; compare it with a number, no quotes")
        if kind == "DATE" and not DAY.fullmatch(one.text):
            refuse(f"--where: {one.column!r} has days; write them as '2024-07-01'")
        if kind == "BOOLEAN" and one.text not in ("true", "false"):
            refuse(f"--where: {one.column!r} is 'true' or 'false'; compare it with one of them")
    return relation.filter(" and ".join(one.condition(decimal_comma) for one in where))


def with_numbers(
    relation: duckdb.DuckDBPyRelation,
    columns: NamedColumns,
    decimal_comma: bool | None,
    *,
    reason: str | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return texts as numbers, where these are asked for.

    What is not a number becomes no value, whoever's it is: an error would tell about it. A column
    with the `reason` why a row is left out stays.
    """
    numbers, picked = columns.numbers(), []
    for part, name in columns:
        text = identifier(name)
        number = f"{number_of(text, decimal_comma)} as {text}"
        picked.append(number if part in numbers else text)
    if reason is not None:
        picked.append(identifier(reason))
    return relation.project(", ".join(picked))


def number_of(column: str, decimal_comma: bool | None) -> str:
    """Write how a text becomes a number. How numbers are written is said, not found out."""
    if not decimal_comma:
        return f"try_cast({column} as double)"
    with_point = f"try_cast(replace(replace({column}, '.', ''), ',', '.') as double)"
    return f"case when regexp_matches({column}, {literal(WITH_COMMA)}) then {with_point} end"


def comparisons(written: str) -> tuple[Comparison, ...]:
    """Read comparisons with AND between them.

    >>> [one.column for one in comparisons("year >= 2024 and country = 'DE'")]
    ['year', 'country']
    """
    found, place = [], 0
    while True:
        match = _COMPARISON.match(written, place)
        if match is None or match["sign"] not in SIGNS:
            _refuse(written)
        name = match["plain"] or match["quoted"].replace('""', '"')
        text = (match["text"] or "").replace("''", "'")
        if match["number"] is None and SIGNS[match["sign"]] not in ("=", "<>"):
            _refuse_other_orders(text)
        found.append(Comparison(name, SIGNS[match["sign"]], match["number"], text))
        if match.end() == len(written):
            return tuple(found)
        joint = _AND.match(written, match.end())
        if joint is None:
            _refuse(written)
        place = joint.end()


def _refuse_other_orders(text: str) -> None:
    """Refuse to say what is below or above a text that means something of another order.

    >>> _refuse_other_orders("2024-07-01"), _refuse_other_orders("M")
    (None, None)
    >>> _refuse_other_orders("01.07.2024")
    Traceback (most recent call last):
    overbar.errors.ParameterError: --where: '01.07.2024' looks like a day, and texts are compared
    letter by letter: write it as '2024-07-01'; a column that has days in another form must be
    written anew, or compared with = alone
    """
    if not DAY.match(text) and _OTHER_DAY.fullmatch(text.strip()):
        raise ParameterError(
            f"--where: {text!r} looks like a day, and texts are compared letter by letter: write "
            "it as '2024-07-01'; a column that has days in another form must be written anew, or "
            "compared with = alone"
        )
    if _NUMBER.fullmatch(text.strip()):
        raise ParameterError(
            f"--where: {text!r} looks like a number, and texts are compared letter by letter, '10' "
            "before '9': write it without quotes, and with a point before decimals"
        )


def _refuse(written: str) -> NoReturn:
    raise ParameterError(
        "--where must compare columns with numbers or with texts in single quotes, with AND "
        f"between comparisons, such as \"year >= 2024 AND country = 'DE'\"; got {written!r}"
    )
