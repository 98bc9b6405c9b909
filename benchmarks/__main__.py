"""Run every benchmark, print tables, and write what was measured to benchmarks/results/.

``python -m benchmarks`` runs all, ``python -m benchmarks mechanism correction`` some. Only ratios
within one run mean anything.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

NAMES = (
    "correction",
    "sampling",
    "mechanism",
    "simulate",
    "datasets",
    "feature_selection",
    "frames",
)
RESULTS = Path(__file__).parent / "results"

Row = dict[str, object]


def show(title: str, rows: list[Row]) -> None:
    """Print rows as a table; columns in the order in which they first appear."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
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


def main(chosen: list[str]) -> None:
    unknown = sorted(set(chosen) - set(NAMES))
    if unknown:
        sys.exit(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(NAMES)}")
    RESULTS.mkdir(exist_ok=True)
    for name in chosen or NAMES:
        rows = importlib.import_module(f"benchmarks.{name}").rows()
        show(name, rows)
        measured = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "rows": rows,
        }
        target = RESULTS / f"{name}.json"
        target.write_text(json.dumps(measured, indent=2, default=float) + "\n")
        print(f"written to {target.relative_to(Path.cwd())}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
