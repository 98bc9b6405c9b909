"""Releases of the house as it was: a copy of the seam's draws that nobody changes.

It is run where the earlier commit is imported, and uses what was public there and nothing else:

    python -m tests.frozen.as_it_was RUNS < asked.json
"""

import json
import sys
from collections import Counter

import overbar


def at_once(plan, scores, threshold):
    on = {} if plan.for_top else {"threshold": threshold}
    found = (overbar.top if plan.for_top else overbar.select)(scores, plan=plan, **on)
    if found.counts is None:
        return found.indices
    values = (count.value for count in found.counts)
    return tuple(zip(found.indices, values, strict=True))


def one_by_one(plan, scores, threshold):
    run, found = overbar.SparseVector(plan, threshold=threshold), []
    for place, score in enumerate(scores):
        if not run.halted and run.ask(score):
            found.append(place)
    return tuple(found)


def main():
    for name, (asked, how, scores, threshold) in json.load(sys.stdin).items():
        plan = overbar.plan(**asked)
        draw = {"at once": at_once, "one by one": one_by_one}[how]
        found = Counter(str(draw(plan, scores, threshold)) for _ in range(int(sys.argv[1])))
        print(json.dumps([name, found]))


if __name__ == "__main__":
    main()
