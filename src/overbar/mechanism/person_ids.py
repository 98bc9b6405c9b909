"""Who is counted by a question: ids as text, each once, and weights as grid steps.

An id is its text: 7, 7.0 and "7" are one person. Two who are taken for one are left out sooner than
they had to be; one who is taken for two would count twice as often, so no form is told from
another. What is no id (None, NaN, a part of a number) is nobody. No value raises an error; only a
type that ids cannot have does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

from overbar.errors import ParameterError
from overbar.mechanism.scores import Ruler

WANTED = (
    "ids must be a list, a set, an array or a column of ids (whole numbers, text or bytes), or a "
    "mapping from ids to weights"
)
#: Whole numbers from here on are written in hexadecimal digits: Python refuses the others.
SHORT = 10**4000
#: A float from here on may have been another whole number.
EXACT = 2**53


def read_persons(ids: Any) -> frozenset[str]:
    """Return who is named, each once."""
    values = _listed(ids)
    kinds = set(map(type, values))
    if kinds <= {str}:
        return frozenset(values)
    if kinds == {int} and max(map(abs, values)) < SHORT:
        return frozenset(map(str, values))
    return frozenset(text for text in map(_text, values) if text is not None)


def read_weights(weights: Mapping[Any, Any], ruler: Ruler) -> dict[str, int]:
    """Return the grid steps of everyone's weight, clamped; one named twice has the larger."""
    numbers: list[Any] = list(weights.values())
    if ruler.low:  # who has no weight counts as nothing, not as the least
        numbers = [0 if _is_missing(number) else number for number in numbers]
    steps: dict[str, int] = {}
    for person, many in zip(map(_text, weights), ruler.many(numbers).tolist(), strict=True):
        if person is not None and abs(many) >= abs(steps.get(person, 0)):
            steps[person] = many
    return steps


def _listed(ids: Any) -> list[Any]:
    if isinstance(ids, str | bytes) or getattr(ids, "ndim", 1) != 1 or hasattr(ids, "columns"):
        raise ParameterError(WANTED)
    for name in ("tolist", "to_pylist", "to_list"):
        if hasattr(ids, name):
            return list(getattr(ids, name)())
    if not isinstance(ids, Iterable):
        raise ParameterError(WANTED)
    return list(ids)


def _is_missing(value: object) -> bool:
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _text(person: object) -> str | None:
    """Return the text of an id; None for what is no id."""
    if isinstance(person, str):
        return str(person)
    if isinstance(person, int | np.integer):
        number = int(person)
    elif isinstance(person, float | np.floating):
        if not abs(float(person)) < EXACT or person != person // 1:
            return None
        number = int(person)
    elif isinstance(person, Decimal):
        if not person.is_finite() or person.adjusted() > 100 or person % 1:
            return None
        number = int(person)
    elif isinstance(person, bytes):
        return person.decode("utf-8", "surrogateescape")
    elif isinstance(person, UUID):
        return str(person)
    elif _is_missing(person):
        return None
    else:
        raise ParameterError(f"{WANTED}; got {type(person).__name__}")
    return str(number) if abs(number) < SHORT else hex(number)
