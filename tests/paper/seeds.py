"""Whether other seeds come to the same verdicts: ``make campaign NAME=seeds``.

Only what chance decides is computed, and nothing is drawn. Datasets are where OVERBAR_DATA says.
A study of the paper can be asked for by name; without names all are looked at.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import is_dataclass

from overbar.paper import STUDIES, Conditions, Data
from overbar.paper.claims import CLAIMS


def verdicts(names: set[str], seed: int, runs: int) -> dict[str, str]:
    """Judge all claims that simulated studies decide, if one of those named is among them."""
    studies = {study.name: study for study in STUDIES}
    claims = [
        claim
        for claim in CLAIMS
        if not claim.timed
        and any(studies[name].simulated for name in claim.needs)
        and (not names or names & set(claim.needs))
    ]
    conditions, tables, known = Conditions(runs, seed, Data()), {}, {}
    for name in dict.fromkeys(name for claim in claims for name in claim.needs):
        compute = studies[name].compute
        key = repr(compute) if is_dataclass(compute) else name
        if key not in known:
            before = _processor_time()
            known[key] = compute(conditions)
            print(f"seed {seed}, {name}: {_processor_time() - before:.0f} s", flush=True)
        tables[name] = known[key]
    return {f"{claim.where}: {claim.says}": claim.judged(tables).verdict for claim in claims}


def _processor_time() -> float:
    """Return the seconds of this process and of the workers it has ended."""
    return sum(os.times()[:4])


def main() -> int:
    """Return 1 if a verdict is not the same at every seed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("studies", nargs="*")
    given = parser.parse_args()
    by_seed = []
    for seed in range(1, given.seeds + 1):
        by_seed.append(verdicts(set(given.studies), seed, given.runs))
        changed = [claim for claim, one in by_seed[-1].items() if one != by_seed[0][claim]]
        print(f"seed {seed}: {len(by_seed[-1])} verdicts; other than first: {changed}", flush=True)
    differ = 0
    for claim in by_seed[0]:
        ways = [one[claim] for one in by_seed]
        differ += len(set(ways)) > 1
        print(f"{'DIFFER ' * (len(set(ways)) > 1)}{' / '.join(dict.fromkeys(ways))}: {claim}")
    print(f"{differ} of {len(by_seed[0])} verdicts differ between {given.seeds} seeds")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
