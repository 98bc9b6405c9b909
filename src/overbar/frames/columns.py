"""From the columns of any engine to labels that mean the same on all of them.

The types of columns are public; what is in them is not. So a column of a type without a meaning
here is refused, and within a column no value raises: what has no label is dropped, row by row.
What a column is, is told by its native type and never by a look at its rows; an object column of
pandas is read value by value, whatever its first values are.

text      strings as they are, not normalised: "é" in one code point and in two are two labels, and
          "Tea" and "tea" too, whatever the collation. What is not UTF-8 counts as missing, and so
          does what has more than 2^19 bytes, by itself or as a combination of several columns.
          Of persons 1.0 is written as 1: see `one_spelling`.
          An object column by ``str`` of each value: 1 and "1" are one label, True is "True", b"1"
          is "b'1'". Whole numbers below 2^53 are written as such, so that 1, 1.0 and Decimal("1.0")
          are one label too: pandas turns the first into the second. Other integers and floats are
          missing, as they are in its columns of numbers. NaN, what has no ``str`` or one that says
          where in memory it is, and text with a lone surrogate or a NUL count as missing; a NUL
          does in all text of pandas.
          Categories and dictionaries by the same text of each category
whole     integers; floats that are whole numbers below 2^53. Other floats count as missing.
          Pandas turns integers into floats where one is missing, so its own integers are read as
          floats from the start: longer ones count as missing. Such identifiers need the type
          Int64, one of Arrow, or text
boolean   true and false; in pandas' own type the texts True and False
date      days of the years 1 to 9999. Engines count further; other days count as missing

A type that holds nothing (Null of Polars, null of Arrow, void of Spark) is one of missing values.
In pandas a row can change the type of a column, unless it is one of Arrow or one that knows missing
values (Int64, string): so there catalogue and column meet as text, whatever they hold.

**Items that several columns name** together have one text for each combination, and back. The texts
of the columns are joined by a slash. Within them a tilde is written ~0 and a slash ~1, so
two combinations have the same text only if they are the same in every column. Where pandas may have
chosen the type of a column, a value has the same text whichever it chose.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from datetime import MAXYEAR, MINYEAR, date, datetime
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_pyarrow_chunked_array
from numpy.typing import NDArray

from overbar.errors import ParameterError, named
from overbar.frames.texts import EXACT, TEXT, Table, is_spark, plain_labels

WORDS = (nw.Int64, nw.Int32, nw.Int16, nw.Int8, nw.UInt64, nw.UInt32, nw.UInt16, nw.UInt8)


def refuse_missing(parameter: str, name: str, there: list[str]) -> None:
    """Refuse a column that is not there, with the names of some that are."""
    if name not in there:
        shown = ", ".join(map(repr, there[:20])) + (", …" if len(there) > 20 else "")
        raise ParameterError(
            f"{named(parameter)} must name a column, got {name!r}; there are {shown}"
        )


def label_kind(role: str, name: str, kind: nw.dtypes.DType) -> str:
    """Return what the labels of a column are: text, whole, boolean or date."""
    if kind in TEXT:
        return "text"
    if kind in WORDS or kind.is_float():
        return "whole"
    if kind == nw.Boolean:
        return "boolean"
    if kind == nw.Date:
        return "date"
    raise ParameterError(
        f"{named(role)} must be a column of text, whole numbers, dates or booleans, got {name!r} "
        f"of type {kind}; cast it to text"
    )


def label(name: str, kind: nw.dtypes.DType) -> nw.Expr:
    """Return a column as labels; null where a value has none. Never fails on a value.

    Floats stay floats, for :func:`whole_labels` to change once the nulls are gone.
    """
    column = nw.col(name)
    if kind.is_float():
        column = _float(column, kind)
        # Engines differ in whether NaN equals itself, but on all of them it is below nothing.
        inside = (column.abs() < float(EXACT)) & (column == column.floor())
        return nw.when(inside).then(column)
    return column


def known_days(table: Table, names: list[str]) -> Table:
    """Return a table in which days that Python does not know are missing.

    By days and not by years: those of Arrow have 16 bits, so a far one passes as one of ours. Spark
    takes no literal for the first days, and its years have 32 bits, as days do.
    """
    schema, spark = table.collect_schema(), is_spark(table)

    def inside(day: nw.Expr) -> nw.Expr:
        return (
            day.dt.year().is_between(MINYEAR, MAXYEAR)
            if spark
            else day.is_between(date.min, date.max)
        )

    days = [nw.col(name) for name in names if schema[name] == nw.Date]
    return table.with_columns(*(nw.when(inside(day)).then(day) for day in days)) if days else table


def whole_labels(rows: nw.LazyFrame[Any], names: list[str]) -> nw.LazyFrame[Any]:
    """Return rows without nulls, their float labels as integers."""
    schema = rows.collect_schema()
    floats = [nw.col(name).cast(nw.Int64) for name in names if schema[name].is_float()]
    return rows.with_columns(*floats) if floats else rows


def score(name: str, kind: nw.dtypes.DType, *, clamped: bool, clipped: bool) -> nw.Expr:
    """Return a column of scores as they are, null where one is not a number.

    Infinities need a range to be clamped into. Without one they count as missing: no finite
    sensitivity joins an infinite score to a finite one, so neighbours agree on which these are.
    Where whole numbers may have become floats they are clipped to those that floats hold: that
    moves no two scores apart, and rounding would.
    """
    refuse_what_is_no_number("score", name, kind)
    if not kind.is_float():
        return nw.col(name)
    column = _float(nw.col(name), kind)
    usable = ~column.is_nan() if clamped else column.abs() < float("inf")
    scores = nw.when(usable).then(column)
    return scores.clip(-float(EXACT), float(EXACT)) if clipped else scores


def _float(column: nw.Expr, kind: nw.dtypes.DType) -> nw.Expr:
    """Return floats to reckon with: Arrow compares no halves, and Polars has no floor of them."""
    return column.cast(nw.Float32() if kind == nw.Float16 else kind)


def refuse_what_is_no_number(role: str, name: str, kind: nw.dtypes.DType) -> None:
    """Refuse a column to be summed, or of scores, that holds no numbers."""
    if not (kind.is_numeric() or kind.is_decimal()):
        raise ParameterError(
            f"{named(role)} must be a column of numbers, got {name!r} of type "
            f"{'object' if kind == nw.Object else kind}; cast it to a float"
        )


def refuse_objects(frame: Any, role: str, name: str) -> None:
    """Refuse Python objects as numbers: what Narwhals would call them depends on the first rows."""
    if str(getattr(frame[name], "dtype", None)) == "object":
        refuse_what_is_no_number(role, name, nw.Object())


def plain_text(value: object) -> str:
    """Write a label as SQL does, so that all engines agree."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)


