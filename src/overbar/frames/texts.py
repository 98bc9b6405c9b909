"""Turn values into readable text, by a rule that looks at one value at a time.

What a column is, is decided by its native type: never by a look at some of its rows, because then
one person's row could decide how everybody's are read. And engines have ideas of their own:

pandas    an object column holds anything; a text may hold lone surrogates; pandas 2 compares text
          up to its first NUL
Arrow     text is bytes that nobody has checked to be UTF-8; so it is in pandas, Polars, DuckDB and
          the tables that DuckDB makes of it
DuckDB    a collation makes one label of several, and any one of them stands for all
Spark     both of these

What cannot be read becomes missing, row by row. Whole columns are tried first, because that is
fast, and value by value where it fails: what comes out is the same.
"""

from __future__ import annotations

import numbers
import re
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np

from overbar.errors import ParameterError
from overbar.frames import one_spelling

#: What becomes text: all that Narwhals may call a column of text or objects.
TEXT = (nw.String, nw.Categorical, nw.Enum, nw.Object)
#: Below this every whole number is a float.
EXACT = 2**53

#: Bytes of a label. Longer ones are missing: so 2,048 of them, which DuckDB hands over at once, fit
#: into the 2 GiB of an array of Arrow, whoever they belong to.
LONGEST = 2**19

#: What Python writes of a thing that has no text: where in memory it is.
PLACE = re.compile(" at 0x[0-9A-Fa-f]+>")

Table = nw.DataFrame[Any] | nw.LazyFrame[Any]


def object_text(value: object) -> str | None:
    r"""Return the text of whatever an object column holds; None where it is missing or has none.

    Numbers count as they do in a column of numbers: whole ones, as far as floats hold them.

    >>> [object_text(value) for value in ("1", 1, 1.0, Decimal("1.00"), True, "7.5", b"1", [1, 2])]
    ['1', '1', '1', '1', 'True', '7.5', "b'1'", '[1, 2]']
    >>> [object_text(value) for value in (None, 7.5, 2**53, Decimal("sNaN"), "\ud800", "a\0b")]
    [None, None, None, None, None, None]
    >>> object_text(object()), object_text([print, object()])  # where they are in memory
    (None, None)
    """
    if type(value) is str and value.isascii() and "\0" not in value:
        return value if len(value) <= LONGEST else None
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    try:
        if isinstance(value, numbers.Number | np.generic) and value != value:  # noqa: PLR0124
            return None  # NaN and numpy's NaT differ from themselves
        if _is_whole(value):
            return str(int(value))  # type: ignore[call-overload]
        if isinstance(value, numbers.Real) and not isinstance(value, bool):
            return None
        text = str(value)
        size = len(text.encode())  # lone surrogates have no bytes, and engines refuse them
    except Exception:
        return None
    if not isinstance(value, str) and PLACE.search(text):
        return None
    return None if "\0" in text or size > LONGEST else text


def is_spark(table: Table) -> bool:
    """Tell whether rows live on a Spark cluster."""
    return table.implementation.is_pyspark() or table.implementation.is_pyspark_connect()


def is_known(table: Table) -> bool:
    """Tell whether this is an engine whose ways with text are known."""
    engine = table.implementation
    return (
        engine.is_pandas_like()
        or engine.is_polars()
        or engine.is_pyarrow()
        or (engine.is_duckdb() or is_spark(table))
    )


def plain_labels(table: Table, names: list[str], person: str | None = None) -> Table:
    """Return a table whose columns of text, categories and objects hold readable text.

    That of persons has one spelling.
    """
    schema = table.collect_schema()
    texts = [name for name in names if schema[name] in TEXT]
    engine = table.implementation
    if engine.is_duckdb():
        return _of_duckdb(table.to_native(), texts, person)
    if is_spark(table):
        return _of_spark(table.to_native(), texts, person)
    if engine.is_polars():
        return _of_polars(table, [(name, schema[name]) for name in texts], person)
    assert isinstance(table, nw.DataFrame)
    read = _of_pandas if engine.is_pandas_like() else _of_arrow
    for name in texts:
        column = read(table[name], name == person)
        if column is not None:
            table = table.with_columns(column)
    return table


