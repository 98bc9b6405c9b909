"""What is said about an answer: what was asked and found, what it protects, cost and leaves.

Everything in it is public: nothing else is passed in.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from importlib import metadata
from typing import Any

from overbar._numbers import exact_text
from overbar.accuracy.detection import number_text
from overbar.errors import ParameterError
from overbar.frames import Question
from overbar.frames.quantiles import QuantileQuestion
from overbar.frames.shape import ShapeQuestion
from overbar.frames.watching import WatchQuestion
from overbar.mechanism import Selection
from overbar.mechanism.counting import Count, exact_end
from overbar.mechanism.selection import in_groups, label_columns, names_of
from overbar.plans.quantile_plan import QuantilePlan
from overbar.report import Gauge, Report, ReportTable, Section
from overbar.words.account_report import what_is_left
from overbar.words.forecast import forecast, others_like
from overbar.words.plan_report import Planned, check_section, cost_section, how_good, key_fields
from overbar.words.plan_words import (
    EVERYTHING_ELSE,
    Quality,
    conditions,
    may_be_more,
    plan_section,
    quality_of,
)
from overbar.words.promise import Statement, cost_now, price, promise_sections, spent_words
from overbar.words.shape_report import shape_sections

#: The form of the JSON file.
FILE_VERSION = 1
COUNTED = (
    "Counts are noisy. Each interval holds the true number with a probability of about 95 %, also "
    "for items that came out because their noise was high."
)
NO_CANDIDATES = "The number of candidates is not public, so no accuracy is predicted."
#: What costs the same, however much is found.
AT_ONE_PRICE = ("keys", "quantiles", "shape", "alarms")
AGAIN = "The stored answer again: nothing was spent now."


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came out, by which question, with which guarantee.

    `candidates` is how many items there are, if that is public.
    """

    selection: Selection
    question: Question
    promised: Statement
    source: str
    candidates: int | None = None
    purpose: str = ""

    @cached_property
    def quality(self) -> Quality:
        """How good the answer is; nothing about the data was used.

        It is computed when the answer is paid for, so a failure here must not lose the answer.
        """
        try:
            quality = how_good(self.question, self.candidates)
            outlook = getattr(self.selection, "outlook", None)  # of alarms, for days to come
            return quality if outlook is None else replace(quality, sentence=str(outlook))
        except (ArithmeticError, ValueError):
            return Quality("")

    @property
    def rest(self) -> Count | None:
        """The count of everything else, where keys are counted."""
        return None if self.selection.rest is None else self.selection.rest.everything_else

    @property
    def summary(self) -> str:
        """What came out and what it cost, in one line."""
        selection, plan = self.selection, self.selection.plan
        spent = spent_words(self.promised, selection.spent)
        if plan.labels.finds in AT_ONE_PRICE:
            number, spent = _number_found(selection), "all of it"
        else:
            number = f"{len(selection)} of at most {plan.most_found:,} found{in_groups(plan)}"
            if plan.keys is not None:
                number += " among keys that were found first, from the same budget"
            number += may_be_more(plan, max(selection.ranks, default=0), self.candidates)
        repeated = selection.receipt is not None and selection.receipt.repeated
        again = "; the stored answer again, nothing spent now" if repeated else ""
        rest = "" if selection.rest is None else f"; {selection.rest}"
        return f"{number}; {self.promised}; spent {spent}{again}{rest}"

    @property
    def columns(self) -> dict[str, list[Hashable]]:
        """The labels found, by the columns that name them."""
        if self.selection.plan.finds_shape:
            return label_columns(self.selection)
        labels: list[Any] = list(self.selection.labels)
        items = self.question.measure.items
        if len(items) <= 1:
            return {(*items, "at")[0]: labels}
        return {name: [label[place] for label in labels] for place, name in enumerate(items)}

    def fields(self) -> dict[str, object]:
        """Return the answer for a JSON file: exact, and nothing private."""
        receipt, counts = self.selection.receipt, self.selection.counts
        return {
            "overbar_answer": FILE_VERSION,
            "overbar": metadata.version("overbar"),
            "item": list(self.columns) if len(self.columns) > 1 else next(iter(self.columns)),
            "labels": [plain(label) for label in self.selection.labels],
            **({} if counts is None else {"counts": _count_fields(counts)}),
            **self._own_fields(),
            "ledger": receipt
            and {
                "dataset": receipt.dataset,
                "request": receipt.request_id,
                "run": receipt.number,
                "repeated": receipt.repeated,
                "head": receipt.head,
            },
        }

    def _own_fields(self) -> dict[str, object]:
        selection, question, promised = self.selection, self.question, self.promised
        if question.plan.finds_keys:
            sums: dict[str, object] = {}
            if selection.rest is not None:
                rest, total = _count_fields(selection.rest)
                noise = repr(question.plan.keys and question.plan.keys.count_noise)
                sums = {"everything_else": rest, "total": total, "count_noise": noise}
            asked = {"keys": question.in_words, "source": self.source}
            return {**sums, "question": asked, **key_fields(question)}
        epsilon, delta = promised.cost(selection.spent)
        by = question.measure.by
        stated = promised.delta if promised.unlisted is None else promised.total_delta
        return {
            "question": {
                "score": str(question.measure),
                "source": self.source,
                "threshold": question.threshold and exact_text(question.threshold),
                "order": question.plan.order if question.plan.in_turn else None,
                **({} if by is None else {"by": by}),
                **(
                    {"ladder": str(question.ladder)}
                    if isinstance(question, QuantileQuestion | ShapeQuestion)
                    else {}
                ),
                **(
                    {"days": list(map(str, question.days))}
                    if isinstance(question, WatchQuestion)
                    else {}
                ),
                "listed_items": self.candidates if question.catalogue else None,
            },
            "plan": json.loads(selection.plan.to_json()),
            "guarantee": {
                "statement": str(promised),
                "epsilon": _number(promised.epsilon),
                "delta": _number(stated),
                "plan_delta": _number(promised.delta),
                "unlisted_delta": promised.unlisted or 0.0,
                "proved_about_the_plan": repr(promised.guarantee),
            },
            "how_good": self.quality.fields(),
            "spent": _number(epsilon),
            "spent_delta": delta,
        }


