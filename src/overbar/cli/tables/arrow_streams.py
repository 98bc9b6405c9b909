"""Streams of Arrow: what an engine reads as often as it likes, each time anew, a little at a time.

How much is handed over at once has a limit in bytes, and text that is too long for a label is no
value before the engine copies it. So nobody's long texts decide whether memory is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow
from pyarrow import compute

from overbar.frames.texts import LONGEST

#: What text is: of any size in all.
TEXT = pyarrow.large_string()
#: Rows, and letters of text, that are handed over at once.
ROWS, LETTERS = 1 << 14, 1 << 22
#: Rows that are handed over at once however long they are: fewer an engine would gather itself.
FEWEST = 64


class Stream:
    """A table that can be scanned as often as the engine likes; nothing of it is kept."""

    def __init__(self, schema: Any, batches: Callable[[], Iterable[Any]]) -> None:
        self._schema, self._batches = schema, batches
        self.failed: Exception | None = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader = pyarrow.RecordBatchReader.from_batches(self._schema, self._watched())
        return reader.__arrow_c_stream__(requested_schema)

    def _watched(self) -> Iterator[Any]:
        try:
            yield from self._batches()
        except Exception as error:  # the engine would tell of it in words of its own
            self.failed = error
            raise


def stream_of_rows(
    names: Sequence[str], rows: Callable[[], Iterator[Sequence[str | None]]]
) -> Stream:
    """Return rows of text as a stream; `rows` begins to read them anew."""
    schema = pyarrow.schema([(name, TEXT) for name in names])
    return Stream(schema, lambda: _batches(schema, rows()))


def _batches(schema: Any, rows: Iterator[Sequence[str | None]]) -> Iterator[Any]:
    while some := list(_some(rows)):
        columns = [pyarrow.array(column, TEXT) for column in zip(*some, strict=True)]
        yield pyarrow.record_batch(columns, schema)


def _some(rows: Iterator[Sequence[str | None]]) -> Iterator[list[str | None]]:
    """Yield the next rows, until they are enough."""
    letters = 0
    for place, row in enumerate(islice(rows, ROWS), 1):
        texts = [None if text is None else short(text) for text in row]
        yield texts
        letters += sum(len(text) for text in texts if text is not None)
        if letters > LETTERS and place >= FEWEST:
            return


def pieces(batch: Any, schema: Any) -> Iterator[Any]:
    """Yield a batch of another schema as `schema` has it; in pieces if it has much text.

    Text may come as words: it is written out here, for a few rows at a time.
    """
    columns = [_short(column) for column in batch.columns]
    size = len(batch) if sum(map(_letters, columns)) <= LETTERS else FEWEST
    for begin in range(0, len(batch), max(size, 1)):
        parts = [_written(column.slice(begin, size)) for column in columns]
        yield pyarrow.record_batch(parts, schema)


def _short(column: Any) -> Any:
    """Return a column in which text that is too long for a label is no value."""
    kind = column.type
    if pyarrow.types.is_dictionary(kind):
        return pyarrow.DictionaryArray.from_arrays(column.indices, _short(column.dictionary))
    if pyarrow.types.is_struct(kind):
        fields = [_short(column.field(place)) for place in range(kind.num_fields)]
        return pyarrow.StructArray.from_arrays(fields, fields=list(kind), mask=column.is_null())
    if kind not in (TEXT, pyarrow.string()):
        return column
    long = compute.greater(compute.binary_length(column), LONGEST)
    return compute.if_else(long, None, column) if compute.any(long).as_py() else column


def _letters(column: Any) -> int:
    """Return how much text there is, in bytes, when it is written out."""
    kind = column.type
    if pyarrow.types.is_struct(kind):
        return sum(map(_letters, column.flatten()))
    if pyarrow.types.is_dictionary(kind):
        sizes = compute.take(compute.binary_length(column.dictionary), column.indices)
    elif kind in (TEXT, pyarrow.string()):
        sizes = compute.binary_length(column)
    else:
        return 0
    return compute.sum(sizes.cast(pyarrow.int64())).as_py() or 0


def _written(column: Any) -> Any:
    """Return words as the text that they are."""
    if not pyarrow.types.is_dictionary(column.type):
        return column
    return compute.take(column.dictionary, column.indices).cast(TEXT, safe=False)


def short(text: str) -> str | None:
    """Return a text that is no longer than a label can be, in bytes; no letter has more than four.

    >>> short("tea"), short("x" * 2**19) is None, short("é" * 2**19)
    ('tea', False, None)
    """
    fits = 4 * len(text) <= LONGEST or len(text.encode()) <= LONGEST
    return text if fits else None