def values_of(column: nw.Series[Any]) -> list[Any]:
    """Return the values of a column as Python has them; of words of Arrow each is made once."""
    if not (column.implementation.is_pyarrow() and column.dtype == nw.Categorical):
        return list(column.to_list())
    whole = column.to_native().combine_chunks()
    words = whole.dictionary.to_pylist()
    return [None if code is None else words[code] for code in whole.indices.to_pylist()]


def _is_whole(value: Any) -> bool:
    """Tell whether a number is a whole one that floats hold: pandas turns 1 into 1.0."""
    number = isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool)
    return number and bool(-EXACT < value < EXACT and value == int(value))


def _of_pandas(column: nw.Series[Any], person: bool) -> nw.Series[Any] | None:
    """Return readable text, or None where the column is that already."""
    native = column.to_native()
    if hasattr(native.dtype, "categories"):
        # Pandas itself writes the category 3 as "3.0" where another row is missing.
        categories = [object_text(value) for value in _one_by_one(native.cat.categories)]
        texts = [categories[code] if code >= 0 else None for code in native.cat.codes.tolist()]
    elif native.dtype == object or getattr(native.dtype, "storage", None) == "python":
        texts = [object_text(value) for value in native.tolist()]
    else:
        return _of_arrow_in_pandas(column, person)
    if person:
        texts = [text and one_spelling.one_text(text) for text in texts]
    return nw.new_series(column.name, texts, nw.String, backend=column.implementation)


def _of_arrow_in_pandas(column: nw.Series[Any], person: bool) -> nw.Series[Any] | None:
    import pandas

    given = column.to_arrow()
    arrow = _without_nul(_readable_arrow(given, person))
    if arrow is given:
        return None
    series = column.implementation.to_native_namespace().Series  # of pandas, or of its like
    found: nw.Series[Any] = nw.from_native(
        series(pandas.arrays.ArrowExtensionArray(arrow), name=column.name), series_only=True
    )
    return found


def _without_nul(column: Any) -> Any:
    """Return text without that which has a NUL, because objects of pandas have none either."""
    import pyarrow.compute

    return _without(column, pyarrow.compute.match_substring(column, "\0"))


def _without(column: Any, odd: Any) -> Any:
    """Return a column that has nothing where it is odd; the same one where nowhere is."""
    import pyarrow.compute

    if not pyarrow.compute.any(odd).as_py():
        return column
    found = pyarrow.compute.if_else(odd, pyarrow.scalar(None, column.type), column)
    return found if isinstance(found, pyarrow.ChunkedArray) else pyarrow.chunked_array([found])


def _of_arrow(column: nw.Series[Any], person: bool) -> nw.Series[Any] | None:
    given = column.to_native()
    arrow = _readable_arrow(given, person)
    if arrow is given:
        return None
    found: nw.Series[Any] = nw.from_native(arrow, series_only=True)
    return found.alias(column.name)


def _readable_arrow(column: Any, person: bool) -> Any:
    """Return readable text with offsets of 64 bits; the column itself where it is that already."""
    import pyarrow.compute

    readable = _text_of_arrow(column)
    long = pyarrow.compute.greater(pyarrow.compute.binary_length(readable), LONGEST)
    readable = _without(readable, long)
    return one_spelling.of_arrow(readable) if person else readable


def _text_of_arrow(column: Any) -> Any:
    import pyarrow

    chunks = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
    text = pyarrow.large_string()
    if pyarrow.types.is_dictionary(column.type):
        kind, parts = column.type.value_type, []
        for chunk in chunks:
            words = _one_by_one(chunk.dictionary)
            if not (pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)):
                words = list(map(object_text, words))
            parts.append(pyarrow.array(words, text).take(chunk.indices))
        return pyarrow.chunked_array(parts, text)
    try:
        column.validate(full=True)
    except pyarrow.ArrowInvalid:
        return pyarrow.chunked_array([_one_by_one(chunk) for chunk in chunks], text)
    if column.type == text:
        return column
    return pyarrow.chunked_array([chunk.cast(text) for chunk in chunks], text)


