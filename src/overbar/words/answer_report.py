"""What is said about an answer: what was asked and found, what it protects, cost and leaves.

Everything in it is public: nothing else is passed in.
"""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

from overbar._numbers import number_text
from overbar.errors import ParameterError
from overbar.frames import Question
from overbar.frames.watching import WatchQuestion
from overbar.ledger import Receipt
from overbar.mechanisms.keys import EVERYTHING_ELSE
from overbar.mechanisms.score_plan import of_scores
from overbar.report import Gauge, Report, ReportTable, Section
from overbar.runs import Selection
from overbar.runs.counting import Count
from overbar.runs.selection import label_columns
from overbar.words.account_report import what_is_left, what_it_cost
from overbar.words.forecast import forecast, others_like
from overbar.words.plan_report import Planned, check_section, cost_section
from overbar.words.plan_words import conditions, plan_section, quality_of
from overbar.words.promise import cost_now, promise_sections
from overbar.words.released_answer import VERSION, Answer, by_count, plain

NO_CANDIDATES = "The number of candidates is not public, so no accuracy is predicted."
AGAIN = "The stored answer again: nothing was spent now."


def answer_report(answer: Answer, *, details: bool = False) -> Report:
    """Return what is said about an answer; with details also what a reviewer wants to know.

    The details take up to a second: which accuracy was to be expected, and of other methods.
    """
    selection, promised, plan = answer.selection, answer.promised, answer.selection.plan
    receipt = selection.receipt
    full = len(selection) >= plan.most_found
    cost = cost_now(promised, selection.spent, plan.cost_texts, is_full=full)
    if receipt is not None and receipt.repeated:
        cost += [AGAIN, *what_is_left(receipt.standing)]
    elif receipt is not None:
        paid = what_it_cost(answer.cost, receipt.standing)
        cost[0] = f"T{paid[1:]}."
    measure = answer.question.measure
    found = found_section(selection, measure.what, answer.candidates, measure.kind)
    return Report(
        what_was_asked(answer.question),
        (
            replace(found, notes=(*found.notes, *answer.advice)),
            *answer.quality.sections(),
            *promise_sections(promised, conditions(plan, promised), answer.persons),
            cost_section(list(filter(None, cost))),
            Section(name="question", title="What was asked", pairs=_facts(answer)),
            *([] if receipt is None else [_record_section(receipt)]),
            *(_details(answer) if details else ()),
        ),
        answer.summary,
        answer.fields(),
    )


def selection_report(selection: Selection) -> Report:
    """Return what is said about an answer of which the question is not known."""
    summary, _, _ = repr(selection).partition("\n")
    quality = quality_of(selection.plan, None, None)
    return Report("An answer", (found_section(selection, "label"), *quality.sections()), summary)


def _details(answer: Answer) -> tuple[Section, ...]:
    plan, question, candidates = answer.selection.plan, answer.question, answer.candidates
    if question.search is not None:
        return (plan_section(plan, None, folded=True),)
    if isinstance(question, WatchQuestion):
        return plan_section(plan, None, folded=True), check_section(plan)
    scored, expected, why_not = of_scores(plan), None, NO_CANDIDATES
    if candidates is not None or not plan.for_top:
        try:
            others = others_like(scored, answer.promised, candidates)
            expected = forecast(scored, candidates=candidates, others=others, curves=True)
        except ParameterError as error:
            why_not = error.as_typed()
    level = None if plan.for_top else question.threshold
    planned = Planned(plan, answer.promised, level, (), expected, why_not)
    return *planned.details(folded=True), check_section(plan)


def what_was_asked(question: Question) -> str:
    """Say what was asked, as a question."""
    measure, level = question.measure, question.threshold
    enough = "" if level is None else f"{number_text(level)} or more"
    most, above = {
        "count": (f"the most {measure.unit}", f"{enough} {measure.unit}"),
        "sum": (f"the highest sum of {measure.column}", f"a sum of {measure.column} of {enough}"),
        "score": (f"the highest {measure.column}", f"a {measure.column} of {enough}"),
    }[measure.kind]
    return question.plan.asked_text.format(what=measure.what, most=most, enough=above)


