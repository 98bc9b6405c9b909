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
    *("", "-", "--", ".", "?", "null", "none", "nil", "nan", "na", "n/a", "n.a.", "k.a.", "k. a."),
    *("unknown", "unbekannt", "missing", "undefined", "anonymous", "anonym", "guest", "gast"),
)
#: A person has far too many rows from this share of all on, and so many times those of others.
SHARE, TIMES = 100, 10
#: So many are named.
NAMED = 5


def notes_on_persons(persons: nw.LazyFrame[Any], name: str) -> Iterator[str]:
    """Yield what is odd about them; columns person and rows, each person once."""
    text = persons.collect_schema()["person"] == nw.String
    size = persons.select(nw.len().alias("persons"), nw.col("rows").sum()).collect()
    number, rows = int(size["persons"][0]), int(size["rows"][0] or 0)
    many = nw.col("rows") * min(SHARE, max(number // TIMES, 1)) > rows
    if number < 2:
        return
    folded = nw.col("person").str.strip_chars().str.to_lowercase()
    yield from _likely_nobody(persons, many | folded.is_in(NOBODY) if text else many, name, rows)
    if text:
        yield from _of_another_kind(persons, name, number)
        yield from _several_spellings(persons, folded, name)


def _likely_nobody(persons: nw.LazyFrame[Any], odd: nw.Expr, name: str, rows: int) -> Iterator[str]:
    chosen = persons.filter(odd)
    size = chosen.select(nw.len().alias("persons"), nw.col("rows").sum()).collect()
    number, theirs = int(size["persons"][0]), int(size["rows"][0] or 0)
    if number:
        most = chosen.sort("rows", "person", descending=[True, False]).head(NAMED).collect()
        shares = zip(most["person"].to_list(), most["rows"].to_list(), strict=True)
        listed = ", ".join(f"{one!r} ({_percent(int(count), rows)})" for one, count in shares)
        more = ", …" if number > NAMED else ""
        yield (
            f"{number:,} persons in {name!r} have {_percent(theirs, rows)} of the rows: {listed}"
            f"{more}. Are they persons? What stands for nobody counts as one person; leave the "
            "field empty, and its rows do not count"
        )


def _of_another_kind(persons: nw.LazyFrame[Any], name: str, number: int) -> Iterator[str]:
    """Yield that nearly all are numbers and some are not, or the other way round."""
    digits = nw.col("person").str.contains("^[0-9]+$")
    numbers = int(persons.select(digits.cast(nw.Int64).sum()).collect()["person"][0] or 0)
    fewer = min(numbers, number - numbers)
    if fewer and TIMES * fewer <= number:
        few = persons.filter(digits if numbers == fewer else ~digits)
        most = few.sort("rows", "person", descending=[True, False]).head(NAMED).collect()
        listed = ", ".join(map(repr, most["person"].to_list()))
        yield (
            f"{fewer:,} of {number:,} persons in {name!r} are {'' if numbers == fewer else 'no '}"
            f"numbers, and the others are{'' if numbers > fewer else ' not'}: {listed}. Does the "
            "column name persons in one way?"
        )


def _several_spellings(persons: nw.LazyFrame[Any], folded: nw.Expr, name: str) -> Iterator[str]:
    spelled = persons.select("person", folded.str.replace_all("^0+", "").alias("folded"))
    person = nw.col("person")
    alike = spelled.group_by("folded").agg(
        nw.len().alias("ways"), person.min().alias("first"), person.max().alias("last")
    )
    several = alike.filter(nw.col("ways") > 1)
    size = several.select(nw.len().alias("persons"), nw.col("ways").sum()).collect()
    number = int(size["persons"][0])
    if number:
        shown = several.sort("folded").head(3).collect()
        pairs = zip(shown["first"].to_list(), shown["last"].to_list(), strict=True)
        listed = ", ".join(f"{one!r} and {other!r}" for one, other in pairs)
        yield (
            f"{int(size['ways'][0]):,} persons in {name!r} may be {number:,}: they differ in the "
            f"case of letters, blanks at their ends or leading zeros alone, such as {listed}. Each "
            "way of writing counts as a person, so one who has several is promised less than ε "
            "says: write every person in one way"
        )


def _percent(part: int, whole: int) -> str:
    """Write a share; a small one is not called nothing.

    >>> _percent(29, 100), _percent(1, 10**6)
    ('29 %', '0.0001 %')
    """
    return f"{100 * part / whole:.2g} %" if part != whole else "100 %"
