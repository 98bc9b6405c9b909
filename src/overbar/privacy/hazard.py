"""How far the log-hazard of a positive answer moves with the gap, and what races one way cost.

H = -ln F is the cumulative hazard of a positive answer at a gap. A race charges each positive with
the most that ln H can change. **One way**, with G ~ Gamma(c, 1), c arrivals lose

    c·step - (1 - e^-step)·G   when the *first* law has the faster arrivals ("faster"),
    (e^step - 1)·G - c·step    when it has the slower ones ("slower").

What is lost beyond a level is an integral of positive terms, ∫ γ_c(u)·(1 - e^(-rate·|g - u|)) du
over u < g (or u > g), by quadrature around its peak: a difference of two incomplete gamma
functions would cancel. Its log is off by less than ``SLACK``, which is added.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import ArrayLike

from overbar import _check
from overbar._numbers import rounded_up, safe_end
from overbar.errors import NoGuaranteeError
from overbar.noise import Gumbel, Laplace, Noise
from overbar.privacy.loss_profile import Array

LN2 = math.log(2)
#: The query noises whose log-hazard is bounded by a proof. Not what derives from them.
BOUNDED_HAZARD = (Gumbel, Laplace)


def hazard_step(query_noise: Noise, shift: Fraction) -> float:
    """Return the supremum over x of ln H(x) - ln H(x + shift), rounded up."""
    move = _check.positive("shift", shift) / query_noise.scale
    # Nothing is known about a class that derives from these: it may change the law.
    if type(query_noise) is Gumbel:
        return rounded_up(move)
    if type(query_noise) is Laplace:
        return laplace_hazard_step(rounded_up(move))
    raise NoGuaranteeError(
        f"no proof bounds the log-hazard of {query_noise.name} noise; use gumbel or laplace noise"
    )


@lru_cache(maxsize=1024)
def laplace_hazard_step(move: float) -> float:
    """Return the supremum for Laplace noise of scale one, rounded up.

    The best interval has equal slopes at both ends, and the gain is concave in its place: so the
    value at one point of a bracket plus slope times width bounds it.
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


#: What every returned log is raised by: more than any error seen, far less than anyone can notice.
SLACK = 1e-10
#: Parts of the integrand below e^-DEPTH of its peak are left out; they weigh less than SLACK.
DEPTH = 46.0
#: Below this many arrivals ln Γ is exact enough by itself; above, Stirling's series is.
STIRLING_FROM = 30

#: From this product of rate and width on, two incomplete gamma functions are subtracted.
SLIVER = 6.0

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_FEW_NODES, _FEW_WEIGHTS = np.polynomial.legendre.leggauss(24)


def log_excess_faster(cutoff: int, step: float, level: ArrayLike) -> Array:
    """Log of E[(1 - e^(level - loss))₊] when the first law arrives faster; rounded up."""
    x = np.asarray(level, dtype=np.float64)
    rate = -math.expm1(-step)
    # Close to the largest loss, c·step, its last digits count.
    g = (cutoff * step * (1 + 1e-15) - x) / rate
    result = np.full(x.shape, -np.inf)
    some = g > 0
    result[some] = _log_excess(cutoff, g[some], rate, math.exp(-step), x[some], upper=False)
    return np.asarray(np.minimum(result, 0.0))


def log_excess_slower(cutoff: int, step: float, level: ArrayLike) -> Array:
    """Log of E[(1 - e^(level - loss))₊] when the first law arrives slower; rounded up."""
    x = np.asarray(level, dtype=np.float64)
    rate = math.expm1(step) if step < 700 else math.inf
    above = cutoff * step + x
    g = above / rate
    # Below the smallest loss every outcome counts, and the expectation of e^-loss is one.
    with np.errstate(divide="ignore"):
        result = np.where(above <= 0, np.log(-np.expm1(np.minimum(x, 0.0))) + SLACK, 0.0)
    some = g > 0  # not for a rate beyond all floats: then every outcome may count
    result[some] = _log_excess(cutoff, g[some], rate, rate + 1, x[some], upper=True)
    return np.asarray(np.minimum(result, 0.0))


def _log_excess(
    cutoff: int, g: Array, rate: float, ratio: float, level: Array, *, upper: bool
) -> Array:
    """Log of ∫ γ_c(u)(1 - e^(-rate·|g - u|)) du beyond g, rounded up.

    Where the weight rises to one in a sliver of γ_c's width, quadrature would miss the sliver but
    the two incomplete gamma functions differ well: then their difference is taken.
    """
    # The peak lies at about c and is √c wide: its place is off by up to √c last digits.
    slack = SLACK * (1 + np.abs(level) / 1000) + 1e-14 * math.sqrt(cutoff)
    if rate * math.sqrt(cutoff) < SLIVER:
        return np.asarray(_log_integral(cutoff, g, rate, upper=upper) + slack)
    first = _log_integral(cutoff, g, math.inf, upper=upper)
    second = level + _log_integral(cutoff, g * ratio, math.inf, upper=upper)
    # Close to the largest loss they agree in almost all digits, and the last ones decide: some
    # ten of them, and what the place of the peak is off by, are taken off the ratio.
    off = 1e-13 + 2e-15 * (math.sqrt(cutoff) + np.abs(first) + np.abs(level))
    gone = np.isneginf(first)  # where the first vanishes so does the excess, which is no larger
    apart = np.where(gone, -math.inf, np.minimum(second - np.where(gone, 0.0, first), 0.0)) - off
    return np.asarray(first + np.log(-np.expm1(apart)) + slack)


