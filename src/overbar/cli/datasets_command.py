"""``overbar datasets``: what is known, what is here, and how to get the rest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from overbar.cli.exit import tell
from overbar.cli.options import DATA_FOLDER, Verb, option
from overbar.datasets import status


@dataclass(frozen=True, kw_only=True)
class DatasetsOptions:
    """List the datasets: which are here, and where to get the others."""

    data_dir: Path | None = option(None, "FOLDER", DATA_FOLDER)


def run(options: DatasetsOptions) -> None:
    """Say of each dataset whether it is here."""
    found = status(options.data_dir)
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


VERB = Verb("datasets", DatasetsOptions, "Which datasets are here; how to get others.")
