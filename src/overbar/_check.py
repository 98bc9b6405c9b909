"""Checks of public parameters. One message form: ``epsilon must be positive, got -1``.

Numbers arrive as int, Fraction, Decimal, str or float. A float is taken at its shortest decimal
form, so ``0.1`` means one tenth exactly, as its author wrote it.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import operator
import re
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, TypeVar, cast

import numpy as np

from overbar.errors import ParameterError, named, quoted

F = TypeVar("F", bound=Callable[..., Any])
Choice = TypeVar("Choice", bound=str)

#: What a public number may be written as.
Number = int | float | str | Fraction | Decimal

#: Public magnitudes stay inside what a float can hold, with room to multiply a few of them.
LARGEST = Fraction(10) ** 100
SMALLEST = 1 / LARGEST
LONGEST_TEXT = 400
LARGEST_WHOLE = 10**18
#: Who asks a table with a larger δ must say that it is meant.
LARGEST_DELTA = Fraction(1, 100)
#: What is a whole number in thousands in some places, and has decimals in others.
_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")


def _show(value: object) -> str:
    """Write a value in at most 60 characters."""
    try:
        text = repr(value)
    except Exception:
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def _fail(name: str, wish: str, value: object, instead: str = "") -> ParameterError:
    return ParameterError(f"{named(name)} must be {wish}, got {_show(value)}{instead}")


def _with_point(written: str) -> str:
    """Say how to write a number that has a comma, where one can tell.

    >>> _with_point("0,5"), _with_point("1.234,5"), _with_point("1,234.5"), _with_point("a,b")
    (': write 0.5', ': write 1234.5', ': write 1234.5', '')
    >>> _with_point("10,000")
    ': write 10000 or 10.000'
    """
    between, before = ",." if written.rfind(".") > written.rfind(",") else ".,"
    plain = written.strip().replace(between, "").replace(before, ".")
    if "," not in written or not re.fullmatch(r"[-+]?[0-9]+\.[0-9]+", plain):
        return ""
    whole, part = plain.split(".")
    is_open = "." not in written and len(part) == 3 and whole.strip("+-0")
    return f": write {whole}{part} or {plain}" if is_open else f": write {plain}"


def _from_digits(name: str, value: str | Decimal) -> Fraction:
    if isinstance(value, str) and len(value.strip()) > LONGEST_TEXT:
        raise _fail(name, f"written in at most {LONGEST_TEXT} characters", value)
    try:
        if isinstance(value, str) and "/" in value:
            top, bottom = value.split("/")
            return Fraction(int(top), int(bottom))
        digits = Decimal(value)
    except (ValueError, InvalidOperation, ZeroDivisionError):
        wish = f"a number such as 1, {quoted('0.1')} or {quoted('1/3')}"
        raise _fail(name, wish, value, _with_point(str(value))) from None
    if not digits.is_finite():
        raise _fail(name, "a finite number", value)
    # An exponent like 1e999999999 would fill the memory when expanded: look before converting.
    if digits and abs(digits.adjusted()) > LONGEST_TEXT:
        raise _fail(name, "between 1e-100 and 1e100 in size", value)
    return Fraction(digits)


def rational(name: str, value: object) -> Fraction:
    """Turn a public number into an exact fraction.

    >>> rational("epsilon", 0.1), rational("epsilon", "1/3")
    (Fraction(1, 10), Fraction(1, 3))
    """
    if isinstance(value, bool | np.bool_):
        raise _fail(name, "a number", value)
    if isinstance(value, Fraction):
        result = value
    elif isinstance(value, int | np.integer):
        result = Fraction(int(value))
    elif isinstance(value, float | np.floating):
        if not math.isfinite(value):
            raise _fail(name, "a finite number", value)
        result = Fraction(np.format_float_scientific(value, unique=True))
    elif isinstance(value, str | Decimal):
        result = _from_digits(name, value)
    else:
        raise _fail(name, "a number (int, float, Fraction, Decimal or str)", value)
    if result and not SMALLEST <= abs(result) <= LARGEST:
        raise _fail(name, "between 1e-100 and 1e100 in size", value)
    if result.denominator.bit_length() > 4 * LONGEST_TEXT:
        raise _fail(name, "a fraction with a denominator below 2**1600", value)
    return result


def positive(name: str, value: object) -> Fraction:
    """Return an exact number above zero."""
    result = rational(name, value)
    if result <= 0:
        raise _fail(name, "positive", value)
    return result


def non_negative(name: str, value: object) -> Fraction:
    """Return an exact number that is zero or above."""
    result = rational(name, value)
    if result < 0:
        raise _fail(name, "zero or positive", value)
    return result


def probability(name: str, value: object) -> Fraction:
    """Return an exact number in [0, 1)."""
    result = non_negative(name, value)
    if result >= 1:
        raise _fail(name, "below 1", value)
    return result


def usual_delta(delta: object, *, is_large: bool) -> None:
    """Refuse a δ that protects nobody, unless it is said to be meant; None is nothing said.

    >>> usual_delta("1e-6", is_large=False)
    >>> usual_delta("0.5", is_large=True)
    >>> usual_delta("0.5", is_large=False)
    Traceback (most recent call last):
    overbar.errors.ParameterError: delta must be at most 0.01, got '0.5': with that chance the
    answer may show anything about a person. Write one below one divided by the number of persons,
    such as 1e-6; whoever means it writes delta_is_large=True
    """
    is_meant = flag("delta_is_large", is_large)
    if delta is None or is_meant or probability("delta", delta) <= LARGEST_DELTA:
        return
    raise _fail(
        "delta",
        f"at most {float(LARGEST_DELTA)}",
        delta,
        ": with that chance the answer may show anything about a person. Write one below one "
        "divided by the number of persons, such as 1e-6; whoever means it writes "
        f"{named('delta_is_large', True)}",
    )


def product(**factors: int | None) -> None:
    """Refuse whole numbers that are too large together, by their own names.

    >>> product(groups_per_person=1000, cutoff=10**16)
    Traceback (most recent call last):
    overbar.errors.ParameterError: groups_per_person times cutoff must be at most 1e18, got 1000
    times 10000000000000000
    """
    if math.prod(value or 1 for value in factors.values()) > LARGEST_WHOLE:
        names = " times ".join(named(name) for name in factors)
        numbers = " times ".join(map(str, factors.values()))
        raise ParameterError(f"{names} must be at most 1e18, got {numbers}")


def whole(name: str, value: object, *, lowest: int = 1, largest: float = LARGEST_WHOLE) -> int:
    """Return a whole number that is positive or, with ``lowest=0``, at least not negative.

    >>> whole("cutoff", 0)
    Traceback (most recent call last):
    overbar.errors.ParameterError: cutoff must be a positive whole number, got 0
    """
    wish = "a positive whole number" if lowest else "a whole number from zero up"
    if isinstance(value, bool | np.bool_):
        raise _fail(name, wish, value)
    if isinstance(value, str) and _THOUSANDS.fullmatch(value.strip()):
        raise _fail(name, wish, value, f": write {value.replace('.', '')} for thousands")
    try:
        result = operator.index(value)  # type: ignore[arg-type]  # tried, not assumed
    except TypeError:
        exact = rational(name, value) if isinstance(value, Number) else None
        if exact is None or exact.denominator != 1:
            raise _fail(name, wish, value) from None
        result = int(exact)
    if result < lowest:
        raise _fail(name, wish, value)
    if result > largest:
        raise _fail(name, f"at most {largest:.0e}".replace("+", ""), value)
    return result


def keywords(function: Callable[..., object]) -> frozenset[str] | None:
    """Return the names a function takes; None where it takes any."""
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return None
    return frozenset(one.name for one in parameters)


def refuse_unknown(function: str, given: Iterable[str], names: frozenset[str] | None) -> None:
    """Refuse a misspelt keyword with the name that was probably meant."""
    for name in given:
        if names is not None and name not in names:
            near = difflib.get_close_matches(name, sorted(names), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            if name == "seed":
                hint = (
                    ": a release takes no seed, its noise comes from the operating system; "
                    "overbar_lab.simulate takes one"
                )
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def known_keywords(function: F) -> F:
    """Let a call with a misspelt keyword say which was meant; of a class, the one that makes it."""
    if isinstance(function, type):
        function.__init__ = known_keywords(function.__init__)  # type: ignore[misc]  # a class as it is made
        return function
    names = keywords(function)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            if names is not None and not names.issuperset(kwargs):
                refuse_unknown(function.__qualname__, list(kwargs), names)
            return function(*args, **kwargs)
        except BaseException:
            args, kwargs = (), {}  # a traceback that shows variables shows no address of a ledger
            raise

    return cast("F", wrapper)


def flag(name: str, value: object) -> bool:
    """Return True or False, and nothing that merely looks like it."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise _fail(name, "True or False", value)


def choice(name: str, value: object, options: Iterable[Choice]) -> Choice:
    """Return one of the named options."""
    allowed = list(options)
    for option in allowed:
        if isinstance(value, str) and value == option:
            return option
    raise _fail(name, f"one of {quoted(*allowed)}", value)
