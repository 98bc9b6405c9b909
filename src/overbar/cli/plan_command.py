"""``overbar plan``: what is guaranteed and what to expect, before any data is touched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from overbar import _check
from overbar._check import brief
from overbar._files import write_whole
from overbar.cli import plan_options as option
from overbar.cli.apart import check_outputs, identity
from overbar.cli.exit import fail, tell
from overbar.errors import OverbarError

if TYPE_CHECKING:
    from overbar.cli.planned import Planned

__all__ = ["EXAMPLES", "plan"]

EXAMPLES = """Examples:

\b
overbar plan --epsilon 1 --cutoff 50 --candidates 10000 --monotonic
overbar plan --epsilon 1 --delta 1e-6 --cutoff 50 --candidates 10000 --monotonic
overbar plan --recall 0.95 --margin 500 --cutoff 50 --candidates 10000
overbar plan --top --epsilon 1 --cutoff 50 --candidates 10000
overbar plan --epsilon 1 --cutoff 50 --candidates 10000 --out plan.json
overbar plan --plan plan.json --candidates 10000 --report plan.html
"""


def plan(
    epsilon: option.Epsilon = None,
    delta: option.Delta = None,
    cutoff: option.Cutoff = None,
    candidates: option.Candidates = None,
    threshold: option.Threshold = None,
    monotonic: option.Monotonic = None,
    sensitivity: option.Sensitivity = None,
    margin: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="A distance from the threshold: what is found there?"),
    ] = None,
    recall: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="A share to be found: which margin does it take, or with --margin which ε?",
        ),
    ] = None,
    above: Annotated[
        str | None,
        typer.Option(
            metavar="COUNT", help="How many candidates are above; as many as the cutoff by default."
        ),
    ] = None,
    top: Annotated[
        bool, typer.Option("--top", help="Plan for 'overbar top' instead of 'overbar select'.")
    ] = False,
    items_per_person: option.ItemsPerPerson = None,
    noise: option.NoiseName = None,
    threshold_noise: option.ThresholdNoise = None,
    rounds: option.Rounds = None,
    allocation: option.Allocation = None,
    correction: option.Correction = None,
    tolerance: option.Tolerance = None,
    max_queries: option.MaxQueries = None,
    resample: option.Resample = None,
    grid: option.Grid = None,
    plan_file: option.PlanFile = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the plan here, as JSON.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page to show around, as HTML.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON to the screen.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Show what a run would guarantee and how accurate it would be. Touches no data.

    Numbers are exact: 0.1 is one tenth, and 1/3 and 1e-6 are fine.
    """
    from overbar.cli.planned import Asked

    try:
        taken = {} if plan_file is None else {identity(plan_file): "the plan"}
        check_outputs([out, report], taken, force=force)
        asked = Asked(
            parameters=option.parameters_of(
                epsilon=epsilon,
                delta=None if plan_file else delta,
                cutoff=cutoff,
                sensitivity=sensitivity,
                monotonic=monotonic,
                noise=noise,
                threshold_noise=threshold_noise,
                resample=resample,
                allocation=allocation,
                correction=correction,
                candidates=None if plan_file or top else candidates,
                rounds=rounds,
                tolerance=tolerance,
                max_queries=max_queries,
                grid=grid,
            ),
            plan_file=plan_file,
            top=top,
            delta=None if delta is None else _check.probability("delta", delta),
            candidates=_whole("candidates", candidates),
            above=_whole("above", above),
            threshold=None if threshold is None else _check.rational("threshold", threshold),
            margin=None if margin is None else _check.non_negative("margin", margin),
            recall=None if recall is None else _check.positive("recall", recall),
            items=_whole("items_per_person", items_per_person),
        )
        _deliver(asked.planned(curves=report is not None), out, report, as_json)
    except OverbarError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or out or report}: {error.strerror or error}")


def _whole(name: str, value: str | None) -> int | None:
    return None if value is None else _check.whole(name, value)


def _deliver(made: Planned, out: Path | None, report: Path | None, as_json: bool) -> None:
    """Write the files first: a screen full of numbers should not hide that one failed."""
    written = []
    if out is not None:
        write_whole(out, made.plan.to_json() + "\n")
        written.append(f"plan: {out}")
    if report is not None:
        from overbar.cli.output.answer_page import page

        kind = "top" if made.is_top else "select"
        write_whole(
            report,
            page(
                made.plan,
                kind=kind,
                said=made.said,
                seen=made.seen,
                threshold=made.threshold,
                plan_file=out,
            ),
        )
        written.append(f"report: {report}")
    if as_json:
        tell(made.to_json())
        for line in written:
            tell(line, err=True)
        return
    _show(made)
    for line in written:
        tell(line)


def _show(made: Planned) -> None:
    from overbar.cli.output.plan_screen import Screen

    screen = Screen()
    if made.answers:
        screen.heading("Answer")
        for _, _, text in made.answers:
            screen.say(text)
    screen.promise(made.plan, made.said)
    screen.numbers(made.plan, None if made.threshold is None else brief(made.threshold))
    if made.seen is not None:
        screen.expectation(made.plan, made.seen)
    else:
        screen.heading("Expected accuracy")
        screen.say(made.unseen)