def answer_report(answer: Answer, *, details: bool = False) -> Report:
    """Return what is said about an answer; with details also what a reviewer wants to know.

    The details take up to a second: which accuracy was to be expected, and of other methods.
    """
    selection, promised, plan = answer.selection, answer.promised, answer.selection.plan
    receipt = selection.receipt
    if plan.labels.finds == "alarms":
        whole = price(promised.epsilon, promised.total_delta)
        cost = [f"All days, also those to come, cost {whole} together."]
    elif plan.finds_quantiles or plan.finds_shape:
        cost = [f"This run has cost {price(promised.epsilon, promised.total_delta)}."]
    elif plan.finds_keys:
        whole = price(promised.epsilon, promised.total_delta)
        cost = [f"This run has cost {whole}, however many keys came out."]
    else:
        cost = cost_now(promised, selection.spent, is_full=len(selection) >= plan.cutoff)
    if receipt is not None and receipt.repeated:
        cost.append(AGAIN)
    return Report(
        what_was_asked(answer.question),
        (
            Section(name="question", pairs=_facts(answer)),
            *found_sections(selection, answer.question.measure.what or "at", answer.candidates),
            *_shares_section(answer),
            *answer.quality.sections(),
            *promise_sections(promised, conditions(plan, promised)),
            cost_section([*cost, *what_is_left(None if receipt is None else receipt.standing)]),
            *(_details(answer) if details else ()),
        ),
        answer.summary,
        answer.fields(),
    )


def selection_report(selection: Selection) -> Report:
    """Return what is said about an answer of which the question is not known."""
    summary, _, _ = repr(selection).partition("\n")
    quality = quality_of(selection.plan, None, None)
    return Report("An answer", (*found_sections(selection, "label"), *quality.sections()), summary)


def _details(answer: Answer) -> tuple[Section, ...]:
    plan, question, candidates = answer.selection.plan, answer.question, answer.candidates
    if plan.finds_keys:
        return (plan_section(plan, None, folded=True),)
    if plan.labels.finds in ("quantiles", "shape", "alarms"):
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
    if question.plan.finds_shape:
        return "What is the shape of the table?"
    if isinstance(question.plan, QuantilePlan) and question.plan.total is not None:
        return f"What is the mean of the {measure}?"
    if question.plan.finds_quantiles:
        return f"Which {measure} do shares of all persons not exceed?"
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
    """Return what a reader asks first: what for, about whom, and when."""
    person = answer.question.measure.person
    who = "whoever prepared the scores says what one person can change"
    if person is not None:
        who = f"each value of {person}; all rows of one person are protected together"
    return (
        ("what for", answer.purpose),
        ("table", answer.source),
        ("asked", answer.question.in_words),
        ("a person", who),
        ("date of this report", datetime.now().astimezone().date().isoformat()),
    )


