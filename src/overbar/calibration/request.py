"""What a user wants of a plan; every number is exact and sensible by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from overbar import _check
from overbar._check import Number
from overbar.errors import ParameterError, named, quoted
from overbar.noise import NOISES
from overbar.plans import Groups, Reach
from overbar.plans.plan import OrderName

#: The largest ratio of two parts of a budget, either way.
LARGEST_RATIO = Fraction(10**12)
#: The choices of `noise`, `threshold_noise`, `allocation` and `correction` that go by name.
NoiseName = Literal["auto", "exponential", "gumbel", "laplace", "gaussian"]
ThresholdNoiseName = Literal["auto", "exponential", "laplace", "gaussian", "none"]
AllocationName = Literal["variance", "appending"]
CorrectionName = Literal["halfway", "optimal", "optimal-shared", "mean", "none"]
#: Grid steps to the sensitivity where the threshold noise may be shifted in part.
PARTS = 64

#: What `threshold_noise` may name.
THRESHOLD_NOISES = (*NOISES, "none", "auto")


@dataclass(frozen=True)
class Request:
    """What a user wants of a plan."""

    epsilon: Fraction
    delta: Fraction
    cutoff: int
    reach: Reach
    noise: str
    threshold_noise: str
    resample: bool
    allocation: str | Fraction
    max_queries: int | None
    grid: Fraction | None
    mechanism: str
    rounds: int | None = 1
    items_per_person: int | None = None
    #: Whether it is the top that is asked for.
    top: bool = False
    #: Whether counts are asked for, or the share of ε for them.
    counts: bool | Fraction = False
    groups: Groups | None = None
    #: In which order candidates are asked in turn; None where nothing was said.
    order: OrderName | None = None
    #: A number that no score exceeds, for a top that is asked in turn.
    upper_bound: Fraction | None = None

    @property
    def runs(self) -> int:
        """How many runs one person can have a hand in."""
        return 1 if self.groups is None else self.groups.per_person

    @property
    def once(self) -> Request:
        """The same for one group by itself."""
        return replace(self, groups=None)

    @property
    def in_one_go(self) -> bool:
        """Whether runs in several groups are one, as plans say."""
        return self.threshold_noise == "none" and not (self.resample or self.max_queries)

    @property
    def coarsest_grid(self) -> Fraction:
        """The grid that was asked for, or the coarsest that serves the theorems."""
        if self.grid is not None:
            return self.grid
        raced = self.delta > 0 and self.noise in ("gumbel", "laplace")
        shifted = raced and self.threshold_noise != "none"
        whole = _common(self.reach)
        return whole / PARTS if shifted else whole

    @property
    def draws(self) -> int:
        """How often the threshold noise is drawn."""
        return self.cutoff if self.resample else 1


def _common(reach: Reach) -> Fraction:
    """Return the largest number that divides both ends of a reach."""
    low, high = -reach.low, reach.high
    while low:
        low, high = high % low, low
    return high


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
