"""How a kind of plan meets a request: one value for each mechanism.

Scales are rounded up to short fractions; whoever calls re-evaluates the guarantee of the plan.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from overbar._numbers import least_safe, short_fraction
from overbar.errors import NoGuaranteeError, named
from overbar.mechanisms import Plan, ScorePlan
from overbar.mechanisms.score_plan import of_scores
from overbar.mechanisms.together import composed
from overbar.noise import NOISES, Noise
from overbar.planning.counts_noise import counts_noise, without_counts
from overbar.planning.request import Request
from overbar.privacy import guarantee
from overbar.privacy.orders import checked_log_delta

#: The mechanisms, by name: a kind is known as soon as it is made.
KINDS: dict[str, Kind] = {}

#: Significant digits of a scale found numerically.
SCALE_DIGITS = 15
#: Where so much more noise does not keep a request, none does: it is not the labels that cost.
MOST_GROWN = 10**6
#: How close to the least scale a search ends.
CLOSE = 1e-9
#: More than the tolerance with which ε is found at a δ.
HAIR_LESS = 1 - Fraction(1, 10**12)

#: Query and threshold noise; None for a bare threshold.
Noises = tuple[Noise, Noise | None]


@dataclass(frozen=True)
class Kind:
    """What is to be known of a mechanism to plan with it.

    `ways` fills in the noises that a request leaves open, in every way that is worth a look:
    requests with the kinds of query and threshold noise. `refuse` raises for what has no proof.
    `pure` and `approximate` return the noises of one run without counts, for δ = 0 and δ > 0.
    `labels` makes the plan, from noises and a correction. `gives_values` tells whether the values
    that decide can come out as counts; `loss` is what to keep small.
    """

    name: str
    ways: Callable[[Request], list[tuple[Request, str, str]]]
    refuse: Callable[[Request], None]
    pure: Callable[[Request], Noises]
    approximate: Callable[[Request], Noises]
    labels: Callable[[Request, Noise, Noise | None, Fraction], Plan]
    gives_values: Callable[[Request], bool]
    loss: Callable[[Request, Noise, Noise | None, int], float]
    #: Of all candidates at the threshold, so many pass at the upper end of the correction
    #: "halfway", by the cutoff.
    passing: Fraction
    #: Query and threshold noise of plans that are shown beside others, for δ = 0 and δ > 0.
    shown: tuple[tuple[str, str], ...] = ()
    shown_with_delta: tuple[tuple[str, str], ...] = ()
    #: Whether it is compared where no mechanism is named, by how many candidates there are.
    is_compared: Callable[[Request, int | None], bool] = lambda *_: False
    #: Whether it must be known how many scores one person moves.
    needs_items: bool = False
    #: Whether candidates are asked one by one, as a run online must.
    in_turn: bool = False

    def __post_init__(self) -> None:
        KINDS[self.name] = self

    def plan(
        self,
        request: Request,
        query: Noise,
        threshold: Noise | None,
        correction: Fraction = Fraction(0),
    ) -> ScorePlan:
        """Return a plan with these noises."""
        labels = of_scores(self.labels(request, query, threshold, correction))
        counts = None if labels.gives_values else self.counts(request)
        return composed(labels, counts=counts, groups=request.groups)

    def counts(self, request: Request) -> Noise | None:
        """Return the new noise that the score of each label gets; None where there is none."""
        return None if self.gives_values(request) else counts_noise(request)

    def noises(self, request: Request) -> Noises:
        """Return query and threshold noise for a request that names both kinds."""
        if request.delta > 0:
            return self._approximate(request)
        if self.counts(request) is not None:
            request = without_counts(request)
        if request.runs > 1:
            request = replace(request.once, epsilon=request.epsilon / request.runs)
        return self.pure(request)

    def _approximate(self, request: Request) -> Noises:
        if request.runs > 1 and request.in_one_go:
            items = request.items_per_person
            more = None if items is None else request.runs * items
            cutoff = request.runs * request.cutoff
            return self._approximate(replace(request.once, cutoff=cutoff, items_per_person=more))
        if self.counts(request) is not None:
            query, threshold = self._approximate(without_counts(request))
            return self.tightened(request, query, threshold)
        return self._repeated(request) if request.runs > 1 else self.approximate(request)

    def tightened(self, request: Request, query: Noise, threshold: Noise | None) -> Noises:
        """Return the least query noise that keeps the request, whichever theorem proves it.

        The noise handed in is a guess, or keeps it by one theorem, but for rounding.
        """
        log_delta = checked_log_delta(request.delta)

        def excess(scale: float) -> float:
            noise = NOISES[request.noise](rounded(scale))
            return self.excess(request, noise, threshold)

        # The log of δ goes with the square of the noise, or nearly.
        start, slope = float(query.scale), min(1.6 * log_delta, -1.0)
        least = least_safe(excess, start, slope, CLOSE, MOST_GROWN * start)
        if math.isinf(least):
            raise NoGuaranteeError(
                "no noise on the labels is enough for what their counts leave of epsilon: "
                f"leave the noises open, or give {named('counts')} a smaller share, such as 0.2"
            )
        return NOISES[request.noise](rounded(least)), threshold

    def excess(self, request: Request, query: Noise, threshold: Noise | None) -> float:
        """Return by how much a plan with these noises passes the δ asked for at ε, in logs.

        By a hair less than ε, so that no rounding of floats can reach above it.
        """
        proved = guarantee(self.plan(request, query, threshold)).delta(request.epsilon * HAIR_LESS)
        return math.log(proved) - checked_log_delta(request.delta) if proved else -math.inf

    def _repeated(self, request: Request) -> Noises:
        """Scale the noises of one run until as many as a person has a hand in keep the request.

        Where costs add up as squares do, each run may cost ε over the root of their number.
        """
        share = short_fraction(1 / math.sqrt(request.runs), 6)
        pair = self._approximate(replace(request.once, epsilon=share * request.epsilon))

        def noises(factor: float) -> Noises:
            query, threshold = (
                None if noise is None else NOISES[noise.name](rounded(float(noise.scale) * factor))
                for noise in pair
            )
            assert query is not None
            return query, threshold

        def excess(factor: float) -> float:
            return self.excess(request, *noises(factor))

        slope = min(2 * checked_log_delta(request.delta), -1.0)
        return noises(least_safe(excess, 1.0, slope, CLOSE))


def rounded(value: float) -> Fraction:
    """Round a scale up to a short fraction."""
    return short_fraction(value, SCALE_DIGITS)
