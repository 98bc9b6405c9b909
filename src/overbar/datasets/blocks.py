"""Files read in blocks of whole lines: plain or gzip, with the checksum of what they hold."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path

from overbar.datasets.dataset import ChecksumError, DatasetError

#: Bytes read at a time.
BLOCK = 1 << 22
#: Bytes of a line: a longer one would be no transaction, and must not fill the memory.
LONGEST_LINE = 1 << 24

GZIP_MARK = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def blocks(path: Path, checksum: str | None = None) -> Iterator[tuple[int, bytes]]:
    r"""Yield blocks of whole lines, each with the number of its first line.

    Every line ends with ``\n`` alone, the last one too; a byte order mark is left out. Whether a
    file is compressed is seen from its first bytes, not from its name. With a checksum such as
    ``sha256:...`` the decompressed content is held against it once the last line is out.
    """
    algorithm, _, expected = (checksum or "").partition(":")
    digest = hashlib.new(algorithm) if algorithm else None
    number, rest, first = 1, b"", True
    for chunk in _chunks(path):
        if digest is not None:
            digest.update(chunk)
        text = rest + (chunk.removeprefix(BYTE_ORDER_MARK) if first else chunk)
        first = False
        cut = text.rfind(b"\n") + 1
        block, rest = text[:cut], text[cut:]
        if block:
            yield number, _unix(block)
            number += block.count(b"\n")
        if len(rest) > LONGEST_LINE:
            raise DatasetError.of(path, f"a line of more than {LONGEST_LINE} bytes", number)
    if rest:
        yield number, _unix(rest) + b"\n"
    if digest is not None and digest.hexdigest() != expected:
        raise ChecksumError.of(
            path,
            f"wrong checksum: {algorithm} of the content is {digest.hexdigest()}, "
            f"of the registered file {expected}",
        )


def _unix(block: bytes) -> bytes:
    return block.replace(b"\r\n", b"\n") if b"\r" in block else block


def _chunks(path: Path) -> Iterator[bytes]:
    """Yield the decompressed content in pieces; a damaged file gives a message, not a traceback."""
    try:
        with path.open("rb") as raw:
            compressed = raw.read(2) == GZIP_MARK
            raw.seek(0)
            stream = gzip.GzipFile(fileobj=raw) if compressed else raw
            while chunk := stream.read(BLOCK):
                yield chunk
    except EOFError:
        raise DatasetError.of(path, "the gzip file is cut short") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DatasetError.of(path, f"the gzip file is damaged ({error})") from None
    except OSError as error:
        raise DatasetError.of(path, f"cannot be read ({error.strerror or error})") from None
