"""The second route to the best split of a budget: by search, where the library has a formula."""

from __future__ import annotations

import math
from fractions import Fraction

from scipy.optimize import brentq

from overbar.noise import Noise


def minimise_variance(
    query_noise: type[Noise] | Noise,
    threshold_noise: type[Noise] | Noise,
    *,
    cutoff: int,
    back: Fraction,
    resample: bool,
) -> float:
    """Return the ratio of least variance by search: where the variance stops falling.

    The share x of the threshold runs over (0, 1). The variance v₁/x² + v₂(f·c)²/(1 - x)² is convex
    there, so the zero of its slope is the one minimum.
    """
    factor = float(1 + back) * (1 if resample else cutoff)
    query, threshold = query_noise.unit_variance, threshold_noise.unit_variance

    def slope(log_ratio: float) -> float:
        ratio = math.exp(log_ratio)
        share, rest = 1 / (1 + ratio), ratio / (1 + ratio)
        rise = query * factor**2 / rest**3
        fall = threshold / share**3
        return (rise - fall) / (rise + fall)

    return math.exp(brentq(slope, -60.0, 60.0, xtol=1e-14, rtol=1e-14))
