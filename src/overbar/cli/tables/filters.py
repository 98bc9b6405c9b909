"""``--where``: which rows take part, told by comparisons that cannot fail on a row.

Each row is looked at by itself, so whoever's it is, it decides about nothing but itself. What was
typed is read here and never passed on as SQL: names and literals are written anew. A number is
compared with what can be read as a number, a text with text; what is missing or cannot be read is
on neither side.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from overbar.cli.tables.column_names import identifier, literal
from overbar.errors import ParameterError

SIGNS = {"=": "=", "==": "=", "!=": "<>", "<>": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_COMPARISON = re.compile(
    r"""\s*(?:(?P<plain>[^\W\d][\w.]*)|"(?P<quoted>(?:[^"]|"")+)")"""
    r"""\s*(?P<sign>[=!<>]{1,2})\s*"""
    r"""(?:(?P<number>[-+]?\d{1,15}(?:\.\d{1,15})?)|'(?P<text>(?:[^']|'')*)')\s*"""
)
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

    def condition(self, number: Callable[[str], str]) -> str:
        """Write the comparison for SQL; `number` says how a column becomes a number."""
        column = identifier(self.column)
        if self.number is None:
            return f"cast({column} as varchar) collate c {self.sign} {literal(self.text)}"
        value = number(column)
        return f"({value} {self.sign} cast('{self.number}' as double) and not isnan({value}))"


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
        found.append(Comparison(name, SIGNS[match["sign"]], match["number"], text))
        if match.end() == len(written):
            return tuple(found)
        joint = _AND.match(written, match.end())
        if joint is None:
            _refuse(written)
        place = joint.end()


def _refuse(written: str) -> NoReturn:
    raise ParameterError(
        "--where must compare columns with numbers or with texts in single quotes, with AND "
        f"between comparisons, such as \"year >= 2024 AND country = 'DE'\"; got {written!r}"
    )
