"""``overbar reproduce`` and ``overbar datasets``: what the paper needs, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from overbar.cli import completion
from overbar.cli.exit import tell
from overbar.cli.options import Verb, argument, option, switch

FULL_RUNS = 300
QUICK_RUNS = 10
DATA_FOLDER = "A folder with dataset files; by default what OVERBAR_DATA names."


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions:
    """Make the figures, tables and claims of the paper, and a report that holds them all.

    Results are kept and used again as long as the study, its data and the code are the same.
    """

    names: list[str] | None = argument(
        None,
        metavar="STUDY",
        help="Studies to make; all of them if none is named.",
        autocompletion=completion.studies,
    )
    study: Path | None = option(None, "FILE", "A Python file with studies of your own, made first.")
    quick: bool = switch(None, "--quick", f"{QUICK_RUNS} runs per point instead of {FULL_RUNS}.")
    runs: int | None = option(None, "COUNT", "Simulated runs per point.")
    seed: int = option(None, "NUMBER", "The seed of all random numbers.", default=1)
    out: Path = option(None, "FOLDER", "The folder of the report.", default=Path("overbar-report"))
    data_dir: Path | None = option(None, "FOLDER", DATA_FOLDER)
    list_: bool = switch(None, "--list", "List the studies and exit.")


@dataclass(frozen=True, kw_only=True)
class DatasetsOptions:
    """List the datasets: which are here, and where to get the others."""

    data_dir: Path | None = option(None, "FOLDER", DATA_FOLDER)


def run(options: DatasetsOptions) -> None:
    """Say of each dataset whether it is here."""
    from overbar.datasets.registry import status

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


REPRODUCE = Verb(
    "reproduce", ReproduceOptions, "The paper's figures, tables and claims.", module="reproduction"
)
DATASETS = Verb("datasets", DatasetsOptions, "Which datasets are here; how to get others.")
