"""The law of v - ρ at 50 digits: the printed formulas, stable at 50 digits, or quadrature."""

from __future__ import annotations

from collections.abc import Callable

import mpmath

from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise

# A context of its own: the digits of the shared one belong to nobody.
mp = mpmath.MPContext()
mp.dps = 50
mpf = mp.mpf


def exponential_laplace_sf(z: float, s: float, b: float) -> mpmath.mpf:
    """As the paper prints it, with b = s by its limit."""
    z, s, b = mpf(z), mpf(s), mpf(b)
    if z < 0:
        return 1 - exponential_laplace_cdf(z, s, b)
    if b == s:
        return mp.exp(-z / s) * (mpf(3) / 4 + z / (2 * s))
    first = b * mp.exp(-z / b) / (2 * (b - s))
    return first - s**2 * mp.exp(-z / s) / (b**2 - s**2)


def exponential_laplace_cdf(z: float, s: float, b: float) -> mpmath.mpf:
    if z >= 0:
        return 1 - exponential_laplace_sf(z, s, b)
    return mpf(b) * mp.exp(mpf(z) / b) / (2 * (mpf(s) + mpf(b)))


def exponential_laplace_pdf(z: float, s: float, b: float) -> mpmath.mpf:
    z, s, b = mpf(z), mpf(s), mpf(b)
    if z < 0:
        return mp.exp(z / b) / (2 * (s + b))
    if b == s:
        return mp.exp(-z / s) * (mpf(1) / 4 + z / (2 * s)) / s
    return mp.exp(-z / b) / (2 * (b - s)) - s * mp.exp(-z / s) / (b**2 - s**2)


def laplace_laplace_sf(z: float, s: float, b: float) -> mpmath.mpf:
    z, s, b = mpf(z), mpf(s), mpf(b)
    if z < 0:
        return 1 - laplace_laplace_sf(-z, s, b)
    if b == s:
        return mp.exp(-z / s) * (mpf(1) / 2 + z / (4 * s))
    top = s**2 * mp.exp(-z / s) - b**2 * mp.exp(-z / b)
    return top / (2 * (s**2 - b**2))


def noise_pdf(noise: Noise, x: mpmath.mpf) -> mpmath.mpf:
    """The density of a noise, written out again."""
    scale = mpf(noise.scale.numerator) / noise.scale.denominator
    u = x / scale
    if isinstance(noise, Laplace):
        value = mp.exp(-abs(u)) / 2
    elif isinstance(noise, Exponential):
        value = mp.exp(-u) if u >= 0 else mpf(0)
    elif isinstance(noise, Gumbel):
        value = mp.exp(-u - mp.exp(-u))
    else:
        assert isinstance(noise, Gaussian)
        value = mp.npdf(u)
    return value / scale


def noise_sf(noise: Noise, x: mpmath.mpf) -> mpmath.mpf:
    """P(V >= x), written out again."""
    u = x * noise.scale.denominator / noise.scale.numerator
    if isinstance(noise, Laplace):
        return mp.exp(-u) / 2 if u > 0 else 1 - mp.exp(u) / 2
    if isinstance(noise, Exponential):
        return mp.exp(-u) if u > 0 else mpf(1)
    if isinstance(noise, Gumbel):
        return -mp.expm1(-mp.exp(-u))
    return mp.erfc(u / mp.sqrt(2)) / 2


def integrated_sf(query: Noise, threshold: Noise, z: float) -> mpmath.mpf:
    """P(v - ρ >= z) = ∫ P(v >= z + t)·f_ρ(t) dt, cut at both corners and at every few scales."""
    s, b = mpf(float(query.scale)), mpf(float(threshold.scale))
    steps = [-120, -40, -15, -6, -3, -1, 0, 1, 3, 6, 15, 40, 120]
    cuts = sorted({mpf(j) * b for j in steps} | {-mpf(z) + j * s for j in steps})
    if isinstance(threshold, Exponential):
        cuts = [cut for cut in cuts if cut >= 0]
    with mp.workdps(25):
        return _quad(lambda t: noise_sf(query, z + t) * noise_pdf(threshold, t), cuts)


def shared_success(
    query: Noise, threshold: Noise, r: float, *, negatives: int, tolerance: float, rounds: int
) -> mpmath.mpf:
    """E_ρ[F(r+α+ρ)^(kR)·(1 - F(r-α+ρ)^R)], cut at every few scales."""
    s, b = mpf(float(query.scale)), mpf(float(threshold.scale))
    steps = [-60, -25, -10, -4, -1.5, 0, 1.5, 4, 10, 25, 60]
    cuts = {mpf(j) * b for j in steps}
    for gap in (r + tolerance, r - tolerance):
        cuts |= {-mpf(gap) + j * s for j in steps}

    def value(t: mpmath.mpf) -> mpmath.mpf:
        low = 1 - noise_sf(query, mpf(r) + tolerance + t)
        missed = (1 - noise_sf(query, mpf(r) - tolerance + t)) ** rounds
        return low ** (negatives * rounds) * (1 - missed) * noise_pdf(threshold, t)

    with mp.workdps(25):
        return _quad(value, sorted(cuts))


def _quad(function: Callable[[mpmath.mpf], mpmath.mpf], cuts: list[mpmath.mpf]) -> mpmath.mpf:
    """Between corners all is smooth, and needs few points."""
    return mp.quad(function, cuts, method="gauss-legendre")