def base_renyi(step: float, order: float) -> float:
    """Rényi divergence of one pair, at any order above 1 for which it is finite; rounded up.

    A positive step: faster against slower; a negative one: slower against faster, finite for
    orders below 1/(1 - e^step). [a·y - W]/(a - 1) with W = ln(1 + a(e^y - 1)) cancels for small
    steps; ∫₀^W (e^w - 1)/(a - 1 + e^w) dw, which is the same, does not.
    """
    if math.isinf(order):
        return step if step >= 0 else math.inf
    if step > 600:  # e^step overflows; the closed form is exact to the last digit there
        return (order * step - math.log(order) - step) / (order - 1) * (1 + 1e-12)
    inner = order * math.expm1(step)
    if inner < -0.5:  # one plus it, with less cancellation, and what is left of that taken off
        rest = math.exp(step) * (1 - 1e-15) + (order - 1) * math.expm1(step)
        end = math.log(rest) if rest > 0 else -math.inf
    else:
        end = math.log1p(inner)
    if math.isinf(end):
        return math.inf
    if (order - 1) * abs(step) > 0.01:  # the closed form has lost few digits
        return (order * step - end) / (order - 1) * (1 + 1e-12 * (1 + abs(step)))
    panels = max(1, math.ceil(abs(end)))
    edges = np.linspace(0.0, end, panels + 1)
    half = end / panels / 2
    w = (edges[:-1, None] + half) + half * _FEW_NODES[None, :]
    parts = np.expm1(w) / (order - 1 + np.exp(w))
    total = float(np.sum(parts * _FEW_WEIGHTS[None, :])) * half
    return total * (1 + 1e-12)


def _log_integral(cutoff: int, g: Array, rate: float, *, upper: bool) -> Array:
    """Log of ∫ γ_c(u)(1 - e^(-rate·|g - u|)) du over u above (or below) g > 0, but for e^-DEPTH."""
    mode = float(cutoff - 1)
    if upper:
        peak = np.maximum(g, mode)
        low = np.maximum(g, peak - _reach_down(mode, peak))
        high = peak + _reach_up(mode, peak)
    else:
        peak = np.minimum(g, mode)
        low = np.maximum(0.0, peak - _reach_down(mode, peak))
        high = np.minimum(g, peak + _reach_up(mode, peak)) if mode > 0 else np.minimum(g, DEPTH)
    anchor = np.where(peak > 0, peak, low + (high - low) / 2)
    half = (high - low) / 2
    u = (low + half)[..., None] + half[..., None] * _NODES
    # ln γ_c(u) - ln γ_c(anchor), without ever forming either.
    apart = u - anchor[..., None]
    with np.errstate(divide="ignore"):
        shape = mode * np.log1p(apart / anchor[..., None]) - apart
    weight = 1.0 if math.isinf(rate) else -np.expm1(-rate * np.abs(g[..., None] - u))
    total = np.sum(np.exp(shape) * weight * _WEIGHTS, axis=-1) * half
    with np.errstate(divide="ignore"):
        return np.asarray(log_gamma_density(cutoff, anchor) + np.log(total))


def _reach_down(mode: float, peak: Array) -> Array:
    """How far below the peak ln γ_c has fallen by DEPTH: at least m·w + mode·w²/2peak²."""
    safe = np.maximum(peak, 1e-300)
    slope = np.maximum(mode / safe - 1, 0.0)
    bend = mode / safe / safe
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        reach = 2 * DEPTH / (slope + np.sqrt(slope * slope + 2 * DEPTH * bend))
    return np.where(np.isfinite(reach), np.minimum(reach, safe), safe)


def _reach_up(mode: float, peak: Array) -> Array:
    """How far above the peak ln γ_c has fallen by DEPTH: at least m·w + mode·w²/2peak(peak+w)."""
    safe = np.maximum(peak, 1e-300)
    slope = np.maximum(1 - mode / safe, 0.0)
    a = slope + mode / (2 * safe)
    b = slope * safe - DEPTH
    return (-b + np.sqrt(b * b + 4 * a * DEPTH * safe)) / (2 * a)


def log_gamma_density(cutoff: int, u: Array) -> Array:
    """Log-density of Gamma(c, 1) at u > 0, in Loader's form: no large numbers are subtracted."""
    if cutoff < STIRLING_FROM:
        return np.asarray((cutoff - 1) * np.log(u) - u - scipy.special.gammaln(cutoff))
    c = float(cutoff)
    inverse = 1 / (c * c)
    stirling = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / c
    ratio = u / c
    # Far below the peak, the ratio less one no longer holds the ratio's digits.
    fall = np.where(ratio < 0.5, np.log(ratio) - (ratio - 1), _log1p_minus(ratio - 1))
    return np.asarray(
        c * fall - 0.5 * math.log(2 * math.pi * c) - stirling + math.log(c) - np.log(u)
    )


def _log1p_minus(t: Array) -> Array:
    """ln(1 + t) - t, by its series in t/(2 + t) near zero."""
    near = np.clip(t, -0.3, 0.4)
    s = near / (2 + near)
    square = s * s
    series = np.zeros_like(s)
    for k in range(27, 1, -2):
        series = (series + 1 / k) * square
    with np.errstate(divide="ignore"):
        far = np.log1p(t) - t
    return np.where(near == t, 2 * s * series - near * s, far)
