"""What is said of a run: names, words and public numbers, safe to look up and to show."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from overbar import _check
from overbar.accounting.guarantees import lone_delta
from overbar.errors import LedgerError, ParameterError
from overbar.ledger.fields import (
    LONGEST_NAME,
    LONGEST_NOTE,
    Digest,
    Neighbours,
    Signed,
    Words,
)
from overbar.ledger.stated_cost import StatedCost
from overbar.plans import KeyPlan, Plan


def checked_name(what: str, value: object) -> str:
    """Return a name that a row can be looked up by."""
    # Printable: SQLite ends text at a zero, and a terminal obeys what it is shown.
    if (
        not isinstance(value, str)
        or not value.strip()
        or len(value) > LONGEST_NAME
        or not value.isprintable()
    ):
        raise ParameterError(
            f"{what} must be a name of 1 to {LONGEST_NAME} printable characters, "
            f"got {_check._show(value)}"
        )
    return value


def checked_words(what: str, value: object) -> str:
    """Return a text that is only ever shown."""
    if (
        not isinstance(value, str)
        or len(value) > LONGEST_NOTE
        or not all(sign.isprintable() or sign in "\n\t" for sign in value)
    ):
        raise ParameterError(
            f"{what} must be printable text of at most {LONGEST_NOTE} characters, "
            f"got {_check._show(value)}"
        )
    return value


def digest_of(parts: Iterable[object]) -> str:
    """Return a short name of exactly these public values, in this order.

    >>> digest_of(["tea", "rum"]) == digest_of(["tea", "rum"]), digest_of(["tea", "rum"])[:8]
    (True, '203a2fd9')
    """
    found = hashlib.sha256()
    for part in parts:
        found.update(json.dumps(part).encode() + b"\n")
    return found.hexdigest()[:32]


@dataclass(frozen=True)
class Description:
    """What a retry must have in common with its first try.

    `question` is a digest of what is public beside the numbers of the plan: candidates, columns and
    ranges, as far as they are known before the data is. `plan` may be the cost of another
    mechanism, which has no plan. `unlisted_delta` is that of candidates read off the data beside
    the plan. `neighbours` are those of the dataset unless something is said.
    """

    kind: Literal["batch", "online", "keys", "other"]
    plan: Plan | StatedCost
    threshold: Signed | None
    order: Literal["random", "given"] | None = None
    purpose: Words = ""
    unlisted_delta: Fraction = Fraction(0)
    question: Digest = ""
    neighbours: Neighbours | None = None

    @property
    def is_possible(self) -> bool:
        """Whether a row may say so: another mechanism has no plan, and all is said of a run."""
        bare = self.threshold is None and self.order is None
        other = isinstance(self.plan, StatedCost)
        return (
            other == (self.kind == "other")
            and isinstance(self.plan, KeyPlan) == (self.kind == "keys")
            and (bare or self.kind in ("batch", "online"))
            and (self.order is None or self.kind == "batch")
            and self.unlisted_delta < 1
            and not (other and self.unlisted_delta)
            and self.neighbours is not None
        )

    @property
    def additive_delta(self) -> Fraction:
        """The δ that comes on top of what theorems prove: of unlisted candidates and lone keys."""
        alone = Fraction(0) if isinstance(self.plan, StatedCost) else lone_delta(self.plan)
        return self.unlisted_delta + alone

    def on(self, neighbours: Neighbours) -> Description:
        """Return the description for a budget about these neighbours; refuse one about others.

        Parameters
        ----------
        neighbours : {"person", "row", "replaced-person", "replaced-row"}
            What the budget is about.

        Returns
        -------
        Description
            The same, with them.

        Raises
        ------
        LedgerError
            If it is about others.
        ParameterError
            If it is of no run.
        """
        if self.neighbours not in (None, neighbours):
            raise LedgerError(
                f"the dataset's budget is about neighbours by {neighbours!r} and this cost about "
                f"neighbours by {self.neighbours!r}, which do not add up; state the cost for "
                f"{neighbours!r}, or use a dataset opened with neighbours={self.neighbours!r}"
            )
        whole = replace(self, neighbours=neighbours)
        checked_words("purpose", self.purpose)
        if not whole.is_possible:
            raise ParameterError("description must be of one run, or of another mechanism's cost")
        return whole
