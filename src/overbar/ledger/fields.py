"""Reading the fields of a row that anyone may have written: what they should be, or an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from overbar.errors import LedgerError

#: Numbers as `str` writes fractions, of a length that no sum of costs reaches.
NUMBER = re.compile(r"[0-9]{1,4000}(/[1-9][0-9]{0,3999})?", re.ASCII)


def unreadable(name: str, kind: str) -> LedgerError:
    """Return the error about a field."""
    return LedgerError(f"{name!r} of a row must be {kind}; it was edited")


def field(fields: Mapping[str, object], name: str) -> object:
    """Return a field that must be there."""
    if name not in fields:
        raise LedgerError(f"{name!r} of a row is missing; it was edited")
    return fields[name]


def text(fields: Mapping[str, object], name: str) -> str:
    """Return a text that can be written again."""
    value = field(fields, name)
    if not isinstance(value, str) or (not value.isascii() and _broken(value)):
        raise unreadable(name, "text")
    return value


def text_or_none(fields: Mapping[str, object], name: str) -> str | None:
    """Return a text, or None where there is none."""
    return None if field(fields, name) is None else text(fields, name)


def whole(fields: Mapping[str, object], name: str) -> int:
    """Return a whole number, zero or above."""
    value = field(fields, name)
    if type(value) is not int or value < 0:
        raise unreadable(name, "a whole number")
    return value


def flag(fields: Mapping[str, object], name: str) -> bool:
    """Return a yes or no; no where it is left out."""
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise unreadable(name, "true or false")
    return value


def mapping(fields: Mapping[str, object], name: str) -> dict[str, Any]:
    """Return fields within a field."""
    value = field(fields, name)
    if not isinstance(value, dict):
        raise unreadable(name, "fields")
    return value


def number(fields: Mapping[str, object], name: str) -> Fraction:
    """Return a fraction that is not negative."""
    return _fraction(field(fields, name), name)


def signed_or_none(fields: Mapping[str, object], name: str) -> Fraction | None:
    """Return a fraction of either sign, or None where there is none."""
    value = field(fields, name)
    if value is None:
        return None
    if isinstance(value, str) and value.startswith("-"):
        return -_fraction(value[1:], name)
    return _fraction(value, name)


def numbers(fields: Mapping[str, object], name: str) -> tuple[Fraction, ...]:
    """Return a list of fractions, none of them negative."""
    value = field(fields, name)
    if not isinstance(value, list):
        raise unreadable(name, "a list of numbers")
    return tuple(_fraction(one, name) for one in value)


def _fraction(value: object, name: str) -> Fraction:
    if not isinstance(value, str) or NUMBER.fullmatch(value) is None:
        raise unreadable(name, "a number, zero or above")
    return Fraction(value)


def _broken(value: str) -> bool:
    """Whether a text has halves of letters, which no file and no screen takes."""
    return any("\ud800" <= letter <= "\udfff" for letter in value)
