"""The plan station: what a question would guarantee, find and cost. It reads no data.

Everything is computed by what ``overbar plan`` uses. A plan with δ and the other methods take up to
a second; so a first look without them comes at once, and says so, while the rest is computed in a
process of its own. Plans are kept by their public numbers: a slider that moves back is answered at
once.

A question comes as the page sends it, and goes in the forms to take it along: all of them run.
"""

from __future__ import annotations

import os
import shlex
import signal
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from multiprocessing import parent_process
from pathlib import Path
from types import MappingProxyType
from typing import Any

from overbar import _check
from overbar._numbers import exact_text
from overbar.cli.options import if_given
from overbar.cli.plan_options import PlanOptions, key_parameters
from overbar.cli.planned import asked_of, planned_keys
from overbar.cli.question_file import question_text, words_of
from overbar.errors import ParameterError
from overbar.ledger import Ledger
from overbar.report import Report, Section
from overbar.report.as_html import sections
from overbar.words.account_report import what_would_be_left
from overbar.words.forecast import ENOUGH
from overbar.words.plan_report import (
    ITEMS_OPTION,
    Planned,
    how_good,
    plan_report,
    promised_by,
    question_report,
)

#: The numbers of a plan that the page sends, as options of ``overbar plan``.
NUMBERS = ("epsilon", "delta", "items_per_person", "cutoff", "candidates", "threshold")
#: How many of them a question has.
QUESTIONS = {"select": 6, "top": 5, "keys": 3}
#: What is for researchers, and folded on the page.
FOLDED = ("accuracy", "ways", "plan", "check")
#: What the plan of a list does not know.
NOT_PLANNED = {"value": "sums of a column", "groups": "groups"}


def question_of(asked: Mapping[str, str]) -> str:
    """Return which question is asked."""
    question = asked.get("question", "select")
    if question not in QUESTIONS:
        raise ParameterError(f"question must be one of {', '.join(QUESTIONS)}, got {question!r}")
    return question


def typed(asked: Mapping[str, str], names: Iterable[str]) -> dict[str, Any]:
    """Return what was typed, without what was left empty."""
    texts = {name: asked.get(name, "").strip() for name in names}
    if texts.get("delta") == "0":
        del texts["delta"]
    return {name: text for name, text in texts.items() if text}


def on_page(report: Report, within: str) -> str:
    """Return a report as HTML; what is for researchers is folded, and fields have their names."""
    parts = (replace(part, folded=part.folded or part.name in FOLDED) for part in report.sections)
    html = sections(replace(report, sections=tuple(parts)), within)
    return html.replace(ITEMS_OPTION, "in “Items per person at most”")


def options_of(asked: Mapping[str, str]) -> PlanOptions:
    """Read what the page sends as options of ``overbar plan``; scores are counts of persons."""
    question, counts = question_of(asked), asked.get("counts") == "yes"
    numbers = typed(asked, NUMBERS[: QUESTIONS[question]])
    if question == "keys":
        return PlanOptions(keys=True, counts=counts, **numbers)
    top = question == "top"
    unlisted = asked.get("unlisted") == "yes" and not top
    return PlanOptions(top=top, unlisted=unlisted, counts=counts, **numbers)


def copies(options: PlanOptions, *lines: str) -> dict[str, str]:
    """Return a plan as a command, as a question file and as Python; each gives the same again."""
    return {
        "command": shlex.join(["overbar", *words_of(options)]),
        "question": question_text(options, Path("question.toml")),
        "python": "\n".join(lines) + "\n",
    }


def written(parameters: Mapping[str, Any]) -> str:
    """Return parameters as Python has them; fractions are exact texts."""
    return ", ".join(
        f"{name}={(exact_text(value) if isinstance(value, Fraction) else value)!r}"
        for name, value in parameters.items()
    )


def key_copies(options: PlanOptions) -> dict[str, str]:
    """Return a search for keys to take along. It is asked for by ε and δ, and has no plan file."""
    arguments = written({"item": "item", "person": "person", **key_parameters(options)})
    return copies(
        options,
        "from overbar.frames import Question",
        f"question = Question.keys({arguments})",
        f"print(question.guarantee.implies({options.epsilon!r}, {options.delta!r}))",
        "print(question.forecast)",
    )


