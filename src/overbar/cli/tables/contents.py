"""What a file is by its first bytes, whatever its name says: packed, or no text at all.

Only files that begin with something public are looked at so: a header, or the bracket of an array.
In others the first bytes may be someone's row, and there the name alone tells.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

#: Bytes that are read at once.
BLOCK = 1 << 18
#: How packed files begin, what their names end with, and who unpacks them.
PACKED = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00"}
#: What the engine unpacks itself, by the name.
OF_THE_ENGINE = (".gz", ".zst")
_UNPACK: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
#: How files begin that are no text, and what they are.
NO_TEXT = {
    b"PK\x03\x04": "a zip archive or a workbook: add --input-format xlsx, or unpack it first",
    b"\xd0\xcf\x11\xe0": "an old or a locked workbook: save it as .xlsx without a password, or as "
    "CSV",
    b"PAR1": "Parquet: add --input-format parquet",
    b"SQLite format 3\0": "a database of SQLite: add --input-format sqlite",
    b"%PDF": "a PDF: save the table as CSV",
    b"<!DOCTYPE": "a web page: save the table as CSV",
    b"<html": "a web page: save the table as CSV",
    b"<?xml": "XML: save the table as CSV",
    b"[{": "JSON: add --input-format json",
    b'{"': "JSON: add --input-format jsonl",
}
LONGEST = max(map(len, NO_TEXT))


def packing(name: str, *, by_content: bool) -> str | None:
    """Return the ending of the name that a packed file has, or should have."""
    if by_content:
        with Path(name).open("rb") as file:
            begin = file.read(LONGEST)
        return next((ending for ending, mark in PACKED.items() if begin.startswith(mark)), None)
    return next((ending for ending in PACKED if name.lower().endswith(ending)), None)


def unpacked(name: str, *, by_content: bool = False) -> IO[bytes]:
    """Open a file for its bytes, packed or not."""
    ending = packing(name, by_content=by_content)
    if ending == ".zst":
        import pyarrow

        return pyarrow.input_stream(name, compression="zstd")  # type: ignore[no-any-return]
    return _UNPACK.get(ending or "", open)(name, "rb")  # type: ignore[no-any-return]


def no_text(begin: bytes) -> str | None:
    """Say what a file is that begins so, if it is no text."""
    begin = begin.lstrip(b"\xef\xbb\xbf \r\n")
    marks = (what for mark, what in NO_TEXT.items() if begin[: len(mark)].lower() == mark.lower())
    return next(marks, None)


def blocks_of(stream: IO[bytes], size: int | None = None) -> Iterator[bytes]:
    """Yield all that a stream has."""
    while block := stream.read(size or BLOCK):
        yield block
