"""What differs from the golden plans, as a table: worse, better or other, then and now.

    python -m tests.golden.table [ENTRY_OR_TAG ...] [--by-hand] [--jobs 2]

All 400 plans took 55 seconds of one core, of which planning takes three quarters, and 29 with two
(2026-11-19). The slowest are named at the end. With `--by-hand` all costs are those at the golden
noise, also where the noise is the same.
"""

import argparse
import fnmatch
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.golden import seam as house
from tests.golden.compare import at_same_noise, failing, read_better, verdicts
from tests.golden.entries import read, rounded


def row_of(entry, number, verdict, now):
    """Return what a line of the table has."""
    shown = (rounded(numbers.get(number, "-"), 6) for numbers in (entry["is"], now))
    was, new = (" ".join(map(str, one if isinstance(one, list) else [one])) for one in shown)
    return f"{entry['name']:<20}{number:<24}{verdict:<18}{was} -> {new}"


def rows(entry, lines, by_hand):
    """Return the lines about an entry, which verdicts they have, and how long that took."""
    start = time.perf_counter()
    now = at_same_noise(entry, house.numbers, by_hand)
    fails, found = failing(entry, now, lines), {}
    for number, verdict in verdicts(entry["is"], now).items():
        told = verdict if number in fails else f"{verdict} (a line)"
        found[row_of(entry, number, told, now)] = told
    return found, entry["name"], time.perf_counter() - start


def main(words=None):
    """Print the table, what was found, and which entries are slow."""
    parser = argparse.ArgumentParser(description="What differs from the golden plans")
    parser.add_argument("entries", nargs="*", default=["*"], help="names or tags, with *")
    parser.add_argument("--by-hand", action="store_true", help="all costs at the golden noise")
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args(words)
    entries = [
        entry
        for entry in read("plans")
        if any(fnmatch.filter((entry["name"], *entry["tags"]), one) for one in chosen.entries)
    ]
    ask, said, times = partial(rows, lines=read_better(), by_hand=chosen.by_hand), Counter(), []
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for found, name, took in pool.map(ask, entries, chunksize=4):
            print(*found, sep="\n", end="\n" * bool(found), flush=True)
            said.update(found.values())
            times.append((took, name))
    counted = ", ".join(f"{count} {verdict}" for verdict, count in sorted(said.items()))
    print(f"{len(entries)} plans: {counted or 'nothing differs'}")
    print("slowest:", *(f"{name} {took:.1f} s" for took, name in sorted(times)[:-6:-1]))
    return any(verdict in said for verdict in ("worse", "better", "other"))


if __name__ == "__main__":
    sys.exit(main())
