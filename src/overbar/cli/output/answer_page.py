"""The page: what was found, what is promised, what to expect, and how to check it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from pathlib import Path

from overbar import _html
from overbar._check import Number, rational
from overbar._files import write_whole
from overbar._numbers import short_text
from overbar.cli.exit import clean
from overbar.cli.output.forecast import ENOUGH, Forecast, crowd_words, forecast, others_like
from overbar.cli.output.plot import key, plot
from overbar.cli.output.words import (
    Statement,
    plan_pairs,
    promise_about,
    rounded_up,
    statement,
    what_it_does,
)
from overbar.errors import ParameterError
from overbar.mechanism.selection import Selection, answer_table, joined, visible
from overbar.plan import Plan

COUNTED = (
    "Counts are noisy. Each interval holds the true number with a probability of 95 %, also for "
    "items that came out because their noise was high."
)
NOT_PREDICTED = "Give the number of candidates to see what to expect."


@dataclass(frozen=True)
class Purse:
    """What a ledger says: for which data the run was paid, and what is left."""

    dataset: str
    left: str
    total: str


def left_words(purse: Purse) -> str:
    """Say what is left."""
    return f"Of the budget of {purse.total} for {purse.dataset}, {purse.left} remains."


def page(
    plan: Plan,
    *,
    said: Statement,
    seen: Forecast | None,
    threshold: Fraction | None = None,
    selection: Selection | None = None,
    source_name: str | None = None,
    ledger: Purse | None = None,
    plan_file: Path | None = None,
    unseen: str = NOT_PREDICTED,
) -> str:
    """Return the page as HTML. Everything in it is public: nothing else is passed in."""
    title = "the top" if plan.is_top else "what is above the threshold"
    title = f"A plan: {title}" if selection is None else title.capitalize()
    title += f" in {source_name}" if source_name else ""
    sections = [
        _found(selection) if selection is not None else "",
        _promised(plan, said),
        _expected(plan, seen, unseen),
        _html.section("plan", "The plan", _html.pairs(plan_pairs(plan, threshold))),
        _cost(plan, said, selection, ledger),
        _checked(plan, plan_file),
    ]
    whole = _html.page(
        title,
        f"<h1>{escape(title)}</h1>",
        _html.paragraphs([what_it_does(plan)], "soft"),
        *sections,
    )
    # Names and labels may be anyone's words, and a page may be looked at on a terminal.
    return clean(whole)


def write_page(
    path: Path,
    *,
    plan: Plan,
    threshold: Number | None,
    candidates: int | None = None,
    delta: Number | None = None,
    unlisted_delta: float | None = None,
    selection: Selection | None = None,
    source_name: str | None = None,
    ledger: Purse | None = None,
) -> None:
    """Write the page of a run, or of a plan that was not run.

    `delta` is where the guarantee of the plan is stated; what unlisted candidates cost comes on
    top. Without a public number of candidates no accuracy is predicted.
    """
    said = statement(plan, delta, unlisted_delta)
    seen, unseen = None, "The number of candidates is not public, so no accuracy is predicted."
    if candidates is not None:
        try:
            others = others_like(plan, said, candidates)
            seen = forecast(plan, candidates=candidates, others=others, curves=True)
        except ParameterError as error:
            unseen = error.as_typed()
    whole = page(
        plan,
        said=said,
        seen=seen,
        threshold=None if threshold is None else rational("threshold", threshold),
        selection=selection,
        source_name=source_name,
        ledger=ledger,
        unseen=unseen,
    )
    write_whole(path, whole)


def _found(selection: Selection) -> str:
    notes = ["The order found is part of the answer; it is not a ranking."]
    items = "".join(f"<li>{escape(visible(joined(label)))}</li>" for label in selection.labels)
    count = f"{len(selection):,} found, of at most {selection.plan.cutoff:,}, in the order found."
    body = f'<ol class="answer">{items}</ol>' if items else "<p>Nothing was found.</p>"
    if selection.counts:
        body = answer_table(selection, "item")
        notes.append(COUNTED)
    return _html.section(
        "answer", "The answer", _html.paragraphs([count]), body, _html.paragraphs(notes, "soft")
    )


def _promised(plan: Plan, said: Statement) -> str:
    first, *rest = promise_about(plan, said)
    return _html.section(
        "promise",
        "What is guaranteed",
        f'<p class="promise">{escape(first)}</p>',
        _html.paragraphs(rest),
        _html.paragraphs(
            [f"In technical terms: {said}. Proved about the plan: {said.guarantee!r}."], "soft"
        ),
    )


def _expected(plan: Plan, seen: Forecast | None, unseen: str) -> str:
    title = "What accuracy to expect"
    if seen is None:
        return _html.section("accuracy", title, _html.paragraphs([unseen]))
    own = seen.chosen
    described = (
        f"against the margin: the plan finds {float(100 * ENOUGH):g} % from a margin of "
        f"{short_text(own.enough_at)} on; the table below has more numbers"
    )
    figures = others = ""
    if len(seen.lines) > 1:
        head = ["method", "scale", "on threshold", f"margin for {float(100 * ENOUGH):g} %"]
        chosen = seen.lines.index(own)
        others = _table("The same privacy in other ways", head, seen.by_method(), chosen)
    if own.points:
        recall = plot(
            "Recall: share of those above that is found",
            seen.lines,
            lambda at: at.recall,
            f"Recall {described}",
        )
        precision = plot(
            "Precision: share of the found that is right",
            seen.lines,
            lambda at: at.precision,
            f"Precision {described}",
        )
        figures = f'<div class="plots">{recall}{precision}</div>{key(seen.lines)}'
    return _html.section(
        "accuracy",
        title,
        _html.paragraphs(
            ["Computed from the plan alone; no data was used.", crowd_words(plan, seen)]
        ),
        figures,
        _table("This plan, by margin", ["margin", "recall", "precision", "NCR"], seen.by_margin()),
        others,
    )


def _table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], chosen: int = -1
) -> str:
    lines = (
        f"<tr{' class=chosen' if number == chosen else ''}>"
        + "".join(_html.cell(text, number=place > 0) for place, text in enumerate(row))
        + "</tr>"
        for number, row in enumerate(rows)
    )
    return _html.table(head, lines, caption=caption)


def _cost(plan: Plan, said: Statement, selection: Selection | None, ledger: Purse | None) -> str:
    if selection is None:
        besides = "" if said.pure else f" and δ = {rounded_up(said.total_delta)}"
        lines = [f"A run costs at most ε = {short_text(said.epsilon)}{besides}."]
    else:
        epsilon, delta = said.cost(selection.spent)
        besides = f" and δ = {rounded_up(delta)}" if delta else ""
        lines = [f"This run has cost ε = {short_text(epsilon)}{besides}."]
        if len(selection) < plan.cutoff and epsilon < said.epsilon:
            lines.append("It found fewer than it might have, so it cost less than planned.")
    if ledger is not None:
        lines.append(left_words(ledger))
    return _html.section("cost", "The cost", _html.paragraphs(lines))


def _checked(plan: Plan, plan_file: Path | None) -> str:
    name = plan_file.name if plan_file is not None else "plan.json"
    return _html.section(
        "check",
        "How to check this",
        _html.paragraphs(
            [f"Save these lines as {name}; the guarantee is computed from them anew by"]
        ),
        f"<pre><code>overbar plan --plan {escape(name)}</code></pre>",
        f"<pre><code>{escape(plan.to_json())}</code></pre>",
    )
