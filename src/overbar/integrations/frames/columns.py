"""From the columns of any engine to labels that mean the same on all of them.

The types of columns are public; what is in them is not. So a column of a type without a meaning
here is refused, and within a column no value raises: what has no label is dropped, row by row.

text      strings as they are, not normalised: "é" in one code point and in two are two labels.
          Categories by their text. An object column of pandas by ``str`` of what is in it, so that
          1 and "1" are one label, and True is "True"
whole     integers; floats that are whole numbers below 2^53, because pandas turns integers into
          floats where one is missing. Other floats count as missing
boolean   true and false
date      days of the years 1 to 9999. Engines count further; other days count as missing
"""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, date, datetime
from typing import Any

import narwhals as nw

from overbar.errors import ParameterError

#: Below this every whole number is a float.
FLOAT_WHOLE = float(2**53)

WORDS = (nw.Int64, nw.Int32, nw.Int16, nw.Int8, nw.UInt64, nw.UInt32, nw.UInt16, nw.UInt8)


def label_kind(role: str, name: str, kind: nw.dtypes.DType) -> str:
    """Return what the labels of a column are: text, whole, boolean or date."""
    if kind in (nw.String, nw.Categorical, nw.Enum, nw.Object):
        return "text"
    if kind in WORDS or kind.is_float():
        return "whole"
    if kind == nw.Boolean:
        return "boolean"
    if kind == nw.Date:
        return "date"
    raise ParameterError(
        f"{role} must be a column of text, whole numbers, dates or booleans, got {name!r} of type "
        f"{kind}; cast it to text"
    )


def label(name: str, kind: nw.dtypes.DType) -> nw.Expr:
    """Return a column as labels; null where a value has none. Never fails on a value.

    Floats stay floats, for :func:`whole_labels` to change once the nulls are gone.
    """
    column = nw.col(name)
    if kind in (nw.Categorical, nw.Enum):
        return column.cast(nw.String)
    if kind.is_float():
        # Engines differ in whether NaN equals itself, but on all of them it is below nothing.
        inside = (column.abs() < FLOAT_WHOLE) & (column == column.floor())
        return nw.when(inside).then(column)
    if kind == nw.Date:
        # By the year, because Spark takes no literal for the first of them.
        return nw.when(column.dt.year().is_between(MINYEAR, MAXYEAR)).then(column)
    return column


def whole_labels(rows: nw.LazyFrame[Any], names: list[str]) -> nw.LazyFrame[Any]:
    """Return rows without nulls, their float labels as integers."""
    schema = rows.collect_schema()
    floats = [nw.col(name).cast(nw.Int64) for name in names if schema[name].is_float()]
    return rows.with_columns(*floats) if floats else rows


def score(name: str, kind: nw.dtypes.DType, *, clamped: bool) -> nw.Expr:
    """Return a column of scores as they are, null where one is not a number.

    Infinities need a range to be clamped into. Without one they count as missing: no finite
    sensitivity joins an infinite score to a finite one, so neighbours agree on which these are.
    """
    refuse_what_is_no_number("score", name, kind)
    column = nw.col(name)
    if not kind.is_float():
        return column
    usable = ~column.is_nan() if clamped else column.abs() < float("inf")
    return nw.when(usable).then(column)


def refuse_what_is_no_number(role: str, name: str, kind: nw.dtypes.DType) -> None:
    """Refuse a column to be summed, or of scores, that holds no numbers."""
    if not (kind.is_numeric() or kind.is_decimal()):
        raise ParameterError(
            f"{role} must be a column of numbers, got {name!r} of type {kind}; cast it to a float"
        )


def with_plain_labels(frame: nw.DataFrame[Any], names: list[str]) -> nw.DataFrame[Any]:
    """Return a frame whose object columns, and categories of pandas, hold text.

    By a rule that looks at one value at a time. Pandas itself writes the category 3 as "3.0" where
    another row is missing.
    """
    for name in names:
        kind = frame.schema[name]
        if kind == nw.Object:
            texts = [object_text(value) for value in frame[name].to_list()]
        elif kind in (nw.Categorical, nw.Enum) and frame.implementation.is_pandas_like():
            column = frame[name].to_native()
            categories = [object_text(category) for category in column.cat.categories.tolist()]
            texts = [categories[code] if code >= 0 else None for code in column.cat.codes.tolist()]
        else:
            continue
        plain = nw.new_series(name, texts, nw.String, backend=frame.implementation)
        frame = frame.with_columns(plain)
    return frame


def object_text(value: object) -> str | None:
    """Return the text of whatever an object column holds; None where it is missing or has none."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float) and value != value:  # noqa: PLR0124  # NaN differs from itself
        return None
    try:
        text = str(value)
        text.encode()  # lone surrogates have no bytes, and engines refuse them
    except Exception:
        return None
    return text


def plain_text(value: object) -> str:
    """Write a label as SQL does, so that all engines agree."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)
