"""Lines of text files, as the engine scans them: cut and decoded by us, each by itself.

An engine's own reader looks at several lines at once: to find out what ends a line, whether quotes
are closed, how many fields there are. Here LF, CR and CRLF end a line in every file, a line that is
empty or too long is left out, and what becomes of a line depends on its own bytes alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow

from overbar.cli.tables.encodings import readable, whole_lines
from overbar.frames.arrow_words import mask_of

#: What a basket file has: the items of a line, and the line itself as the person.
BASKET_COLUMNS = ("item", "person")
_SCHEMA = pyarrow.schema([("line", pyarrow.string())])


class TextLines:
    """A table with one column, `line`, which can be scanned as often as the engine likes."""

    def __init__(self, blocks: Callable[[], Iterable[bytes]], longest: int) -> None:
        self._blocks, self._longest = blocks, longest
        self.failed: Exception | None = None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader = pyarrow.RecordBatchReader.from_batches(_SCHEMA, self._batches())
        return reader.__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[pyarrow.RecordBatch]:
        try:
            for block in self._blocks():
                yield _batch(block, self._longest)
        except Exception as error:  # the engine would tell of it in words of its own
            self.failed = error
            raise


def mended(blocks: Iterable[bytes], encoding: str | None) -> Iterator[bytes]:
    """Yield whole lines of UTF-8. Where an encoding was named, what is not so is left out."""
    return (readable(block, mend=encoding is None) for block in whole_lines(blocks))


def _batch(block: bytes, longest: int) -> pyarrow.RecordBatch:
    r"""Cut whole lines apart.

    >>> _batch(b"a\r\nbc\n\nlonger\rd", longest=4).column(0).to_pylist()
    ['a', 'bc', 'd']
    """
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    block = block if block.endswith(b"\n") else block + b"\n"
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    count = len(ends)
    offsets = np.zeros(count + 1, np.int32)
    offsets[1:] = ends - np.arange(count)  # as they are without the line ends
    text = pyarrow.py_buffer(block.replace(b"\n", b""))
    lines = pyarrow.StringArray.from_buffers(count, pyarrow.py_buffer(offsets), text)
    sizes = np.diff(offsets)
    kept = (sizes > 0) & (sizes <= longest)
    if not kept.all():
        lines = lines.filter(mask_of(kept))
    return pyarrow.record_batch([lines], _SCHEMA)


def basket_query(place: str) -> str:
    """Write the reading of items and persons: a basket a line, items separated by spaces."""
    return (
        "select unnest(string_split_regex(trim(line, E' \\t\\r'), '[ \\t]+')) as item, person "
        f"from (select line, row_number() over () as person from {place})"
    )
