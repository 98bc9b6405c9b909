"""Streams of Arrow: what an engine reads as often as it likes, each time anew, a little at a time.

How much is handed over at once has a limit in bytes, and text that is too long for a label is no
value before the engine copies it. So nobody's long texts decide whether memory is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow

from overbar.frames.texts import LONGEST

#: Rows, and letters of text, that are handed over at once.
ROWS, LETTERS = 1 << 14, 1 << 22


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
    schema = pyarrow.schema([(name, pyarrow.large_string()) for name in names])
    return Stream(schema, lambda: _batches(schema, rows()))


def _batches(schema: Any, rows: Iterator[Sequence[str | None]]) -> Iterator[Any]:
    while some := list(_some(rows)):
        columns = [pyarrow.array(column, pyarrow.large_string()) for column in zip(*some, strict=True)]
        yield pyarrow.record_batch(columns, schema)


def _some(rows: Iterator[Sequence[str | None]]) -> Iterator[list[str | None]]:
    """Yield the next rows, until they are enough."""
    letters = 0
    for row in islice(rows, ROWS):
        texts = [None if text is None else short(text) for text in row]
        yield texts
        letters += sum(len(text) for text in texts if text is not None)
        if letters > LETTERS:
            return


def short(text: str) -> str | None:
    """Return a text that is no longer than a label can be, in bytes; no letter has more than four.

    >>> short("tea"), short("x" * 2**19) is None, short("é" * 2**19)
    ('tea', False, None)
    """
    fits = 4 * len(text) <= LONGEST or len(text.encode()) <= LONGEST
    return text if fits else None
