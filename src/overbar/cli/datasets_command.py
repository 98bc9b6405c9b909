"""``overbar datasets``: what is known, what is here, and how to get the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from overbar.cli.exit import refusals, tell
from overbar.datasets import status


def datasets(
    data_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder with dataset files; by default what OVERBAR_DATA names.",
        ),
    ] = None,
) -> None:
    """List the datasets: which are here, and where to get the others."""
    with refusals():
        found = status(data_dir)
    width = max(len(one.entry.name) for one in found)
    for one in found:
        known = one.entry
        records = f"{known.records:>9,}" if known.records else f"{'–':>9}"
        tell(
            f"{'here   ' if one.here else 'missing'}  {known.name:<{width}}  {records} records  "
            f"{known.items:>6,} items  threshold {known.threshold:>6,}  c = {known.cutoff}"
        )
    missing = [one for one in found if not one.here]
    if missing:
        tell("\nHow to get the rest:")
        for one in missing:
            tell(f"- {one.line}")
