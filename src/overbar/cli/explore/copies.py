"""A question as the page sends it, and in the forms to take it along: all of them run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from overbar._numbers import exact_text
from overbar.cli.plan_options import PlanOptions, key_parameters
from overbar.cli.planned import asked_of
from overbar.cli.question_file import question_text, words_of
from overbar.errors import ParameterError
from overbar.words.forecast import ENOUGH
from overbar.words.plan_report import Planned

#: The numbers of a plan that the page sends, as options of ``overbar plan``.
NUMBERS = ("epsilon", "delta", "items_per_person", "cutoff", "candidates", "threshold")
#: How many of them a question has.
QUESTIONS = {"select": 6, "top": 5, "keys": 3}


def question_of(asked: Mapping[str, str]) -> str:
    """Return which question is asked."""
    question = asked.get("question", "select")
    if question not in QUESTIONS:
        raise ParameterError(f"question must be one of {', '.join(QUESTIONS)}, got {question!r}")
    return question


def options_of(asked: Mapping[str, str]) -> PlanOptions:
    """Read what the page sends as options of ``overbar plan``; scores are counts of persons."""
    question, counts = question_of(asked), asked.get("counts") == "yes"
    names = NUMBERS[: QUESTIONS[question]]
    numbers: dict[str, Any] = {name: asked.get(name, "").strip() or None for name in names}
    if numbers["delta"] == "0":
        numbers["delta"] = None
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
