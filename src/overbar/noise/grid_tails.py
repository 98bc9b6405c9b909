"""Tails of noise on the grid, enclosed in balls: P(N >= steps) for Laplace and Gaussian noise.

N is a whole number of grid steps with P(N = k) proportional to the density at k. For Laplace noise
the tail has a closed form. For Gaussian noise with a standard deviation of t >= 16 steps it is the
Euler-Maclaurin sum, for less the terms are added one by one.

With f(x) = e^(-x²/2t²), z = k/t and Hermite polynomials He, for k >= 0

    Σ_{j >= k} f(j) = ∫_k^∞ f + f(k)/2 + f(k)·Σ_{i <= p} B_2i/(2i)!·He_{2i-1}(z)·t^(1-2i) + R,
    |R| <= 2ζ(2p)/(2π)^2p · ∫_k^∞ |f^(2p)|,    |He_n(z)| <= 1.0865·√n!·e^(z²/4)  (Cramér),

so that |R| <= 2.6·t√(2π)·√(2p)!/(2πt)^2p. By Poisson summation the sum over all whole numbers is
t√(2π)·(1 + 2q + 2q⁴ + …) with q = e^(-2π²t²).

Theory: :doc:`/theory/histogram`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx, fmpq

from overbar.errors import ParameterError
from overbar.noise.distributions import Gaussian, Laplace
from overbar.noise.noise import Noise

#: Standard deviations below this, in grid steps, are summed term by term.
SHORT = 16
#: A tail is enclosed to its last digits if it has at most so many times the bits asked for.
DEEPEST = 8
GUARD_BITS = 48


def grid_tail(noise: Noise, grid: Fraction, steps: int, precision: int) -> arb:
    """Enclose P(N >= steps), for any whole number of steps.

    The radius is about 2^-precision of the tail; where that is below 2^-(8·precision) all that is
    said is that it lies between zero and a bound. Doubling the precision tightens it to any degree.
    """
    check_symmetric(noise)
    if isinstance(noise, Laplace):
        return laplace_tail(grid / noise.scale, steps, precision)
    return gaussian_tail((noise.scale / grid) ** 2, steps, precision)


def check_symmetric(noise: Noise) -> None:
    """Refuse a noise whose law on the grid is not known here."""
    if type(noise) not in (Laplace, Gaussian):  # a class that derives from these may change the law
        raise ParameterError(
            f"query_noise must be laplace or gaussian for a histogram, got {noise!r}"
        )


def laplace_tail(rate: Fraction, steps: int, precision: int) -> arb:
    """Enclose y^steps/(1 + y) with y = e^-rate, for steps >= 0, and mirror it below."""
    if steps < 0:
        with ctx.workprec(precision):
            return 1 - laplace_tail(rate, 1 - steps, precision)
    with ctx.workprec(precision + GUARD_BITS):
        return (-ball(rate * steps)).exp() / (1 + (-ball(rate)).exp())


def gaussian_tail(variance: Fraction, steps: int, precision: int) -> arb:
    """Enclose the tail of the discrete Gaussian law with this variance parameter, in steps²."""
    if steps <= 0:
        with ctx.workprec(precision):
            return 1 - gaussian_tail(variance, 1 - steps, precision)
    half_square = Fraction(steps * steps) / (2 * variance)
    if half_square > DEEPEST * precision:  # P(N >= k) <= e^(-k²/2t²)
        with ctx.workprec(precision):
            bound = (-ball(half_square)).exp()
            return bound / 2 * arb(1, 1)
    bits = precision + GUARD_BITS + math.ceil(half_square * Fraction(3, 2))
    with ctx.workprec(bits):
        summed = _expanded(variance, steps, bits) if variance >= SHORT**2 else None
        if summed is not None:
            return summed / _theta(variance)
        return _added(variance, steps, bits) / _total(variance, bits)


@lru_cache(maxsize=64)
def _total(variance: Fraction, bits: int) -> arb:
    """Enclose Σ f over all whole numbers."""
    with ctx.workprec(bits):
        return 1 + 2 * _added(variance, 1, bits)


def _theta(variance: Fraction) -> arb:
    """Enclose the same over t√(2π). Not kept: how many bits it has says how far out a noise is."""
    first = (-2 * arb.pi() ** 2 * ball(variance)).exp()
    square = first * first  # a power of what may be zero would be no number
    return 1 + 2 * first + square * square * arb(2, 2)


def _added(variance: Fraction, steps: int, bits: int) -> arb:
    """Enclose Σ_{j >= steps} f(j) by adding terms, for steps >= 1.

    Each term is the one before times a factor that falls, so the rest is less than a geometric sum.
    """
    term = (-ball(Fraction(steps * steps) / (2 * variance))).exp()
    factor = (-ball(Fraction(2 * steps + 1) / (2 * variance))).exp()
    fall = (-ball(1 / variance)).exp()
    total, least = arb(0), term.mid() * arb(2) ** -bits
    while not term < least:
        total, term, factor = total + term, term * factor, factor * fall
    rest = (term / (1 - factor)).upper() / 2
    return total + rest * arb(1, 1)


def _expanded(variance: Fraction, steps: int, bits: int) -> arb | None:
    """Enclose Σ_{j >= steps} f(j)/(t√(2π)) by Euler-Maclaurin; None if that falls short."""
    log_step = math.log2(variance.numerator) - math.log2(variance.denominator)
    log_step = 2 * math.log2(2 * math.pi) + log_step  # of (2πt)²
    count, missing = 0, bits + 2.0
    while missing > 0:
        count += 1
        gain = log_step - math.log2(2 * count * (2 * count - 1)) / 2
        if gain < 1:
            return None
        missing -= gain
    deviation = ball(variance).sqrt()
    z = steps / deviation
    before, hermite, power = arb(1), z, deviation  # He_0, He_1, t^1
    inner = arb(1) / 2
    for i in range(1, count + 1):
        inner += arb(fmpq.bernoulli(2 * i)) / math.factorial(2 * i) * hermite / power
        for n in (2 * i - 1, 2 * i):
            before, hermite = hermite, z * hermite - n * before
        power *= ball(variance)
    density = (-ball(Fraction(steps * steps) / (2 * variance))).exp()
    density /= deviation * (2 * arb.pi()).sqrt()
    error = arb(math.factorial(2 * count)).sqrt()
    error *= arb("2.6") / (4 * arb.pi() ** 2 * ball(variance)) ** count
    return (z / arb(2).sqrt()).erfc() / 2 + density * inner + arb(0, 1) * error


def ball(value: Fraction) -> arb:
    """Enclose a fraction, at the precision of the moment."""
    return arb(fmpq(value.numerator, value.denominator))
