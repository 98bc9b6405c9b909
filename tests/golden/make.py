"""Golden numbers, made by the house as it is: ``python -m tests.golden.make [plans|laws|studies]``.

All of them took 46 seconds of one core, and 3 minutes by the clock beside seven other processes
(``time python -m tests.golden.make``, 2026-11-19; the same command gives the same files).

Whoever makes them anew says that all that is in them now is right.
"""

import random
import sys

from tests.golden import drawn, small
from tests.golden import seam as house
from tests.golden.compare import as_golden
from tests.golden.entries import (
    DIGITS_OF_A_CHANCE,
    means,
    rounded,
    scores_of,
    shortened,
    write,
)

#: Of each kind of plan so many at most are refused.
REFUSED = 3
#: What all chances of a law add up to, but for rounding and what is too rare to be enumerated.
NEAR_ONE = 1e-11
#: A law of which one answer is as likely as that says little.
SURE = 0.99


def plans():
    """Return all golden plans."""
    rng, found = random.Random(1), []
    for kind, count in drawn.KINDS.items():
        own, refused = [], 0
        while len(own) < count:
            asked = drawn.request(kind, rng)
            numbers = house.numbers(asked)
            refused += "refused" in numbers
            known = any(asked == entry["ask"] for entry in own)
            if known or ("refused" in numbers and refused > REFUSED):
                continue
            tags = [*drawn.tags_of(asked), *(["refused"] if "refused" in numbers else [])]
            name = f"{kind.replace(' ', '-')}-{len(own):03}"
            own.append({"name": name, "tags": tags, "ask": asked, "is": as_golden(numbers)})
        found += own
    return found


def laws():
    """Return all golden laws."""
    rng, found = random.Random(2), []
    for kind, count in small.LAWS.items():
        own = []
        while len(own) < count:
            entry = small.law_entry(kind, rng)
            law = house.law(entry["run"], entry["scores"], entry["level"])
            assert abs(sum(law.values()) - 1) < NEAR_ONE * len(law), entry
            if max(law.values()) > SURE or any(entry["run"] == one["run"] for one in own):
                continue
            entry["is"] = rounded(shortened(law), DIGITS_OF_A_CHANCE)
            own.append({"name": f"{kind.replace(' ', '-')}-{len(own):02}", **entry})
        found += own
    return found


def studies():
    """Return all golden points of studies."""
    found = []
    for number, entry in enumerate(small.study_entries()):
        scores, threshold = scores_of(entry["shape"]), entry["threshold"]
        study = house.study(entry["ask"], scores, threshold, small.RUNS, small.SEED)
        found.append({"name": f"study-{number:02}", **entry, "is": rounded(means(study))})
    return found


PARTS = {"plans": plans, "laws": laws, "studies": studies}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        entries = PARTS[part]()
        write(part, entries)
        print(f"{part}: {len(entries)}", flush=True)