def _facts(answer: Answer) -> tuple[tuple[str, str], ...]:
    """Return what was asked: what for, of which table, about whom, and when."""
    person = answer.question.measure.person
    who = "whoever prepared the scores says what one person can change"
    if person is not None:
        who = f"each value of {person}; all rows of one person are protected together"
    return (
        ("what for", answer.purpose),
        ("table", answer.source),
        ("public list", "" if answer.public_list is None else str(answer.public_list)),
        ("asked", answer.question.in_words),
        ("a person", who),
        ("released", _in_utc(answer.released)),
        ("made with", f"overbar {VERSION}"),
    )


def _in_utc(time: str) -> str:
    """Write a time for people: day and minute.

    >>> _in_utc("2026-01-31T08:15:59+00:00")
    '2026-01-31 08:15 UTC'
    """
    return f"{time[:16].replace('T', ' ')} UTC"


def _record_section(receipt: Receipt) -> Section:
    """Return where the ledger has a run, and how whoever has both compares them."""
    name = shlex.quote(receipt.dataset)
    return Section(
        name="record",
        title="In the ledger",
        pairs=(
            ("run", f"row {receipt.number}, paid for by {receipt.dataset}"),
            ("request", receipt.request_id or ""),
            ("settled", _in_utc(receipt.time)),
            ("head", receipt.head),
        ),
        notes=(
            "Keep the head elsewhere: it shows later that no row up to here was lost or changed. "
            "Whoever has the ledger checks that, and finds the run in it, by",
        ),
        code=(
            f"overbar ledger verify LEDGER --head {receipt.head}",
            f"overbar ledger show LEDGER {name}",
        ),
    )


def found_section(
    selection: Selection, name: str, candidates: int | None = None, kind: str = "count"
) -> Section:
    """Return the labels found; with counts or sums, each with a bar and its interval.

    `kind` is what a score is: a count, a sum or another score.
    """
    plan, rest, selection = selection.plan, selection.rest, by_count(selection)
    *groups, (_, inside) = label_columns(selection).items()
    labels: dict[str, Sequence[Hashable]] = {**dict(groups), name: inside}
    sentences = [plan.found_sentence(selection.ranks, candidates)]
    sentences += [] if rest is None else [f"E{str(rest)[1:]}."]
    if plan.ordered and (groups or selection.counts):
        labels = {"": selection.ranks, **labels}
    head = list(labels)
    rows: list[list[str | Gauge]]
    rows = [[joined(part) for part in row] for row in zip(*labels.values(), strict=True)]
    counts = selection.counts or ()
    if rest is not None:
        rows, counts = [*rows, [EVERYTHING_ELSE]], (*counts, rest.everything_else)
    if counts:
        head += [kind, "95 % interval", ""]
        scale = max(count.high for count in counts)
        rows = [
            [*row, count.shown, count.within, _gauge(count, scale)]
            for row, count in zip(rows, counts, strict=True)
        ]
    return Section(
        name="answer",
        title="The answer",
        sentences=tuple(sentences),
        table=ReportTable(tuple(head), tuple(map(tuple, rows)), words=len(labels)),
        notes=tuple(plan.found_notes(kind) if selection else ()),
    )


def _gauge(count: Count, most: Fraction) -> Gauge:
    def share(number: Fraction) -> float:
        return float(min(Fraction(1), max(Fraction(0), number / most))) if most > 0 else 0.0

    ends = share(count.low or Fraction(0)), share(count.high)
    return Gauge(share(count.value), "bar with its interval", *ends)


def joined(label: Hashable) -> str:
    """Write a label for people; one of several columns with its parts side by side.

    >>> joined(("north", "tea")), joined(7)
    ('north / tea', '7')
    """
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(plain(label))
