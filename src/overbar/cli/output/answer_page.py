"""The page: what was asked and found, what it protects, how good it is, and what is left.

What researchers and reviewers want beside that is folded away: plan, expected accuracy, check.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path

from overbar import _html
from overbar._check import Number, rational
from overbar._files import write_whole
from overbar._numbers import short_text
from overbar.accuracy.detection import number_text
from overbar.cli.exit import clean
from overbar.cli.output.forecast import ENOUGH, Planned, forecast, margin_words, others_like
from overbar.cli.output.plot import key, plot
from overbar.cli.output.words import (
    Quality,
    Statement,
    may_be_more,
    plan_pairs,
    promise,
    promise_about,
    rounded_up,
    statement,
    what_it_does,
)
from overbar.errors import ParameterError
from overbar.frames import Question
from overbar.frames.measure import Measure
from overbar.ledger import Standing
from overbar.mechanism.selection import Selection, answer_table, in_groups, joined, visible
from overbar.plans import Plan, SparseVectorPlan

COUNTED = (
    "Counts are noisy. Each interval holds the true number with a probability of about 95 %, also "
    "for items that came out because their noise was high."
)
FROM_THE_PLAN = "This follows from the plan alone; nothing about the data was used."


@dataclass(frozen=True)
class About:
    """What was asked, for whoever did not ask it. All of it is public.

    `facts` are names with words: which table, who counts as a person, what for.
    """

    asked: str
    facts: tuple[tuple[str, str], ...] = ()
    item: str = "item"
    quality: Quality | None = None


def about_question(question: Question, source: str, purpose: str, quality: Quality) -> About:
    """Say what was asked, of whom and what for."""
    measure, level = question.measure, question.threshold
    if question.plan.for_top or level is None:
        which = f"Which {question.plan.cutoff:,} values"
        have = {
            "count": f"the most {measure.unit}",
            "sum": f"the highest sum of {measure.column}",
            "score": f"the highest {measure.column}",
        }
    else:
        which, enough = "Which values", f"{number_text(level)} or more"
        have = {
            "count": f"{enough} {measure.unit}",
            "sum": f"a sum of {measure.column} of {enough}",
            "score": f"a {measure.column} of {enough}",
        }
    asked = f"{which} of {measure.what} have {have[measure.kind]}?"
    facts = facts_of(measure, source, question.in_words, purpose)
    return About(asked, facts, measure.what, quality)


def facts_of(
    measure: Measure, source: str, asked: str, purpose: str
) -> tuple[tuple[str, str], ...]:
    """Return what a reader asks first: what for, about whom, and when."""
    who = "whoever prepared the scores says what one person can change"
    if measure.person is not None:
        who = f"each value of {measure.person}; all rows of one person are protected together"
    today = datetime.now().astimezone().date().isoformat()
    return (
        ("what for", purpose),
        ("table", source),
        ("asked", asked),
        ("a person", who),
        ("date of this page", today),
    )


def page(
    made: Planned,
    *,
    selection: Selection | None = None,
    about: About | None = None,
    ledger: Standing | None = None,
    plan_file: Path | None = None,
) -> str:
    """Return the page as HTML. Everything in it is public: nothing else is passed in."""
    plan, said = made.plan, made.said
    title = "the top" if plan.for_top else "what is above the threshold"
    title = f"A plan: {title}" if about is None else about.asked
    quality = made.quality if about is None or about.quality is None else about.quality
    details = [
        _html.section("technical", "In technical terms", _technical(plan, said)),
        _html.section("plan", "The plan", _html.pairs(plan_pairs(plan, made.threshold))),
        _expected(made),
        _checked(plan, plan_file),
    ]
    return laid_out(
        title,
        lead=what_it_does(plan),
        facts=() if about is None else about.facts,
        answer="" if selection is None else _found(selection, made.candidates, about),
        quality=quality.sentence,
        said=said,
        cost=_cost(plan, said, selection),
        ledger=ledger,
        details=details,
        opened=selection is None,
    )


def laid_out(
    title: str,
    *,
    facts: Iterable[tuple[str, str]],
    answer: str,
    quality: str,
    said: Statement,
    cost: Sequence[str],
    ledger: Standing | None,
    details: Iterable[str],
    lead: str = "",
    opened: bool = False,
) -> str:
    """Return a page: the answer, how good it is, what it protects, the budget, and the details."""
    first, _precisely, *rest = promise(said)
    left = []
    if ledger is not None:
        left = [f"Of the budget of {ledger.granted} for {ledger.dataset}, {ledger.left} remains."]
    whole = _html.page(
        title,
        f"<h1>{escape(title)}</h1>",
        _html.paragraphs([lead] if lead else [], "soft"),
        _html.pairs(facts) if facts else "",
        answer,
        _marked("good", "How good it is", quality, [FROM_THE_PLAN], "soft") if quality else "",
        _marked("promise", "What it protects", first, rest),
        _html.section("cost", "The budget", _html.paragraphs([*cost, *left])),
        _html.folded("For researchers and reviewers", *details, opened=opened),
    )
    # Names and labels may be anyone's words, and a page may be looked at on a terminal.
    return clean(whole)


def _marked(name: str, title: str, sentence: str, lines: Sequence[str], look: str = "") -> str:
    """Return a section with a sentence that stands out, and more below it."""
    first = f'<p class="promise">{escape(sentence)}</p>'
    return _html.section(name, title, first, _html.paragraphs(lines, look))


def write_page(
    path: Path,
    *,
    plan: Plan,
    threshold: Number | None,
    candidates: int | None = None,
    delta: Number | None = None,
    unlisted_delta: float | None = None,
    selection: Selection | None = None,
    about: About | None = None,
    ledger: Standing | None = None,
) -> None:
    """Write the page of a run, or of a plan that was not run.

    `delta` is where the guarantee of the plan is stated; what unlisted candidates cost comes on
    top. The accuracy of a top is predicted where the number of candidates is public.
    """
    said = statement(plan, delta, unlisted_delta)
    seen, unseen = None, "The number of candidates is not public, so no accuracy is predicted."
    if candidates is not None or not plan.for_top:
        try:
            others = others_like(plan, said, candidates)
            seen = forecast(plan, candidates=candidates, others=others, curves=True)
        except ParameterError as error:
            unseen = error.as_typed()
    level = None if threshold is None else rational("threshold", threshold)
    made = Planned(plan, said, level, (), seen, unseen, candidates)
    write_whole(path, page(made, selection=selection, about=about, ledger=ledger))


def _found(selection: Selection, candidates: int | None, about: About | None) -> str:
    items = "".join(f"<li>{escape(visible(joined(label)))}</li>" for label in selection.labels)
    plan, most = selection.plan, max(selection.ranks, default=0)
    more = in_groups(selection.plan) + may_be_more(selection.plan, most, candidates)
    count = f"{len(selection):,} found, of at most {plan.most_found:,}{more}."
    body = f'<ol class="answer">{items}</ol>' if items else "<p>Nothing was found.</p>"
    notes = ["They stand in the order found, which is not a ranking."]
    if not isinstance(plan.labels, SparseVectorPlan):
        notes = ["The highest noisy scores come first; noise may have swapped some."]
    if selection and (selection.counts or plan.groups is not None):
        body = answer_table(selection, "item" if about is None else about.item)
    if selection.counts:
        notes.append(COUNTED)
        if not plan.gives_values:
            notes.append("Their noise is not that of the order: they need not fall line by line.")
        elif plan.threshold_noise is not None:
            notes.append("They share some noise: if one is too high, others are likely to be too.")
    return _html.section(
        "answer", "The answer", _html.paragraphs([count]), body, _html.paragraphs(notes, "soft")
    )


def _technical(plan: Plan, said: Statement) -> str:
    first = f"The promise is {said}. Proved about the plan: {said.guarantee!r}."
    return _html.paragraphs([first, *promise_about(plan, said)[1:]])


def _expected(made: Planned) -> str:
    title, seen = "What accuracy to expect", made.seen
    if seen is None:
        return _html.section("accuracy", title, _html.paragraphs([made.unseen]))
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
        figure = plot("Chance to be found", seen.lines, f"Chance to be found {described}")
        figures = f'<div class="plots">{figure}</div>{key(seen.lines)}'
    return _html.section(
        "accuracy",
        title,
        _html.paragraphs(
            ["Computed from the plan alone; no data was used.", margin_words(made.plan)]
        ),
        figures,
        _table("This plan, by margin", ["margin", "above", "below"], seen.by_margin()),
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


def _cost(plan: Plan, said: Statement, selection: Selection | None) -> list[str]:
    if selection is None:
        besides = "" if said.pure else f" and δ = {rounded_up(said.total_delta)}"
        return [f"A run costs at most ε = {short_text(said.epsilon)}{besides}."]
    epsilon, delta = said.cost(selection.spent)
    besides = f" and δ = {rounded_up(delta)}" if delta else ""
    lines = [f"This run has cost ε = {short_text(epsilon)}{besides}."]
    if len(selection) < plan.cutoff and epsilon < said.epsilon:
        lines.append("It found fewer than it might have, so it cost less than planned.")
    return lines


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
