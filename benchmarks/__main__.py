"""Run every benchmark, print tables, and write what was measured to benchmarks/results/.

``python -m benchmarks`` runs all, ``python -m benchmarks mechanism correction`` some. Only ratios
within one run mean anything. ``--check`` runs the smallest sizes, in seconds, and writes nothing:
it shows that a benchmark still works, and its times mean nothing. ``--markdown`` prints tables as
the documentation has them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import AbsentError

NAMES = (
    "correction",
    "sampling",
    "mechanism",
    "many_runs",
    "simulate",
    "datasets",
    "frames",
    "tables",
    "database",
    "ledger",
    "third_party_audit",
    "margin",
    "top",
    "rate",
    "counts",
    "bars",
    "turns",
    "peers",
    "before",
    "explore",
    "keys",
    "monitor",
)
RESULTS = Path(__file__).parent / "results"

Row = dict[str, object]


def columns_of(rows: list[Row]) -> list[str]:
    """Return the columns in the order in which they first appear."""
    return list(dict.fromkeys(name for row in rows for name in row))


def markdown(rows: list[Row]) -> str:
    """Return rows as a table in Markdown."""
    columns = columns_of(rows)
    lines = [["" if name == "name" else name for name in columns], ["---"] * len(columns)]
    lines += [[_text(row.get(name)) for name in columns] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def show(title: str, rows: list[Row]) -> None:
    """Print rows as a table."""
    columns = columns_of(rows)
    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name, justify="left" if name in ("name", "against", "owed") else "right")
    for row in rows:
        table.add_row(*(_text(row.get(name)) for name in columns))
    Console(width=max(100, Console().width)).print(table)


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def write(name: str, rows: list[Row]) -> None:
    """Keep what was measured."""
    measured = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "rows": rows,
    }
    RESULTS.mkdir(exist_ok=True)
    target = RESULTS / f"{name}.json"
    target.write_text(json.dumps(measured, indent=2, default=float) + "\n")
    print(f"written to benchmarks/results/{target.name}\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--check", action="store_true", help="smallest sizes; write nothing")
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    asked = parser.parse_args()
    if unknown := sorted(set(asked.names) - set(NAMES)):
        parser.error(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(NAMES)}")
    for name in asked.names or NAMES:
        try:
            rows = importlib.import_module(f"benchmarks.{name}").rows(asked.check)
        except AbsentError as error:
            print(f"{name} is left out: {error}\n")
            continue
        if asked.markdown:
            print(f"{markdown(rows)}\n")
        else:
            show(name, rows)
        if not asked.check:
            write(name, rows)


if __name__ == "__main__":
    main()
