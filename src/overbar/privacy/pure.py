"""Pure differential privacy of a run, in exact fractions.

**In turn** (the paper, arXiv:2407.20068, Theorem 2): if ln f of the threshold noise falls by at
most k1 for each step to the right and ln S of the query noise is k2-Lipschitz, a run with at most c
positives is (k1·Δ + c·k2·w)-DP. Δ is how far one person moves a score and w how far apart they can
move two of them (:class:`~overbar.mechanisms.Reach`).

**Ranked**, with exponential noise: an outcome with k items costs k·w/s, and Δ/b more for the bar if
k < c. With Gumbel noise it costs what Theorem 2 says, and without a bar nothing is paid for one.

**A histogram** costs the same whatever it finds.

Theory: :doc:`/theory/pure`, :doc:`/theory/ranked`, :doc:`/theory/histogram`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from overbar import _check
from overbar.errors import NoGuaranteeError, ParameterError, named, quoted
from overbar.mechanisms import HistogramPlan, Plan, RankedPlan, SparseVectorPlan
from overbar.mechanisms.by_kind import ByKind
from overbar.noise import Exponential, Gumbel, Laplace, Noise


@ByKind
def pure_cost(plan: Plan, positives: int | None) -> Fraction:  # noqa: ARG001  # others use it
    """Return the pure ε of a run of one part that has given so many positives; None for all."""
    raise NoGuaranteeError(f"{plan.kind} plans have no pure guarantee")


def checked_positives(plan: Plan, positives: int) -> int:
    """Return a number of positives that a run of the plan can have given."""
    given = _check.whole("positives", positives, lowest=0)
    if given > plan.most_found:
        raise ParameterError(f"positives must be at most {plan.most_found:,}, got {positives}")
    return given


def pure_covers(plan: Plan) -> bool:
    """Tell whether a theorem covers a plan at δ = 0: its constants are stated."""
    try:
        pure_epsilon(plan)
    except NoGuaranteeError:
        return False
    return True


def threshold_epsilon(plan: Plan) -> Fraction:
    """Return what one draw of the threshold noise costs: k1·Δ. In the paper: ε₁."""
    noise = plan.threshold_noise
    if noise is None:
        raise NoGuaranteeError(
            "a threshold without noise has no pure guarantee: one negative answer can cost any "
            f"amount. Use {named('threshold_noise', 'laplace')}, or allow delta > 0"
        )
    constant = stated(noise.unit_log_density_fall)
    if constant is None:
        raise NoGuaranteeError(
            f"{noise.name} noise on the threshold has no pure guarantee: "
            f"{_why_not(noise.unit_log_density_fall, 'density')}. Use "
            f"{named('threshold_noise', 'laplace')}"
        )
    return constant / noise.scale * plan.reach.most


def positive_epsilon(plan: Plan) -> Fraction:
    """Return what one positive answer costs: k2·w. In the paper: ε₂/c."""
    noise: Noise = plan.query_noise
    constant = stated(noise.unit_log_survival_constant)
    if constant is None:
        raise NoGuaranteeError(
            f"{noise.name} noise on queries has no pure guarantee: "
            f"{_why_not(noise.unit_log_survival_constant, 'survival function')}. "
            f"Use {named('noise', 'exponential')}, {quoted('gumbel')} or {quoted('laplace')}"
        )
    return constant / noise.scale * plan.reach.width


def stated(constant: float | Fraction | None) -> Fraction | None:
    """Return a stated Lipschitz constant as an exact number, and None if it bounds nothing.

    A float is rounded up: 1.1 is a little more than eleven tenths, and 1.0618 may be a little less
    than what was meant.

    >>> stated(1), stated(1.5) > Fraction(3, 2), stated(Fraction(3, 2)), stated(float("inf"))
    (Fraction(1, 1), True, Fraction(3, 2), None)
    """
    if constant is None or not 0 < constant < math.inf:
        return None
    if isinstance(constant, float):
        return Fraction(math.nextafter(constant, math.inf))
    return Fraction(constant)


def _why_not(constant: float | Fraction | None, what: str) -> str:
    if constant is None:
        return f"nobody has stated a Lipschitz constant for the logarithm of its {what}"
    if not constant > 0:
        return f"the constant stated for the logarithm of its {what} is not a positive number"
    return f"the logarithm of its {what} is not Lipschitz, so a single answer can cost any amount"


def pure_epsilon(plan: Plan, positives: int | None = None) -> Fraction:
    """Return the pure ε of a run: of a whole one, or of one that has given `positives` so far.

    What a run has not used may go back to a budget that composes by pure DP: the cost so far is a
    privacy filter (Rogers, Roth, Ullman and Vadhan 2016, arXiv:1605.08294). Counts cost what
    the counts given do, and of what was run before all is used. So is all of a run in groups: how
    many were found in each is not told apart. A search for keys is pure but for the δ that comes on
    top (`lone_delta` in ``privacy/guarantees.py``).
    """
    given = None if positives is None else checked_positives(plan, positives)
    if plan.groups is not None:
        given = None
    own, *others = plan.paid()
    whole = pure_cost(own, given) + sum(pure_cost(part, None) for part in others)
    if given is None or plan.counts is None:
        return whole
    places = others[0].items_per_person  # of the histogram of counts
    assert places is not None
    empty = 1 - Fraction(min(given, places), places)
    return whole - empty * pure_cost(others[0], None)


@pure_cost.of(SparseVectorPlan)
def _sparse_vector(plan: SparseVectorPlan, positives: int | None) -> Fraction:
    """With fresh noise after each positive a run is a sequence of runs with cutoff 1: c·ε₁ + ε₂.

    The paper prints "(cε₁, ε₂)-DP"; its proof shows the sum. A run under way after k < c positives
    is in its (k+1)-th stretch and has paid for that stretch's threshold too.
    """
    given = plan.cutoff if positives is None else positives
    draws = min(given + 1, plan.cutoff) if plan.redraws else 1
    return draws * threshold_epsilon(plan) + given * positive_epsilon(plan)


def ranked_epsilon(
    positives: int | None, *, cutoff: int, each: Fraction, bar: Fraction | None
) -> Fraction:
    """Return what an outcome with so many items costs; the worst outcome for None.

    `each` is what one item costs, fΔ/s, and `bar` what the bar costs, Δ/b; None without a bar.

    >>> each, bar = Fraction(1, 5), Fraction(1, 5)
    >>> [str(ranked_epsilon(k, cutoff=5, each=each, bar=bar)) for k in (0, 4, 5, None)]
    ['1/5', '1', '1', '1']
    """
    own = Fraction(0) if bar is None else bar
    if positives is None:
        full = cutoff * each
        return full if bar is None else max(full, own + (cutoff - 1) * each)
    return positives * each + (own if positives < cutoff else 0)


@pure_cost.of(RankedPlan)
def _ranked(plan: RankedPlan, positives: int | None) -> Fraction:
    noise = type(plan.query_noise)
    if noise not in (Exponential, Gumbel):  # and not what derives from them
        raise NoGuaranteeError(
            "ranked selection has a proof for exponential and gumbel noise alone, got "
            f"{plan.query_noise.name} noise"
        )
    bar = None if plan.bar is None else threshold_epsilon(plan)
    each = positive_epsilon(plan)
    if noise is Exponential:
        return ranked_epsilon(positives, cutoff=plan.cutoff, each=each, bar=bar)
    return (bar or 0) + (plan.cutoff if positives is None else positives) * each


def histogram_epsilon(*, items: int, sensitivity: Fraction, scale: Fraction) -> Fraction:
    """Return the pure ε of Laplace noise on scores of which one person moves so many.

    >>> histogram_epsilon(items=3, sensitivity=Fraction(2), scale=Fraction(12))
    Fraction(1, 2)
    """
    return items * sensitivity / scale


@pure_cost.of(HistogramPlan)
def _histogram(plan: HistogramPlan, _: int | None) -> Fraction:
    if type(plan.query_noise) is not Laplace:
        raise NoGuaranteeError(
            "a histogram has a guarantee with laplace or gaussian noise on each score, a pure one "
            f"with laplace noise; got {plan!r}"
        )
    return histogram_epsilon(
        items=plan.items_per_person, sensitivity=plan.reach.most, scale=plan.query_noise.scale
    )
