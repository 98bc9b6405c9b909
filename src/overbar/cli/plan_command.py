"""``overbar plan``: what is guaranteed and what to expect, before any data is touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from overbar import _check
from overbar._files import write_whole
from overbar.cli.apart import check_outputs, identity
from overbar.cli.exit import tell
from overbar.cli.options import OUTPUT, QUESTION, command, if_given, option, switch
from overbar.cli.plan_options import SelectNumbers, parameters_of

if TYPE_CHECKING:
    from overbar.cli.planned import Planned

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
    """Show what a run would guarantee and how accurate it would be. Reads no data.

    Numbers are exact: 0.1 is one tenth, and 1/3 and 1e-6 are fine.
    """

    items_per_person: str | None = option(
        QUESTION,
        "COUNT",
        "Plan for items that are read off the data, at most this many per person.",
    )
    top: bool = switch(QUESTION, "--top", "Plan for 'overbar top' instead of 'overbar select'.")
    margin: str | None = option(
        QUESTION, "NUMBER", "A distance from the threshold: how many are found there?"
    )
    recall: str | None = option(
        QUESTION,
        "SHARE",
        "A share to find, such as 0.95: which margin does it take, or, with --margin, which ε?",
    )
    above: str | None = option(
        QUESTION,
        "COUNT",
        "How many candidates are above the threshold; by default as many as the cutoff.",
    )
    out: Path | None = option(OUTPUT, "FILE", "Write the plan to a JSON file.")
    report: Path | None = option(OUTPUT, "FILE", "Write an HTML report.")
    as_json: bool = switch(OUTPUT, "--json", "Write JSON to standard output.")
    force: bool = switch(OUTPUT, "--force", "Replace files that exist.")


def _plan(options: PlanOptions) -> None:
    from overbar.cli.planned import Asked

    file = options.plan_file
    taken = {} if file is None else {identity(file): "the plan"}
    check_outputs([options.out, options.report], taken, force=options.force)
    parameters = parameters_of(options)
    candidates = parameters.get("candidates")
    if file is not None:  # beside a plan they say where to state its guarantee and accuracy
        parameters.pop("delta", None)
    if file is not None or options.top:
        parameters.pop("candidates", None)
    asked = Asked(
        parameters=parameters,
        plan_file=file,
        top=options.top,
        delta=if_given(_check.probability, "delta", options.delta),
        candidates=candidates,
        above=if_given(_check.whole, "above", options.above),
        threshold=if_given(_check.rational, "threshold", options.threshold),
        margin=if_given(_check.non_negative, "margin", options.margin),
        recall=if_given(_check.positive, "recall", options.recall),
        items=if_given(_check.whole, "items_per_person", options.items_per_person),
    )
    made = asked.planned(curves=options.report is not None)
    _deliver(made, options.out, options.report, options.as_json)


plan = command(PlanOptions, _plan)


def _deliver(made: Planned, out: Path | None, report: Path | None, as_json: bool) -> None:
    """Write the files first: a screen full of numbers should not hide that one failed."""
    written = []
    if out is not None:
        write_whole(out, made.plan.to_json() + "\n")
        written.append(f"plan: {out}")
    if report is not None:
        from overbar.cli.output.answer_page import page

        whole = page(
            made.plan, said=made.said, seen=made.seen, threshold=made.threshold, plan_file=out
        )
        write_whole(report, whole)
        written.append(f"report: {report}")
    if as_json:
        tell(made.to_json())
    else:
        _show(made)
    for line in written:
        tell(line, err=as_json)


def _show(made: Planned) -> None:
    from overbar.cli.output.screen import Screen

    screen = Screen()
    if made.answers:
        screen.heading("Answer")
        for _, _, text in made.answers:
            screen.say(text)
    screen.promise(made.plan, made.said)
    screen.numbers(made.plan, made.threshold)
    if made.seen is not None:
        screen.expectation(made.plan, made.seen)
    else:
        screen.heading("Expected accuracy")
        screen.say(made.unseen)
