"""Choose what was left open: the mechanism and the noises that are the most accurate with a proof.

What was named stays. What accuracy means each mechanism says, with its ways (``loss``):

- Where the highest values win, it is the margin at which a candidate is told from the rest
  (:func:`overbar.accuracy.correction.margin`), plus half the width of an interval where counts
  are asked for.
- In a sparse vector run that asks about once (``allocation="variance"``) it is the variance of a
  comparison. Asked again and again, the threshold noise drops out and only the scale of the query
  noise counts.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from overbar._numbers import people_text
from overbar.accuracy.difference import comparison_variance
from overbar.errors import ParameterError, named
from overbar.mechanisms import HistogramPlan, MonitorPlan, RankedPlan, SparseVectorPlan
from overbar.mechanisms.way import Request, Way, that_can_be
from overbar.planning.counts import together
from overbar.planning.search import Found, exactly, roughly

LOG = logging.getLogger(__name__)

#: The mechanisms by name, and which ways of each are worth a look.
WAYS: dict[str, Callable[[Request], list[Way]]] = {
    "ranked": RankedPlan.ways,
    "bare-set": SparseVectorPlan.bare_sets,
    "histogram": HistogramPlan.ways,
    "monitor": MonitorPlan.ways,
    "sparse-vector": SparseVectorPlan.ways,
}
#: Those that ask one by one, as a run online must, and those for few items of each person.
IN_TURN, OF_ITEMS = "sparse-vector", ("histogram", "bare-set")
#: With one item of each person a bare set gains nothing; with more than so many, bits take long to
#: follow.
FEWEST, MOST = 2, 128
#: A way that looks so much worse than the best is not looked at closely.
NEAR = 1.003


@dataclass(frozen=True)
class Alternative:
    """One sound way to meet a request, and what it is worth: the lower, the better."""

    found: Found
    loss: tuple[float, float]

    @classmethod
    def of(cls, found: Found) -> Alternative:
        """Return it; where the loss is the same to six digits, the variance decides."""
        plan, request = found.plan, found.way.request
        barless = request.top and request.mechanism != IN_TURN
        spread = comparison_variance(plan.query_noise, None if barless else plan.threshold_noise)
        return cls(found, (float(f"{found.way.loss(plan):.6g}"), spread))

    def __str__(self) -> str:
        request, scale = self.found.way.request, people_text(self.found.scale)
        words = f"{request.mechanism}, {request.noise} noise of scale {scale}"
        if request.mechanism == IN_TURN:
            return f"{words}, threshold noise {request.threshold_noise}"
        counted = " with the width of counts" if request.counts else ""
        return f"{words}, told apart at a margin{counted} of {people_text(self.loss[0])}"


def best(request: Request) -> Found:
    """Return the best plan for a request, before it is corrected, and log why."""
    chosen, *others = _planned(request)
    if others:
        LOG.info("chosen: %s (against %s)", chosen, "; ".join(map(str, others)))
    return chosen.found


@lru_cache(maxsize=512)  # a page compares the same ones again and again
def _planned(request: Request) -> list[Alternative]:
    ways = that_can_be(
        lambda name: WAYS[name](replace(request, mechanism=name)), _compared(request)
    )
    found = that_can_be(lambda way: roughly(together(way)), [way for few in ways for way in few])
    if len(found) == 1:  # nothing to compare
        return [Alternative(exactly(found[0]), (0.0, 0.0))]
    return alternatives(found)


def alternatives(found: list[Found]) -> list[Alternative]:
    """Return plans by what they are worth, the best first: as they are where they are no match."""
    rough = sorted(map(Alternative.of, found), key=_loss)
    near = [one for one in rough if one.loss[0] <= NEAR * rough[0].loss[0]]
    best = [replace(one, found=exactly(one.found)) for one in near]
    if len(best) > 1:  # what they are worth is compared once more
        best = sorted((Alternative.of(one.found) for one in best), key=_loss)
    return best + rough[len(near) :]


def _loss(alternative: Alternative) -> tuple[float, float]:
    return alternative.loss


def _compared(request: Request) -> list[str]:
    """Return the mechanisms to look at.

    Where more pass than the cutoff of a bare set, who comes out is left to the lot. So it is
    compared with others only where there are no more candidates than the cutoff.
    """
    if request.mechanism != "auto":
        return [request.mechanism]
    if request.items_per_person is None:
        return ["ranked"]
    few = FEWEST <= request.items_per_person * request.runs <= MOST
    unlimited = request.candidates is not None and request.cutoff >= request.candidates
    bare = few and unlimited and request.delta > 0 and not (request.top or request.counts)
    return ["ranked", "histogram", *["bare-set"] * bare]


def with_mechanism(request: Request) -> Request:
    """Return the request with the mechanism that it asks for without naming it, if it does."""
    usual = "appending" if request.top else "variance"
    in_turn = (
        request.resample
        or request.max_queries is not None
        or request.rounds != 1
        or request.allocation != usual
        or request.upper_bound is not None
        or (request.noise in ("laplace", "gaussian") and request.items_per_person is None)
        or (request.top and request.threshold_noise not in ("auto", "none"))
    )
    mechanism = request.mechanism
    if mechanism == "auto":
        if not in_turn:
            return request
        mechanism = IN_TURN
    if mechanism in OF_ITEMS and request.items_per_person is None:
        raise ParameterError(
            f"{named('items_per_person')} must be given with {named('mechanism', mechanism)}: "
            "how many scores can one person move?"
        )
    if in_turn and mechanism != IN_TURN:
        raise ParameterError(
            f"{named('rounds')}, {named('resample')}, {named('max_queries')}, "
            f"{named('upper_bound')}, {named('allocation')} and other noises are for a sparse "
            f"vector run: leave them out, or write {named('mechanism', IN_TURN)}"
        )
    rounds = None if mechanism == IN_TURN and request.top else request.rounds
    return replace(request, mechanism=mechanism, rounds=rounds)
