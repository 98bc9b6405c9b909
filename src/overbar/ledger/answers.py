"""Answers as text and back, exactly: so that a retry gets what the first try got."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from overbar.errors import LedgerError, ParameterError


class Form(NamedTuple):
    """How one type of label is written and read."""

    name: str
    type: type
    write: Callable[[Any], str]
    read: Callable[[str], Hashable]


FORMS = (
    Form("int", int, str, int),
    Form("bool", bool, str, lambda text: text == "True"),
    Form("none", type(None), lambda _: "", lambda _: None),
    Form("float", float, float.hex, float.fromhex),
    Form("date", datetime.date, str, datetime.date.fromisoformat),
    Form("time", datetime.datetime, datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    Form("fraction", Fraction, str, Fraction),
    Form("decimal", Decimal, str, Decimal),
)

KINDS = "text, whole numbers, floats, True, False, None, dates, times, fractions and decimals"


def to_stored(label: Hashable) -> object:
    """Return a label as JSON that remembers its type.

    >>> to_stored("tea"), to_stored(3), to_stored(None)
    ('tea', ['int', '3'], ['none', ''])
    """
    if isinstance(label, np.generic):
        label = label.item()
    kind = type(label)
    if kind is str:
        return label
    for form in FORMS:
        if kind is form.type:
            return [form.name, form.write(label)]
    raise ParameterError(
        f"labels of a request must be {KINDS}, so that a retry gives them back; "
        f"got {kind.__name__}. Convert the labels, or leave out request_id"
    )


def from_stored(stored: object) -> Hashable:
    """Return the label that was stored."""
    if isinstance(stored, str):
        return stored
    if isinstance(stored, list) and len(stored) == 2:
        for form in FORMS:
            if stored[0] == form.name:
                return form.read(stored[1])
    raise LedgerError("a stored answer is not readable; it was edited, or a newer overbar wrote it")


def check_storable(labels: Iterable[Hashable] | None) -> None:
    """Refuse labels that a retry could not give back. Labels are public; scores are not seen."""
    for label in labels or ():
        if type(label) is not str:
            to_stored(label)
