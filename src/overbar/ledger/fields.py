"""Values as fields of a row, and back: what was written, exactly, or an error about the row."""

from __future__ import annotations

import datetime
import re
from fractions import Fraction
from functools import lru_cache, partial
from typing import Annotated, Any, Literal, TypeVar, get_args

from overbar._fields import FieldError, Form
from overbar.errors import LedgerError, ParameterError
from overbar.mechanisms import Plan

Value = TypeVar("Value")

#: Numbers as `str` writes fractions, of a length that no sum of costs reaches.
NUMBER = re.compile(r"[0-9]{1,4000}(/[1-9][0-9]{0,3999})?", re.ASCII)
LONGEST_NAME, LONGEST_NOTE = 200, 2000
#: Letters that steer a terminal, and halves of letters, which no file and no screen takes.
UNWRITABLE = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff]")

#: Fractions of either sign; texts of a form.
Signed = Annotated[Fraction, "signed"]
Name = Annotated[str, rf"(?=.*\S)[^\n\t]{{1,{LONGEST_NAME}}}"]
Words = Annotated[str, rf"(?s).{{0,{LONGEST_NOTE}}}"]
Digest = Annotated[str, "([0-9a-f]{32})?"]
Hash = Annotated[str, "[0-9a-f]{64}"]
#: By what two data sets differ of which a guarantee speaks: all rows of one person more, one row
#: more, or as many with another person's rows or another row in the place of one.
Neighbours = Literal["person", "row", "replaced-person", "replaced-row"]
NEIGHBOURS: tuple[Neighbours, ...] = get_args(Neighbours)


def to_fields(value: object) -> Any:
    """Write a value as what JSON can write."""
    return FORM.write(value)


def from_fields(kind: type[Value], fields: object, name: str = "") -> Value:
    """Read a value of a kind, or raise a LedgerError that says what is wrong with the row."""
    try:
        value: Value = FORM.read(kind, fields, name)
        return value
    except FieldError as error:
        raise unreadable(error.name, error.wrong) from None


def unreadable(name: str, wrong: str) -> LedgerError:
    """Return the error about a field."""
    return LedgerError(f"{name!r} of a row {wrong}; it was edited")


def _fraction(name: str, value: object) -> Fraction:
    number = None
    if isinstance(value, str) and NUMBER.fullmatch(value) is not None:
        number = Fraction(value)
    if number is None or str(number) != value:
        raise FieldError(name, "must be a number, zero or above, in its shortest form")
    return number


def _signed(name: str, value: object) -> Fraction:
    if isinstance(value, str) and value.startswith("-"):
        return -_fraction(name, value[1:])
    return _fraction(name, value)


def _whole(name: str, value: object) -> int:
    if type(value) is not int or value < 0:
        raise FieldError(name, "must be a whole number")
    return value


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise FieldError(name, "must be true or false")
    return value


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or UNWRITABLE.search(value.replace("\n", "").replace("\t", "")):
        raise FieldError(name, "must be text")
    return value


def _time(name: str, value: object) -> datetime.datetime:
    try:
        time = datetime.datetime.fromisoformat(_text(name, value))
        if time.tzinfo == datetime.UTC and _time_text(time) == value:
            return time
    except (ValueError, OverflowError):
        pass
    raise FieldError(name, "must be a time such as 2026-01-31T12:00:00+00:00")


@lru_cache(maxsize=256)
def _parsed(text: str) -> Plan:
    return Plan.from_json(text)


def _plan(name: str, value: object) -> Plan:
    try:
        return _parsed(_text(name, value))
    except (ParameterError, ArithmeticError) as error:
        raise FieldError(name, f"is no plan: {error}") from None


def _matching(pattern: str, name: str, value: object) -> str:
    text = _text(name, value)
    if re.fullmatch(pattern, text) is None:
        raise FieldError(name, f"must be text of the form {pattern}")
    return text


def _time_text(time: datetime.datetime) -> str:
    return time.isoformat(timespec="seconds")


FORM = Form(
    writers={Plan: Plan.to_json, datetime.datetime: _time_text, Fraction: str},
    readers={
        Fraction: _fraction,
        Signed: _signed,
        int: _whole,
        bool: _flag,
        str: _text,
        datetime.datetime: _time,
        Plan: _plan,
        Any: lambda _, value: value,
        **{kind: partial(_matching, get_args(kind)[1]) for kind in (Name, Words, Digest, Hash)},
    },
)
