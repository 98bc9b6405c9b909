"""How many transactions hold each item: counted a block at a time, no loop over lines or items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from overbar import _check
from overbar.datasets.blocks import blocks
from overbar.datasets.dataset import DatasetError
from overbar.datasets.transaction_forms import FORMS, TransactionForm, reason

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


@_check.known_keywords
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
    shape = FORMS[_check.choice("form", form, FORMS)]
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
