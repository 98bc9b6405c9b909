"""What a user wants of a plan and its threshold is checked: every number is exact and sensible."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from overbar import _check
from overbar._check import Number
from overbar.accuracy.correction import KINDS, correction_term, halfway
from overbar.errors import ParameterError, named, quoted
from overbar.mechanisms import Groups, ScorePlan
from overbar.mechanisms.way import Way
from overbar.noise import NOISES

#: The largest ratio of two parts of a budget, either way.
LARGEST_RATIO = Fraction(10**12)
#: The choices of `noise`, `threshold_noise`, `allocation` and `correction` that go by name.
NoiseName = Literal["auto", "exponential", "gumbel", "laplace", "gaussian"]
ThresholdNoiseName = Literal["auto", "exponential", "laplace", "gaussian", "none"]
AllocationName = Literal["variance", "appending"]
CorrectionName = Literal["halfway", "optimal", "optimal-shared", "mean", "none"]
#: What `threshold_noise` may name.
THRESHOLD_NOISES = (*NOISES, "none", "auto")


def checked_allocation(allocation: str | Number) -> str | Fraction:
    """Return 'variance', 'appending' or the ratio of query budget to threshold budget."""
    if allocation in ("variance", "appending"):
        return str(allocation)
    if isinstance(allocation, str) and not any(letter.isdigit() for letter in allocation):
        raise ParameterError(
            f"{named('allocation')} must be {quoted('variance', 'appending')} or a positive ratio "
            "of query budget to "
            f"threshold budget, got {allocation!r}"
        )
    ratio = _check.positive("allocation", allocation)
    if not 1 / LARGEST_RATIO <= ratio <= LARGEST_RATIO:
        raise ParameterError(
            f"{named('allocation')} must be between 1e-12 and 1e12: beyond, one part has next "
            f"to nothing, got {allocation!r}"
        )
    return ratio


def checked_groups(groups: object, per_person: object) -> Groups | None:
    """Return how many groups there are, and how many of them a person counts in at most."""
    if groups is None:
        if per_person is not None:
            raise ParameterError(f"{named('groups_per_person')} goes with {named('groups')}")
        return None
    number = _check.whole("groups", groups)
    if per_person is None:
        raise ParameterError(
            f"{named('groups_per_person')} must be given with {named('groups')}: in how many of "
            f"them does a person count at most? Write {named('groups_per_person', 1)} if everybody "
            "is in one group. Whoever has rows in more counts in that many, chosen by lot"
        )
    return Groups(number, min(number, _check.whole("groups_per_person", per_person)))


#: What `correction` may name.
CORRECTIONS = ("halfway", *KINDS)
#: The corrections that depend on how many candidates there are.
NEED_CANDIDATES = ("halfway", "optimal", "optimal-shared")
#: Those that a number of tolerable errors belongs to.
FOR_ERRORS = NEED_CANDIDATES[1:]
ABOUT_CANDIDATES = "about how many there are to choose from, such as 10000; a rough guess will do"


@dataclass(frozen=True)
class WantedCorrection:
    """A kind of correction, or the number itself, and what it depends on beside the noises."""

    kind: str | Fraction = "none"
    candidates: int | None = None
    #: How far from the threshold an error does not count. In the paper: α.
    accepted: Fraction = Fraction(0)

    @classmethod
    def of(
        cls,
        correction: str | Number | None,
        candidates: int | None,
        tolerance: Number | None,
    ) -> WantedCorrection:
        """Check what :func:`overbar.plan` was told about the correction."""
        if candidates is not None:
            candidates = _check.whole("candidates", candidates)
        accepted = _check.non_negative("tolerance", 0 if tolerance is None else tolerance)
        kind: Any = CORRECTIONS[0] if correction is None else correction
        if kind not in CORRECTIONS:
            if isinstance(kind, str) and not any(letter.isdigit() for letter in kind):
                raise ParameterError(
                    f"{named('correction')} must be one of {quoted(*CORRECTIONS)} or a number, "
                    f"got {kind!r}"
                )
            kind = _check.rational("correction", kind)
        if accepted and kind not in FOR_ERRORS:
            raise ParameterError(
                f"{named('tolerance')} goes with {named('correction', FOR_ERRORS[0])}: no other "
                "correction looks at errors"
            )
        return cls(kind, candidates, accepted)

    def put(self, plan: ScorePlan, way: Way) -> ScorePlan:
        """Return a plan that has it, rounded up to the grid."""
        term = self._term(plan, way)
        moved = math.ceil(term / plan.grid) * plan.grid
        labels = plan.labels
        assert labels.bar is not None  # it is not for the top
        placed = replace(labels, bar=replace(labels.bar, correction=moved))  # type: ignore[type-var]
        return placed if labels is plan else replace(plan, labels=placed)  # type: ignore[type-var]

    def _term(self, plan: ScorePlan, way: Way) -> Fraction:
        """Return the correction before it is rounded.

        Where the highest win a few too many do no harm; in a queue a wrong answer takes a place
        that a better one would have.
        """
        if isinstance(self.kind, Fraction):
            return self.kind
        request, noises = way.request, (plan.query_noise, plan.threshold_noise)
        candidates = self.candidates or request.max_queries
        if self.kind in NEED_CANDIDATES and candidates is None:
            raise ParameterError(f"{named('candidates')} must be given: {ABOUT_CANDIDATES}")
        many = candidates or 1
        if self.kind == "halfway":
            return Fraction(halfway(*noises, share=float(way.passing * request.cutoff / many)))
        negatives, rounds = max(1, many // request.cutoff), request.rounds or 1
        return Fraction(correction_term(self.kind, *noises, negatives, self.accepted, rounds))
