"""Pure differential privacy, in exact fractions: what one draw and one positive cost.

The paper (arXiv:2407.20068, Theorem 2): if ln f of the threshold noise falls by at most k1 for each
step to the right and ln S of the query noise is k2-Lipschitz, a run with at most c positives is
(k1·Δ + c·k2·w)-DP. Δ is how far one person moves a score and w how far apart they can move two of
them (``Reach``).

Theory: :doc:`/theory/pure`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from overbar.errors import NoGuaranteeError, named, quoted
from overbar.noise import Noise
from overbar.privacy.plan import Plan


def pure_covers(plan: Plan) -> bool:
    """Tell whether a theorem covers a plan at δ = 0: its constants are stated."""
    try:
        plan.pure()
    except NoGuaranteeError:
        return False
    return True


def threshold_epsilon(noise: Noise | None, most: Fraction) -> Fraction:
    """Return what one draw of the threshold noise costs: k1·Δ. In the paper: ε₁."""
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
    return constant / noise.scale * most


def positive_epsilon(noise: Noise, width: Fraction) -> Fraction:
    """Return what one positive answer costs: k2·w. In the paper: ε₂/c."""
    constant = stated(noise.unit_log_survival_constant)
    if constant is None:
        raise NoGuaranteeError(
            f"{noise.name} noise on queries has no pure guarantee: "
            f"{_why_not(noise.unit_log_survival_constant, 'survival function')}. "
            f"Use {named('noise', 'exponential')}, {quoted('gumbel')} or {quoted('laplace')}"
        )
    return constant / noise.scale * width


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
