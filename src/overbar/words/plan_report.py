"""What is said about a plan, or about a question before it is asked. No data is needed for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from overbar._numbers import exact_text
from overbar.errors import NoGuaranteeError
from overbar.frames import Question
from overbar.mechanisms import Plan
from overbar.mechanisms.key_forecast import counts_off
from overbar.privacy.guarantees import proved_about
from overbar.report import Report, ReportTable, Section
from overbar.words.forecast import Forecast
from overbar.words.plan_words import Quality, conditions, plan_section, quality_of
from overbar.words.promise import Statement, cost_at_most, promise_sections, statement

#: What is done where nobody has a list.
KEYS_FIRST = (
    "There is no catalogue, so keys that many persons hold are found first, from the same budget; "
    "the question is then put to these."
)
#: How to say how many items a person has; the page has a field for it.
ITEMS_OPTION = "--items-per-person N"
#: What makes an answer more accurate, where it was not said.
FEW_ITEMS = (
    f"Say how many items one person has at most ({ITEMS_OPTION}): if they are few, the answer "
    "gets more accurate."
)
#: Of so many keys of each person a dry run shows what noise is needed.
SHOWN_ITEMS = (1, 3, 10, 30, 100)
ABOUT_COUNTS = "In 95 of 100 cases a count is off by no more than is said. "
DRY = "This was a dry run: no data was touched and nothing was spent."


@dataclass(frozen=True)
class Planned:
    """A plan and all that is computed about it; public numbers only.

    `forecast` is None where accuracy is not predicted, and then `why_not` says why.
    """

    plan: Plan
    promised: Statement
    threshold: Fraction | None = None
    answers: tuple[tuple[str, Fraction | float, str], ...] = ()
    forecast: Forecast | None = None
    why_not: str = ""
    candidates: int | None = None

    def quality(self, unit: str = "in score") -> Quality:
        """How high a score must be to be found."""
        return quality_of(self.plan, self.threshold, self.candidates, unit)

    def details(self, *, folded: bool = False) -> tuple[Section, ...]:
        """Return which accuracy to expect, and the numbers of the plan."""
        numbers = plan_section(self.plan, self.threshold, folded=folded)
        if self.forecast is None:
            none = Section(
                name="accuracy", title="Expected accuracy", sentences=(self.why_not,), folded=folded
            )
            return none, numbers
        return *self.forecast.sections(folded=folded), numbers


def plan_report(
    planned: Planned,
    *,
    persons: int | None = None,
    unit: str = "in score",
    budget: Sequence[str] = (),
    plan_file: str | None = None,
) -> Report:
    """Return what is said about a plan; with a `plan_file`, also how to check it again.

    With a number of persons it says what looks wrong beside it.
    """
    plan, promised = planned.plan, planned.promised
    what = "the top" if plan.for_top else "what is above the threshold"
    answers = tuple(text for _, _, text in planned.answers)
    quality = planned.quality(unit)
    return Report(
        f"A plan: {what}",
        (
            *([Section(name="answer", title="Answer", sentences=answers)] if answers else []),
            *quality.sections(*odd_numbers(persons, quality.together or quality.sure)),
            *promise_sections(promised, conditions(plan, promised), persons),
            cost_section([cost_at_most(promised), *budget]),
            *planned.details(),
            *([] if plan_file is None else [check_section(plan, plan_file)]),
        ),
        fields={
            "plan": json.loads(plan.to_json()),
            "guarantee": {
                "epsilon": _exact(promised.epsilon),
                "delta": exact_text(promised.delta),
                "unlisted_delta": promised.unlisted or 0.0,
                "pure": promised.pure,
                "proved": repr(promised.guarantee),
            },
            "threshold": None if planned.threshold is None else exact_text(planned.threshold),
            "answers": {name: _exact(value) for name, value, _ in planned.answers},
            "how_good": quality.fields(),
            "expected": None if planned.forecast is None else planned.forecast.fields(),
        },
    )


def bare_plan_report(plan: Plan) -> Report:
    """Return what is said about a plan of which nothing else is known."""
    try:
        promised = statement(plan)
    except NoGuaranteeError as error:
        protected: tuple[Section, ...] = (Section(name="promise", warnings=(str(error),)),)
    else:
        protected = promise_sections(promised, conditions(plan, promised))
    quality = quality_of(plan, None, None).sections()
    return Report("A plan", (*quality, *protected, plan_section(plan, None)), repr(plan))


def question_report(
    question: Question,
    promised: Statement,
    quality: Quality,
    budget: Sequence[str] = (),
    persons: int | None = None,
    *,
    compared: bool = False,
) -> Report:
    """Return what would be asked and what it would cost.

    Of a search for keys it may be `compared` with others, which takes seconds.
    """
    plan = question.plan
    persons = getattr(question, "persons", None) if persons is None else persons
    before = None if plan.first is None else plan.first.keys
    first = [] if before is None else [KEYS_FIRST, before.expected_text]
    fields: dict[str, object] = {"plan": json.loads(plan.to_json()), "how_good": quality.fields()}
    if question.search:
        fields = {"keys": question.in_words, **key_fields(question)}
    return Report(
        f"Asked: {question.in_words}",
        (
            *([Section(name="first", sentences=tuple(first))] if first else []),
            *quality.sections(hint=FEW_ITEMS if question.is_open else ""),
            *([items_section(question)] if compared and question.search else []),
            *promise_sections(promised, conditions(plan, promised), persons),
            plan_section(plan, question.threshold),
            cost_section([cost_at_most(promised), *budget]),
        ),
        fields=fields,
    )


def items_section(question: Question) -> Section:
    """Return what noise a search for keys needs, by how many keys of each person count."""
    assert question.search is not None  # it is one for keys
    assert question.promise is not None
    items = sorted({*SHOWN_ITEMS, question.plan.items_per_person or 1})
    rows = []
    for plan in (question.search.plan(*question.promise, few) for few in items):
        off = counts_off(plan)
        numbers = (plan.items_per_person, *plan.half, *(() if off is None else off[:1]))
        rows.append(tuple(f"{number:,}" for number in numbers))
    counts = ("a count is off by",) if question.plan.gives_counts else ()
    about_counts = ABOUT_COUNTS if counts else ""
    return Section(
        name="items",
        title="By how many keys of each person count",
        lead=(
            "So many persons bring a key out half of the time: if they have no other key, and if "
            f"they have as many as count. {about_counts}What they have beyond that is lost "
            f"({ITEMS_OPTION})."
        ),
        table=ReportTable(
            ("keys", "persons, no other key", "persons, so many keys", *counts),
            tuple(rows),
            words=0,
            looks=tuple("chosen" if few == question.plan.items_per_person else "" for few in items),
        ),
    )


def how_good(question: Question, candidates: int | None = None) -> Quality:
    """Compute how good an answer will be, in the units of its scores."""
    quality = quality_of(question.plan, question.threshold, candidates, question.measure.unit)
    if question.plan.keys is None or question.search or not quality.sentence:
        return quality
    return replace(quality, sentence=f"Of the keys that come out first: {quality.sentence}")


def odd_numbers(persons: int | None, level: Fraction | None) -> list[str]:
    """Say what looks wrong, where there are so many persons."""
    if persons is None or level is None or level <= persons:
        return []
    return ["No item can have so many persons: raise ε, or lower the threshold."]


def key_fields(question: Question) -> dict[str, object]:
    """Return what is public about a search for keys, for a JSON file."""
    plan, promised = question.plan.keys, promised_by(question)
    assert plan is not None  # it is one for keys
    return {
        "rounds": [
            {"sigma": exact_text(each.sigma), "bar_in_steps": each.bar} for each in plan.rounds
        ],
        "items_per_person": plan.items_per_person,
        "at_least": plan.at_least,
        "guarantee": {
            "statement": str(promised),
            "epsilon": _exact(promised.epsilon),
            "delta": exact_text(promised.delta),
            "unlisted_delta": float(plan.lone_delta()),
        },
        "how_good": how_good(question).fields(),
    }


def promised_by(question: Question) -> Statement:
    """Return what was asked for, which is what is kept."""
    assert question.promise is not None  # it is one for keys
    return Statement(proved_about(question.plan), *question.promise)


def cost_section(sentences: Sequence[str]) -> Section:
    """Return what a run costs and what is left."""
    return Section(name="cost", title="The budget", sentences=tuple(sentences))


def check_section(plan: Plan, plan_file: str = "plan.json") -> Section:
    """Return how anyone can compute the guarantee again."""
    return Section(
        name="check",
        title="How to check this",
        sentences=(f"Save the last lines as {plan_file}; the guarantee is computed anew by",),
        code=(f"overbar plan --plan {plan_file}", plan.to_json()),
        folded=True,
    )


def _exact(value: Fraction | float) -> str | float:
    return exact_text(value) if isinstance(value, Fraction) else value
