"""The page: what was found, what is promised, what to expect, and how to check it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from pathlib import Path

from overbar._numbers import short_text
from overbar.cli.failing import clean
from overbar.cli.page.forecast import ENOUGH, Forecast, crowd_words
from overbar.cli.page.look import STYLE
from overbar.cli.page.plot import key, plot
from overbar.cli.page.words import (
    Statement,
    asked,
    noise_words,
    percent,
    promise,
    proviso,
    rounded_up,
    what_it_does,
)
from overbar.mechanism.selection import Selection, visible
from overbar.plan import Plan

__all__ = ["Purse", "page"]

KINDS = {"select": "What is above the threshold", "top": "The top", "plan": "A plan"}
NOT_PREDICTED = "Give the number of candidates to see what to expect."


@dataclass(frozen=True)
class Purse:
    """What a ledger says: for which data the run was paid, and what is left."""

    dataset: str
    left: str
    total: str


def page(
    plan: Plan,
    *,
    kind: str,
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
    title = KINDS[kind] + (f" in {source_name}" if source_name else "")
    if selection is None and kind != "plan":
        title = f"A plan: {KINDS[kind][0].lower()}{KINDS[kind][1:]}"
    sections = [
        _found(selection) if selection is not None else "",
        _promised(plan, said),
        _expected(plan, seen, unseen),
        _numbers(plan, threshold),
        _cost(plan, said, selection, ledger),
        _checked(plan, plan_file),
    ]
    head = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>"
    )
    opening = f'<h1>{escape(title)}</h1><p class="soft">{escape(what_it_does(plan))}</p>'
    # Names and labels may be anyone's words, and a page may be looked at on a terminal.
    return clean("\n".join([head, opening, *filter(None, sections), "</main></body></html>\n"]))


def _section(name: str, title: str, *body: str) -> str:
    inside = "\n".join(filter(None, body))
    heading = f'<h2 id="{name}">{escape(title)}</h2>'
    return f'<section aria-labelledby="{name}">{heading}\n{inside}</section>'


def _paragraphs(lines: Sequence[str], look: str = "") -> str:
    opening = f'<p class="{look}">' if look else "<p>"
    return "".join(f"{opening}{escape(line)}</p>" for line in lines)


def _found(selection: Selection) -> str:
    items = "".join(f"<li>{escape(visible(str(label)))}</li>" for label in selection.labels)
    count = f"{len(selection):,} found, of at most {selection.plan.cutoff:,}, in the order found."
    body = f'<ol class="answer">{items}</ol>' if items else "<p>Nothing was found.</p>"
    note = "The order found is part of the answer; it is not a ranking."
    return _section("answer", "The answer", _paragraphs([count]), body, _paragraphs([note], "soft"))


def _promised(plan: Plan, said: Statement) -> str:
    first, *rest = promise(said)
    unlisted = (
        [f"Of δ, {said.unlisted:.3g} pays for candidates that were read off the data."]
        if said.unlisted is not None
        else []
    )
    return _section(
        "promise",
        "What is guaranteed",
        f'<p class="promise">{escape(first)}</p>',
        _paragraphs([*rest, proviso(plan), *unlisted]),
        _paragraphs(
            [f"In technical terms: {said}. Proved about the plan: {said.guarantee!r}."], "soft"
        ),
    )


def _expected(plan: Plan, seen: Forecast | None, unseen: str) -> str:
    title = "What accuracy to expect"
    if seen is None:
        return _section("accuracy", title, _paragraphs([unseen]))
    own = seen.chosen
    described = (
        f"against the margin: the plan finds {float(100 * ENOUGH):g} % from a margin of "
        f"{short_text(own.enough_at)} on; the table below has more numbers"
    )
    figures = ""
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
    return _section(
        "accuracy",
        title,
        _paragraphs(["Computed from the plan alone; no data was used.", crowd_words(plan, seen)]),
        figures,
        _margins(seen),
        _methods(seen) if len(seen.lines) > 1 else "",
    )


def _table(caption: str, head: Sequence[str], rows: Sequence[tuple[bool, Sequence[str]]]) -> str:
    top = "".join(
        f'<th scope="col"{" class=number" if place else ""}>{escape(name)}</th>'
        for place, name in enumerate(head)
    )
    body = "".join(
        f"<tr{' class=chosen' if chosen else ''}>"
        + "".join(
            f"<td{' class=number' if place else ''}>{escape(cell)}</td>"
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for chosen, row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(caption)}">'
        f"<table><caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _margins(seen: Forecast) -> str:
    rows = [
        (False, [short_text(margin), percent(at.recall), percent(at.precision), percent(at.ncr)])
        for margin, at in seen.rows
    ]
    return _table("This plan, by margin", ["margin", "recall", "precision", "NCR"], rows)


def _methods(seen: Forecast) -> str:
    rows = [
        (
            line.chosen,
            [
                f"{line.name} (this plan)" if line.chosen else line.name,
                f"{float(line.plan.query_noise.scale):.4g}",
                f"{float(line.plan.threshold_noise.scale):.4g}"
                if line.plan.threshold_noise
                else "–",
                short_text(line.enough_at),
            ],
        )
        for line in seen.lines
    ]
    enough = f"margin for {float(100 * ENOUGH):g} %"
    return _table(
        "The same privacy by other noises", ["method", "scale", "on threshold", enough], rows
    )


def _numbers(plan: Plan, threshold: Fraction | None) -> str:
    pairs = [
        ("threshold", "" if threshold is None else short_text(threshold)),
        ("found at most", f"{plan.cutoff:,}"),
        ("noise on scores", noise_words(plan.query_noise)),
        ("noise on the threshold", noise_words(plan.threshold_noise)),
        ("correction", f"{short_text(plan.correction)} is added to the threshold"),
        ("asking", asked(plan)),
        ("one person moves a score by", f"at most {short_text(plan.sensitivity)}"),
        ("limit on comparisons", f"{plan.max_queries:,}" if plan.max_queries else ""),
        ("grid", short_text(plan.grid)),
    ]
    items = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs if value
    )
    return _section("plan", "The plan", f"<dl>{items}</dl>")


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
        lines.append(
            f"Of the budget of {ledger.total} for {ledger.dataset}, {ledger.left} remains."
        )
    return _section("cost", "The cost", _paragraphs(lines))


def _checked(plan: Plan, plan_file: Path | None) -> str:
    name = plan_file.name if plan_file is not None else "plan.json"
    return _section(
        "check",
        "How to check this",
        _paragraphs([f"Save these lines as {name}; the guarantee is computed from them anew by"]),
        f"<pre><code>overbar plan --plan {escape(name)}</code></pre>",
        f"<pre><code>{escape(plan.to_json())}</code></pre>",
    )
