"""Answers as text and back, exactly: so that a retry gets what the first try got."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from overbar.errors import LedgerError, ParameterError
from overbar.ledger.fields import NUMBER, field, from_fields, only, unreadable
from overbar.plans import Plan

#: Other labels than text are written in at most so many characters.
LONGEST_LABEL = 4000


class Form(NamedTuple):
    """How one type of label is written and read."""

    name: str
    type: type
    write: Callable[[Any], str]
    read: Callable[[str], Hashable]


def _fraction(text: str) -> Fraction:
    if NUMBER.fullmatch(text.removeprefix("-")) is None:  # "1e99999999" would take a day
        raise ValueError("not a fraction")
    return Fraction(text)


FORMS = (
    Form("int", int, str, int),
    Form("bool", bool, str, lambda text: text == "True"),
    Form("none", type(None), lambda _: "", lambda _: None),
    Form("float", float, float.hex, float.fromhex),
    Form("date", datetime.date, str, datetime.date.fromisoformat),
    Form("time", datetime.datetime, datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    Form("fraction", Fraction, str, _fraction),
    Form("decimal", Decimal, str, Decimal),
)

KINDS = (
    "text, whole numbers, floats, True, False, None, dates, times, fractions and decimals, or "
    "tuples of these"
)


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
            return [form.name, _written(form, label)]
    if type(label) is tuple and not any(isinstance(part, tuple) for part in label):
        return ["tuple", *map(to_stored, label)]
    raise ParameterError(
        f"labels of a request must be {KINDS}, so that a retry gives them back; "
        f"got {kind.__name__}. Convert the labels, or leave out request_id"
    )


def from_stored(stored: object) -> Hashable:
    """Return the label that was stored: one that would be written in just this way."""
    if isinstance(stored, str):
        return stored
    if isinstance(stored, list) and stored[:1] == ["tuple"]:
        if not any(isinstance(part, list) and part[:1] == ["tuple"] for part in stored[1:]):
            return tuple(map(from_stored, stored[1:]))
    elif isinstance(stored, list) and len(stored) == 2:
        name, text = stored
        for form in FORMS:
            if name == form.name and isinstance(text, str) and len(text) <= LONGEST_LABEL:
                try:
                    label = form.read(text)
                    if form.write(label) == text:
                        return label
                except (ValueError, ArithmeticError, TypeError):
                    break
    raise LedgerError("a stored answer is not readable; it was edited, or a newer overbar wrote it")


#: A count, and the ends of its interval; the lower one may be missing.
Triple = tuple[Fraction, Fraction | None, Fraction]


def stored_counts(counts: Iterable[Triple] | None) -> dict[str, object]:
    """Return counts as a part of an answer: nothing where there are none."""
    if counts is None:
        return {}
    return {"counts": [[end if end is None else str(end) for end in count] for count in counts]}


def _counts(told: Mapping[str, Any], name: str, number: int | None) -> tuple[Triple, ...] | None:
    """Return the counts of an answer; None where there are none."""
    if name not in told:
        return None
    try:
        counts = tuple(
            (_fraction(value), None if low is None else _fraction(low), _fraction(high))
            for value, low, high in told[name]
        )
    except (TypeError, ValueError, AttributeError):
        raise unreadable(name, "three numbers for each label") from None
    in_order = all(value <= high and (low is None or low <= value) for value, low, high in counts)
    if number not in (None, len(counts)) or not in_order:
        raise unreadable(name, "one for each label, within its ends")
    if stored_counts(counts)["counts"] != told[name]:
        raise unreadable(name, "numbers in their shortest form")
    return counts


@dataclass(frozen=True)
class StoredAnswer:
    """An answer that was stored; without labels where they have a form that cannot be."""

    labels: tuple[Hashable, ...] | None
    indices: tuple[int, ...] | None
    asked: bool
    counts: tuple[Triple, ...] | None = None
    rest: tuple[Triple, ...] | None = None


def read_answer(told: object, plan: Plan) -> StoredAnswer:
    """Return a stored answer, to a request that was run with this plan."""
    if not isinstance(told, dict):
        raise unreadable("answer", "fields")
    only(told, "labels", "indices", "asked", "counts", "rest")
    stored, places = (field(told, name) for name in ("labels", "indices"))
    asked = from_fields(bool, field(told, "asked"), "asked")
    each = "" if plan.groups is None else f", {plan.cutoff} of each group"
    wanted = f"at most {plan.most_found} labels{each}"
    if not isinstance(stored, list | None) or len(stored or ()) > plan.most_found:
        raise unreadable("labels", wanted)
    if not asked and stored != []:
        raise LedgerError("a row has an answer to what was not asked; it was edited")
    labels = None if stored is None else tuple(map(from_stored, stored))
    if plan.groups is not None and not _in_groups(labels or (), plan.groups.count, plan.cutoff):
        raise unreadable("labels", wanted)
    counts = _counts(told, "counts", None if labels is None else len(labels))
    rest = _counts(told, "rest", 2)
    if places is None:
        return StoredAnswer(labels, None, asked, counts, rest)
    if (
        not isinstance(places, list)
        or not all(type(place) is int and place >= 0 for place in places)
        or len(set(places)) < len(places)
        or (labels is not None and len(places) != len(labels))
    ):
        raise unreadable("indices", "one whole number for each label")
    return StoredAnswer(labels, tuple(places), asked, counts, rest)


def _in_groups(labels: Iterable[Hashable], most: int, cutoff: int) -> bool:
    """Tell whether labels can be those of so many groups: one after the other, each with a cutoff.

    Which groups there are is in the question, of which a row has the digest.
    """
    names = [label[0] if isinstance(label, tuple) and len(label) > 1 else None for label in labels]
    sizes = [(name, len(list(some))) for name, some in groupby(names)]
    apart = len({name for name, _ in sizes}) == len(sizes) <= most
    return apart and None not in names and all(size <= cutoff for _, size in sizes)


def _written(form: Form, label: Hashable) -> str:
    try:
        text = form.write(label)
    except ValueError:  # Python writes no numbers of more than 4300 digits
        text = None
    if text is None or len(text) > LONGEST_LABEL:
        raise ParameterError(
            f"labels of a request must be text, or at most {LONGEST_LABEL} characters long when "
            "written as text. Convert the labels, or leave out request_id"
        )
    return text


def check_answer(answer: object, plan: Plan, positives: int, asked: bool) -> None:
    """Refuse an answer that a retry could not read, or that is not the one it is paid for."""
    try:
        found = read_answer(answer, plan)
    except LedgerError:
        found = None
    if (
        found is None
        or found.asked != asked
        or (found.labels is not None and len(found.labels) != positives)
    ):
        raise ParameterError(
            "answer to a request must have labels and indices, one for each of the positives or "
            "None, and asked"
        )


def check_storable(labels: Iterable[Hashable] | None) -> None:
    """Refuse labels that a retry could not give back. Labels are public; scores are not seen."""
    for label in labels or ():
        if type(label) is not str:
            to_stored(label)