def plan_copies(options: PlanOptions, planned: Planned) -> dict[str, str]:
    """Return a plan to take along, the plan itself among it."""
    for_top = {"top": True} if options.top else {}
    arguments = written({**asked_of(options).parameters_of_plan(), **for_top})
    lines = [
        "import overbar",
        f"plan = overbar.plan({arguments})",
        "print(overbar.guarantee(plan))",
    ]
    if planned.forecast is not None:
        lines.insert(1, "from overbar.accuracy import margin_for")
        number = f", candidates={planned.forecast.candidates}" if options.top else ""
        lines.append(f'print(margin_for(plan, "{float(ENOUGH):g}"{number}))')
    return {**copies(options, *lines), "plan": planned.plan.to_json() + "\n"}


#: How many plans are kept.
MOST_PLANS = 1000
#: Where the sections are shown on the page.
WITHIN = "planned-"


@dataclass(frozen=True)
class PlanStation:
    """Answers what a plan gives, with what it would leave of a ledger's budget."""

    ledger: Ledger | None = None
    worker: Executor | None = None
    _plans: dict[tuple[PlanOptions, bool], Planned] = field(default_factory=dict)

    def answer(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return all that the station shows; with `look` "first", what can be computed at once."""
        persons = if_given(_check.whole, "persons", asked.get("persons") or None)
        dataset = asked.get("dataset")
        standing = self.ledger.standing(dataset) if self.ledger and dataset else None
        options = options_of(asked)
        if options.keys:
            question = planned_keys(options)
            budget = what_would_be_left(standing, question.plan)
            said = promised_by(question), how_good(question)
            report = question_report(question, *said, budget, persons)
            return shown(report, key_copies(options))
        note, planned = "", self._plans.get((options, False))
        if planned is None and asked.get("look") == "first":
            note = "Curves and other mechanisms follow."
            if options.delta:
                note = f"A first look at δ = 0. The plan with δ = {options.delta} follows."
            planned = self._planned(replace(options, delta=None, unlisted=False), alone=True)
        elif planned is None:
            planned = self._planned(options, alone=False)
        budget = what_would_be_left(
            standing, planned.plan, Fraction(planned.promised.unlisted or 0)
        )
        report = plan_report(planned, persons=persons, unit="persons", budget=budget)
        other = [words for name, words in NOT_PLANNED.items() if asked.get(name)]
        report = with_look(report, other, note)
        return shown(report, None if note else plan_copies(options, planned))

    def _planned(self, options: PlanOptions, *, alone: bool) -> Planned:
        planned = self._plans.get((options, alone))
        if planned is None:
            if alone or self.worker is None:
                planned = computed(options, alone=alone)
            else:
                planned = self.worker.submit(computed, options, alone=alone).result()
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            self._plans[options, alone] = planned
        return planned


def with_look(report: Report, other: Sequence[str], note: str = "") -> Report:
    """Return a report that says first what it does not know, and what follows."""
    unknown = (f"This is about all persons. A dry run knows {' and '.join(other)} too.",)
    first = Section(name="look", warnings=unknown if other else (), notes=(note,))
    return replace(report, sections=(first, *report.sections))


def shown(
    report: Report, copies: Mapping[str, str] | None = MappingProxyType({})
) -> dict[str, Any]:
    """Return what the page shows; a first look has no copies."""
    return {
        "html": on_page(report, WITHIN),
        "cost": report.section("cost").sentences,
        "whole": copies is not None,
        "copies": dict(copies or {}),
    }


def computed(options: PlanOptions, *, alone: bool) -> Planned:
    """Return the plan alone, or with curves and other mechanisms."""
    return asked_of(options).planned(curves=not alone, alone=alone)


def ends_with_page() -> None:
    """Have the process of whole plans leave Ctrl-C to the page, and end with it, even killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
