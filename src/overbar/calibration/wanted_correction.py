"""What is to be added to the threshold, as it was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from overbar import _check
from overbar._check import Number
from overbar.accuracy.correction import KINDS, correction_term, halfway
from overbar.calibration.request import Request
from overbar.errors import ParameterError, named, quoted
from overbar.noise import Noise

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

    def term(
        self, query: Noise, threshold: Noise | None, request: Request, passing: Fraction
    ) -> Fraction:
        """Return the correction for these noises, before it is rounded up to the grid.

        At the upper end of "halfway" so many pass at the threshold, by the cutoff: `passing`. Where
        the highest win a few too many do no harm; in a queue a wrong answer takes a place that a
        better one would have.
        """
        if isinstance(self.kind, Fraction):
            return self.kind
        candidates = self.candidates or request.max_queries
        if self.kind in NEED_CANDIDATES and candidates is None:
            raise ParameterError(f"{named('candidates')} must be given: {ABOUT_CANDIDATES}")
        many = candidates or 1
        if self.kind == "halfway":
            return Fraction(halfway(query, threshold, share=float(passing * request.cutoff / many)))
        negatives, rounds = max(1, many // request.cutoff), request.rounds or 1
        return Fraction(
            correction_term(self.kind, query, threshold, negatives, self.accepted, rounds)
        )
