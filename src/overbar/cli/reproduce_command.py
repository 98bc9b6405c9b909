"""``overbar reproduce``: the paper, figure by figure, and one HTML report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from overbar.cli import completion
from overbar.cli.options import DATA_FOLDER, Verb, argument, option, switch

FULL_RUNS = 300
QUICK_RUNS = 10


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


VERB = Verb(
    "reproduce", ReproduceOptions, "The paper's figures, tables and claims.", module="reproduction"
)
