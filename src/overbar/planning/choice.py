"""Choose what was left open: the mechanism and the noises that are the most accurate with a proof.

What was named stays. What accuracy means depends on the mechanism:

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
from typing import TypeVar

from overbar._numbers import people_text
from overbar.accuracy.difference import comparison_variance
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.noise import Noise
from overbar.planning import (  # noqa: F401  # each file is a kind
    bare_set_kind,
    histogram_kind,
    monitor_kind,
    ranked_kind,
    sparse_vector_kind,
)
from overbar.planning.kind import KINDS, Kind, Noises
from overbar.planning.request import Request

Made = TypeVar("Made")
LOG = logging.getLogger(__name__)

#: Candidates for each that may be found, where nobody has said how many there are.
USUAL_CROWD = 1000


@dataclass(frozen=True)
class Alternative:
    """One sound way to meet a request, and what it is worth: the lower, the better."""

    request: Request
    query_noise: Noise
    threshold_noise: Noise | None
    loss: tuple[float, float]

    def __str__(self) -> str:
        request, scale = self.request, people_text(self.query_noise.scale)
        words = f"{request.mechanism}, {request.noise} noise of scale {scale}"
        if kind_of(request).in_turn:
            return f"{words}, threshold noise {request.threshold_noise}"
        counted = " with the width of counts" if request.counts else ""
        return f"{words}, told apart at a margin{counted} of {people_text(self.loss[0])}"


def kind_of(request: Request) -> Kind:
    """Return the kind of plan that a request names."""
    return KINDS[request.mechanism]


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
    kind = KINDS.get(request.mechanism)
    if kind is None:
        if not in_turn:
            return request
        kind = next(kind for kind in KINDS.values() if kind.in_turn)
    if kind.needs_items and request.items_per_person is None:
        raise ParameterError(
            f"{named('items_per_person')} must be given with {named('mechanism', kind.name)}: "
            "how many scores can one person move?"
        )
    if in_turn and not kind.in_turn:
        raise ParameterError(
            f"{named('rounds')}, {named('resample')}, {named('max_queries')}, "
            f"{named('upper_bound')}, {named('allocation')} and other noises are for a sparse "
            f"vector run: leave them out, or write {named('mechanism', 'sparse-vector')}"
        )
    rounds = None if kind.in_turn and request.top else request.rounds
    return replace(request, mechanism=kind.name, rounds=rounds)


def alternatives(request: Request, candidates: int | None = None) -> list[Alternative]:
    """Return the ways to meet a request in which something is open, best first."""
    many = candidates or USUAL_CROWD * request.cutoff
    ways = _that_can_be(lambda way: _measured(way, many), _proved(request, candidates))
    return sorted(ways, key=lambda way: way.loss)


def _proved(request: Request, candidates: int | None) -> list[Request]:
    """Return the ways that have a proof; where what was named leaves none, say why."""

    def proved(way: Request) -> Request:
        _refuse_bars(way)
        kind_of(way).refuse(way)
        return way

    return _that_can_be(proved, _ways(request, candidates))


def _refuse_bars(request: Request) -> None:
    """Raise for noise on the threshold that no kind has a proof for."""
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


def _that_can_be(make: Callable[[Request], Made], ways: list[Request]) -> list[Made]:
    """Return what is made of the ways, without those that are refused; if all are, say why."""
    kept, refused = [], []
    for way in ways:
        try:
            kept.append(make(way))
        except NoGuaranteeError as error:
            refused.append(error)
    if not kept:
        raise refused[0]
    return kept


def _ways(request: Request, candidates: int | None) -> list[Request]:
    """Return the request with what is open filled in, in every way that is worth a look.

    δ = 0 is also a way to meet δ > 0. With δ = 0, exponential noise is the least spread out of
    those that the pure theorem covers; with δ > 0, Gumbel noise is tight in a race.
    """
    if KINDS.get(request.mechanism) is None:  # it is open
        kinds = [kind for kind in KINDS.values() if kind.is_compared(request, candidates)]
        named_ones = [replace(request, mechanism=kind.name) for kind in kinds]
        return [way for one in named_ones for way in _ways(one, candidates)]
    ways = kind_of(request).ways(request)
    if request.delta == 0:  # Gumbel and Gaussian noise are for δ
        ways = ways[:1]
    if request.noise != "auto":  # as it was named, with all of δ
        pure_bar = request.delta == 0 or (request.resample and request.noise != "gaussian")
        usual = "exponential" if pure_bar else "laplace"
        bar = "none" if ways[0][2] == "none" else usual
        values = [way for way in ways if way[1:] == (request.noise, "gaussian")]
        ways = [(request, request.noise, bar), *values]
    chosen = request.threshold_noise
    filled = [
        replace(base, noise=noise, threshold_noise=usual if chosen == "auto" else chosen)
        for base, noise, usual in ways
    ]
    return list(dict.fromkeys(filled))


def noises_of(request: Request) -> Noises:
    """Return query and threshold noise for a request that names both kinds."""
    # Only the theorems of δ > 0 look at the grid, which is the coarsest if none was named.
    return _noises(replace(request, grid=request.coarsest_grid if request.delta else None))


@lru_cache(maxsize=512)  # one plan asks two or three times, and a page compares the same ones again
def _noises(request: Request) -> Noises:
    return kind_of(request).noises(request)


def _measured(request: Request, candidates: int) -> Alternative:
    query, threshold = noises_of(request)
    kind = kind_of(request)
    barless = request.top and not kind.in_turn
    spread = comparison_variance(query, None if barless else threshold)
    first = kind.loss(request, query, threshold, candidates)
    # Where that is the same to six digits, the variance decides.
    return Alternative(request, query, threshold, (float(f"{first:.6g}"), spread))


def best(request: Request, candidates: int | None = None) -> Request:
    """Return the request with everything filled in as well as can be, and log why."""
    ways = _proved(request, candidates)
    if len(ways) == 1:  # nothing to compare
        return ways[0]
    chosen, *others = alternatives(request, candidates)
    LOG.info("chosen: %s (against %s)", chosen, "; ".join(map(str, others)))
    return chosen.request
