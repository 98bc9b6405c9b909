"""Whether other seeds come to the same verdicts: ``make campaign NAME=seeds``.

Only what chance decides is computed, and nothing is drawn. Datasets are where OVERBAR_DATA says.
Claim after claim is judged at every seed, so whoever stops it early knows about those before. Those
of some studies of the paper can be asked for by name; without names all are looked at.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass

from overbar_lab.paper import STUDIES, Conditions, Data
from overbar_lab.paper.claim import PaperClaim
from overbar_lab.paper.claims import CLAIMS
from overbar_lab.paper.study import Table

BY_NAME = {study.name: study for study in STUDIES}


class TablesAtSeed(Mapping[str, Table]):
    """The tables of studies at one seed, each computed when first asked for."""

    def __init__(self, seed: int, runs: int) -> None:
        self.conditions = Conditions(runs, seed, Data())
        self.known: dict[str, Table] = {}

    def __getitem__(self, name: str) -> Table:
        compute = BY_NAME[name].compute
        key = repr(compute) if is_dataclass(compute) else name
        if key not in self.known:
            before = sum(os.times()[:4])
            self.known[key] = compute(self.conditions)
            spent = sum(os.times()[:4]) - before
            print(f"  {name}, seed {self.conditions.seed}: {spent:.0f} s", flush=True)
        return self.known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(BY_NAME)

    def __len__(self) -> int:
        return len(BY_NAME)


def decided_by_chance(claim: PaperClaim) -> bool:
    """Whether a simulated study decides it, and no running time."""
    return not claim.timed and any(BY_NAME[name].simulated for name in claim.needs)


def main() -> int:
    """Return 1 if a verdict is not the same at every seed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("studies", nargs="*", help="only claims that one of these decides")
    given = parser.parse_args()
    at_seeds = [TablesAtSeed(seed, given.runs) for seed in range(1, given.seeds + 1)]
    claims = [
        claim
        for claim in filter(decided_by_chance, CLAIMS)
        if not given.studies or set(given.studies) & set(claim.needs)
    ]
    differ = 0
    for claim in claims:
        ways = dict.fromkeys(claim.judged(tables).verdict for tables in at_seeds)
        differ += len(ways) > 1
        print(
            f"{'DIFFER ' * (len(ways) > 1)}{' / '.join(ways)}: {claim.where}: {claim.says}",
            flush=True,
        )
    print(f"{differ} of {len(claims)} verdicts differ between {given.seeds} seeds")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
