"""How long it takes to make market baskets and to count the supports of large files.

Run with ``python -m benchmarks.datasets``. Files of the size of Kosarak (990,002 lines, about eight
million ids) are written to a temporary folder in every form; the slow reader of the tests is timed
on a tenth of the lines for comparison, and must give the same counts.
"""

from __future__ import annotations

import gzip
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from examples.market_baskets import Baskets, market_baskets

from overbar.datasets import count_supports
from tests.reference import datasets as reference

LINES = 990_002
SEED = 11


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


def timed(function: Callable[[], object]) -> float:
    """Return the shortest time of three runs."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print one line for each measurement."""
    rows = 1_000_000
    print(f"market baskets, {rows:,} rows: {timed(lambda: market_baskets(rows, seed=SEED)):.2f} s")
    baskets = market_baskets(LINES, items=41_270, average_size=7.5, patterns=10_000, seed=SEED)
    expected = baskets.supports()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "baskets"
        for form in ("fimi", "fimi, gzip", "comma", "pairs", "libsvm"):
            name = form.partition(",")[0]
            content = written(baskets, name)
            path.write_bytes(gzip.compress(content, 6) if "gzip" in form else content)
            found = count_supports(path, name)
            assert np.array_equal(found.counts, expected.counts)
            assert found.records == LINES
            seconds = timed(lambda name=name: count_supports(path, name))
            small = b"\n".join(content.split(b"\n")[: content.count(b"\n") // 10])
            start = time.perf_counter()
            counts, _ = reference.supports(small, name)
            slow = (time.perf_counter() - start) * len(content) / len(small)
            path.write_bytes(small)
            again = count_supports(path, name)
            assert dict(zip(again.items.tolist(), again.counts.tolist(), strict=True)) == counts
            print(
                f"{form:10s} {len(content) / 1e6:5.1f} MB, {len(baskets.item):,} ids, "
                f"{LINES:,} records: {seconds:.2f} s (slow reader: about {slow:.0f} s)"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process, files written included: {peak:.0f} MB")


if __name__ == "__main__":
    main()
