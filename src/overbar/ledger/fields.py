"""Frozen values as fields of a row, and back: what was written, exactly, or an error.

A value is a dataclass. Its type hints say what each field is, so that one writer and one reader
serve all of them. Anyone may have written a row, so nothing is taken for granted: a field that is
missing, that no value has, or that is of another kind is refused.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from fractions import Fraction
from functools import cache, lru_cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from overbar.errors import LedgerError, ParameterError
from overbar.plans import Plan

Value = TypeVar("Value")
Reader = Callable[[str, object], Any]

#: Numbers as `str` writes fractions, of a length that no sum of costs reaches.
NUMBER = re.compile(r"[0-9]{1,4000}(/[1-9][0-9]{0,3999})?", re.ASCII)
LONGEST_NAME, LONGEST_NOTE = 200, 2000
#: Letters that steer a terminal, and halves of letters, which no file and no screen takes.
UNWRITABLE = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff]")


def to_fields(value: object) -> Any:
    """Write a value as what JSON can write."""
    if isinstance(value, Plan):
        return value.to_json()
    if is_dataclass(value):
        return {one.name: to_fields(getattr(value, one.name)) for one in fields_of(value)}
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, tuple):
        return [to_fields(part) for part in value]
    return str(value) if isinstance(value, Fraction) else value


def from_fields(kind: type[Value], fields: object, name: str = "") -> Value:
    """Read a value of a kind, or raise a LedgerError that says what is wrong with the row."""
    read: Reader = _reader(kind)  # type: ignore[arg-type]  # types are hashable
    value: Value = read(name or _words_of(kind), fields)
    return value


def unreadable(name: str, kind: str) -> LedgerError:
    """Return the error about a field."""
    return LedgerError(f"{name!r} of a row must be {kind}; it was edited")


def field(fields: Mapping[str, object], name: str) -> object:
    """Return a field that must be there."""
    if name not in fields:
        raise LedgerError(f"{name!r} of a row is missing; it was edited")
    return fields[name]


def only(fields: Mapping[str, object], *names: str) -> None:
    """Refuse fields beside these."""
    for name in sorted(set(fields) - set(names)):
        raise LedgerError(f"{name!r} of a row has no meaning; it was edited")


@cache
def _reader(kind: Any) -> Reader:
    """Return what reads values of a kind."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _signed if parts[0] is Fraction else partial(_matching, parts[1])
    if origin in (UnionType, Union):
        return partial(_one_of, {_form(part): _reader(part) for part in parts})
    if origin is Literal:
        return partial(_chosen, parts)
    if origin is tuple:
        several = parts[1:] == (...,)
        return partial(_tuple, tuple(map(_reader, parts[:1] if several else parts)), several)
    if kind in PLAIN:
        return PLAIN[kind]
    hints = get_type_hints(kind, include_extras=True)
    return partial(_value, kind, {one.name: _reader(hints[one.name]) for one in fields_of(kind)})


def _value(kind: type[Any], readers: dict[str, Reader], name: str, value: object) -> Any:
    if not isinstance(value, dict):
        raise unreadable(name, "fields")
    only(value, *readers)
    result = kind(**{one: read(one, field(value, one)) for one, read in readers.items()})
    if not getattr(result, "is_possible", True):
        raise LedgerError(f"a {_words_of(kind)} cannot be what this row says; it was edited")
    return result


def _words_of(kind: type[Any]) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()


def _form(part: Any) -> type:
    """Return how JSON writes a part of a union."""
    origin = get_origin(part)
    if origin is Annotated:
        return _form(get_args(part)[0])
    if origin is Literal or part in (str, Plan, Fraction):
        return str
    if origin is tuple:
        return list
    return dict if is_dataclass(part) else part


def _one_of(readers: dict[type, Reader], name: str, value: object) -> object:
    read = readers.get(type(value))
    if read is None:
        raise unreadable(name, "one of the kinds that it may be")
    return read(name, value)


def _chosen(choices: tuple[object, ...], name: str, value: object) -> object:
    if value not in choices or type(value) is not str:
        raise unreadable(name, "one of " + ", ".join(map(str, choices)))
    return value


def _tuple(readers: tuple[Reader, ...], several: bool, name: str, value: object) -> tuple[Any, ...]:
    if not isinstance(value, list) or not (several or len(value) == len(readers)):
        raise unreadable(name, "a list")
    each = readers * len(value) if several else readers
    return tuple(read(name, part) for read, part in zip(each, value, strict=True))


def _fraction(name: str, value: object) -> Fraction:
    if not isinstance(value, str) or NUMBER.fullmatch(value) is None:
        raise unreadable(name, "a number, zero or above")
    return Fraction(value)


def _signed(name: str, value: object) -> Fraction:
    if isinstance(value, str) and value.startswith("-"):
        return -_fraction(name, value[1:])
    return _fraction(name, value)


def _whole(name: str, value: object) -> int:
    if type(value) is not int or value < 0:
        raise unreadable(name, "a whole number")
    return value


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise unreadable(name, "true or false")
    return value


def _nothing(name: str, value: object) -> None:
    if value is not None:
        raise unreadable(name, "null")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or UNWRITABLE.search(value.replace("\n", "").replace("\t", "")):
        raise unreadable(name, "text")
    return value


def _time(name: str, value: object) -> datetime.datetime:
    try:
        time = datetime.datetime.fromisoformat(_text(name, value))
        if time.tzinfo == datetime.UTC and to_fields(time) == value:
            return time
    except (ValueError, OverflowError):
        pass
    raise unreadable(name, "a time such as 2026-01-31T12:00:00+00:00")


@lru_cache(maxsize=256)
def _parsed(text: str) -> Plan:
    return Plan.from_json(text)


def _plan(name: str, value: object) -> Plan:
    try:
        return _parsed(_text(name, value))
    except (ParameterError, ArithmeticError) as error:
        raise LedgerError(f"{name!r} of a row is no plan: {error}") from None


def _matching(pattern: str, name: str, value: object) -> str:
    text = _text(name, value)
    if re.fullmatch(pattern, text) is None:
        raise unreadable(name, f"text of the form {pattern}")
    return text


#: Kinds of fields that stand for themselves, and how they are read.
PLAIN: dict[Any, Reader] = {
    Fraction: _fraction,
    int: _whole,
    bool: _flag,
    str: _text,
    NoneType: _nothing,
    datetime.datetime: _time,
    Plan: _plan,
    Any: lambda _, value: value,
}
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
