"""Quantiles: on which rung of a public ladder a share of all persons is reached; and means.

Theory: :doc:`/theory/quantiles`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar._numbers import exact_text
from overbar.errors import ParameterError, named
from overbar.noise import Exponential, Gumbel, Laplace, Noise
from overbar.plans.histogram_plan import HistogramPlan
from overbar.plans.plan import Plan, noise_text, part
from overbar.plans.ranked_plan import RankedPlan
from overbar.plans.reach_and_bar import Bar, Reach, set_checked

#: Distances are whole numbers of grid steps, of which a person has at most so many: those of 2^40
#: persons fit in 61 bits.
MOST_STEPS = 2**20
MOST_SHARES = 1000
#: How a value within two bounds is rounded before it is added up: the distance from their middle to
#: one of them has so many steps.
MEAN_STEPS = 2**16


@part("quantiles")
@dataclass(frozen=True, repr=False)
class QuantilePlan(Plan):
    """For each share the rung that is nearest to it in persons, by noisy distances.

    Distances are in units of max(q, 1 - q) persons: so one person moves each by at most one.

    Parameters
    ----------
    query_noise : Exponential or Gumbel
        The noise on the distance of each rung, in such units.
    shares : tuple of Fraction
        The shares q, in rising order: 1/2 for the median.
    rungs : int
        How many rungs the ladder has.
    persons : Laplace or None
        The noise on the number of persons, which is counted first; None where others count them.
    intervals : bool, default True
        Whether each answer has two ends, which are found as it is.
    total : Laplace, optional
        For a mean: the noise on the sum of all values, clamped to two quantiles and counted from
        their middle, in halves of their distance. Persons beyond them are as few as noise allows.
    days : bool, default False
        Whether rungs are days.
    """

    finds = "quantiles"

    query_noise: Exponential | Gumbel
    shares: tuple[Fraction, ...]
    rungs: int
    persons: Laplace | None
    intervals: bool = True
    total: Laplace | None = None
    days: bool = False

    def __post_init__(self) -> None:
        if type(self.query_noise) not in (Exponential, Gumbel):
            raise ParameterError("quantiles have exponential or gumbel noise")
        if not {type(self.persons), type(self.total)} <= {Laplace, type(None)}:
            raise ParameterError("the number of persons and a sum of values have laplace noise")
        set_checked(
            self,
            shares=checked_shares(self.shares),
            rungs=_check.whole("rungs", self.rungs),
            intervals=_check.flag("intervals", self.intervals),
            days=_check.flag("days", self.days),
        )
        if self.total is not None and (self.persons is None or len(self.shares) != 2):
            raise ParameterError("a mean needs two shares, and the number of persons")
        if 1 / self.grid > MOST_STEPS:
            raise ParameterError(
                f"{named('at')} must be shares with few digits, such as 0.5 and 0.95"
            )

    @property
    def bar(self) -> Bar | None:
        """None: the nearest rung wins, however far it is."""
        return None

    @property
    def reach(self) -> Reach:
        """One person moves a distance up or down by at most one unit."""
        return Reach(Fraction(-1), Fraction(1))

    @property
    def grid(self) -> Fraction:
        """Every distance is a multiple of this."""
        return Fraction(1, math.lcm(*(max(parts_of(share)) for share in self.shares)))

    @property
    def cutoff(self) -> int:
        """How many lines come out: the number of persons, one for each share, and a mean."""
        return 1 + len(self.shares) + (self.total is not None)

    @property
    def items_per_person(self) -> int | None:
        """None: one person moves all distances."""
        return None

    @property
    def gives_counts(self) -> bool:
        """Whether a number with its interval comes out beside each label: always."""
        return True

    @property
    def picks(self) -> int:
        """How many rungs are chosen, ends of intervals among them."""
        return len(self.shares) * (3 if self.intervals else 1)

    @property
    def pick(self) -> RankedPlan:
        """How one rung is chosen."""
        return RankedPlan(self.query_noise, None, 1, self.reach, self.grid)

    def paid(self) -> tuple[Plan, ...]:
        """Return what is paid: the number of persons, all choices of rungs, and a sum.

        Returns
        -------
        tuple of Plan
            Plans of one part.
        """
        return self.merged(1)

    def merged(self, runs: int) -> tuple[Plan, ...]:
        """Return what is paid for so many runs: all their choices are one run that goes on."""
        parts = [] if self.persons is None else [persons_plan(self.persons, runs)]
        if self.total is not None:
            sums = HistogramPlan(self.total, None, runs, self.reach, Fraction(1, MEAN_STEPS), runs)
            parts.append(sums)
        return (*parts, *self.pick.merged(self.picks * runs))

    @property
    def answer_text(self) -> str:
        """What it answers."""
        shares = ", ".join(map(exact_text, self.shares))
        if self.total is not None:
            return "The mean of values within two bounds that are found first."
        return f"Quantiles at {shares}, on a public ladder."

    def __str__(self) -> str:
        ends = ", and so are both ends of its interval" if self.intervals else ""
        return (
            f"{noise_text(self.query_noise)} on the distance in persons of each of {self.rungs:,} "
            f"rungs; the nearest is given{ends}."
            + (f" The number of persons has {noise_text(self.persons)}." if self.persons else "")
            + (f" The sum within them has {noise_text(self.total)}." if self.total else "")
        )


def persons_plan(noise: Noise, cells: int) -> HistogramPlan:
    """Return how so many numbers of persons are counted, in each of which a person may be."""
    return HistogramPlan(noise, None, cells, Reach(Fraction(0), Fraction(1)), Fraction(1), cells)


def checked_shares(shares: object) -> tuple[Fraction, ...]:
    """Return shares between zero and one in rising order, each once."""
    if not isinstance(shares, tuple | list) or not 0 < len(shares) <= MOST_SHARES:
        raise ParameterError(f"{named('at')} must be shares such as 0.5 and 0.95")
    exact = tuple(_check.rational("at", share) for share in shares)
    if not all(0 < share < 1 for share in exact) or sorted(set(exact)) != list(exact):
        raise ParameterError(
            f"{named('at')} must be shares between 0 and 1 in rising order, such as 0.5 and 0.95"
        )
    return exact


def parts_of(share: Fraction) -> tuple[int, int]:
    """Return how many of the denominator are below a share, and how many above."""
    return share.numerator, share.denominator - share.numerator


def unit_of(share: Fraction) -> Fraction:
    """Return how far one person moves the distance to a share: max(q, 1 - q) persons."""
    return max(share, 1 - share)
