"""Answers as text and back, exactly: so that a retry gets what the first try got."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from overbar.errors import LedgerError, ParameterError
from overbar.ledger.fields import NUMBER, Signed, from_fields, to_fields, unreadable
from overbar.mechanisms import Plan

#: Other labels than text are written in at most so many characters.
LONGEST_LABEL = 4000


class LabelForm(NamedTuple):
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
    LabelForm("int", int, str, int),
    LabelForm("bool", bool, str, lambda text: text == "True"),
    LabelForm("none", type(None), lambda _: "", lambda _: None),
    LabelForm("float", float, float.hex, float.fromhex),
    LabelForm("date", datetime.date, str, datetime.date.fromisoformat),
    LabelForm(
        "time", datetime.datetime, datetime.datetime.isoformat, datetime.datetime.fromisoformat
    ),
    LabelForm("fraction", Fraction, str, _fraction),
    LabelForm("decimal", Decimal, str, Decimal),
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
Triple = tuple[Signed, Signed | None, Signed]


@dataclass(frozen=True)
class StoredAnswer:
    """An answer as a row has it, so that a retry gets what the first try got.

    Attributes
    ----------
    labels
        The labels, each as JSON that remembers its type (:attr:`given`); None where one of them has
        a form that cannot be stored.
    indices
        Their places among the candidates, where these have places.
    asked
        Whether anything was asked at all.
    counts, rest
        A count for each label; for keys those of everything else and of all together.
    """

    labels: tuple[Any, ...] | None
    indices: tuple[int, ...] | None
    asked: bool
    counts: tuple[Triple, ...] | None = None
    rest: tuple[Triple, Triple] | None = None

    @classmethod
    def of(
        cls,
        labels: Iterable[Hashable],
        indices: Iterable[int] | None = None,
        *,
        asked: bool = True,
        counts: Iterable[Triple] | None = None,
        rest: tuple[Triple, Triple] | None = None,
    ) -> StoredAnswer:
        """Return what is stored of an answer.

        Only labels read off the data come here unchecked, and then no error may depend on them.
        """
        try:
            stored = tuple(map(to_stored, labels))
        except ParameterError:
            stored = None
        places = None if indices is None else tuple(indices)
        several = None if counts is None else tuple(counts)
        return cls(stored, places, asked, several, rest)

    @property
    def given(self) -> tuple[Hashable, ...] | None:
        """The labels; None where they could not be stored."""
        return None if self.labels is None else tuple(map(from_stored, self.labels))

    @property
    def is_possible(self) -> bool:
        """Whether a row may say so; raises if a label is not readable."""
        many = None if self.given is None else len(self.given)
        places, counts = self.indices or (), self.counts or ()
        return (
            (self.asked or many == 0)
            and len(set(places)) == len(places)
            and (self.indices is None or many in (None, len(places)))
            and (self.counts is None or many in (None, len(counts)))
            and all(
                value <= high and (low is None or low <= value)
                for value, low, high in (*counts, *(self.rest or ()))
            )
        )


def fitting(answer: StoredAnswer | None, plan: Plan) -> StoredAnswer:
    """Return an answer that a run with this plan can have given; refuse any other."""
    if answer is None:
        raise unreadable("answer", "is missing")
    labels, count = answer.given or (), 1 if plan.groups is None else plan.groups.count
    most = plan.most_found // count
    if len(labels) > plan.most_found or not (
        plan.groups is None or _in_groups(labels, count, most)
    ):
        each = "" if plan.groups is None else f", {most} of each group"
        raise unreadable("labels", f"must be at most {plan.most_found} labels{each}")
    if (answer.counts is not None) != plan.gives_counts:
        raise LedgerError("its answer has counts where its plan has none, or none where it has")
    counts_rest = plan.gives_counts and plan.keys is plan  # of keys that are searched for
    if (answer.rest is not None) != counts_rest:
        raise LedgerError("its answer counts everything else where it should not, or not")
    return answer


def _in_groups(labels: Iterable[Hashable], most: int, cutoff: int) -> bool:
    """Tell whether labels can be those of so many groups: one after the other, each with a cutoff.

    Which groups there are is in the question, of which a row has the digest.
    """
    names = [label[0] if isinstance(label, tuple) and len(label) > 1 else None for label in labels]
    sizes = [(name, len(list(some))) for name, some in groupby(names)]
    apart = len({name for name, _ in sizes}) == len(sizes) <= most
    return apart and None not in names and all(size <= cutoff for _, size in sizes)


def _written(form: LabelForm, label: Hashable) -> str:
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


def check_answer(answer: object, plan: Plan, positives: int, asked: bool) -> StoredAnswer:
    """Return an answer that a retry can read; refuse one that is not what is paid for."""
    with contextlib.suppress(LedgerError):
        stored = fitting(from_fields(StoredAnswer, to_fields(answer)), plan)
        if stored.asked == asked and (stored.labels is None or len(stored.labels) == positives):
            return stored
    raise ParameterError(
        "answer to a request must be a StoredAnswer of its labels, one for each of the positives"
    )


def check_storable(labels: Iterable[Hashable] | None) -> None:
    """Refuse labels that a retry could not give back. Labels are public; scores are not seen."""
    for label in labels or ():
        if type(label) is not str:
            to_stored(label)
