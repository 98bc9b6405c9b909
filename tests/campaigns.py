"""The long runs, of which a test run makes a part: ``make campaign NAME=crash``.

Without a name they are listed. ``--sample`` makes each as short as it goes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Campaign(NamedTuple):
    """What it does, the programs that do it, what makes the tests long, and a short one to try."""

    does: str
    programs: tuple[str, ...]
    sample: str
    variables: tuple[str, ...] = ()


def tests(variables: str, names: str) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """Return how tests are run with more of everything, and how they are tried."""
    return (f"pytest -n auto {names}",), f"pytest --collect-only -q {names}", (variables,)


CAMPAIGNS = {
    "attacks": Campaign(
        "attack every claim of ours, beside 25 mechanisms that must be caught",
        ("tests.attacks",),
        "tests.attacks --help",
    ),
    "before": Campaign(
        "compare 1,000 random plans with those of the house before: python -m tools.before",
        ("tests.golden.before --plans 1000",),
        "tests.golden.before --help",
    ),
    "before-tables": Campaign(
        "compare scores of 2,000 nasty tables with the house before; needs OVERBAR_BEFORE",
        ("tests.before.tables 2000",),
        "tests.before.tables --help",
    ),
    "before-laws": Campaign(
        "draw 20,000 small runs of each mechanism here and in the house as it was, and compare",
        ("tests.frozen.before_laws --runs 20000",),
        "tests.frozen.before_laws --help",
    ),
    "cases": Campaign(
        "run every case of the tests of which the usual run makes one in a few",
        *tests("OVERBAR_ALL_CASES=1", "tests/"),
    ),
    "crash": Campaign(
        "kill 1,000 clients of each ledger and stop a server 50 times, mid-release",
        (
            "tests.frozen.crash --kills 1000",
            "tests.frozen.crash --kills 1000 --database",
            "tests.frozen.crash --stops 50",
        ),
        "tests.frozen.crash --kills 1",
    ),
    "damage": Campaign(
        "damage 15,000 copies of a ledger and use each",
        ("tests.frozen.damage --copies 15000",),
        "tests.frozen.damage --copies 1",
    ),
    "edits": Campaign(
        "forge every field of every row of a ledger",
        *tests("OVERBAR_ALL_EDITS=1", "tests/ledger/test_meaning.py"),
    ),
    "golden": Campaign(
        "compare every golden plan, law and point of a study",
        *tests("OVERBAR_ALL_CASES=1", "tests/golden"),
    ),
    "interrupts": Campaign(
        "press Ctrl-C at 200 random moments of real commands: one line, and no half file",
        ("tests.frozen.interrupts --signals 200",),
        "tests.frozen.interrupts --signals 1",
    ),
    "intervals": Campaign(
        "make 2,000 runs of each mechanism with counts; their intervals must hold the truth",
        *tests(
            "OVERBAR_INTERVALS=2000",
            "tests/frozen/test_count_coverage.py",
        ),
    ),
    "labels": Campaign(
        "2 GiB of one person's labels on three engines; needs 8 GiB of memory",
        *tests("OVERBAR_LONG_LABELS=1", "tests/frozen/test_long_labels.py"),
    ),
    "laws": Campaign(
        "compare four times as many runs with their exact laws; the controls must fail",
        *tests("OVERBAR_LAWS=4", "tests/statistical tests/frozen"),
    ),
    "monitor": Campaign(
        "kill 500 monitors on disk: nothing is out that is not counted; enumerate 10,000 runs",
        (
            "tests.frozen.monitor_kills --kills 500",
            "tests.frozen.watch_kills --kills 200",
            "pytest -n auto tests/privacy/test_monitor_enumeration.py",
        ),
        "tests.frozen.monitor_kills --kills 2",
        ("OVERBAR_MONITORS=2000",),
    ),
    "neighbours": Campaign(
        "compare 20,000 neighbouring tables of every engine and type, and as many sums",
        *tests("OVERBAR_NEIGHBOURS=20000", "tests/frozen -k neighbouring"),
    ),
    "orders": Campaign(
        "add up the same tables in 20 orders on every engine; 2,000 neighbours on four",
        ("tests.frames.orders",),
        "tests.frames.orders --help",
    ),
    "parquet": Campaign(
        "compare 2,000 nasty Parquet files with a plain loop, with and without statistics",
        ("tests.frozen.drawn_parquet 500",),
        "tests.frozen.drawn_parquet 1",
    ),
    "requests": Campaign(
        "make 100,000 odd calls, and plan 600 requests with δ: each is met, nothing is wasted",
        *tests(
            "OVERBAR_REQUESTS=500",
            "tests/runs/test_fuzz.py tests/planning",
        ),
    ),
    "seeds": Campaign(
        "judge every simulated claim of the paper at five seeds; no verdict may differ",
        ("lab.tests.paper.seeds",),
        "lab.tests.paper.seeds --help",
    ),
    "steps": Campaign(
        "compare 300 random plans with δ with the slow reference, inside and outside of each loss",
        *tests("OVERBAR_RANDOM_PLANS=300", "tests/privacy/test_steps_at_random_plans.py"),
    ),
    "store": Campaign(
        "damage 1,400 stores of a monitor: each is refused, or has forgotten nobody",
        ("tests.frozen.store_damage --copies 1400",),
        "tests.frozen.store_damage --copies 1",
    ),
}


def run(name: str, *, sample: bool = False) -> int:
    """Run a campaign, or try how it begins; return how it ended."""
    campaign = CAMPAIGNS[name]
    long = ("OVERBAR_ALL_CASES=1", *campaign.variables)  # none of the cases is left out
    variables = {} if sample else dict(one.split("=") for one in long)
    for program in (campaign.sample,) if sample else campaign.programs:
        command = [sys.executable, "-m", *program.split()]
        ended = subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=False)
        if ended.returncode:
            return ended.returncode
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run what is named, or list what there is."""
    parser = argparse.ArgumentParser(description="Long runs")
    parser.add_argument("name", nargs="?", choices=CAMPAIGNS)
    parser.add_argument("--sample", action="store_true", help="try how it begins")
    chosen = parser.parse_args(arguments)
    if chosen.name is not None:
        return run(chosen.name, sample=chosen.sample)
    for name, campaign in CAMPAIGNS.items():
        print(f"  make campaign NAME={name:<15}{campaign.does}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
