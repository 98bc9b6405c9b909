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
from overbar.ledger import Receipt
from overbar.report import Gauge, Report, ReportTable, Section
from overbar.runs import Selection
from overbar.runs.counting import Count
from overbar.runs.selection import in_groups, label_columns
from overbar.words.account_report import what_is_left, what_it_cost
from overbar.words.forecast import forecast, others_like
from overbar.words.plan_report import Planned, check_section, cost_section
from overbar.words.plan_words import (
    EVERYTHING_ELSE,
    conditions,
    may_be_more,
    plan_section,
    quality_of,
)
from overbar.words.promise import cost_now, promise_sections
from overbar.words.released_answer import (
    AT_ONE_PRICE,
    VERSION,
    Answer,
    by_count,
    number_found,
    plain,
)

COUNTED = (
    "s are noisy. Each interval holds the true number with a probability of about 95 %, also "
    "for items that came out because their noise was high."
)
#: Of a histogram: `make campaign NAME=intervals` counts them place by place.
AT_ONE_PLACE = (
    "That is so over all answers. At one place, where many items have nearly the same number, such "
    "as none, it can be less: 69 to 81 % where it was measured."
)
NO_CANDIDATES = "The number of candidates is not public, so no accuracy is predicted."
AGAIN = "The stored answer again: nothing was spent now."


def answer_report(answer: Answer, *, details: bool = False) -> Report:
    """Return what is said about an answer; with details also what a reviewer wants to know.

    The details take up to a second: which accuracy was to be expected, and of other methods.
    """
    selection, promised, plan = answer.selection, answer.promised, answer.selection.plan
    receipt = selection.receipt
    if plan.labels.finds == "alarms":
        cost = [f"All days, also those to come, cost {answer.cost} together."]
    elif plan.labels.finds in AT_ONE_PRICE:
        cost = [f"This run has cost {answer.cost}, whatever came out."]
    else:
        cost = cost_now(promised, selection.spent, is_full=len(selection) >= plan.cutoff)
    if receipt is not None and receipt.repeated:
        cost += [AGAIN, *what_is_left(receipt.standing)]
    elif receipt is not None:
        paid = what_it_cost(answer.cost, receipt.standing)
        cost = [f"T{paid[1:]}.", *cost[plan.labels.finds != "alarms" :]]
    measure = answer.question.measure
    found = found_section(selection, measure.what, answer.candidates, measure.kind)
    return Report(
        what_was_asked(answer.question),
        (
            replace(found, notes=(*found.notes, *answer.advice)),
            *answer.quality.sections(),
            *promise_sections(promised, conditions(plan, promised), answer.persons),
            cost_section(cost),
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
    if plan.finds_keys:
        return (plan_section(plan, None, folded=True),)
    if plan.labels.finds == "alarms":
        return plan_section(plan, None, folded=True), check_section(plan)
    expected, why_not = None, NO_CANDIDATES
    if candidates is not None or not plan.for_top:
        try:
            others = others_like(plan, answer.promised, candidates)
            expected = forecast(plan, candidates=candidates, others=others, curves=True)
        except ParameterError as error:
            why_not = error.as_typed()
    level = None if plan.for_top else question.threshold
    planned = Planned(plan, answer.promised, level, (), expected, why_not)
    return *planned.details(folded=True), check_section(plan)


def what_was_asked(question: Question) -> str:
    """Say what was asked, as a question."""
    measure = question.measure
    if question.plan.finds_keys:
        return f"Which values of {measure.what} do many persons have?"
    level = question.threshold
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
    return f"{which} of {measure.what} have {have[measure.kind]}?"


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
    notes: list[str] = []
    if plan.finds_keys:
        order = "sorted" if selection.counts is None else "the highest counts first"
        sentences = [f"{number_found(selection)}, {order}. How many others there are stays hidden."]
        sentences += [] if rest is None else [f"E{str(rest)[1:]}."]
    elif plan.labels.finds == "alarms":
        sentences = [f"{number_found(selection)}, in the order of days."]
    else:
        more = in_groups(plan) + may_be_more(plan, max(selection.ranks, default=0), candidates)
        sentences, notes = (
            [f"{len(selection):,} found, of at most {plan.most_found:,}{more}."],
            _order_notes(selection, kind),
        )
        if groups or selection.counts:
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
        notes=tuple(notes),
    )


def _order_notes(selection: Selection, kind: str) -> list[str]:
    """Say what the order tells, and what counts or sums do."""
    plan = selection.plan
    if not selection:
        return []
    notes = ["They stand in the order found, which is not a ranking."]
    if not plan.in_turn:
        notes = ["The highest noisy scores come first; noise may have swapped some."]
    if selection.counts:
        notes.append(kind.capitalize() + COUNTED)
        if plan.gives_values and plan.threshold_noise is None and plan.items_per_person:
            notes.append(AT_ONE_PLACE)
        if not plan.gives_values:
            notes.append("Their noise is not that of the order: they need not fall line by line.")
        elif plan.threshold_noise is not None:
            notes.append("They share some noise: if one is too high, others are likely to be too.")
    return notes


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
