"""The chance that at least one of several askings is positive."""

from __future__ import annotations

import math

import numpy as np

from overbar.noise.noise import Array


def log_any(log_cdf: Array, log_sf: Array, rounds: int) -> Array:
    """Return ln(1 - F^R) from ln F and ln S, at any distance.

    >>> float(log_any(np.asarray(-0.0), np.asarray(-5000.0), 10)) == -5000 + math.log(10)
    True
    """
    if rounds == 1:
        return log_sf
    power = rounds * log_cdf
    with np.errstate(divide="ignore", over="ignore"):
        # Whichever of 1 - F^R and F^R is the smaller keeps its digits.
        near = np.where(power > -math.log(2), np.log(-np.expm1(power)), np.log1p(-np.exp(power)))
    # 1 - F^R = R·S·(1 + O(R·S)): exact in double precision where R·S < 1e-17.
    far = log_sf + math.log(rounds)
    return np.where(far < -40, far, near)
