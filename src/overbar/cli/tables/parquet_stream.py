"""Parquet files as streams of Arrow, whose text is bytes that nobody has looked at yet.

The engine's own reader stops at text that is not UTF-8, or writes question marks for it, which
makes one person of two. In a stream, text comes as it is, and is looked at row by row like all
else. A stream knows no statistics, takes no filter, and is read the same way whatever is in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote

import pyarrow

from overbar.cli.tables.arrow_streams import TEXT, Stream, pieces
from overbar.cli.tables.engine import refuse

#: What a folder is called that stands for no value.
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
#: Batches that are read before they are asked for: they are not part of what ``--memory`` bounds.
BATCHES_AHEAD = 4
#: Bytes, and rows, that are read at once.
BUFFER, ROWS = 1 << 18, 1 << 10
#: How text is read: each word once, and which of them a row has.
WORDS = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
#: What a file calls the types that its columns had in Arrow, and what nothing is called.
TYPES, NO_TYPES = b"ARROW:schema", b"ARROW:Schema"


def parquet_streams(files: Sequence[str], names: Sequence[str]) -> Iterator[Any]:
    """Yield streams of these columns, one for all files that spell the names alike.

    What no file has is the name of folders.
    """
    form = _form()
    keys = {tuple(_folders(file)) for file in files}
    folders = set(keys.pop()) if len(keys) == 1 else set()  # as the engine takes them
    alike: dict[tuple[str, ...], list[str]] = {}
    for file in files:
        there = _schema(form, file).names
        own = (name if name in folders else _spelled(file, name, there) for name in names)
        alike.setdefault(tuple(own), []).append(file)
    for spelled, some in alike.items():
        yield _stream(_dataset(form, some, spelled, folders), names)


def _form(words: Sequence[str] = ()) -> Any:
    """Return how files are read: the text of some columns as `words`, each of which is there once.

    Pages are read one after another, so that a large group of rows need not be in memory.
    """
    import pyarrow.dataset as arrow

    options = arrow.ParquetFragmentScanOptions(
        pre_buffer=False,
        use_buffered_stream=True,
        buffer_size=BUFFER,
        arrow_extensions_enabled=True,
    )
    read = arrow.ParquetReadOptions(coerce_int96_timestamp_unit="us", dictionary_columns=words)
    return arrow.ParquetFileFormat(read_options=read, default_fragment_scan_options=options)


def _stream(dataset: Any, names: Sequence[str]) -> Stream:
    own = dataset.schema
    fields = ((name, _plain(one.type)) for name, one in zip(names, own, strict=True))
    schema = pyarrow.schema(list(fields))

    def batches() -> Iterator[Any]:
        scanner = dataset.scanner(
            columns=own.names,
            batch_size=ROWS,
            batch_readahead=BATCHES_AHEAD,
            fragment_readahead=1,
        )
        for batch in scanner.to_batches():
            yield from pieces(batch, schema)

    return Stream(schema, batches)


class _AsStored:
    """A Parquet file that does not say which types its columns had in Arrow.

    It is opened for each reading: there may be more files than can be open at once.
    """

    closed = False

    def __init__(self, name: str) -> None:
        self._name, self._at, self._end = name, 0, os.path.getsize(name)
        self._types = range(0)
        self.seek(-8, os.SEEK_END)
        begin = self.seek(-8 - int.from_bytes(self.read(4), "little"), os.SEEK_END)
        if (place := self.read().find(TYPES)) >= 0:
            self._types = range(begin + place, begin + place + len(TYPES))
        self.seek(0)

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        self._at = place + (0, self._at, self._end)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        with open(self._name, "rb") as file:
            file.seek(self._at)
            text = bytearray(file.read(size))
        for place, letter in zip(self._types, NO_TYPES, strict=False):
            if self._at <= place < self._at + len(text):
                text[place - self._at] = letter
        self._at += len(text)
        return bytes(text)

    def close(self) -> None:
        self.closed = True


def _places(form: Any, file: str) -> tuple[Any, ...]:
    """Return what a file is opened by: as it is stored where a column has categories."""
    from pyarrow.fs import LocalFileSystem

    place = os.path.abspath(file), LocalFileSystem()
    try:
        has_categories = any("dictionary<" in str(kind) for kind in form.inspect(*place).types)
    except pyarrow.ArrowException:
        raise OSError from None  # what it says may quote the file
    return (pyarrow.PythonFile(_AsStored(place[0]), "r"),) if has_categories else place


def _schema(form: Any, file: str) -> Any:
    return form.inspect(*_places(form, file))


def _spelled(file: str, name: str, there: list[str]) -> str:
    """Return how a file spells the name of a column."""
    same = [other for other in there if other == name]
    same = same or [other for other in there if other.lower() == name.lower()]
    if len(same) != 1:
        refuse(f"{file} must have one column called {name!r}, got {len(same)}")
    return same[0]


def _dataset(form: Any, files: list[str], names: Sequence[str], folders: set[str]) -> Any:
    import pyarrow.dataset as arrow
    from pyarrow.fs import LocalFileSystem

    first = _schema(form, files[0])
    texts = [name for name in set(names) - folders if _plain(first.field(name).type) == TEXT]
    form, fragments = _form(texts), []
    for file in files:
        inside = arrow.scalar(True)
        for name in folders.intersection(names):
            value = _folders(file)[name]
            column = arrow.field(name)
            inside &= column.is_null() if value is None else column == arrow.scalar(value)
        place = _places(form, file)
        fragments.append(form.make_fragment(*place, partition_expression=inside))
    kinds = [pyarrow.string() if name in folders else first.field(name).type for name in names]
    kinds = [
        WORDS if name in texts else _plain(kind) for name, kind in zip(names, kinds, strict=True)
    ]
    schema = pyarrow.schema(list(zip(names, kinds, strict=True)))
    return arrow.FileSystemDataset(fragments, schema, form, LocalFileSystem())


def _plain(kind: Any) -> Any:
    """Return the type as which the engine takes a column, to which no value fails to convert."""
    for is_kind, plain in (
        ("string", TEXT),  # of any size in all
        ("string_view", TEXT),
        ("dictionary", TEXT),
        ("float16", pyarrow.float32()),
        ("decimal256", pyarrow.float64()),
        ("duration", pyarrow.int64()),
    ):
        if getattr(pyarrow.types, f"is_{is_kind}")(kind):
            return plain
    return kind


def _folders(file: str) -> dict[str, str | None]:
    """Return what the folders of a file say that are named key=value."""
    pairs = (part.split("=", 1) for part in os.path.dirname(file).split(os.sep) if "=" in part)
    return {key: None if value == NO_VALUE else unquote(value) for key, value in pairs}