def array_of(column: Any) -> NDArray[Any]:
    """Return a column of numbers, of whichever engine, as an array; what is missing is NaN.

    Without pandas, which Arrow's own way imports for a second.

    >>> import pyarrow
    >>> array_of(nw.from_native(pyarrow.chunked_array([[1, 2], [3]]), series_only=True)).tolist()
    [1, 2, 3]
    """
    native = nw.to_native(column, pass_through=True)
    if is_pyarrow_chunked_array(native) and native.num_chunks and not native.null_count:
        from pyarrow import types

        if types.is_integer(native.type) or types.is_floating(native.type):
            return np.concatenate([np.from_dlpack(chunk) for chunk in native.chunks])
    array: NDArray[Any] = column.to_numpy()
    return array


#: How the text of each kind is read.
READERS: dict[str, Callable[[str], Hashable]] = {
    "text": str, "whole": int, "boolean": "True".__eq__, "date": date.fromisoformat,
}  # fmt: skip

Lazy = nw.LazyFrame[Any]


def joined(rows: Lazy, names: Sequence[str]) -> Lazy:
    """Return rows with one column `item` in place of several. Precondition: no nulls in these."""
    schema = rows.collect_schema()
    parts = [_text(name, label_kind("item", name, schema[name])) for name in names]
    others = [name for name in schema.names() if name not in names]
    combined: Table = rows.select(nw.concat_str(*parts, separator="/").alias("item"), *others)
    if combined.implementation.is_pandas_like() or combined.implementation.is_pyarrow():
        combined = combined.lazy().collect()
    # Again by its bytes, whatever the collation; and again missing if it is too long.
    return plain_labels(combined, ["item"]).lazy().filter(~nw.col("item").is_null())


def _text(name: str, kind: str) -> nw.Expr:
    if kind == "boolean":
        return boolean_text(name)
    column = nw.col(name)
    if kind != "text":
        return column.cast(nw.String)
    return column.str.replace_all("~", "~0", literal=True).str.replace_all("/", "~1", literal=True)


def boolean_text(name: str) -> nw.Expr:
    """Return booleans as Python writes them. Precondition: no nulls."""
    return nw.when(nw.col(name)).then(nw.lit("True")).otherwise(nw.lit("False")).alias(name)


def written(label: Sequence[Hashable]) -> str:
    """Return the text of a combination.

    >>> written(("a/b", 7)), read("a~1b/7", ("text", "whole"))
    ('a~1b/7', ('a/b', 7))
    """
    return "/".join(str(part).replace("~", "~0").replace("/", "~1") for part in label)


def group_of(text: str) -> str:
    """Return what the first column says, as it stands in the text of a combination.

    >>> group_of("a~1b/7")
    'a~1b'
    """
    return text.partition("/")[0]


def read(text: str, kinds: Sequence[str]) -> tuple[Hashable, ...]:
    """Return the combination that a text stands for, each part of the kind of its column."""
    parts = (part.replace("~1", "/").replace("~0", "~") for part in text.split("/"))
    return tuple(READERS[kind](part) for part, kind in zip(parts, kinds, strict=True))
