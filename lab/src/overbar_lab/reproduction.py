"""How `overbar-lab reproduce` makes what was asked for."""

from __future__ import annotations

import difflib
import runpy
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

from overbar.errors import ParameterError
from overbar_lab.paper import STUDIES, Conditions, Data, Study
from overbar_lab.paper.assembly import make_report
from overbar_lab.paper.claim import FAILS, VERDICTS, JudgedClaim

FULL_RUNS = 300
QUICK_RUNS = 10


def steps_done(*, auto_refresh: bool = True) -> Progress:
    """Return a bar that counts steps and names the one under way, on the error stream."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.completed}/{task.total}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=console,
        auto_refresh=auto_refresh,
        transient=True,
        disable=not console.is_terminal,
    )


def studies(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the studies that are not named yet, for who presses Tab."""
    chosen = ctx.params.get("names") or ()
    names = (study.name for study in STUDIES if study.name not in chosen)
    return [name for name in names if name.startswith(incomplete)]


Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="STUDY",
        help="Studies to make; all of them if none is named.",
        autocompletion=studies,
    ),
]
Own = Annotated[
    Path | None,
    typer.Option(
        exists=True, dir_okay=False, help="A Python file with studies of your own, made first."
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        file_okay=False,
        help="A folder with dataset files; by default what OVERBAR_DATA names.",
    ),
]


def reproduce(
    names: Names = None,
    study: Own = None,
    quick: Annotated[
        bool, typer.Option("--quick", help=f"{QUICK_RUNS} runs per point instead of {FULL_RUNS}.")
    ] = False,
    runs: Annotated[int | None, typer.Option(min=1, help="Simulated runs per point.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of all random numbers.")] = 1,
    out: Annotated[Path, typer.Option(file_okay=False, help="The folder of the report.")] = Path(
        "overbar-report"
    ),
    data_dir: DataDir = None,
    list_: Annotated[bool, typer.Option("--list", help="List the studies and exit.")] = False,
) -> None:
    """Make the figures, tables and claims of the paper, and a report that holds them all.

    Results are kept and used again as long as the study, its data and the code are the same.
    """
    own = [] if study is None else studies_in(study)
    if list_:
        width = max(len(one.name) for one in (*own, *STUDIES))
        for one in (*own, *STUDIES):
            typer.echo(f"{one.name:<{width}}  {one.title}")
        return
    if quick and runs is not None:
        raise ParameterError("--quick and --runs exclude each other; leave one out")
    count = runs or (QUICK_RUNS if quick else FULL_RUNS)
    chosen = own + (_chosen(names) if names else [] if own else list(STUDIES))
    _make(chosen, Conditions(count, seed, Data(data_dir)), out)


def _chosen(names: list[str]) -> list[Study]:
    by_name = {study.name: study for study in STUDIES}
    for name in names:
        if name not in by_name:
            close = difflib.get_close_matches(name, by_name, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise ParameterError(
                f"there is no study {name!r}{hint}; list them with: overbar-lab reproduce --list"
            )
    return [study for study in STUDIES if study.name in names]


def _make(studies: list[Study], conditions: Conditions, out: Path) -> None:
    start = time.perf_counter()
    shown = 0
    # Drawn when something is done and never by a thread of its own: the simulator may fork.
    with steps_done(auto_refresh=False) as progress:
        whole = progress.add_task("studies", total=len(studies))
        part = progress.add_task("tables")

        def report(study: Study, seconds: float, recalled: bool) -> None:
            nonlocal shown
            spent = "kept" if recalled else f"{seconds:.1f} s"
            lines = [*conditions.data.notes[shown:], f"{study.name}: {spent}"]
            shown = len(conditions.data.notes)
            for line in lines:
                progress.console.print(line, highlight=False, markup=False, soft_wrap=True)
            done = studies.index(study) + 1
            following = studies[done].name if done < len(studies) else "figures and report"
            progress.update(whole, completed=done)
            progress.update(part, description=following, completed=0, refresh=True)

        def points(done: int, total: int) -> None:
            progress.update(part, completed=done, total=total, refresh=True)

        made_report = make_report(studies, replace(conditions, report=points), out, report)
    for line in counted(made_report.findings):
        typer.echo(line)
    word = "study" if len(studies) == 1 else "studies"
    typer.echo(f"{len(studies)} {word} in {time.perf_counter() - start:.1f} s: {made_report.page}")


def counted(findings: list[JudgedClaim]) -> list[str]:
    """Say how many claims hold, and apart from them how many slips are confirmed."""
    verdicts = [one.verdict for one in findings if not one.claim.erratum]
    slips = [one.verdict for one in findings if one.claim.erratum]
    lines = []
    if verdicts:
        counts = [f"{verdicts.count(name)} {name}" for name in VERDICTS if name in verdicts]
        lines.append(f"claims: {', '.join(counts)}")
    if slips:
        lines.append(f"errata: {slips.count(FAILS)} of {len(slips)} confirmed")
    return lines


def studies_in(path: Path) -> list[Study]:
    """Run a Python file and return the studies it makes, in its order.

    An error in it is told in one line.
    """
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise ParameterError(f"{path} is not a Python file") from None
    try:
        namespace = runpy.run_path(str(path))
    except Exception as error:
        lines = [
            f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)
        ]
        place = f", line {lines[-1]}" if lines else ""
        raise ParameterError(f"{path}{place}: {type(error).__name__}: {error}") from None
    own: list[Study] = []
    for value in namespace.values():
        if isinstance(value, Study) and value not in (*STUDIES, *own):
            own.append(value)
    if not own:
        raise ParameterError(
            f"{path} makes no study; write in it: from overbar_lab.paper import Panels, Study, "
            'Sweep, and mine = Study("mine", "My study", "What is seen.", Sweep(("zipf",), '
            '("SVT-Lap",), ("1",)), Panels(), simulated=True)'
        )
    names = [study.name for study in (*STUDIES, *own)]
    for study in own:
        if names.count(study.name) > 1:
            raise ParameterError(f"{path}: the name {study.name!r} is taken; choose another")
    return [replace(study, source=source) for study in own]
