"""Check what was asked for, and refuse combinations that have no proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from overbar import _check
from overbar._check import Number
from overbar.errors import NoGuaranteeError, ParameterError, named, quoted
from overbar.noise import NOISES

#: The largest ratio of two parts of a budget, either way.
LARGEST_RATIO = Fraction(10**12)
#: The choices of `noise`, `threshold_noise`, `allocation` and `correction` that go by name.
NoiseName = Literal["auto", "exponential", "gumbel", "laplace", "gaussian"]
ThresholdNoiseName = Literal["auto", "exponential", "laplace", "gaussian", "none"]
AllocationName = Literal["variance", "appending"]
CorrectionName = Literal["halfway", "optimal", "optimal-shared", "mean", "none"]
MechanismChoice = Literal["auto", "ranked", "histogram", "sparse-vector"]
#: Grid steps to the sensitivity where the threshold noise may be shifted in part.
PARTS = 64

#: What `threshold_noise` may name.
THRESHOLD_NOISES = (*NOISES, "none", "auto")


@dataclass(frozen=True)
class Request:
    """What a user wants of a plan; every number is exact and sensible by itself."""

    epsilon: Fraction
    delta: Fraction
    cutoff: int
    sensitivity: Fraction
    monotonic: bool
    noise: str
    threshold_noise: str
    resample: bool
    allocation: str | Fraction
    max_queries: int | None
    grid: Fraction | None
    mechanism: str = "sparse-vector"
    items_per_person: int | None = None
    is_top: bool = False
    #: Whether counts are asked for, or the share of ε for them.
    counts: bool | Fraction = False
    groups: int | None = None
    groups_per_person: int | None = None

    @property
    def runs(self) -> int:
        """How many runs one person can have a hand in."""
        return self.groups_per_person or 1

    @property
    def gives_values(self) -> bool:
        """Whether counts are the noisy values themselves, as :class:`overbar.Plan` says."""
        if self.mechanism == "histogram":
            return self.counts is not False
        gumbel = self.noise == "gumbel" and self.threshold_noise == "gaussian"
        return self.counts is True and self.mechanism == "ranked" and gumbel

    @property
    def once(self) -> Request:
        """The same for one group by itself."""
        return replace(self, groups=None, groups_per_person=None)

    @property
    def query_shift(self) -> Fraction:
        """How far a gap can move once the threshold's shift is taken out. In the paper: fΔ."""
        return self.sensitivity if self.monotonic else 2 * self.sensitivity

    @property
    def coarsest_grid(self) -> Fraction:
        """The grid that was asked for, or the coarsest that serves the theorems."""
        if self.grid is not None:
            return self.grid
        raced = self.delta > 0 and self.noise in ("gumbel", "laplace")
        shifted = raced and self.threshold_noise != "none"
        return self.sensitivity / PARTS if shifted else self.sensitivity

    @property
    def draws(self) -> int:
        """How often the threshold noise is drawn."""
        return self.cutoff if self.resample else 1

    def refuse_what_is_not_proved(self) -> None:
        """Raise for combinations without a proof, with the reason and a way out."""
        if self.threshold_noise == "gumbel":
            raise NoGuaranteeError(
                f"{named('threshold_noise', 'gumbel')} cannot be drawn exactly. "
                f"Write {named('threshold_noise', 'exponential')}"
            )
        if self.threshold_noise == "exponential" and self.delta > 0 and not self.resample:
            raise NoGuaranteeError(
                f"{named('threshold_noise', 'exponential')} has a proof at delta = 0 alone: "
                "shifted, it always loses all of its share. "
                f"Write {named('threshold_noise', 'laplace')}, or {named('delta', 0)}"
            )
        if self.mechanism == "ranked":
            self._refuse_ranked()
            return
        if self.mechanism == "histogram":
            self._refuse_histogram()
            return
        if self.noise == "gaussian" and (self.max_queries is None or self.delta == 0):
            raise NoGuaranteeError(
                f"{named('noise', 'gaussian')} has a guarantee only with delta > 0 and "
                f"{named('max_queries')}: its "
                "log-survival is not Lipschitz, so what answers reveal adds up without end. "
                f"Write {named('noise', 'exponential')}, or give {named('delta')} and "
                f"{named('max_queries')}"
            )
        if self.noise == "gaussian" and self.threshold_noise == "none":
            raise NoGuaranteeError(
                f"{named('noise', 'gaussian')} has no proof for a threshold without noise. "
                f"Write {named('threshold_noise', 'laplace')} or {quoted('gaussian')}"
            )
        if self.threshold_noise in ("gaussian", "none") and self.delta == 0:
            raise NoGuaranteeError(
                f"{named('threshold_noise', self.threshold_noise)} has no pure guarantee. "
                f"Write {named('threshold_noise', 'laplace')}, or allow delta > 0"
            )
        if self.delta > 0 and self.noise == "exponential" and not self.resample:
            raise NoGuaranteeError(
                f"{named('noise', 'exponential')} with delta > 0 has no proof: one negative "
                "answer can show "
                "where the threshold lies, and then every positive costs its full pure share, so "
                "Rényi costs do not add up (docs/theory/counterexample.md "
                f"shows how). Write {named('noise', 'gumbel')}, {named('resample', True)}, or "
                f"{named('delta', 0)}"
            )
        pure_threshold = self.threshold_noise in ("exponential", "laplace")
        if self.resample and self.delta > 0 and not pure_threshold:
            raise NoGuaranteeError(
                f"{named('threshold_noise', self.threshold_noise)} has no proof with "
                f"{named('resample', True)}. "
                f"Write {named('threshold_noise', 'laplace')} or {named('resample', False)}"
            )

    def _refuse_histogram(self) -> None:
        """Raise for what a histogram has no proof for."""
        kinds = {"laplace": self.delta == 0, "gaussian": self.delta > 0}
        if not kinds.get(self.noise, False) or self.threshold_noise != "none":
            raise NoGuaranteeError(
                f"{named('mechanism', 'histogram')} has laplace noise at delta = 0 or gaussian "
                f"noise with delta > 0, and none on the threshold. Write {named('noise', 'auto')} "
                f"and {named('threshold_noise', 'auto')}"
            )

    def _refuse_ranked(self) -> None:
        """Raise for what ranked selection has no proof for."""
        if self.noise not in ("exponential", "gumbel"):
            raise NoGuaranteeError(
                f"{named('mechanism', 'ranked')} has a proof for exponential and gumbel noise. "
                f"Write {named('noise', 'auto')}, or {named('mechanism', 'sparse-vector')}"
            )
        if self.noise == "exponential" and self.delta > 0:
            raise NoGuaranteeError(
                f"{named('noise', 'exponential')} has a pure guarantee alone. Write "
                f"{named('noise', 'gumbel')}, {named('noise', 'auto')} or {named('delta', 0)}"
            )
        bare = self.threshold_noise in ("gaussian", "none") and not self.is_top
        if self.delta == 0 and bare:
            raise NoGuaranteeError(
                f"{named('threshold_noise', self.threshold_noise)} has no pure guarantee. "
                f"Write {named('threshold_noise', 'exponential')}, or allow delta > 0"
            )


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


def checked_groups(groups: object, per_person: object) -> tuple[int | None, int | None]:
    """Return how many groups there are, and how many of them a person counts in at most."""
    if groups is None:
        if per_person is not None:
            raise ParameterError(f"{named('groups_per_person')} goes with {named('groups')}")
        return None, None
    number = _check.whole("groups", groups)
    if per_person is None:
        raise ParameterError(
            f"{named('groups_per_person')} must be given with {named('groups')}: in how many of "
            f"them does a person count at most? Write {named('groups_per_person', 1)} if everybody "
            "is in one group. Whoever has rows in more counts in that many, chosen by lot"
        )
    return number, min(number, _check.whole("groups_per_person", per_person))
