"""What is asked of a plan, and families of plans that may meet it.

A **way** is a family of plans of which all is fixed but the scale of the noise on scores, the grid
and, for some, how wide the noise of the bar is. Each mechanism says which ways are worth a look;
one search (:mod:`overbar.planning.search`) finds the least noise of each.

Theory: :doc:`/theory/allocation`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from overbar._numbers import short_fraction
from overbar.accuracy.allocation import budget_ratio
from overbar.accuracy.correction import margin
from overbar.accuracy.difference import comparison_variance
from overbar.errors import NoGuaranteeError, named
from overbar.noise import NOISES, Noise

if TYPE_CHECKING:
    from overbar.mechanisms.reach_and_bar import Reach
    from overbar.mechanisms.score_plan import ScorePlan
    from overbar.mechanisms.together import Groups

#: Grid steps to the sensitivity where the threshold noise may be shifted in part.
PARTS = 64
#: Candidates for each that may be found, where nobody has said how many there are.
USUAL_CROWD = 1000
#: Query budget over threshold budget when negatives are asked again until the cutoff is reached.
#: Such a run is a race in which the threshold noise drops out, so it gets about one per cent. It
#: cannot get nothing: without threshold noise there is no pure guarantee.
APPENDING_RATIO = 99
#: The same with δ: the share of ε that the threshold gets.
SMALLEST_SHARE = Fraction(1, 50)
#: Digits of a ratio of two scales, so that plans can be read; a flat optimum needs no more. And of
#: one of two budgets: their split is exact whatever it is.
DIGITS, RATIO_DIGITS = 4, 12
#: Digits of the scale of a bar that was looked for.
BAR_DIGITS = 6

#: Noise by how far a person moves a score, where any will do.
MUCH = 10**6

Made = TypeVar("Made")
Given = TypeVar("Given")


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
    #: A number that no score exceeds, for a top that is asked in turn.
    upper_bound: Fraction | None = None
    #: For a monitor: in how many alarms a person counts, and whether weights are paid for.
    hits: int = 0
    weights: bool = False
    #: About how many there are to choose from, if anybody has said so.
    candidates: int | None = None

    @property
    def runs(self) -> int:
        """How many runs one person can have a hand in."""
        return 1 if self.groups is None else self.groups.per_person

    @property
    def many(self) -> int:
        """About how many candidates there are."""
        return self.candidates or USUAL_CROWD * self.cutoff

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
    def query_kind(self) -> Callable[[Fraction], Noise]:
        """The noise on scores."""
        return NOISES[self.noise]

    @property
    def bar_kind(self) -> Callable[[Fraction], Noise] | None:
        """The noise of the bar; None for a bare one."""
        return NOISES.get(self.threshold_noise)

    def filled(self, *usual: tuple[Fraction, str, str]) -> list[Request]:
        """Return it with kinds of noise filled in where they are open, in the usual ways.

        Each has a δ and the noise on scores and on the bar. Where δ is zero only the first is
        looked at. What was named stays, with all of δ.
        """
        known = [*usual] if self.delta else [*usual[:1]]
        if self.noise != "auto":
            pure = self.delta == 0 or (self.resample and self.noise != "gaussian")
            bar = "none" if known[0][2] == "none" else "exponential" if pure else "laplace"
            values = [way for way in known if way[1:] == (self.noise, "gaussian")]
            known = [(self.delta, self.noise, bar), *values]
        if self.threshold_noise != "auto":
            known = [(delta, noise, self.threshold_noise) for delta, noise, _ in known]
        return [
            replace(self, delta=delta, noise=noise, threshold_noise=bar)
            for delta, noise, bar in dict.fromkeys(known)
        ]


def _common(reach: Reach) -> Fraction:
    """Return the largest number that divides both ends of a reach."""
    low, high = -reach.low, reach.high
    while low:
        low, high = high % low, low
    return high


class Split(NamedTuple):
    """How wide the noise of a bar is: by that on scores, or by itself where it `stands`.

    Where it is open, the best is looked for. A plan that `was_pure` is pure at an ε that falls to
    the one asked for at δ.
    """

    share: Fraction = Fraction(0)
    is_open: bool = False
    stands: bool = False
    was_pure: bool = False

    def of(self, scale: Fraction) -> Fraction:
        """Return the scale for noise of a scale on scores."""
        return self.share if self.stands else self.share * scale

    def settled(self, scale: Fraction) -> Split:
        """Return what stands, with few digits, where noise of this scale on scores was found."""
        return Split(short_fraction(float(self.of(scale)), BAR_DIGITS), stands=True)

    def moved(self, aside: float) -> Split:
        """Return another one, by the log of the ratio of both."""
        return self._replace(share=short_fraction(float(self.share) * math.exp(aside), DIGITS))


@dataclass(frozen=True)
class Way:
    """A family of plans: `make` says which, by the noise on scores and on the bar, and the grid.

    `loss` is what to keep small. At the upper end of the correction "halfway" so many of all
    candidates pass at the threshold, by the cutoff: `passing`.
    """

    request: Request
    make: Callable[[Noise, Noise | None, Fraction], ScorePlan]
    loss: Callable[[ScorePlan], float]
    passing: Fraction
    split: Split
    #: How often the variance on scores counts where that of a comparison is to be small.
    weight: int = 1

    def plan(self, scale: Fraction, grid: Fraction, split: Split) -> ScorePlan:
        """Return one of them, by the scale of the noise on scores; without a correction."""
        bar = self.request.bar_kind
        noise = None if bar is None else bar(split.of(scale))
        return self.make(self.request.query_kind(scale), noise, grid)

    @property
    def any_plan(self) -> ScorePlan:
        """One of them, with so much noise that nothing stands in its way."""
        much = MUCH * self.request.reach.width
        return self.plan(much, self.request.coarsest_grid, self.split)


def that_can_be(make: Callable[[Given], Made], every: Iterable[Given]) -> list[Made]:
    """Return what is made of all, without those that are refused; if all are, say why."""
    kept, refused = [], []
    for one in every:
        try:
            kept.append(make(one))
        except NoGuaranteeError as error:
            refused.append(error)
    if refused and not kept:
        raise refused[0]
    return kept


def refuse_bars(request: Request) -> None:
    """Raise for noise on the bar that no mechanism has a proof for."""
    if request.threshold_noise == "gumbel":
        raise NoGuaranteeError(
            f"{named('threshold_noise', 'gumbel')} cannot be drawn exactly. "
            f"Write {named('threshold_noise', 'exponential')}"
        )
    if request.threshold_noise == "exponential" and request.delta > 0 and not request.resample:
        raise NoGuaranteeError(
            f"{named('threshold_noise', 'exponential')} has a proof at delta = 0 alone: "
            "shifted, it always loses all of its share. "
            f"Write {named('threshold_noise', 'laplace')}, or {named('delta', 0)}"
        )


def splits(request: Request, weight: int = 1) -> list[Split]:
    """Return how wide the noise of a bar may be.

    A pure ε is split exactly over the draws of the threshold and the c positives. With δ a race
    begins where the variance would be least if all losses were Gaussian; and few positives are at
    times better served by a pure plan whose ε falls to ε at δ.
    """
    if request.bar_kind is None:
        return [Split()]
    most, width = request.reach.most, request.reach.width
    draws = request.cutoff if request.resample else 1
    pure = Split(most / width * _pure_ratio(request) * draws / request.cutoff)
    if request.delta == 0 or request.resample:
        return [pure]
    if request.allocation == "variance":
        query, bar = (kind(Fraction(1)) for kind in (request.query_kind, request.bar_kind))
        square = weight * query.variance / (request.cutoff * bar.variance)
        share = short_fraction(math.sqrt(most / width) * square**0.25, DIGITS)
        race = Split(share, is_open=True)
    else:
        given = request.allocation
        part = SMALLEST_SHARE if given == "appending" else 1 / (1 + Fraction(given))
        race = Split(most / (request.epsilon * part), stands=True)
    few = [pure._replace(was_pure=True)] if request.threshold_noise == "laplace" else []
    return [race, *few]


def _pure_ratio(request: Request) -> Fraction:
    """Return query budget by threshold budget of a pure plan, as a short fraction."""
    if isinstance(request.allocation, Fraction):
        return request.allocation
    if request.allocation == "appending":
        return Fraction(APPENDING_RATIO)
    assert request.bar_kind is not None
    best = budget_ratio(
        request.query_kind(Fraction(1)),
        request.bar_kind(Fraction(1)),
        cutoff=request.cutoff,
        back=request.reach.back,
        resample=request.resample,
    )
    return short_fraction(best, RATIO_DIGITS)


def apart_at(plan: ScorePlan, request: Request) -> float:
    """Return the margin at which a candidate is told from the rest, with the width of counts.

    Counts have noise of their own, or are the values themselves.
    """
    bar = None if request.top else plan.threshold_noise
    apart = margin(plan.query_noise, bar, wanted=request.cutoff, candidates=request.many)
    if request.counts is False:
        return apart
    own = plan.query_noise, plan.threshold_noise
    noises = own if plan.counts is None else (plan.counts, None)
    return apart + 2 * math.sqrt(comparison_variance(*noises))
