"""In how many records each item is: files read in blocks of whole lines, plain or gzip.

A grammar matches as many well-formed lines as there are, so that where it stops is where the first
malformed line begins. Possessive quantifiers keep it from looking back: it is linear in the file.
Blank lines are let through and are no records. Whatever passed is rewritten to item ids separated
by blanks, which is all that the counting has to read.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from overbar_lab import checks
from overbar_lab.datasets.registry import ChecksumError, DatasetError

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


#: Digits in an item id: every number of so many digits fits in 64 bits.
LONGEST_ID = 18

_ID = rb"[0-9]{1,%d}(?![0-9])" % LONGEST_ID
_BLANKS = rb"[ \t]*+"
_NUMBER = rb"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
_ZERO = rb"[+-]?(?:0++(?:\.0*+)?|\.0++)(?:[eE][+-]?[0-9]++)?(?![^ \t\n])"

#: In a LIBSVM line: the label, a pair whose value is zero, the value of any other pair.
_NOT_INDEX = re.compile(rb"(?m:^)[ \t]*+[^ \t\n]++|(?<=[ \t])[0-9]++:%b|:[^ \t\n]++" % _ZERO)
_LABEL = re.compile(rb"(?m)^[ \t]*+[^ \t\n]++")
_ODD = re.compile(rb"[^\t\x20-\x7e]")
_STRANGE = re.compile(rb"[^0-9 \t,:.+-]")


@dataclass(frozen=True)
class TransactionForm:
    """One way to write transactions down.

    `shape` says for messages what a line should look like, `grammar` matches all leading
    well-formed lines of a text, and `plain` rewrites these to item ids separated by blanks. With
    `pairs` a line is a transaction id and one item id, instead of a whole transaction.
    """

    name: str
    shape: str
    grammar: re.Pattern[bytes]
    plain: Callable[[bytes], bytes]
    pairs: bool = False


def _lines(content: bytes) -> re.Pattern[bytes]:
    """Make a grammar of lines that are blank or have this content."""
    return re.compile(rb"(?:%b(?:%b%b)?+\n)*+" % (_BLANKS, content, _BLANKS))


def _indices(text: bytes) -> bytes:
    # Nearly every value is 1, and plain replacement is many times faster than substitution.
    text = text.replace(b":1 ", b" ").replace(b":1\n", b"\n")
    return (_NOT_INDEX if b":" in text else _LABEL).sub(b" ", text)


#: The forms by name.
FORMS: dict[str, TransactionForm] = {
    form.name: form
    for form in (
        TransactionForm(
            "fimi",
            "item ids (whole numbers from 0) separated by spaces",
            _lines(rb"(?:%b%b)++" % (_ID, _BLANKS)),
            bytes,  # as it is
        ),
        TransactionForm(
            "comma",
            "item ids (whole numbers from 0) separated by single commas",
            _lines(rb"(?:%b%b(?:,%b|(?=\n)))++" % (_ID, _BLANKS, _BLANKS)),
            lambda text: text.replace(b",", b" "),
        ),
        TransactionForm(
            "pairs",
            "a transaction id and one item id, separated by a tab",
            _lines(rb"%b[ \t]++%b" % (_ID, _ID)),
            bytes,  # as it is
            pairs=True,
        ),
        TransactionForm(
            "libsvm",
            "a numeric label, then pairs index:value",
            _lines(rb"%b(?:[ \t]++%b:%b)*+" % (_NUMBER, _ID, _NUMBER)),
            _indices,
        ),
    )
}


def reason(form: TransactionForm, line: bytes) -> str:
    """Say what is wrong with a line that the grammar does not match."""
    odd = _ODD.search(line)
    if odd:
        byte = f"byte 0x{odd[0][0]:02x} at column {odd.start() + 1}"
        return f"{byte} belongs in no {form.name} file; is this a binary or compressed file?"
    if re.search(rb"[0-9]{%d}" % (LONGEST_ID + 1), line):
        return f"a number of more than {LONGEST_ID} digits"
    strange = _STRANGE.search(line)
    start = max(0, strange.start() - 15) if strange else 0
    excerpt = line[start : start + 40].decode("ascii")
    dots = ("..." if start else "", "..." if start + 40 < len(line) else "")
    return f"expected {form.shape}, got {dots[0]}{excerpt!r}{dots[1]}"


Integers = NDArray[np.int64]

#: Counting by an array with a cell for every id pays up to this many cells for each item seen.
CELLS_PER_ITEM = 4


@dataclass(frozen=True, eq=False)
class Supports:
    """The items of some transactions in ascending order, and how many transactions hold each."""

    items: Integers
    counts: Integers
    records: int

    def __post_init__(self) -> None:
        self.items.flags.writeable = False
        self.counts.flags.writeable = False


def count_supports(
    path: Path | str, form: str = "fimi", *, checksum: str | None = None
) -> Supports:
    """Count the supports of a transaction file, plain or gzip.

    An item repeated within a transaction counts once. Blank lines are no records. A malformed line
    raises :class:`DatasetError` with its number.

    Parameters
    ----------
    path : Path or str
        The file.
    form : str, default "fimi"
        How it is written: ``"fimi"`` (ids separated by spaces), ``"comma"`` (by commas, a trailing
        one allowed), ``"pairs"`` (lines of transaction id and item id, in any order), ``"libsvm"``
        (a label and pairs ``index:value``: an index is an item unless its value is zero).
    checksum : str, optional
        ``algorithm:hexadecimal`` of the decompressed content.

    Returns
    -------
    Supports
        How many records have each item.

    Raises
    ------
    DatasetError
        If the file is damaged, or holds nothing; with the number of a malformed line.
    """
    shape = FORMS[checks.choice("form", form, FORMS)]
    path = Path(path)
    parts, tables = [], []
    for number, block in blocks(path, checksum):
        _refuse_malformed(path, shape, number, block)
        items, lines = _numbers(shape.plain(block))
        if shape.pairs:
            tables.append(items.reshape(-1, 2))
        else:
            parts.append(tally(_without_repeats(lines, items), _records(block)))
    if tables:  # a transaction may span blocks
        table = np.concatenate(tables)
        parts.append(count_pairs(table[:, 0], table[:, 1]))
    result = merged(parts)
    if not result.records:
        raise DatasetError.of(path, "holds no transactions")
    return result


def holdings(path: Path | str, form: str) -> tuple[Integers, Integers]:
    """Return which line holds which item, line by line, as often as it stands there.

    For files of whole transactions whose checksum was held against them before.
    """
    lines, items = [], []
    for number, block in blocks(Path(path)):
        names, places = _numbers(FORMS[form].plain(block))
        items.append(names)
        lines.append(places + number - 1)
    return np.concatenate(lines), np.concatenate(items)


def count_pairs(transactions: Integers, items: Integers) -> Supports:
    """Count supports from a long table: one row for each transaction and item, in any order."""
    names, lines = np.unique(transactions, return_inverse=True)
    return tally(_without_repeats(lines, items), len(names))


def merged(parts: Sequence[Supports]) -> Supports:
    """Add up the supports of separate transactions."""
    empty = np.zeros(0, dtype=np.int64)
    items = np.concatenate([empty, *(part.items for part in parts)])
    counts = np.concatenate([empty, *(part.counts for part in parts)])
    order = np.argsort(items, kind="stable")
    items, counts = items[order], counts[order]
    starts = np.flatnonzero(np.diff(items, prepend=-1))
    total = np.add.reduceat(counts, starts) if len(starts) else empty
    return Supports(items[starts], total, sum(part.records for part in parts))


def _refuse_malformed(path: Path, form: TransactionForm, number: int, block: bytes) -> None:
    good = form.grammar.match(block)
    end = good.end() if good else 0
    if end < len(block):
        line = block[end : block.index(b"\n", end)]
        raise DatasetError.of(path, reason(form, line), number + block.count(b"\n", 0, end))


def _numbers(block: bytes) -> tuple[Integers, Integers]:
    """Return every number of well-formed plain lines, and the line that each stands in."""
    text = np.frombuffer(block, dtype=np.uint8)
    values = text - np.uint8(ord("0"))  # wraps around, so that only digits are below ten
    digit = values < 10
    edges = np.flatnonzero(digit[1:] != digit[:-1]) + 1
    if digit[0]:
        edges = np.concatenate([[0], edges])
    starts, lengths = edges[::2], edges[1::2] - edges[::2]
    numbers = values[starts].astype(np.int64)
    left = np.arange(len(starts))
    for place in range(1, int(lengths.max(initial=0))):  # a round for each digit, not each number
        left = left[lengths[left] > place]
        numbers[left] = 10 * numbers[left] + values[starts[left] + place]
    ends = np.searchsorted(starts, np.flatnonzero(text == ord("\n")))
    lines = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    return numbers, lines


def _records(block: bytes) -> int:
    """Count the lines that are not blank."""
    text = np.frombuffer(block, dtype=np.uint8)
    starts = np.flatnonzero(text == ord("\n")) + 1
    return int(np.logical_or.reduceat(text > ord(" "), np.append(0, starts[:-1])).sum())


def _without_repeats(lines: Integers, items: Integers) -> Integers:
    """Return the items of all lines, each once for every line that holds it."""
    fresh = (items[1:] > items[:-1]) | (lines[1:] > lines[:-1])
    if np.all(fresh & (lines[1:] >= lines[:-1])):  # most files are sorted within a line
        return items
    names = None
    size, height = int(items.max()) + 1, int(lines.max()) + 1
    if size * height >= 2**63:  # huge ids: number the items that there are
        names, items = np.unique(items, return_inverse=True)
        size = len(names)
    keys = lines * size + items
    keys.sort()
    codes: Integers = keys[np.append(True, keys[1:] != keys[:-1])] % size
    return codes if names is None else names[codes]


def tally(items: Integers, records: int) -> Supports:
    """Count how often each item occurs."""
    if len(items) and int(items.max()) < CELLS_PER_ITEM * len(items):
        cells = np.bincount(items)
        present = np.flatnonzero(cells)
        return Supports(present, cells[present], records)
    return Supports(*np.unique(items, return_counts=True), records)