def _one_by_one(values: Any) -> list[Any]:
    """Return the values as Python has them, None for those it cannot have."""
    try:
        return list(values.tolist())
    except Exception:
        return [_one(values, place) for place in range(len(values))]


def _one(values: Any, place: int) -> Any:
    try:
        value = values[place]
        return value.as_py() if hasattr(value, "as_py") else value
    except Exception:
        return None


def _of_polars(
    table: Table, columns: list[tuple[str, nw.dtypes.DType]], person: str | None
) -> Table:
    import polars

    native = table.to_native()
    readable: polars.Expr | polars.Series
    for name, kind in columns:
        if kind != nw.Object:
            readable = polars.col(name).cast(polars.String)
            for rule in (_readable_polars, *([one_spelling.of_polars] * (name == person))):
                readable = readable.map_batches(
                    rule, return_dtype=polars.String, is_elementwise=True
                )
        elif isinstance(table, nw.DataFrame):
            readable = polars.Series(name, map(object_text, native[name].to_list()), polars.String)
            readable = one_spelling.of_polars(readable) if name == person else readable
        else:
            raise ParameterError(
                f"{name!r} is a column of Python objects, which a lazy frame cannot group by; "
                "collect the frame first, or cast the column to text"
            )
        native = native.with_columns(readable)
    found: Table = nw.from_native(native)
    return found


def _readable_polars(column: Any) -> Any:
    import polars

    raw = column.cast(polars.Binary)
    try:
        text = raw.cast(polars.String)
    except polars.exceptions.PolarsError:
        texts = [None if value is None else _decoded(value) for value in raw.to_list()]
        text = polars.Series(column.name, texts, polars.String)
    short = text.str.len_bytes() <= LONGEST
    return text if short.all() else polars.select(polars.when(short).then(text)).to_series()


def _decoded(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def row_by_row(column: str) -> str:
    """Write a column, quoted for SQL already, so that its values alone decide.

    A Parquet file may state the least and the greatest value of a column, and NaN is neither.
    DuckDB believes it: where the two differ it takes ``isnan(v)`` for false and ``v > 5`` for what
    they are, and never looks. So one person's row, which made the two differ, decides how
    everyone's NaN count. Only some functions escape that (``isfinite`` does, ``isnan``, ``abs`` and
    comparisons do not), and no one can say for each that is ever written here, or by Narwhals,
    whether it does. No statistic passes through ``try``. So columns go through it once, where a
    table is opened and before anything is asked about a value: all that is asked behind it is asked
    row by row. That needs no setting of the connection, which may be the caller's.

    >>> row_by_row('"amount"')
    'try("amount")'
    """
    return f"try({column})"


def _of_duckdb(native: Any, names: list[str], person: str | None) -> Table:
    """Let values alone decide; compare text by its bytes, after a check that they are UTF-8.

    Tables of its own may hold others: what comes from Arrow is checked there only until the first
    letter beyond ASCII. Such text stops a query, or gets into its neighbours where it is sorted.
    """
    picked, chosen = [], []
    for name in native.columns:
        column = '"' + name.replace('"', '""') + '"'
        if name not in names:
            picked.append(f"{row_by_row(column)} as {column}")
            continue
        text = row_by_row(f"decode(encode(cast({column} as varchar)))")
        picked.append(f"{text} collate c as {column}")
        spelled = one_spelling.of_duckdb(column) if name == person else column
        text = f"case when strlen({column}) <= {LONGEST} then {spelled} end"
        chosen.append(f"({text}) collate c as {column}")
    plain = native.project(", ".join(picked))
    if chosen:  # in a second step, so that the text of a value is made once
        plain = plain.project(f"* replace ({', '.join(chosen)})")
    found: Table = nw.from_native(plain)
    return found


def _of_spark(native: Any, names: list[str], person: str | None) -> Table:
    from pyspark.sql import functions as F  # noqa: N812  # the name every Spark user knows

    for name in names:
        column = F.col("`" + name.replace("`", "``") + "`")
        text = F.try_validate_utf8(F.collate(column, "UTF8_BINARY"))
        text = F.when(F.octet_length(text) <= LONGEST, text)
        native = native.withColumn(name, one_spelling.of_spark(text) if name == person else text)
    found: Table = nw.from_native(native)
    return found
