"""How far the log-hazard of a positive answer moves when the gap moves.

H = -ln F is the cumulative hazard of a positive answer at a gap. The companion theorem charges
each positive with the most that ln H can change.

Theory: :doc:`/theory/race`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from overbar import _check
from overbar._numbers import rounded_up, safe_end, up_to_digits
from overbar.errors import NoGuaranteeError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise

LN2 = math.log(2)
#: The query noises whose log-hazard is bounded by a proof. Not what derives from them.
BOUNDED_HAZARD = (Gumbel, Laplace)


def hazard_step(query_noise: Noise, shift: Fraction) -> float:
    """Return the supremum over x of ln H(x) - ln H(x + shift), rounded up.

    Gumbel: shift/scale exactly, because ln H is linear. Laplace: attained at the one point in
    [-shift, 0] where the slope of ln H is the same at both ends of the move. Refused for the
    exponential (H is infinite below zero), the Gaussian (H falls like e^(-x²/2)), and noises whose
    log-hazard nobody has bounded.
    """
    move = _check.positive("shift", shift) / query_noise.scale
    # Nothing is known about a class that derives from these: it may change the law.
    if type(query_noise) is Gumbel:
        return rounded_up(move)
    if type(query_noise) is Laplace:
        return laplace_hazard_step(rounded_up(move))
    raise NoGuaranteeError(_refusal(query_noise))


def scale_for_hazard_step(query_noise: str, shift: Fraction, step: float) -> Fraction:
    """Return a scale whose hazard step over `shift` is at most `step`, rounded up to 15 digits.

    >>> scale_for_hazard_step("gumbel", Fraction(1), 0.25)
    Fraction(4, 1)
    """
    if query_noise == "gumbel":
        wished = shift / Fraction(step)
    elif query_noise == "laplace":
        # The step lies between move and move/ln 2, so the move between step·ln 2 and step.
        move = safe_end(
            lambda move: laplace_hazard_step(move) - step, step * LN2 * (1 - 1e-12), step * 1.01
        )
        wished = shift / Fraction(move)
    else:
        raise NoGuaranteeError(
            f"no scale of {query_noise} noise has a bounded log-hazard; use gumbel or laplace"
        )
    return up_to_digits(wished, 15)


def laplace_hazard_step(move: float) -> float:
    """Return the supremum for Laplace noise of scale one, rounded up.

    The slope of -ln H is 1/(ln 2 - z) at z <= 0, which rises, and (e^t - 1)/t with t = H(z) at
    z >= 0, which falls: one peak of 1/ln 2 at zero. The best interval of a given length straddles
    it with equal slopes at both ends, and the gain is concave in its place, so the value at one
    point of a bracket plus slope times width bounds the supremum.
    """
    if move < 1e-7:
        return move / LN2 * (1 + 1e-15)  # the slope varies by less than 1e-7 over such a move

    def slope_excess(left: float) -> float:
        hazard = -math.log1p(-math.exp(-(left + move)) / 2)
        return (math.expm1(hazard) / hazard if hazard > 0 else 1.0) - 1 / (LN2 - left)

    # The excess falls as the interval moves right.
    left = safe_end(lambda place: -slope_excess(place), -move, 0.0)
    right = left + move
    if right > 36:  # -ln H at the right end is at most right + ln 2
        gain = math.log(LN2 - left) + right + LN2
    else:
        rise = -left + math.log1p(-math.expm1(-right))
        gain = math.log1p(rise / -math.log1p(-math.exp(-right) / 2))
    return min(move / LN2, gain * (1 + 1e-9 * abs(slope_excess(left)))) * (1 + 1e-14)


def _refusal(noise: Noise) -> str:
    if isinstance(noise, Exponential):
        return (
            "exponential noise has no (epsilon, delta) guarantee beyond its pure one: its hazard "
            "is infinite below zero, so one negative answer can prove where the threshold lies and "
            "every later positive then costs in full. Use Gumbel noise, resample=True, or delta=0"
        )
    if isinstance(noise, Gaussian):
        return (
            "Gaussian query noise has no guarantee for runs of unlimited length: its log-hazard "
            "falls like -x²/2, without a bound on its slope. Use Gumbel noise, or set max_queries"
        )
    return (
        f"nobody has proved a bound on the log-hazard of {noise.name} noise; measuring one "
        "(overbar.noise.contract.measured_constant) is not a proof. Use Gumbel noise"
    )
