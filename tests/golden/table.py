"""What differs from the golden plans, as a table: worse, better or other, then and now.

    python -m tests.golden.table [ENTRY_OR_TAG ...] [--jobs 2]

All 400 plans took 55 seconds of one core, three quarters of them for planning (2026-11-19).
"""

import argparse
import fnmatch
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.golden import seam as house
from tests.golden.compare import at_same_noise, failing, read_better, verdicts
from tests.golden.entries import read, rounded


def rows(entry, lines):
    """Return the verdict of each line about an entry; those that pass have a line as a reason."""
    try:
        now = at_same_noise(entry, house.numbers)
    except Exception as error:  # of one entry; all others are still compared
        return {f"{entry['name']:<20}{error!r}": "worse"}
    fails, found = failing(entry, now, lines), {}
    for number, verdict in verdicts(entry["is"], now).items():
        was, new = (rounded(numbers.get(number, "-"), 6) for numbers in (entry["is"], now))
        told = verdict if number in fails else f"{verdict} (a line)"
        found[f"{entry['name']:<20}{number:<24}{told:<18}{was} -> {new}"] = told
    return found


def main(words=None):
    """Print the table, and return whether something fails."""
    parser = argparse.ArgumentParser(description="What differs from the golden plans")
    parser.add_argument("entries", nargs="*", default=["*"], help="names or tags, with *")
    parser.add_argument("--jobs", type=int, default=1)
    chosen, entries, said = parser.parse_args(words), read("plans"), Counter()
    for one in entries[:]:
        if not any(fnmatch.filter((one["name"], *one["tags"]), name) for name in chosen.entries):
            entries.remove(one)
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for found in pool.map(partial(rows, lines=read_better()), entries, chunksize=4):
            print("".join(f"{line}\n" for line in found), end="", flush=True)
            said.update(found.values())
    counted = ", ".join(f"{count} {verdict}" for verdict, count in sorted(said.items()))
    print(f"{len(entries)} plans: {counted or 'nothing differs'}")
    return bool(said.keys() & {"worse", "better", "other"})


if __name__ == "__main__":
    sys.exit(main())
