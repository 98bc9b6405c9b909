"""Checks of what a study is given. One message form: ``runs must be a positive whole number``.

A float is taken at its shortest decimal form, as in the library: 0.1 is one tenth.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from overbar.errors import ParameterError

#: What a number may be written as.
Number = int | float | str | Fraction | Decimal


def must(name: str, wish: str, value: object) -> ParameterError:
    """Return the error that says what a parameter must be."""
    return ParameterError(f"{name} must be {wish}, got {value!r}")


def rational(name: str, value: object) -> Fraction:
    """Return a number as an exact fraction."""
    if isinstance(value, Fraction):
        return value
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        return Fraction(str(value))
    except (TypeError, ValueError, ZeroDivisionError):
        raise must(name, "a finite number", value) from None


def positive(name: str, value: object) -> Fraction:
    """Return an exact number above zero."""
    result = rational(name, value)
    if result <= 0:
        raise must(name, "positive", value)
    return result


def probability(name: str, value: object) -> Fraction:
    """Return an exact number in [0, 1)."""
    result = rational(name, value)
    if not 0 <= result < 1:
        raise must(name, "zero or positive, and below 1", value)
    return result


def whole(name: str, value: Any, *, lowest: int = 1) -> int:
    """Return a whole number that is positive or, with ``lowest=0``, at least not negative."""
    wish = "a positive whole number" if lowest else "a whole number from zero up"
    try:
        result = operator.index(value)
    except TypeError:
        raise must(name, wish, value) from None
    if isinstance(value, bool) or result < lowest:
        raise must(name, wish, value)
    return result


def choice(name: str, value: object, options: Iterable[str]) -> str:
    """Return one of the named options."""
    allowed = list(options)
    for option in allowed:
        if isinstance(value, str) and value == option:
            return option
    raise must(name, f"one of {', '.join(map(repr, allowed))}", value)
