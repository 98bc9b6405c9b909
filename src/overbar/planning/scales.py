"""Scales of noise that keep what is asked for: in closed form, or the least that is found.

What is found has been evaluated again, and is rounded up.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import scipy

from overbar._numbers import least_safe, rounded_up, safe_end, up_to_digits
from overbar.errors import NoGuaranteeError
from overbar.mechanisms import CountNoise
from overbar.mechanisms.key_values import DIGITS, HIDING, root
from overbar.noise import Gaussian, Laplace
from overbar.privacy.hazard import LN2, laplace_hazard_step
from overbar.privacy.histogram import Moved
from overbar.privacy.orders import checked_log_delta

#: The grid is at most this part of one, and so fine that hiding it takes this part of the noise.
COARSEST, HIDDEN_PART = Fraction(1, 1 << 8), Fraction(1, 10**5)


def laplace_scale(epsilon: Fraction, *, items: int, sensitivity: Fraction) -> Fraction:
    """Return the scale of Laplace noise that keeps ε exactly.

    >>> laplace_scale(Fraction(1, 2), items=3, sensitivity=Fraction(2))
    Fraction(12, 1)
    """
    return items * sensitivity / epsilon


def rough_shift(epsilon: float, log_delta: float) -> float:
    """Return about how far, in deviations, Gaussian noise may be shifted at (ε, δ)."""

    def excess(spread: float) -> float:
        near, far = (
            float(scipy.special.log_ndtr(side / spread / 2 - epsilon * spread)) for side in (1, -1)
        )
        return near + math.log(-math.expm1(min(epsilon + far - near, -1e-300))) - log_delta

    start = math.sqrt(max(1.0, -2 * log_delta)) / epsilon
    return 1 / least_safe(excess, start, min(2 * log_delta, -1.0), 1e-6)


def gaussian_sigma(
    epsilon: Fraction, delta: Fraction, *, items: int, sensitivity: Fraction, grid: Fraction
) -> Fraction:
    """Return the least σ found that keeps (ε, δ), rounded up to 12 digits and evaluated again.

    >>> one = Fraction(1)
    >>> sigma = gaussian_sigma(one, Fraction(1, 10**6), items=1, sensitivity=one, grid=one)
    >>> print(round(float(sigma), 4))
    4.2308
    """
    level, log_delta = -rounded_up(-epsilon), checked_log_delta(delta)
    if log_delta == -math.inf:
        raise NoGuaranteeError("Gaussian noise has no pure guarantee; allow a positive delta")
    steps = int(sensitivity / grid)

    @cache
    def excess(sigma: float | Fraction) -> float:
        moved = Moved(items, steps, (Fraction(sigma) / grid) ** 2)
        return moved.log_delta(level) - log_delta

    guess = float(sensitivity) * math.sqrt(items) / rough_shift(level, log_delta)
    if guess < grid:  # noise that is seldom anything: there may be several least ones
        guess = float(sensitivity)
        while excess(guess / 2) <= 0:
            guess /= 2
    enough = least_safe(excess, guess, 2 * log_delta)
    sigma = up_to_digits(Fraction(enough), DIGITS)
    while excess(sigma) > 0:
        sigma = up_to_digits(sigma * (1 + Fraction(1, 10 ** (DIGITS + 1))), DIGITS)
    return sigma


def gaussian_counts(variance: Fraction, items: int) -> CountNoise:
    """Return noise for counts that costs what Gaussian noise on one value of sensitivity 1 does.

    >>> noise = gaussian_counts(Fraction(16), 100)
    >>> round(float(noise.each.scale), 3), round(float(noise.rest.scale), 2)
    (40.0, 400.0)
    """
    grid = COARSEST
    while HIDING * grid**2 > variance * items * HIDDEN_PART:
        grid /= 2
    each = root(variance * items + HIDING * grid**2, up=True)
    return CountNoise(Gaussian(each), Gaussian(root(items * each**2, up=True)), grid)


def laplace_counts(epsilon: Fraction, items: int) -> CountNoise:
    """Return noise for counts that is pure ε.

    >>> laplace_counts(Fraction(1, 4), 1).each.scale
    Fraction(4, 1)
    """
    noise = Laplace(items / epsilon)
    return CountNoise(noise, noise, Fraction(1))


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
