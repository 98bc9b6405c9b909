"""How `overbar-lab datasets` says what is here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from overbar.cli.exit import tell
from overbar.cli.options import option
from overbar_lab.datasets.registry import status

DATA_FOLDER = "A folder with dataset files; by default what OVERBAR_DATA names."


@dataclass(frozen=True, kw_only=True)
class DatasetsOptions:
    """List the datasets: which are here, and where to get the others."""

    data_dir: Path | None = option(None, "FOLDER", DATA_FOLDER)


def run(options: DatasetsOptions) -> None:
    """Say of each dataset whether it is here."""
    states = status(options.data_dir)
    width = max(len(state.entry.name) for state in states)
    for state in states:
        known = state.entry
        records = f"{known.records:>9,}" if known.records else f"{'–':>9}"
        tell(
            f"{'here   ' if state.here else 'missing'}  {known.name:<{width}}  {records} records  "
            f"{known.items:>6,} items  threshold {known.threshold:>6,}  c = {known.cutoff}"
        )
    missing = [state for state in states if not state.here]
    if missing:
        tell("\nHow to get the rest:")
        for state in missing:
            tell(f"- {state.line}")
