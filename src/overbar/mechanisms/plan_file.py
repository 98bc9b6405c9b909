"""Plans of all kinds as JSON: each value by its fields, fractions as text.

So reading one back is exact.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, Union

from overbar._fields import FieldError, Form
from overbar._numbers import exact_text
from overbar.errors import ParameterError
from overbar.mechanisms.plan import PARTS, Plan
from overbar.mechanisms.score_plan import ScorePlan
from overbar.mechanisms.together import Composed
from overbar.noise import NOISES, Noise

#: Version of the file form; a file of another version is refused, not guessed at.
FILE_VERSION = 2


def _as_it_is(name: str, value: object) -> object:
    """Leave a number to the plan, which takes it in every form."""
    if isinstance(value, dict | list):
        raise FieldError(name, "must be a number")
    return value


FORM = Form(
    writers={Fraction: exact_text},
    readers=dict.fromkeys((Fraction, int, bool), _as_it_is),
    families={
        Noise: tuple(NOISES.values()),  # type: ignore[arg-type]  # classes
        Plan: PARTS,
        ScorePlan: PARTS,  # of which a composed plan refuses what has no scores
    },
)


def plan_text(plan: Plan) -> str:
    """Write a plan as JSON."""
    return json.dumps({"overbar_plan": FILE_VERSION, **FORM.write(plan)}, indent=2)


def read_plan(text: str) -> Plan:
    """Read a plan; refuse what is none."""
    try:
        read: Any = json.loads(text)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"a plan must be JSON text: {error}") from None
    except RecursionError:
        raise ParameterError("a plan must be JSON text: it is nested too deeply") from None
    if not isinstance(read, dict) or read.pop("overbar_plan", None) != FILE_VERSION:
        raise ParameterError(
            f'a plan must be a JSON object with "overbar_plan": {FILE_VERSION}; '
            "write one with Plan.to_json"
        )
    try:
        plan: Plan = FORM.read(Union[(*PARTS, Composed)], read, "")  # of a list
    except FieldError as error:
        raise ParameterError(f"a plan must be as Plan.to_json writes it: {error}") from None
    return plan
