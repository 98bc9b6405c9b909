"""Persons that are likely to be none, or one under several names: for the owner's eyes alone.

One person who is written in two ways counts twice, and the release costs that person more than it
says. A word for nobody, such as NULL, counts as one person with the rows of many. A release can
tell of neither, because that would tell of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw

#: Words that stand for nobody, in small letters.
NOBODY = (
    *("-", "--", ".", "?", "null", "none", "nil", "nan", "na", "n/a", "n.a.", "k.a.", "k. a."),
    *("unknown", "unbekannt", "missing", "undefined", "anonymous", "anonym", "guest", "gast"),
)
#: What a name has that may be written in another way: most names have nothing of it.
NOT_PLAIN = r"^[\s\x0b0]|[\s\x0b]$|[A-Z]|[^\x00-\x7f]"
#: A person has far too many rows from this share of all on, and so many times those of others.
SHARE, TIMES = 100, 10
#: So many are named.
NAMED = 5

Rows = nw.LazyFrame[Any]


def with_plain_names(persons: Rows) -> Rows:
    """Add how a person would be called without case, blanks at the ends and leading zeros."""
    if persons.collect_schema()["person"] != nw.String:
        return persons
    name = nw.col("person")
    bare = name.str.strip_chars().str.to_lowercase().str.replace_all("^0+", "")
    plain = nw.when(name.str.contains(NOT_PLAIN)).then(bare).otherwise(name)
    return persons.with_columns(plain.alias("plain"))


def notes_on_persons(persons: Rows, column: str) -> Iterator[str]:
    """Yield what is odd about them: each once, with its rows, and its plain name if it is text."""
    text = "plain" in persons.collect_schema().names()
    digits = nw.col("person").str.contains("^[0-9]+$")
    wanted = {"persons": nw.len(), "rows": nw.col("rows").sum()}
    if text:
        wanted |= {"numbers": digits.cast(nw.Int64).sum(), "plain": nw.col("plain").n_unique()}
    size = _sums(persons, wanted)
    number, rows = size["persons"], size["rows"]
    if number < 2:
        return
    # Some of few persons may well have a large share of the rows.
    odd = nw.col("rows") * min(SHARE, max(number // TIMES, 1)) > rows
    if text:
        odd = odd | nw.col("plain").is_in(NOBODY)
    yield from _likely_nobody(persons.filter(odd), column, rows)
    if not text:
        return
    fewer = min(size["numbers"], number - size["numbers"])
    if fewer and TIMES * fewer <= number:
        few = persons.filter(digits if size["numbers"] == fewer else ~digits)
        are, others = ("", " not") if size["numbers"] == fewer else ("no ", "")
        yield (
            f"{fewer:,} of {number:,} persons in {column!r} are {are}numbers, and the others "
            f"are{others}: {', '.join(repr(one) for one, _ in _most(few))}. Does the column name "
            "persons in one way?"
        )
    if size["plain"] < number:
        yield _several_ways(persons, column)


def _likely_nobody(odd: Rows, column: str, rows: int) -> Iterator[str]:
    size = _sums(odd, {"persons": nw.len(), "rows": nw.col("rows").sum()})
    if size["persons"]:
        shares = (f"{one!r} ({_percent(count, rows)})" for one, count in _most(odd))
        more = ", …" if size["persons"] > NAMED else ""
        yield (
            f"{size['persons']:,} persons in {column!r} have {_percent(size['rows'], rows)} of the "
            f"rows: {', '.join(shares)}{more}. Are they persons? What stands for nobody counts as "
            "one person; leave the field empty, and its rows do not count"
        )


def _several_ways(persons: Rows, column: str) -> str:
    person = nw.col("person")
    ways = persons.group_by("plain").agg(
        nw.len().alias("ways"), person.min().alias("first"), person.max().alias("last")
    )
    several = ways.filter(nw.col("ways") > 1)
    size = _sums(several, {"persons": nw.len(), "ways": nw.col("ways").sum()})
    shown = several.sort("plain").head(3).collect()
    pairs = zip(shown["first"].to_list(), shown["last"].to_list(), strict=True)
    return (
        f"{size['ways']:,} persons in {column!r} may be {size['persons']:,}: they differ in the "
        "case of letters, blanks at their ends or leading zeros alone, such as "
        f"{', '.join(f'{one!r} and {other!r}' for one, other in pairs)}. Each way of writing "
        "counts as a person, so one who has several is promised less than ε says. If they are the "
        "same, write each in one way, in a copy of the table: by TRIM in a spreadsheet, by a view "
        "with trim() in a database, by str.strip() in a data frame"
    )


def _sums(rows: Rows, wanted: dict[str, nw.Expr]) -> dict[str, int]:
    found = rows.select(*(number.alias(name) for name, number in wanted.items())).collect()
    return {name: int(found[name][0] or 0) for name in wanted}


def _most(persons: Rows) -> list[tuple[object, int]]:
    """Return some persons, those with the most rows, and how many rows they have."""
    most = persons.sort("rows", "person", descending=[True, False]).head(NAMED).collect()
    return list(zip(most["person"].to_list(), map(int, most["rows"].to_list()), strict=True))


def _percent(part: int, whole: int) -> str:
    """Write a share; a small one is not called nothing.

    >>> _percent(29, 100), _percent(1, 10**6)
    ('29 %', '0.0001 %')
    """
    return f"{100 * part / whole:.2g} %" if part != whole else "100 %"
