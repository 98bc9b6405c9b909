"""``overbar reproduce``: the paper, figure by figure, and one HTML report."""

from __future__ import annotations

import difflib
import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path

from overbar.cli import completion
from overbar.cli.exit import clean, tell
from overbar.cli.options import DATA_FOLDER, argument, command, option, switch
from overbar.errors import MissingExtraError, ParameterError
from overbar.paper import STUDIES, Conditions, Study
from overbar.paper.claims.claim import FAILS, HOLDS, PARTLY, UNKNOWN
from overbar.paper.data import Data

FULL_RUNS = 100
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
    quick: bool = switch(None, "--quick", f"{QUICK_RUNS} runs per point instead of {FULL_RUNS}.")
    runs: int | None = option(None, "COUNT", "Simulated runs per point.")
    seed: int = option(None, "NUMBER", "The seed of all random numbers.", default=1)
    out: Path = option(None, "FOLDER", "The folder of the report.", default=Path("overbar-report"))
    data_dir: Path | None = option(None, "FOLDER", DATA_FOLDER)
    list_: bool = switch(None, "--list", "List the studies and exit.")


def run(options: ReproduceOptions) -> None:
    """Make the studies that were named, or list them all."""
    if options.list_:
        width = max(len(study.name) for study in STUDIES)
        for study in STUDIES:
            tell(f"{study.name:<{width}}  {study.title}")
        return
    studies = _chosen(options.names or [])
    count = _runs(options.quick, options.runs)
    if options.seed < 0:
        raise ParameterError(f"--seed must be a whole number from zero up, got {options.seed}")
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("figures need matplotlib; install it: pip install 'overbar[paper]'")
    if options.out.exists() and not options.out.is_dir():
        raise ParameterError(f"--out must be a folder, got the file {str(options.out)!r}")
    _make(studies, Conditions(count, options.seed, Data(options.data_dir)), options.out)


reproduce = command(ReproduceOptions, "reproduce")


def _chosen(names: list[str]) -> list[Study]:
    by_name = {study.name: study for study in STUDIES}
    for name in names:
        if name not in by_name:
            close = difflib.get_close_matches(name, by_name, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise ParameterError(
                f"there is no study {name!r}{hint}; list them with: overbar reproduce --list"
            )
    wanted = names or list(by_name)
    return [study for study in STUDIES if study.name in wanted]


def _runs(quick: bool, runs: int | None) -> int:
    if runs is None:
        return QUICK_RUNS if quick else FULL_RUNS
    if quick:
        raise ParameterError("--quick and --runs exclude each other; leave one out")
    if runs < 1:
        raise ParameterError(f"--runs must be at least 1, got {runs}")
    return runs


def _make(studies: list[Study], conditions: Conditions, out: Path) -> None:
    from overbar.cli.progress import steps_done
    from overbar.paper.report.assembly import make_report

    start = time.perf_counter()
    told = 0
    # Drawn when a study is done and never by a thread of its own: the simulator may fork.
    with steps_done(auto_refresh=False) as progress:
        task = progress.add_task(studies[0].name, total=len(studies))

        def report(study: Study, seconds: float, recalled: bool) -> None:
            nonlocal told
            for line in conditions.data.notes[told:]:
                progress.console.print(clean(line), highlight=False, markup=False, soft_wrap=True)
            told = len(conditions.data.notes)
            spent = "kept" if recalled else f"{seconds:.1f} s"
            progress.console.print(
                f"{study.name}: {spent}", highlight=False, markup=False, soft_wrap=True
            )
            done = studies.index(study) + 1
            following = studies[done].name if done < len(studies) else "figures and report"
            progress.update(task, completed=done, description=following, refresh=True)

        made = make_report(studies, conditions, out, report)
    counts = ", ".join(
        f"{made.verdicts.count(name)} {name}"
        for name in (HOLDS, PARTLY, FAILS, UNKNOWN)
        if name in made.verdicts
    )
    if UNKNOWN in made.verdicts and len(studies) < len(STUDIES):
        counts += " without other studies or data"
    tell(f"claims: {counts}")
    word = "study" if len(studies) == 1 else "studies"
    tell(f"{len(studies)} {word} in {time.perf_counter() - start:.1f} s: {made.page}")
