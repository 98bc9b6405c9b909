"""Attack every claim of this package, on this machine: ``make campaign NAME=attacks``.

Ends with 1 if a claim is violated, or if a mechanism known to be broken is not caught.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator

from tests.attacks.package import EXACT, AuditRow, Table, audit_package

FULL_MINUTES = 3.0
QUICK_MINUTES = 0.25
#: Evidence that is longer is cut.
LONGEST = 180


def main(arguments: list[str] | None = None) -> int:
    """Audit the package, and say what was found."""
    parser = argparse.ArgumentParser(description="Attack every claim of this package")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--minutes", type=minutes, help="about how long it may take; 3 by default")
    how.add_argument("--quick", action="store_true", help="main settings, in a quarter of a minute")
    chosen = parser.parse_args(arguments)
    allowed = chosen.minutes or (QUICK_MINUTES if chosen.quick else FULL_MINUTES)
    table = audit_package(60 * allowed, thorough=not chosen.quick, progress=_told)
    print("\n".join(lines(table)))
    return 0 if table.passed else 1


def minutes(text: str) -> float:
    """Read how long an audit may take."""
    read = float(text)
    if not 0 < read <= 1e5:
        raise argparse.ArgumentTypeError(f"must be positive, got {text}")
    return read


def lines(table: Table) -> Iterator[str]:
    """Yield all that is said about an audit: every claim, every control, and what went wrong."""
    for title, control in (("Our claims", False), ("Known to be broken", True)):
        yield f"{title}:"
        for row in table.rows:
            if row.control is control:
                yield from _row(row)
        yield ""
    for row in table.violations:
        yield f"violated: {row.subject}, {row.claim}: {row.evidence}"
    for name in table.missed:
        yield f"missed: {name}; the audit is too weak, give it more minutes"
    yield f"{table.summary}. The chance of a false alarm is at most {table.false_alarm:g} in all."


def _row(row: AuditRow) -> Iterator[str]:
    exact = row.method == EXACT
    worst = f"{row.measure} {'≥' if exact else '>'} {number(row.found)}"
    method = row.method if exact else f"{row.runs:,} samples, {_would_find(row)}"
    found = worst if row.found > 0 else "nothing"
    yield f"  {row.verdict:<20} {row.subject}: {row.claim}"
    yield f"    {found} of {row.measure} = {number(row.allowed)} allowed; {method}"
    yield f"    {row.evidence[:LONGEST]}{'...' if len(row.evidence) > LONGEST else ''}"


def _would_find(row: AuditRow) -> str:
    return "too few" if math.isinf(row.would_find) else f"would find ε ≥ {number(row.would_find)}"


def number(value: float) -> str:
    """Write a number for people."""
    return "∞" if math.isinf(value) else f"{value:.4g}"


def _told(done: int, total: int, following: str) -> None:
    print(f"{done} of {total}  {following}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
