"""What ranked selection costs: pure differential privacy, outcome by outcome, in exact fractions.

Noise of scale s on each score, one-sided noise of scale b on the bar, at most c items released. An
outcome with k items costs k·fΔ/s, and Δ/b more if k < c; a full answer does not pay for the bar. So
with b = s/f the bar is free: the whole run costs c·fΔ/s.

Theory: :doc:`/theory/ranked`.
"""

from __future__ import annotations

from fractions import Fraction

from overbar.accounting.pure import positive_epsilon, threshold_epsilon
from overbar.accounting.theorem import pure_cost
from overbar.errors import NoGuaranteeError
from overbar.noise import Exponential, Gumbel
from overbar.plans import RankedPlan


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
