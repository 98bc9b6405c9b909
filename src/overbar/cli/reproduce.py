"""``overbar reproduce``: the paper, figure by figure, and one HTML report."""

from __future__ import annotations

import difflib
import importlib.util
import time
from pathlib import Path
from typing import Annotated

import typer

from overbar.cli import completion
from overbar.cli.exit import clean, fail, refusals, tell
from overbar.paper import STUDIES, Conditions, Study
from overbar.paper.claims.claim import FAILS, HOLDS, PARTLY, UNKNOWN
from overbar.paper.data import Data

FULL_RUNS = 100
QUICK_RUNS = 10


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STUDY",
            help="Studies to make; all of them if none is named.",
            autocompletion=completion.studies,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help=f"{QUICK_RUNS} runs per point instead of {FULL_RUNS}.")
    ] = False,
    runs: Annotated[
        int | None, typer.Option(metavar="COUNT", help="Simulated runs per point.")
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="NUMBER", help="The seed of all random numbers.")
    ] = 1,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder of the report.")] = Path(
        "overbar-report"
    ),
    data_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder with dataset files; by default what OVERBAR_DATA names.",
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the studies and exit.")] = False,
) -> None:
    """Make the figures, tables and claims of the paper, and a report that holds them all.

    Results are kept and used again as long as the study, its data and the code are the same.
    """
    if list_:
        width = max(len(study.name) for study in STUDIES)
        for study in STUDIES:
            tell(f"{study.name:<{width}}  {study.title}")
        return
    studies = _chosen(names or [])
    count = _runs(quick, runs)
    if seed < 0:
        fail(f"--seed must be a whole number from zero up, got {seed}")
    if importlib.util.find_spec("matplotlib") is None:
        fail("figures need matplotlib; install it: pip install 'overbar[paper]'")
    if out.exists() and not out.is_dir():
        fail(f"--out must be a folder, got the file {str(out)!r}")
    with refusals():
        conditions = Conditions(count, seed, Data(data_dir))
        _make(studies, conditions, out)


def _chosen(names: list[str]) -> list[Study]:
    by_name = {study.name: study for study in STUDIES}
    for name in names:
        if name not in by_name:
            close = difflib.get_close_matches(name, by_name, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            fail(f"there is no study {name!r}; {hint}List them: overbar reproduce --list")
    wanted = names or list(by_name)
    return [study for study in STUDIES if study.name in wanted]


def _runs(quick: bool, runs: int | None) -> int:
    if runs is None:
        return QUICK_RUNS if quick else FULL_RUNS
    if quick:
        fail("--quick and --runs exclude each other; leave one out")
    if runs < 1:
        fail(f"--runs must be at least 1, got {runs}")
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
