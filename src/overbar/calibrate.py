"""From what a user wants (ε, δ, cutoff) to a plan that delivers it."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar.accounting import guarantee
from overbar.calibration import THRESHOLD_NOISES, Request, approximate_noises, pure_noises
from overbar.calibration.auto import best
from overbar.calibration.request import checked_allocation
from overbar.correction import KINDS, correction_term
from overbar.errors import ParameterError
from overbar.noise import NOISES, Noise
from overbar.plan import Plan

#: Grid steps per noise scale, at least: rounding to the grid then drowns in the noise.
STEPS_PER_SCALE = 8


def calibrate(
    *,
    epsilon: Number,
    delta: Number = 0,
    cutoff: int,
    sensitivity: Number = 1,
    monotonic: bool = False,
    noise: str = "exponential",
    threshold_noise: str = "laplace",
    resample: bool = False,
    allocation: str | Number = "variance",
    correction: str | Number = "optimal",
    candidates: int | None = None,
    rounds: int | None = 1,
    tolerance: Number = 0,
    max_queries: int | None = None,
    grid: Number | None = None,
) -> Plan:
    """Find the plan with the least noise that keeps the privacy asked for.

    Parameters
    ----------
    epsilon, delta
        The privacy of the whole run. ``delta=0`` asks for pure differential privacy.
    cutoff
        How many positives the run may give.
    sensitivity
        How far one person can move one query's answer.
    monotonic
        True if one person moves all answers in the same direction, as with counts when a person
        is added or removed. Halves the query noise.
    noise, threshold_noise
        The noises, by name. ``"auto"`` takes the most accurate pair of those proved for this
        ε and δ (the reason is logged). ``threshold_noise="none"`` leaves the threshold
        bare, which needs δ > 0.
    resample
        Draw the threshold noise anew after each positive.
    allocation
        How ε is split between threshold and queries: ``"variance"`` minimises the variance of a
        comparison; ``"appending"`` puts 99 % on the queries, best when negatives are asked again
        until the cutoff is reached; a number is the ratio itself, query budget by threshold budget.
    correction
        What is added to the threshold: ``"optimal"`` (the paper's), ``"optimal-shared"`` (the same
        with one threshold noise for all queries, as in a real run), ``"mean"``, ``"none"``, or a
        number.
    candidates
        How many queries are expected; the optimal corrections need it.
    rounds
        How often a negative query is asked in all; None for as often as it takes.
    tolerance
        How far from the threshold an error does not count, for the optimal corrections.
        In the paper: α.
    max_queries
        A limit on comparisons.
    grid
        The grid of releases; it must divide the sensitivity. By default the sensitivity halved
        until a noise scale holds at least eight steps; with δ > 0 and noise on the threshold at
        most a 64th of it, so that the noise can be shifted in part.

    Examples
    --------
    >>> plan = calibrate(epsilon=1, cutoff=50, monotonic=True, candidates=10_000)
    >>> guarantee(plan)
    PureDP(epsilon=1)
    """
    request = Request(
        epsilon=_check.positive("epsilon", epsilon),
        delta=_check.probability("delta", delta),
        cutoff=_check.whole("cutoff", cutoff),
        sensitivity=_check.positive("sensitivity", sensitivity),
        monotonic=_check.flag("monotonic", monotonic),
        noise=_check.choice("noise", noise, (*NOISES, "auto")),
        threshold_noise=_check.choice("threshold_noise", threshold_noise, THRESHOLD_NOISES),
        resample=_check.flag("resample", resample),
        allocation=checked_allocation(allocation),
        max_queries=None if max_queries is None else _check.whole("max_queries", max_queries),
        grid=None if grid is None else _check.positive("grid", grid),
    )
    asked = None if rounds is None else _check.whole("rounds", rounds)
    expected = None if candidates is None else _check.whole("candidates", candidates)
    accepted = _check.non_negative("tolerance", tolerance)
    if request.noise == "auto":
        request = best(request)
    request.refuse_what_is_not_proved()
    request = _with_grid(request)
    query, threshold = _noises(request)
    moved = _correction(
        correction, query, threshold, request, expected or request.max_queries, asked, accepted
    )
    step = request.grid or request.sensitivity
    plan = Plan(
        query_noise=query,
        threshold_noise=threshold,
        correction=math.ceil(moved / step) * step,
        cutoff=request.cutoff,
        sensitivity=request.sensitivity,
        monotonic=request.monotonic,
        resample=request.resample,
        rounds=asked,
        max_queries=request.max_queries,
        grid=step,
    )
    if guarantee(plan).epsilon(request.delta) > request.epsilon:
        # Cannot happen. If it does, no plan is better than one that keeps less than it says.
        raise AssertionError("calibration gave less privacy than asked for")
    return plan


def _noises(request: Request) -> tuple[Noise, Noise | None]:
    return pure_noises(request) if request.delta == 0 else approximate_noises(request)


def _with_grid(request: Request) -> Request:
    """Return the request with a grid that divides the sensitivity.

    The guarantee of a plan with δ > 0 depends a little on its grid, so the grid is settled first,
    by the scales that the coarsest one would give.
    """
    if request.grid is not None:
        if (request.sensitivity / request.grid).denominator != 1:
            raise ParameterError(
                f"grid must divide the sensitivity {_check.text_of(request.sensitivity)}, "
                f"got {_check.text_of(request.grid)}"
            )
        return request
    scales = [noise.scale for noise in _noises(request) if noise is not None]
    step = request.coarsest_grid
    while step * STEPS_PER_SCALE > min(scales):
        step /= 2
    return replace(request, grid=step)


def _correction(
    correction: str | Number,
    query: Noise,
    threshold: Noise | None,
    request: Request,
    candidates: int | None,
    rounds: int | None,
    tolerance: Fraction,
) -> Fraction:
    """Return the correction term, before it is rounded up to the grid."""
    if correction not in KINDS:
        if isinstance(correction, str) and not any(letter.isdigit() for letter in correction):
            options = ", ".join(repr(kind) for kind in KINDS)
            raise ParameterError(
                f"correction must be one of {options} or a number, got {correction!r}"
            )
        return _check.rational("correction", correction)
    kind = str(correction)
    if kind.startswith("optimal") and candidates is None:
        raise ParameterError(
            f"candidates must be given with correction={kind!r} (about how many queries will be "
            "asked?); or write correction='mean'"
        )
    term = correction_term(
        kind,
        query,
        threshold,
        negatives=max(1, (candidates or 1) // request.cutoff),
        tolerance=tolerance,
        rounds=rounds or 1,
    )
    return Fraction(term)
