"""How long it takes to make market baskets and to count the supports of large files.

Run with ``python -m benchmarks datasets``. Files of the size of Kosarak (990,002 lines, about eight
million ids) are written to a temporary folder in every form; the slow reader of the tests is timed
on a tenth of the lines for comparison, and must give the same counts.
"""

from __future__ import annotations

import gzip
import tempfile
import time
from pathlib import Path

import numpy as np
from examples.market_baskets import Baskets, market_baskets

from benchmarks.sampling import best
from lab.tests.reference import datasets as reference
from overbar_lab.datasets import count_supports

LINES = 990_002
SEED = 11

Row = dict[str, object]


def written(baskets: Baskets, form: str) -> bytes:
    """Write baskets down in a form; each row also repeats its first item where that is allowed."""
    ids = baskets.item.astype(str).tolist()
    if form == "pairs":
        rows = baskets.row.astype(str).tolist()
        return "".join(f"{row}\t{item}\n" for row, item in zip(rows, ids, strict=True)).encode()
    ends = np.cumsum(np.bincount(baskets.row)).tolist()
    start, lines = 0, []
    for end in ends:
        row = [*ids[start:end], ids[start]]
        if form == "fimi":
            lines.append(" ".join(row))
        elif form == "comma":
            lines.append(",".join(row) + ",")
        else:
            lines.append("+1 " + " ".join(f"{item}:1" for item in row))
        start = end
    return "\n".join(lines).encode()


def made(rows: int) -> Row:
    """Time the generator."""
    seconds = best(lambda: market_baskets(rows, seed=SEED), 3)
    return {"name": f"market baskets, {rows:,} rows", "seconds": seconds}


def counted(baskets: Baskets, form: str, path: Path) -> Row:
    """Time one form of a file against the slow reader, which sees a tenth of it."""
    name = form.partition(",")[0]
    content, expected = written(baskets, name), np.unique(baskets.item, return_counts=True)[1]
    path.write_bytes(gzip.compress(content, 6) if "gzip" in form else content)
    found = count_supports(path, name)
    assert np.array_equal(found.counts, expected)
    assert found.records == baskets.records
    seconds = best(lambda: count_supports(path, name), 3)
    small = b"\n".join(content.split(b"\n")[: content.count(b"\n") // 10])
    start = time.perf_counter()
    counts, _ = reference.supports(small, name)
    slow = (time.perf_counter() - start) * len(content) / len(small)
    path.write_bytes(small)
    again = count_supports(path, name)
    assert dict(zip(again.items.tolist(), again.counts.tolist(), strict=True)) == counts
    return {
        "name": f"{form}, {len(content) / 1e6:.1f} MB, {len(baskets.item):,} ids",
        "seconds": seconds,
        "ratio": slow / seconds,
        "against": "the slow reader of the tests",
    }


def rows(check: bool = False) -> list[Row]:
    """Return one row for the generator and one for each form."""
    lines, patterns = (200, 100) if check else (LINES, 10_000)
    baskets = market_baskets(lines, items=41_270, average_size=7.5, patterns=patterns, seed=SEED)
    forms = ("fimi", "fimi, gzip", "comma", "pairs", "libsvm")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "baskets"
        read = [counted(baskets, form, path) for form in forms]
    return [made(100 if check else 1_000_000), *read]
