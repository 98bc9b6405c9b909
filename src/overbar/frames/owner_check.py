"""A look at a table for its owner's eyes: true numbers, which no release may show.

Nothing here is private. It goes to whoever asks, marked as what it is in every form, and nowhere
else: no ledger, log or report hears of it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import narwhals as nw

from overbar.frames.catalogue import OUTSIDE, Catalogue, catalogue_of
from overbar.frames.columns import array_of
from overbar.frames.discretion import discreetly
from overbar.frames.inferred import is_inferred
from overbar.frames.measure import COUNTS, Measure
from overbar.frames.narwhals_table import Lazy, labels_of, opened, with_labels
from overbar.frames.odd_persons import notes_on_persons, with_plain_names
from overbar.frames.postgres_table import DatabaseTable, looked_at
from overbar.frames.texts import EXACT, is_spark
from overbar.report import html_of, text_of
from overbar.runs.secrecy import sealed
from overbar.runs.selection import SHOWN_ROWS

WARNING = (
    "NOT PRIVATE, DO NOT PUBLISH: true numbers about the rows, for the eyes of their owner alone."
)
#: Which shares of the persons are told how many items they have, in per cent.
SHARES = (50, 90, 95, 99, 100)


@dataclass(frozen=True, repr=False)
class OwnerCheck:
    """What is in a table, in true numbers. It is **not private**: do not publish it.

    Parameters
    ----------
    rows : int
        How many rows there are.
    left_out : dict
        How many of them do not count, by the reason.
    items : int
        How many distinct items the rows that count have.
    persons : int or None
        How many distinct persons; None without a column of persons.
    per_person : dict
        How many persons have so many items, by the number of items.
    listed, occurring, unlisted_rows : int or None
        How many entries the catalogue has, how many of them occur, and how many rows that count
        have another item; None without a catalogue.
    no_number : int or None
        How many rows that count have no number in the column of values.
    notes : tuple of str
        What is likely to be wrong, and what to write instead.
    largest : tuple or None
        The items that most persons (or rows) have, with how many; None unless asked for.

    Examples
    --------
    >>> import polars
    >>> from overbar import frames
    >>> rows = polars.DataFrame({"product": ["tea", "rum", None], "customer": [1, 1, 2]})
    >>> found = frames.check(rows, item="product", person="customer", catalogue=["rum", "ale"])
    >>> found.counted, found.left_out, found.occurring, found.share_has(95)
    (2, {'no item': 1}, 1, 2)
    """

    rows: int
    left_out: Mapping[str, int]
    items: int
    persons: int | None
    per_person: Mapping[int, int]
    listed: int | None = None
    occurring: int | None = None
    unlisted_rows: int | None = None
    no_number: int | None = None
    notes: tuple[str, ...] = ()
    largest: tuple[tuple[Hashable, int], ...] | None = None

    @property
    def counted(self) -> int:
        """How many rows count."""
        return self.rows - sum(self.left_out.values())

    def share_has(self, percent: int) -> int:
        """Return how many items so many per cent of the persons have at most.

        Parameters
        ----------
        percent : int
            The share of the persons.

        Returns
        -------
        int
            A number of items; with it as `items_per_person` so many persons lose nothing.
        """
        persons = sum(self.per_person.values())
        sums = accumulate(self.per_person.values())
        pairs = zip(self.per_person, sums, strict=True)
        return next((items for items, below in pairs if 100 * below >= percent * persons), 0)

    def to_dict(self) -> dict[str, object]:
        """Return the numbers for JSON; the first entry says that they are not private.

        Returns
        -------
        dict
            Names and numbers.
        """
        return {
            "not_private": WARNING,
            "rows": self.rows,
            "left_out": dict(self.left_out),
            "counted": self.counted,
            "items": self.items,
            "persons": self.persons,
            "items_per_person": {f"{share} %": self.share_has(share) for share in SHARES},
            "catalogue": {
                "listed": self.listed,
                "occurring": self.occurring,
                "unlisted_rows": self.unlisted_rows,
            },
            "no_number": self.no_number,
            "notes": list(self.notes),
            **({} if self.largest is None else {"largest": [list(one) for one in self.largest]}),
        }

    __repr__ = text_of
    _repr_html_ = html_of


@sealed
def check(
    frame: Any,
    *,
    item: str,
    person: str | None = None,
    value: str | None = None,
    catalogue: Any = None,
    show_true_counts: bool = False,
) -> OwnerCheck:
    """Look at a table before anything is asked: for its owner, and **not private**.

    Errors of a release never depend on rows, so a release cannot say that half of them were left
    out. This says it, in true numbers. Nothing of it may be published, and what is chosen by it (a
    threshold, a catalogue) is no longer public.

    Parameters
    ----------
    frame : table
        A table of pandas, Polars (eager or lazy), PyArrow, DuckDB (a relation), Ibis on DuckDB or
        PySpark, or a DatabaseTable.
    item : str
        The column that says what.
    person : str, optional
        The column that says whose.
    value : str, optional
        A column of numbers, to be summed or of scores.
    catalogue : sequence or column, optional
        The public list of items.
    show_true_counts : bool, default False
        Whether to show the items that most persons have, with the true number of persons.

    Returns
    -------
    OwnerCheck
        True numbers; every form of them says that they are not private.

    Raises
    ------
    ParameterError
        If the table has no such columns, or the catalogue is of another kind.

    Examples
    --------
    >>> import pandas
    >>> from overbar import frames
    >>> rows = pandas.DataFrame({"product": ["tea"] * 2, "customer": [2**60, 7]})
    >>> found = frames.check(rows, item="product", person="customer")
    >>> found.left_out
    {'no person': 1}
    """
    listed = None if catalogue is None else catalogue_of(catalogue)
    measure = Measure("sum", item, person, value, None, None, COUNTS)
    return look(frame, measure, listed, show_true_counts=show_true_counts)


def in_memory(rows: Lazy) -> Lazy:
    """Return rows that are asked several times; those of an engine elsewhere stay there."""
    return (
        rows.collect().lazy() if not (rows.implementation.is_duckdb() or is_spark(rows)) else rows
    )


@sealed
def look(
    frame: Any,
    measure: Measure,
    listed: Catalogue | None,
    *,
    show_true_counts: bool,
    reason: str | None = None,
    keep: Callable[[Lazy], Lazy] = in_memory,
    about_items: Callable[[nw.Series[Any]], Iterable[str]] | None = None,
) -> OwnerCheck:
    """Look at a table: its rows are read once, and all else is asked of pairs that are kept.

    Where there is a column of reasons, a row with one is left out for it.
    """
    with discreetly():
        roles = list(measure.labels)
        if isinstance(frame, DatabaseTable):
            keep, reason = in_memory, None
            flags = [] if measure.column is None else ["no number"]
            kept = keep(looked_at(frame, measure, listed))
        else:
            table = opened(frame, measure, listed, *([reason] if reason else []))
            counted = _flags(table, measure)
            flags = list(counted)
            kept = keep(_combinations(table, measure, counted, reason))
        reasons: dict[str, int] = {}
        if reason is not None:
            why = kept.filter(~nw.col("reason").is_null()).group_by("reason")
            reasons = _pairs(why.agg(nw.col("rows").sum()).sort("reason"))
            kept = kept.filter(nw.col("reason").is_null())
        total = _totals(kept, roles, flags)
        whole = with_labels(kept, roles)
        # Without persons the rows themselves are counted.
        score = nw.col("rows").sum() if measure.person is None else nw.len()
        held = whole.group_by("item").agg(score.alias("score"), nw.col("rows").sum()).collect()
        each: dict[int, int] = {}
        odd: list[str] = []
        if measure.person is not None:
            crowd = whole.group_by("person").agg(nw.len().alias("items"), nw.col("rows").sum())
            crowd = keep(with_plain_names(crowd))
            sizes = crowd.group_by("items").agg(nw.len().alias("persons"))
            each = {int(n): persons for n, persons in _pairs(sizes.sort("items")).items()}
            odd = list(notes_on_persons(crowd, measure.person))
        fit, unlike = ({}, []) if listed is None else _compared(listed, held)
        more = () if about_items is None else about_items(held["item"])
        missing = {f"no {role}": total[f"no {role}"] for role in roles if total[f"no {role}"]}
        return OwnerCheck(
            total["rows"] + sum(reasons.values()),
            {**reasons, **missing},
            len(held),
            None if measure.person is None else sum(each.values()),
            each,
            no_number=None if measure.column is None else total["no number"],
            notes=(*_notes(total, measure), *odd, *unlike, *more),
            largest=_largest(held) if show_true_counts else None,
            **fit,
        )


def _combinations(
    table: Lazy, measure: Measure, flags: Mapping[str, nw.Expr], reason: str | None
) -> Lazy:
    """Return each combination of labels, with how many rows have it and what is flagged."""
    labels = labels_of(table, measure)
    if reason is not None:
        labels["reason"] = nw.col(reason)
    rows = table.select(
        *(column.alias(name) for name, column in labels.items()),
        *(flag.cast(nw.Int64).alias(name) for name, flag in flags.items()),
    )
    sums = [nw.col(name).sum() for name in flags]
    return rows.group_by(*labels).agg(nw.len().alias("rows"), *sums)


def _pairs(rows: Lazy) -> dict[Any, int]:
    """Return two small columns as a dictionary."""
    found = rows.collect()
    keys, numbers = (found[name].to_list() for name in found.columns)
    return dict(zip(keys, map(int, numbers), strict=True))


def _totals(kept: Lazy, roles: list[str], flags: list[str]) -> dict[str, int]:
    """Return how many rows there are, lack a label, and have what is flagged."""
    rows, before = nw.col("rows"), None
    sums = {"rows": rows.sum()}
    for role in roles:
        missing = nw.col(role).is_null()
        here = missing if before is None else missing & ~before
        before = missing if before is None else before | missing
        sums[f"no {role}"] = nw.when(here).then(rows).otherwise(0).sum()
    assert before is not None  # there is a column of items
    for flag in flags:
        number = nw.col(flag)
        counted = nw.when(~before).then(number).otherwise(0) if flag == "no number" else number
        sums[flag] = counted.sum()
    found = kept.select(*(column.alias(name) for name, column in sums.items())).collect()
    return {name: int(found[name][0] or 0) for name in sums}


def _flags(table: Lazy, measure: Measure) -> dict[str, nw.Expr]:
    """Return what is to be counted, row by row."""
    schema, flags = table.collect_schema(), {}
    for role, name in measure.labels.items():
        if is_inferred(table, name) and schema[name].is_integer():
            flags[f"long {role}"] = (nw.col(name) >= EXACT) | (nw.col(name) <= -EXACT)
    if measure.column is not None:
        number = nw.col(measure.column)
        none = number.is_null()
        is_float = schema[measure.column].is_float()
        flags["no number"] = none | number.is_nan() if is_float else none
    return flags


def _notes(total: Mapping[str, int], measure: Measure) -> Iterator[str]:
    for role, name in measure.labels.items():
        if total["rows"] and total[f"no {role}"] == total["rows"]:
            yield f"no row has anything in {name!r}, the {role}: is that the name of the column?"
        if total.get(f"long {role}"):
            yield (
                f"{total[f'long {role}']:,} whole numbers in {name!r} are 2**53 or more and count "
                "as missing in pandas: make the column Int64, a type of Arrow, or text"
            )


def _largest(held: nw.DataFrame[Any]) -> tuple[tuple[Hashable, int], ...]:
    top = held.sort("score", "item", descending=[True, False]).head(SHOWN_ROWS)
    return tuple(zip(top["item"].to_list(), map(int, top["score"].to_list()), strict=True))


def _compared(listed: Catalogue, rows: nw.DataFrame[Any]) -> tuple[dict[str, int], list[str]]:
    """Return how the items that occur and the catalogue fit together, and what is odd about it."""
    inside = listed.places(rows["item"]) != OUTSIDE
    items = zip(rows["item"].to_list(), inside.tolist(), strict=True)
    alike = {_folded(label) for label in listed.labels} if listed.kind == "text" else set()
    nearly = sum(not there and _folded(item) in alike for item, there in items)
    notes = []
    if nearly:
        notes.append(
            f"{nearly:,} items would be on the catalogue but for blanks at their ends, the case of "
            "letters or the way accents are stored"
        )
    elif not inside.any():
        notes.append("no entry of the catalogue occurs: is it written as the items are?")
    outside = int(array_of(rows["rows"])[~inside].sum())
    sizes = {"listed": len(listed), "occurring": int(inside.sum()), "unlisted_rows": outside}
    return sizes, notes


def _folded(label: object) -> str:
    return unicodedata.normalize("NFKC", str(label)).strip().casefold()
