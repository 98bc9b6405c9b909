"""``overbar reproduce``: the paper, figure by figure, and one HTML report."""

from __future__ import annotations

import difflib
import importlib.util
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from overbar.cli import completion
from overbar.cli.exit import clean, fail, refusals, tell
from overbar.paper import STUDIES, Conditions, Data, Study
from overbar.paper.claims.claim import VERDICTS
from overbar.paper.own_studies import studies_in

__all__ = ["reproduce"]

FULL_RUNS = 300
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
    study: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A Python file with studies of your own, made first."),
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
    with refusals():
        own = [] if study is None else studies_in(study)
    if list_:
        width = max(len(one.name) for one in (*own, *STUDIES))
        for one in (*own, *STUDIES):
            tell(f"{one.name:<{width}}  {one.title}")
        return
    studies = own + (_chosen(names) if names else [] if own else list(STUDIES))
    count = _runs(quick, runs)
    if seed < 0:
        fail(f"--seed must be a whole number from zero up, got {seed}")
    if importlib.util.find_spec("matplotlib") is None:
        fail("figures need matplotlib; install it: pip install 'overbar[paper]'")
    if out.exists() and not out.is_dir():
        fail(f"--out must be a folder, got the file {str(out)!r}")
    with refusals():
        _make(studies, Conditions(count, seed, Data(data_dir)), out)


def _chosen(names: list[str]) -> list[Study]:
    by_name = {study.name: study for study in STUDIES}
    for name in names:
        if name not in by_name:
            close = difflib.get_close_matches(name, by_name, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            fail(f"there is no study {name!r}; {hint}List them: overbar reproduce --list")
    return [study for study in STUDIES if study.name in names]


def _runs(quick: bool, runs: int | None) -> int:
    if runs is None:
        return QUICK_RUNS if quick else FULL_RUNS
    if quick:
        fail("--quick and --runs exclude each other; leave one out")
    if runs < 1:
        fail(f"--runs must be at least 1, got {runs}")
    return runs


def _make(studies: list[Study], conditions: Conditions, out: Path) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from overbar.paper.report.assembly import make_report

    console = Console(stderr=True)
    start = time.perf_counter()
    told = 0
    # Drawn when something is done and never by a thread of its own: the simulator may fork.
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
        console=console,
        auto_refresh=False,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        whole = progress.add_task("studies", total=len(studies))
        part = progress.add_task(studies[0].name)

        def report(study: Study, seconds: float, recalled: bool) -> None:
            nonlocal told
            spent = "kept" if recalled else f"{seconds:.1f} s"
            lines = [*map(clean, conditions.data.notes[told:]), f"{study.name}: {spent}"]
            told = len(conditions.data.notes)
            for line in lines:
                progress.console.print(line, highlight=False, markup=False, soft_wrap=True)
            done = studies.index(study) + 1
            following = studies[done].name if done < len(studies) else "figures and report"
            progress.update(whole, completed=done)
            progress.update(part, description=following, completed=0, refresh=True)

        def points(done: int, total: int) -> None:
            progress.update(part, completed=done, total=total, refresh=True)

        made = make_report(studies, replace(conditions, report=points), out, report)
    verdicts = [finding.verdict for finding in made.findings]
    counts = [f"{verdicts.count(name)} {name}" for name in VERDICTS if name in verdicts]
    if counts:
        tell(f"claims: {', '.join(counts)}")
    word = "study" if len(studies) == 1 else "studies"
    tell(f"{len(studies)} {word} in {time.perf_counter() - start:.1f} s: {made.page}")
