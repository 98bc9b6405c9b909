"""A year of incidents in a hundred regions: found by a monitor, and by runs with a cutoff.

Needs `pip install .`. The data are made up; every answer is a real release, at epsilon 1 and delta
1e-6 for all of it. `watch_incidents.py 60` takes sixty days.
"""

import itertools
import sys

import numpy as np

import overbar

REGIONS, PERSONS = 100, 10_000  # persons in each region
DAYS = int(sys.argv[1]) if len(sys.argv) > 1 else 365
THRESHOLD = 100
BUDGET = {"epsilon": 1, "delta": "1e-6"}
SIZES = (150, 300, 600, 1_200, 5_000)

dice = np.random.default_rng(2027)
#: On some days many persons of a region are met by the same thing: this is the data.
incidents = {
    (day, region): int(SIZES[0] * (SIZES[-1] / SIZES[0]) ** dice.random())
    for day, region in itertools.product(range(DAYS), range(REGIONS))
    if dice.random() < 1_000 / (365 * REGIONS)
}


def met(day, region):
    """Say who is met by something on this day: twenty on any day, and those of an incident."""
    some = dice.integers(PERSONS, size=20)
    many = dice.choice(PERSONS, incidents.get((day, region), 0), replace=False)
    return region * PERSONS + np.concatenate([some, many])


# Kept in memory here. In earnest give it a store, such as store="watch.db", that outlives the
# process: it remembers who was counted, and is as private as the data.
watch = overbar.Monitor(overbar.plan(hits_per_person=5, **BUDGET), threshold=THRESHOLD)
# For a cutoff that lasts the year the noise is so wide that the threshold had better be higher.
runs = {
    (cutoff, threshold): overbar.SparseVector(
        threshold=threshold, cutoff=cutoff, monotonic=True, candidates=DAYS * REGIONS, **BUDGET
    )
    for cutoff, threshold in ((100, THRESHOLD), (1_000, THRESHOLD), (1_000, 5 * THRESHOLD))
}
found = {"monitor": set(), **{which: set() for which in runs}}
for day, region in itertools.product(range(DAYS), range(REGIONS)):
    ids = met(day, region)
    if watch.ask(ids):
        found["monitor"].add((day, region))
    for which, run in runs.items():
        if not run.halted and run.ask(len(set(ids.tolist()))):
            found[which].add((day, region))

print(f"{len(incidents):,} incidents on {DAYS} days in {REGIONS} regions. Found of them:")
names = ["monitor", *(f"cutoff {cutoff:,} at {level}" for cutoff, level in runs)]
print("       persons  incidents  " + "  ".join(names))
for low, high in itertools.pairwise(SIZES):
    these = {place for place, size in incidents.items() if low <= size < high}
    shares = [f"{len(these & places) / len(these):.0%}" for places in found.values()]
    cells = "  ".join(f"{one:>{len(name)}}" for one, name in zip(shares, names, strict=True))
    print(f"{low:5,} to {high - 1:5,}  {len(these):9,}  {cells}")
wrong = [len(places - incidents.keys()) for places in found.values()]
cells = "  ".join(f"{one:>{len(name)}}" for one, name in zip(wrong, names, strict=True))
print(f"  false alarms             {cells}")
print(watch.outlook(persons=REGIONS * PERSONS))
