"""Choose what was left open: the mechanism and the noises that are the most accurate with a proof.

What was named stays. What accuracy means depends on the mechanism:

- Where the highest values win, it is the margin at which a candidate is told from the rest
  (:func:`overbar.accuracy.margin`), plus half the width of an interval where counts are asked for.
- In a sparse vector run that asks about once (``allocation="variance"``) it is the variance of a
  comparison. Asked again and again, the threshold noise drops out and only the scale of the query
  noise counts.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from overbar._numbers import short_text
from overbar.accuracy.margin import margin
from overbar.accuracy.tolerance import comparison_variance
from overbar.calibration.approximate_noises import approximate_noises
from overbar.calibration.counts_noise import released_with, without_counts
from overbar.calibration.pure_noises import pure_noises
from overbar.calibration.request import Request
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.noise import Noise

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
        request, scale = self.request, short_text(self.query_noise.scale)
        words = f"{request.mechanism}, {request.noise} noise of scale {scale}"
        if request.mechanism == "sparse-vector":
            return f"{words}, threshold noise {request.threshold_noise}"
        counted = " with the width of counts" if request.counts else ""
        return f"{words}, told apart at a margin{counted} of {self.loss[0]:.4g}"


def with_mechanism(request: Request, rounds: int | None) -> Request:
    """Return the request with the mechanism that it asks for without naming it, if it does."""
    usual = "appending" if request.is_top else "variance"
    in_turn = (
        request.resample
        or request.max_queries is not None
        or rounds != 1
        or request.allocation != usual
        or (request.noise in ("laplace", "gaussian") and request.items_per_person is None)
        or (request.is_top and request.threshold_noise not in ("auto", "none"))
    )
    if request.mechanism == "auto":
        return replace(request, mechanism="sparse-vector") if in_turn else request
    if request.mechanism == "histogram" and request.items_per_person is None:
        raise ParameterError(
            f"{named('items_per_person')} must be given with {named('mechanism', 'histogram')}: "
            "how many scores can one person move?"
        )
    if request.mechanism != "sparse-vector" and in_turn:
        raise ParameterError(
            f"{named('rounds')}, {named('resample')}, {named('max_queries')}, "
            f"{named('allocation')} and other noises are for a sparse vector run: leave them out, "
            f"or write {named('mechanism', 'sparse-vector')}"
        )
    return request


def alternatives(request: Request, candidates: int | None = None) -> list[Alternative]:
    """Return the ways to meet a request in which something is open, best first."""
    many = candidates or USUAL_CROWD * request.cutoff
    found = _that_can_be(lambda way: _measured(way, many), _proved(request))
    return sorted(found, key=lambda way: way.loss)


def _proved(request: Request) -> list[Request]:
    """Return the ways that have a proof; where what was named leaves none, say why."""

    def proved(way: Request) -> Request:
        way.refuse_what_is_not_proved()
        return way

    return _that_can_be(proved, _ways(request))


def _that_can_be(make: Callable[[Request], Made], ways: list[Request]) -> list[Made]:
    """Return what is made of the ways, without those that are refused; if all are, say why."""
    found, refused = [], []
    for way in ways:
        try:
            found.append(make(way))
        except NoGuaranteeError as error:
            refused.append(error)
    if not found:
        raise refused[0]
    return found


def _ways(request: Request) -> list[Request]:
    """Return the request with what is open filled in, in every way that is worth a look.

    δ = 0 is also a way to meet δ > 0. With δ = 0, exponential noise is the least spread out of
    those that the pure theorem covers; with δ > 0, Gumbel noise is tight in the companion theorem.
    """
    if request.mechanism == "auto":
        kinds = ("ranked", "histogram") if request.items_per_person else ("ranked",)
        return [way for kind in kinds for way in _ways(replace(request, mechanism=kind))]
    pure = replace(request, delta=Fraction(0))
    if request.mechanism == "histogram":
        pairs = [(pure, "laplace", "none"), (request, "gaussian", "none")]
    elif request.is_top and request.mechanism == "ranked":
        pairs = [(pure, "exponential", "none"), (request, "gumbel", "none")]
    elif request.resample:
        pairs = [(pure, "exponential", "exponential"), (request, "exponential", "exponential")]
    else:
        pairs = [(pure, "exponential", "exponential"), (request, "gumbel", "laplace")]
        pairs.append((request, "gumbel", "none"))
    if request.mechanism == "ranked" and request.counts is True:
        pairs.append((request, "gumbel", "gaussian"))  # counts are the values then
    if request.delta == 0:  # Gumbel and Gaussian noise are for δ
        pairs = pairs[:1]
    if request.noise != "auto":  # as it was named, with all of δ
        usual = "exponential" if request.delta == 0 or request.resample else "laplace"
        barless = request.mechanism == "histogram" or (
            request.mechanism == "ranked" and request.is_top
        )
        values = [pair for pair in pairs if pair[1:] == (request.noise, "gaussian")]
        pairs = [(request, request.noise, "none" if barless else usual), *values]
    named = request.threshold_noise
    ways = [
        replace(base, noise=noise, threshold_noise=usual if named == "auto" else named)
        for base, noise, usual in pairs
    ]
    return list(dict.fromkeys(ways))


def noises_of(request: Request) -> tuple[Noise, Noise | None]:
    """Return query and threshold noise for a request that names both kinds."""
    # Only the theorems of δ > 0 look at the grid, which is the coarsest if none was named.
    grid = request.coarsest_grid if request.delta else None
    return _noises(replace(request, grid=grid))


@lru_cache(maxsize=32)  # one call of calibrate asks two or three times
def _noises(request: Request) -> tuple[Noise, Noise | None]:
    if request.delta == 0:
        return pure_noises(without_counts(request))
    return approximate_noises(request)


def _measured(request: Request, candidates: int) -> Alternative:
    query, threshold = noises_of(request)
    bar = None if request.is_top and request.mechanism == "ranked" else threshold
    spread = comparison_variance(query, bar)
    if request.mechanism != "sparse-vector":
        first = margin(query, bar, found=request.cutoff, candidates=candidates)
        counts = released_with(request, query)
        shared = threshold if request.gives_values else None
        first += 0.0 if counts is None else 2 * math.sqrt(comparison_variance(counts, shared))
    elif request.allocation == "variance":
        first = spread
    else:
        first = float(query.scale / request.sensitivity)
    # Where that is the same to six digits, the variance decides.
    return Alternative(request, query, threshold, (float(f"{first:.6g}"), spread))


def best(request: Request, candidates: int | None = None) -> Request:
    """Return the request with everything filled in as well as can be, and log why."""
    ways = _proved(request)
    if len(ways) == 1:  # nothing to compare
        return ways[0]
    chosen, *others = alternatives(request, candidates)
    LOG.info("chosen: %s (against %s)", chosen, "; ".join(map(str, others)))
    return chosen.request