def found_sections(
    selection: Selection, name: str, candidates: int | None = None
) -> tuple[Section, ...]:
    """Return the labels found; of the shape of a table, a section for each kind of column."""
    if selection.plan.finds_shape:
        return shape_sections(selection)
    return (found_section(selection, name, candidates),)


def found_section(selection: Selection, name: str, candidates: int | None = None) -> Section:
    """Return the labels found; with counts, each with a bar and its interval."""
    plan, rest = selection.plan, selection.rest
    *groups, (_, inside) = label_columns(selection).items()
    labels: dict[str, Sequence[Hashable]] = {**dict(groups), name: inside}
    notes: list[str] = []
    if plan.finds_keys:
        sentences = [f"{_number_found(selection)}, sorted. How many others there are stays hidden."]
        sentences += [] if rest is None else [str(rest)]
    elif plan.finds_quantiles:
        sentences = [f"{_number_found(selection)}. Each interval holds the truth with 95 %."]
        if "mean" in selection.labels:
            sentences.append("That of the mean is about values as they were clamped to the bounds.")
    elif plan.labels.finds == "alarms":
        sentences = [f"{_number_found(selection)}, in the order of days."]
    else:
        more = in_groups(plan) + may_be_more(plan, max(selection.ranks, default=0), candidates)
        sentences, notes = (
            [f"{len(selection):,} found, of at most {plan.most_found:,}{more}."],
            _order_notes(selection),
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
        head += [names_of(counts)[0], "95 % interval", ""]
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


def _order_notes(selection: Selection) -> list[str]:
    """Say what the order tells, and what counts do."""
    plan = selection.plan
    if not selection:
        return []
    notes = ["They stand in the order found, which is not a ranking."]
    if not plan.in_turn:
        notes = ["The highest noisy scores come first; noise may have swapped some."]
    if selection.counts:
        notes.append(COUNTED)
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


def _shares_section(answer: Answer) -> tuple[Section, ...]:
    """Say between which shares of persons quantiles lie."""
    question, selection = answer.question, answer.selection
    if not isinstance(question, QuantileQuestion) or selection.counts is None:
        return ()
    within = zip(selection.labels[1:], question.shares(selection), strict=False)  # a mean is last
    each = [f"{label}: {100 * low:.3g} to {100 * high:.3g} %" for label, (low, high) in within]
    lead = (
        f"Of about {selection.counts[0].shown} persons, with 95 %, at least the first share have "
        f"no more, and at most the second have less. {'; '.join(each)}."
    )
    return (Section(name="shares", title="How sure it is, in persons", lead=lead),)


def _number_found(selection: Selection) -> str:
    plan = selection.plan
    if plan.labels.finds == "alarms":
        return f"{len(selection):,} alarm{'s' * (len(selection) != 1)}"
    if plan.finds_shape or (isinstance(plan, QuantilePlan) and plan.total is not None):
        return plan.answer_text.removesuffix(".")
    if plan.finds_quantiles:
        return f"{len(selection) - 1:,} quantile{'s' * (len(selection) != 2)}"
    return f"{len(selection):,} key{'s' * (len(selection) != 1)} found"


def joined(label: Hashable) -> str:
    """Write a label for people; one of several columns with its parts side by side.

    >>> joined(("north", "tea")), joined(7)
    ('north / tea', '7')
    """
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(plain(label))


def _count_fields(counts: Iterable[Count]) -> list[dict[str, str | None]]:
    """Return counts for a JSON file, exactly."""
    counts = list(counts)
    names = names_of(counts)
    return [
        {
            name: None if end is None else exact_end(count, end)
            for name, end in zip(names, count, strict=True)
        }
        for count in counts
    ]


def plain(label: Hashable) -> str | int | bool | list[Any]:
    """Return a label as JSON can hold it."""
    if isinstance(label, str | int):
        return label
    if isinstance(label, tuple):
        return [plain(part) for part in label]
    return label.isoformat() if isinstance(label, date) else str(label)


def _number(value: Fraction | float | Decimal) -> str:
    return exact_text(value) if isinstance(value, Fraction) else repr(value)
