"""Types that pandas chooses by the rows, and how labels are read so that no choice shows.

Pandas makes floats of whole numbers where one is missing, objects of booleans then, and objects of
anything where a row is of another kind. So columns of its own types are read by one rule for all of
them. Types of Arrow, and those of pandas that know missing values, stay what they were said to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from overbar.errors import ParameterError
from overbar.frames.catalogue import Catalogue
from overbar.frames.columns import boolean_text, label_kind
from overbar.frames.texts import EXACT, Table, is_spark, object_text, plain_labels

#: What native types are called that hold nothing: Polars, Arrow, DuckDB, Spark, Arrow in pandas.
NOTHING = ("Null", "null", '"NULL"', "void", "null[pyarrow]")
#: As what nothing is read for a catalogue of each kind.
READ_AS = {"text": nw.String(), "whole": nw.Int64(), "boolean": nw.Boolean(), "date": nw.Date()}


def is_inferred(table: Table, name: str) -> bool:
    """Tell whether a column has a type that pandas may have chosen by its rows."""
    if not table.implementation.is_pandas_like():
        return False
    kind = table.to_native()[name].dtype
    return isinstance(kind, np.dtype) or str(kind) == "str"


def number_kind(table: Table, name: str) -> nw.dtypes.DType:
    """Return as what the numbers of a column are read: by its type, which is public.

    Pandas turns whole numbers into floats where one of them is missing, so that one person's row
    would change how everyone's are read. There they count as floats from the start.
    """
    kind = table.collect_schema()[name]
    return nw.Float64() if kind.is_integer() and is_inferred(table, name) else kind


def spelled(table: Table, names: Sequence[str]) -> Table:
    """Return a table whose booleans are text if one that is missing would make them that."""
    schema = table.collect_schema()
    flags = [name for name in names if schema[name] == nw.Boolean and is_inferred(table, name)]
    return table.with_columns(*(boolean_text(name) for name in flags)) if flags else table


def met(table: Table, name: str, catalogue: Catalogue) -> Table:
    """Return a table whose items can be looked up in a catalogue; refuse by the schema alone.

    Where pandas may have chosen the type, both meet as text, so nothing is refused for its kind.
    """
    kind = label_kind("item", name, table.collect_schema()[name])
    if not is_inferred(table, name):
        refuse_other_kind(name, kind, catalogue.kind)
        return table
    if catalogue.ends is not None and max(map(abs, catalogue.ends)) >= EXACT:
        raise ParameterError(
            f"catalogue must hold whole numbers below 2**53 for the column {name!r}, of which "
            "pandas makes floats where one is missing; make the column Int64, a type of Arrow, or "
            "text"
        )
    if catalogue.kind == kind:
        return table
    readable = plain_labels(table, [name])
    assert isinstance(readable, nw.DataFrame)
    labels: list[Any] = list(map(object_text, readable[name].to_list()))
    if catalogue.kind == "whole":
        labels = list(map(_whole, labels))
    read_as = nw.Float64 if catalogue.kind == "whole" else nw.String
    values = nw.new_series(name, labels, read_as, backend=table.implementation)
    return table.with_columns(values)


def refuse_other_kinds(table: Table, names: Sequence[str], catalogue: Catalogue) -> None:
    """Refuse combinations with a part that is in no column of this type, by the schema alone."""
    schema = table.collect_schema()
    for name, part in zip(names, catalogue.kinds, strict=True):
        kind = label_kind("item", name, schema[name])
        if not is_inferred(table, name):
            refuse_other_part(name, kind, part)


def refuse_other_part(name: str, kind: str, listed: str) -> None:
    """Refuse a part of listed combinations that is of another kind than its column.

    Parts meet as text, so text may stand for numbers and days as they are written.
    """
    if {kind, listed} not in ({"text", "whole"}, {"text", "date"}):
        refuse_other_kind(name, kind, listed)


def refuse_other_kind(name: str, kind: str, listed: str) -> None:
    """Refuse a catalogue that no item of a column can be in."""
    if kind != listed:
        raise ParameterError(
            f"catalogue must hold what the column {name!r} holds, which is {kind}, got {listed}"
        )


def _whole(text: str | None) -> float:
    """Return the number that a text is, written as Python writes it; NaN where it is none."""
    if text is None or len(text) > 17 or not text.removeprefix("-").isdecimal():
        return float("nan")
    number = int(text)
    return float(number) if str(number) == text and abs(number) < EXACT else float("nan")


def of_nothing(table: Table, name: str) -> bool:
    """Tell whether a column has a type that holds nothing: some engines choose it by the rows."""
    if table.collect_schema()[name] != nw.Unknown:
        return False
    native, engine = table.to_native(), table.implementation
    kind: Any
    if engine.is_duckdb():
        kind = native.types[native.columns.index(name)]
    elif is_spark(table):
        kind = native.schema[name].dataType.typeName()
    elif engine.is_polars():
        kind = native.collect_schema()[name]
    else:
        kind = native[name].dtype if engine.is_pandas_like() else native.schema.field(name).type
    return str(kind) in NOTHING
