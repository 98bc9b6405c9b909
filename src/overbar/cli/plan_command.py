"""``overbar plan``: what is guaranteed and what to expect, before any data is touched."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from overbar import _check
from overbar._files import write_whole
from overbar._numbers import short_text
from overbar.cli.apart import check_outputs, identity
from overbar.cli.exit import tell
from overbar.cli.options import OUTPUT, QUESTION, option, taking
from overbar.cli.plan_options import SelectNumbers, parameters_of

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


@dataclass(frozen=True, kw_only=True)
class PlanOptions(SelectNumbers):
    """What was typed for `overbar plan`."""

    items_per_person: Annotated[
        str | None,
        option(
            QUESTION,
            metavar="COUNT",
            help="Plan for items that are read off the data, at most this many per person.",
        ),
    ] = None
    top: Annotated[
        bool, option(QUESTION, "--top", help="Plan for 'overbar top' instead of 'overbar select'.")
    ] = False
    margin: Annotated[
        str | None,
        option(
            QUESTION,
            metavar="NUMBER",
            help="A distance from the threshold: how many are found there?",
        ),
    ] = None
    recall: Annotated[
        str | None,
        option(
            QUESTION,
            metavar="SHARE",
            help="A share to find, such as 0.95: which margin does it take, or, with --margin, "
            "which ε?",
        ),
    ] = None
    above: Annotated[
        str | None,
        option(
            QUESTION,
            metavar="COUNT",
            help="How many candidates are above the threshold; by default as many as the cutoff.",
        ),
    ] = None
    out: Annotated[
        Path | None, option(OUTPUT, metavar="FILE", help="Write the plan to a JSON file.")
    ] = None
    report: Annotated[Path | None, option(OUTPUT, metavar="FILE", help="Write an HTML report.")] = (
        None
    )
    as_json: Annotated[bool, option(OUTPUT, "--json", help="Write JSON to standard output.")] = (
        False
    )
    force: Annotated[bool, option(OUTPUT, "--force", help="Replace files that exist.")] = False


@taking(PlanOptions)
def plan(options: PlanOptions) -> None:
    """Show what a run would guarantee and how accurate it would be. Reads no data.

    Numbers are exact: 0.1 is one tenth, and 1/3 and 1e-6 are fine.
    """
    from overbar.cli.planned import Asked

    file = options.plan_file
    taken = {} if file is None else {identity(file): "the plan"}
    check_outputs([options.out, options.report], taken, force=options.force)
    parameters = parameters_of(**vars(options))
    delta, candidates = parameters.get("delta"), parameters.get("candidates")
    if file is not None:  # beside a plan they say where to state its guarantee and accuracy
        parameters.pop("delta", None)
    if file is not None or options.top:
        parameters.pop("candidates", None)
    asked = Asked(
        parameters=parameters,
        plan_file=file,
        top=options.top,
        delta=None if delta is None else _check.probability("delta", delta),
        candidates=candidates,
        above=_whole("above", options.above),
        threshold=_rational("threshold", options.threshold),
        margin=None if options.margin is None else _check.non_negative("margin", options.margin),
        recall=None if options.recall is None else _check.positive("recall", options.recall),
        items=_whole("items_per_person", options.items_per_person),
    )
    made = asked.planned(curves=options.report is not None)
    _deliver(made, options.out, options.report, options.as_json)


def _rational(name: str, value: str | None) -> Fraction | None:
    return None if value is None else _check.rational(name, value)


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
    screen.numbers(made.plan, None if made.threshold is None else short_text(made.threshold))
    if made.seen is not None:
        screen.expectation(made.plan, made.seen)
    else:
        screen.heading("Expected accuracy")
        screen.say(made.unseen)
