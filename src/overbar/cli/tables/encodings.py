"""How bytes become text: as the user names it, by a mark before the header, and else as UTF-8.

No row is looked at to find it out. Only encodings are taken in which no row can change how others
are read: the end of a line is the same byte everywhere, and each line is decoded by itself. (UTF-16
is one of units of two bytes, and so are its rows.) What has no letter in an encoding that was named
becomes a byte that UTF-8 never has, and its line is left out.

Where none was named, a line that is no UTF-8 is read as Windows-1252: what it was saved as in most
cases. Each byte has a letter there: the five that Windows leaves empty are control characters, as
they are in browsers (the Encoding Standard, index windows-1252). So no line is left out.

Lines are cut here, each by itself. An engine's own reader looks at several lines at once: to find
out what ends a line, whether quotes are closed, how many fields there are. Here LF, CR and CRLF end
a line in every file, a line that is empty or too long is left out, and what becomes of a line
depends on its own bytes alone.

**What a file is** by its first bytes, whatever its name says: packed, or no text at all. Only files
that begin with something public are looked at so: a header, or the bracket of an array. In others
the first bytes may be someone's row, and there the name alone tells.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import importlib
import lzma
import re
from collections.abc import Callable, Iterable, Iterator
from encodings import cp1252
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow

from overbar.cli.tables.arrow_streams import Stream
from overbar.errors import ParameterError
from overbar.frames.arrow_words import mask_of

#: Bytes that are read at once.
BLOCK = 1 << 18
#: How packed files begin, what their names end with, and who unpacks them.
PACKED = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00"}
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
LONGEST_MARK = max(map(len, NO_TEXT))


def packing(name: str, *, by_content: bool) -> str | None:
    """Return the ending of the name that a packed file has, or should have."""
    if by_content:
        with Path(name).open("rb") as file:
            begin = file.read(LONGEST_MARK)
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


#: Encodings of several bytes for a letter, in which no part of a letter ends a line.
MULTIBYTE = (
    *("big5", "big5hkscs", "cp932", "cp949", "cp950", "euc_jis_2004", "euc_jisx0213", "euc_jp"),
    *("euc_kr", "gb18030", "gb2312", "gbk", "johab", "shift_jis", "shift_jis_2004"),
    "shift_jisx0213",
)
#: The marks that UTF-16 begins with.
MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: How text is read where no encoding is named, in words for everybody.
AS_UTF8 = "read as UTF-8, or as UTF-16 if its header is; other lines as Windows-1252"
#: Longer lines are left out, in bytes: of what one of them may take there is enough memory.
LONGEST = 1_900_000
_LINE_END = re.compile(rb"([\r\n])")
_EMPTY = "\ufffe"
_WINDOWS = "".join(
    chr(byte) if letter == _EMPTY else letter for byte, letter in enumerate(cp1252.decoding_table)
)
_NO_LETTER = re.compile("[\ud800-\udfff]")


def marked(begin: bytes) -> str | None:
    r"""Return the encoding that a header begins in: told by a mark, or by its first two letters.

    >>> marked("a,b".encode("utf-16")), marked("a,b".encode("utf-16-be")), marked(b"a,b")
    ('utf-16', 'utf-16-be', None)
    """
    if begin.startswith(MARKS):
        return "utf-16"
    empty = [not byte for byte in begin[:4]]
    ways = {"utf-16-le": [False, True] * 2, "utf-16-be": [True, False] * 2}
    return next((name for name, way in ways.items() if empty == way), None)


def checked_encoding(written: str) -> str | None:
    """Return the name of an encoding as Python has it; None for UTF-8.

    >>> checked_encoding("Latin-1"), checked_encoding("UTF8")
    ('iso8859-1', None)
    >>> checked_encoding("utf-7")
    Traceback (most recent call last):
    overbar.errors.ParameterError: --encoding must be utf-8, utf-16, latin-1, cp1252 or another
    encoding of whole lines that Python knows, got 'utf-7'
    """
    try:
        name = codecs.lookup(written).name
    except (LookupError, ValueError):
        name = ""
    if name in ("utf-8", "utf-8-sig", "ascii"):
        return None
    if name in ("utf-16", "utf-16-le", "utf-16-be", *MULTIBYTE) or _is_single(name):
        return name
    raise ParameterError(
        "--encoding must be utf-8, utf-16, latin-1, cp1252 or another encoding of whole lines that "
        f"Python knows, got {written!r}"
    )


def _is_single(name: str) -> bool:
    """Tell whether each byte is a letter, and the first half of them those of ASCII."""
    try:
        module = importlib.import_module(f"encodings.{name.replace('-', '_') or 'undefined'}")
    except ImportError:  # a codec that makes no text, such as uu
        return False
    return str(getattr(module, "decoding_table", ""))[:128] == bytes(range(128)).decode()


def to_utf8(blocks: Iterable[bytes], encoding: str | None) -> Iterator[bytes]:
    r"""Yield text as UTF-8; what has no letter as a byte that UTF-8 never has.

    >>> b"".join(to_utf8([b"K\xe4se \x81"], "cp1252"))
    b'K\xc3\xa4se \xff'
    """
    if encoding is None:
        for place, block in enumerate(blocks):
            yield block if place else block.removeprefix(codecs.BOM_UTF8)
    elif encoding.startswith("utf-16"):
        yield from _of_units(blocks, encoding)
    elif encoding in MULTIBYTE:
        for part in whole_lines(blocks):
            lines = _LINE_END.split(part)
            yield b"".join(_utf8(line.decode(encoding, "surrogateescape")) for line in lines)
    else:
        for block in blocks:
            yield _utf8(block.decode(encoding, "surrogateescape"))


def _of_units(blocks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Yield what units of two bytes stand for; without a mark the lower byte is the first."""
    decoder = None
    for block in blocks:
        first = decoder is None
        if decoder is None:
            big = block.startswith(codecs.BOM_UTF16_BE) or encoding == "utf-16-be"
            order = "utf-16-be" if big else "utf-16-le"
            decoder = codecs.getincrementaldecoder(order)("surrogatepass")
        text = decoder.decode(block)
        yield _utf8(text.removeprefix("\ufeff") if first else text)


def whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the same bytes in blocks that end where a line does.

    Of a line that is too long for anything its first part is kept: memory has an end.

    >>> list(whole_lines([b"a\nb", b"c", b"\rd"]))
    [b'a\n', b'bc\r', b'd']
    """
    rest: list[bytes] = []
    size = 0
    for block in blocks:
        end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
        if end:
            yield b"".join([*rest, block[:end]])
            rest, size = [], 0
        if size <= LONGEST:
            rest.append(block[end:])
            size += len(rest[-1])
    yield b"".join(rest)


def readable(block: bytes, *, mend: bool) -> bytes:
    r"""Return whole lines as UTF-8: those that are not so are mended by themselves, or left out.

    >>> lines = "Käse\nÖl".encode() + b"\n\xd6l \x81"
    >>> readable(lines, mend=True).decode(), readable(lines, mend=False).decode()
    ('Käse\nÖl\nÖl \x81', 'Käse\nÖl\n')
    """
    if is_utf8(block):  # most blocks are passed on as they are
        return block
    return b"\n".join(
        line if is_utf8(line) else of_windows(line).encode() if mend else b""
        for line in _LINE_END.split(block)[::2]
    )


def of_windows(line: bytes) -> str:
    """Return the text of bytes in Windows-1252, of whichever bytes."""
    return codecs.charmap_decode(line, "strict", _WINDOWS)[0]


def is_utf8(text: bytes) -> bool:
    """Tell whether bytes are UTF-8."""
    try:
        return text.isascii() or bool(text.decode())
    except UnicodeDecodeError:
        return False


def _utf8(text: str) -> bytes:
    return _NO_LETTER.sub("\udcff", text).encode(errors="surrogateescape")


_SCHEMA = pyarrow.schema([("line", pyarrow.string())])


def text_lines(blocks: Callable[[], Iterable[bytes]]) -> Stream:
    """Return whole lines as a table with one column, `line`."""
    return Stream(_SCHEMA, lambda: (_batch(block, LONGEST) for block in blocks()))


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
