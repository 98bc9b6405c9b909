"""From what a user wants (ε, δ, cutoff) to a plan that delivers it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar.accounting import guarantee
from overbar.allocation import APPENDING_RATIO, budget_ratio
from overbar.correction import KINDS, correction_term
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import NOISES, Noise
from overbar.plan import Plan

#: Grid steps per noise scale, at least: rounding to the grid then drowns in the noise.
STEPS_PER_SCALE = 8
#: Digits kept of a budget ratio. The split is exact whatever the ratio; fewer digits keep the
#: fractions short.
RATIO_DIGITS = 12


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
        The noises, by name.
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
        until a noise scale holds at least eight steps.

    Examples
    --------
    >>> plan = calibrate(epsilon=1, cutoff=50, monotonic=True, candidates=10_000)
    >>> guarantee(plan)
    PureDP(epsilon=1)
    """
    request = _Request(
        epsilon=_check.positive("epsilon", epsilon),
        delta=_check.probability("delta", delta),
        cutoff=_check.whole("cutoff", cutoff),
        sensitivity=_check.positive("sensitivity", sensitivity),
        monotonic=_check.flag("monotonic", monotonic),
        noise=_check.choice("noise", noise, NOISES),
        threshold_noise=_check.choice("threshold_noise", threshold_noise, NOISES),
        resample=_check.flag("resample", resample),
        rounds=None if rounds is None else _check.whole("rounds", rounds),
        max_queries=None if max_queries is None else _check.whole("max_queries", max_queries),
        candidates=None if candidates is None else _check.whole("candidates", candidates),
        tolerance=_check.non_negative("tolerance", tolerance),
    )
    _refuse(request)
    query, threshold = _pure_noises(request, _ratio(request, allocation))
    step = _grid(grid, request.sensitivity, [query.scale, threshold.scale])
    moved = _correction(request, correction, query, threshold)
    plan = Plan(
        query_noise=query,
        threshold_noise=threshold,
        correction=math.ceil(moved / step) * step,
        cutoff=request.cutoff,
        sensitivity=request.sensitivity,
        monotonic=request.monotonic,
        resample=request.resample,
        rounds=request.rounds,
        max_queries=request.max_queries,
        grid=step,
    )
    if guarantee(plan).epsilon() > request.epsilon:
        # Cannot happen. If it does, no plan is better than one that keeps less than it says.
        raise AssertionError("calibration gave less privacy than asked for")
    return plan


@dataclass(frozen=True)
class _Request:
    """What was asked for, each number checked by itself."""

    epsilon: Fraction
    delta: Fraction
    cutoff: int
    sensitivity: Fraction
    monotonic: bool
    noise: str
    threshold_noise: str
    resample: bool
    rounds: int | None
    max_queries: int | None
    candidates: int | None
    tolerance: Fraction


def _refuse(request: _Request) -> None:
    """Raise for combinations nothing is proved about, with the reason and a way out."""
    if request.threshold_noise in ("exponential", "gumbel"):
        raise NoGuaranteeError(
            f"threshold_noise={request.threshold_noise!r} is not covered by the privacy theorem: "
            "its log-density is not Lipschitz in both directions. Write threshold_noise='laplace'"
        )
    if request.noise == "gaussian" and (request.max_queries is None or request.delta == 0):
        raise NoGuaranteeError(
            "noise='gaussian' has a guarantee only with delta > 0 and max_queries: its "
            "log-survival is not Lipschitz, so what answers reveal adds up without end. "
            "Write noise='exponential', or give delta and max_queries"
        )
    if request.threshold_noise == "gaussian" and request.delta == 0:
        raise NoGuaranteeError(
            "threshold_noise='gaussian' has no pure guarantee. "
            "Write threshold_noise='laplace', or allow delta > 0"
        )
    if request.delta > 0:
        raise NoGuaranteeError(
            f"delta={_check.text_of(request.delta)} has no proof with noise={request.noise!r}. "
            "Write delta=0"
        )


def _pure_noises(request: _Request, ratio: Fraction) -> tuple[Noise, Noise]:
    """Split ε exactly: ε₁ + ε₂ = ε, or c·ε₁ + ε₂ = ε with resampling. The scales follow."""
    draws = request.cutoff if request.resample else 1
    threshold_budget = request.epsilon / (1 + ratio) / draws
    query_budget = request.epsilon - draws * threshold_budget
    shift = request.sensitivity if request.monotonic else 2 * request.sensitivity
    query = NOISES[request.noise](shift * request.cutoff / query_budget)
    return query, NOISES[request.threshold_noise](request.sensitivity / threshold_budget)


def _ratio(request: _Request, allocation: str | Number) -> Fraction:
    """Return query budget by threshold budget, as a short fraction."""
    if allocation == "appending":
        return Fraction(APPENDING_RATIO)
    if allocation == "variance":
        ratio = budget_ratio(
            NOISES[request.noise](Fraction(1)),
            NOISES[request.threshold_noise](Fraction(1)),
            cutoff=request.cutoff,
            monotonic=request.monotonic,
            resample=request.resample,
        )
        return Fraction(f"{ratio:.{RATIO_DIGITS}g}")
    if isinstance(allocation, str) and not any(letter.isdigit() for letter in allocation):
        raise ParameterError(
            "allocation must be 'variance', 'appending' or a positive ratio of query budget to "
            f"threshold budget, got {allocation!r}"
        )
    return _check.positive("allocation", allocation)


def _grid(grid: Number | None, sensitivity: Fraction, scales: list[Fraction]) -> Fraction:
    """Return a grid that divides the sensitivity."""
    if grid is not None:
        step = _check.positive("grid", grid)
        if (sensitivity / step).denominator != 1:
            raise ParameterError(
                f"grid must divide the sensitivity {_check.text_of(sensitivity)}, "
                f"got {_check.text_of(step)}"
            )
        return step
    step = sensitivity
    while step * STEPS_PER_SCALE > min(scales):
        step /= 2
    return step


def _correction(
    request: _Request, correction: str | Number, query: Noise, threshold: Noise
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
    expected = request.candidates or request.max_queries
    if kind.startswith("optimal") and expected is None:
        raise ParameterError(
            f"candidates must be given with correction={kind!r} (about how many queries will be "
            "asked?); or write correction='mean'"
        )
    return Fraction(
        correction_term(
            kind,
            query,
            threshold,
            negatives=max(1, (expected or 1) // request.cutoff),
            tolerance=float(request.tolerance),
            rounds=request.rounds or 1,
        )
    )
