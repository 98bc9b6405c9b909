"""Who is counted by a question, and who is left out of it.

An id is its text: 7, 7.0 and "7" are one person. Two who are taken for one are left out sooner than
they had to be; one who is taken for two would count twice as often, so no form is told from
another. What is no id (None, NaN, a part of a number, a text too long for a store) is nobody. No
value raises an error; only a type that ids cannot have does.

Theory: :doc:`/theory/monitor`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

from overbar.errors import ParameterError, ScoreError
from overbar.mechanisms.monitor import Charges
from overbar.runs.scores import Ruler, exact_value

#: Persons who all count as one, all as texts or all as whole numbers below `SHORT`; or each, as a
#: text, with the grid steps of their weight.
Counted = frozenset[str] | frozenset[int] | Mapping[str, int]
#: Whole numbers from here on are written in hexadecimal digits: Python refuses the others.
SHORT = 10**4000
#: The texts of all others.
SHORT_TEXT = re.compile("0|-?[1-9][0-9]{0,3999}")
#: A float from here on may have been another whole number.
EXACT = 2**53
#: Characters of an id, at most: an alarm that no store can hold could never be given.
LONGEST = 1 << 26


class Hits:
    """The charges of everyone so far. Who could be charged more than the most is left out."""

    __slots__ = ("_charges", "_one", "_out", "_used")

    def __init__(self, charges: Charges, one: int, used: dict[str, int]) -> None:
        self._charges, self._one, self._used = charges, one, used
        #: Those who do not count any more where everyone counts as one: as texts and as numbers.
        self._out: set[str | int] = set()
        self._leave_out(used)

    def _leave_out(self, after: Mapping[str, int]) -> None:
        last = self._charges.most - self._charges.by_steps[self._one]
        out = {person for person, charged in after.items() if charged > last}
        self._out.update(out, map(int, filter(SHORT_TEXT.fullmatch, out)))

    def total(self, counted: Counted) -> int:
        """Return the score of a question in grid steps: of those who are not left out."""
        if isinstance(counted, Mapping):
            costs, most, used = *self._charges, self._used
            return sum(
                many
                for person, many in counted.items()
                if used.get(person, 0) + costs[abs(many)] <= most
            )
        return len(counted - self._out) * self._one

    def after(self, counted: Counted) -> dict[str, int]:
        """Return what everyone has used up once they are charged for an alarm that counts them."""
        costs, most, used = *self._charges, self._used
        if not isinstance(counted, Mapping):
            counted = dict.fromkeys(map(str, counted), self._one)
        return {
            person: charged
            for person, many in counted.items()
            if many and (charged := used.get(person, 0) + costs[abs(many)]) <= most
        }

    def charge(self, after: Mapping[str, int]) -> None:
        """Charge them."""
        self._used.update(after)
        self._leave_out(after)


WANTED = (
    "ids must be a list, a set, an array or a column of ids (whole numbers, text or bytes), or a "
    "mapping from ids to weights"
)


def read_persons(ids: Any) -> frozenset[str] | frozenset[int]:
    """Return who is named, each once."""
    values = _listed(ids)
    kinds = set(map(type, values))
    if kinds <= {str} and len("".join(values)) <= LONGEST:  # quicker than each one's length
        return frozenset(values)
    if kinds == {int} and min(values) > -SHORT and max(values) < SHORT:
        return frozenset(values)
    return frozenset(text for text in map(_text, values) if text is not None)


def read_weights(weights: Mapping[Any, Any], ruler: Ruler) -> dict[str, int]:
    """Return the grid steps of everyone's weight, clamped; one named twice has the larger."""
    numbers: list[Any] = list(weights.values())
    if ruler.low:  # who has no weight counts as nothing, not as the least
        numbers = [0 if _is_no_number(number) else number for number in numbers]
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


def _is_no_number(weight: object) -> bool:
    endless = isinstance(weight, float | np.floating) and math.isinf(weight)
    endless = endless or (isinstance(weight, Decimal) and not weight.is_nan())
    return not endless and exact_value(weight) is None


def _text(person: object) -> str | None:
    """Return the text of an id; None for what is no id."""
    text = _any_text(person)
    return text if text is not None and len(text) <= LONGEST else None


def _any_text(person: object) -> str | None:
    if isinstance(person, bytes):
        return person.decode("utf-8", "surrogateescape")
    if isinstance(person, str | UUID):
        return str(person)
    if isinstance(person, float | np.floating) and not abs(float(person)) < EXACT:
        return None
    whole = isinstance(person, bool) or (isinstance(person, float) and person.is_integer())
    try:
        number = exact_value(int(person) if whole else person)  # type: ignore[call-overload]
    except ScoreError:
        raise ParameterError(f"{WANTED}; got {type(person).__name__}") from None
    if number is None or number.denominator > 1:
        return None
    written = str if abs(int(number)) < SHORT else hex
    return written(int(number))
