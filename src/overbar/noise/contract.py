"""Checks of a noise of your own: its functions, and a Lipschitz constant nobody has proved.

It looks; it does not prove. The constants of the noises in this package are proved and stated in
their classes, and the contract suite compares them with what this check sees.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from overbar import _check
from overbar.errors import ParameterError
from overbar.noise.noise import Noise

#: How far out to look, in scales. Beyond it a log-tail that still bends is called unbounded.
REACH = 700.0
STEPS = (1.0, 2.0**-4, 2.0**-8, 2.0**-12)


@_check.known_keywords
def measured_constant(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]], *, falling: bool = False
) -> float:
    """Measure the Lipschitz constant of a function of z; infinity if it keeps growing.

    With `falling` only slopes that go down to the right count.

    It grows in one of three ways: a jump to minus infinity (an edge of the support), a slope that
    steepens as the step shrinks (a jump), or a slope that steepens with distance (Gaussian tails).

    Parameters
    ----------
    function : callable
        From an array of places to its values, such as the logarithm of a survival function.
    falling : bool, default False
        Whether only slopes down count.

    Returns
    -------
    float
        The steepest slope that was seen.

    Examples
    --------
    >>> from overbar.noise import Exponential, measured_constant
    >>> round(measured_constant(Exponential(2).logsf, falling=True), 6)
    0.5
    """
    slopes = [_steepest(function, REACH, step, falling) for step in STEPS]
    if any(math.isinf(slope) for slope in slopes) or slopes[-1] > 4 * slopes[-2]:
        return math.inf
    if max(slopes) > 1.5 * max(_steepest(function, REACH / 2, step, falling) for step in STEPS):
        return math.inf
    return max(slopes)


def _steepest(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    reach: float,
    step: float,
    falling: bool,
) -> float:
    """Return the steepest slope over one step, on a grid that is dense around zero."""
    near = np.arange(-40.0, 40.0, 2.0**-9)
    far = np.arange(-reach, reach, 0.25)
    start = np.concatenate([near, far])
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        before, after = function(start), function(start + step)
        same = before == after  # two equal infinities differ by nothing
        fall = np.where(same, 0.0, (before - after) / step)
        slope = np.maximum(fall, 0.0) if falling else np.abs(fall)
    return float(np.max(slope))


TOLERANCE = 1e-6


def check_noise(noise: Noise) -> None:
    """Check a noise of your own: its law, its moments and the constants it claims.

    Parameters
    ----------
    noise : Noise
        The noise to check, at any scale.

    Returns
    -------
    None
        Nothing: the noise keeps the contract as far as numbers can show.

    Raises
    ------
    ParameterError
        If it does not; the message lists every clause that is broken.

    Examples
    --------
    >>> from overbar.noise import Laplace, check_noise
    >>> check_noise(Laplace(3))
    """
    x = _probe(noise)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        clauses = {**_law(noise, x), **_inverses(noise), **_moments(noise)}
        faults = [clause for clause, holds in clauses.items() if not holds] + _constants(noise)
    if faults:
        raise ParameterError(f"{noise!r} breaks the noise contract:\n- " + "\n- ".join(faults))


def _probe(noise: Noise) -> np.ndarray:
    """Places to look: dense near the middle, sparse out to 700 scales."""
    unit = np.concatenate([np.linspace(-12, 12, 961), np.linspace(-700, 700, 281)])
    return np.sort(unit) * float(noise.scale)


def _law(noise: Noise, x: np.ndarray) -> dict[str, bool]:
    cdf, sf = noise.cdf(x), noise.sf(x)
    logs = np.concatenate([noise.logcdf(x), noise.logsf(x)])
    inner = x[(cdf > 1e-6) & (sf > 1e-6)]
    step = 1e-4 * float(noise.scale)
    slope = (noise.cdf(inner + step) - noise.cdf(inner - step)) / (2 * step)
    edges = np.array([edge for edge in noise.support if math.isfinite(edge)])
    clear = np.all(np.abs(inner[:, None] - edges[None, :]) > 2 * step, axis=1)
    density, off = noise.pdf(inner)[clear], 1e-6 / float(noise.scale)
    return {
        "cdf and sf must be finite everywhere": bool(np.isfinite([cdf, sf]).all()),
        "cdf(x) + sf(x) must be 1": np.allclose(cdf + sf, 1, rtol=0, atol=1e-12),
        "cdf must not decrease": bool(np.all(np.diff(cdf) >= -1e-14)),
        "logcdf and logsf must be <= 0": bool(np.all(logs <= 0)),
        "log forms must not be NaN": not np.isnan(logs).any(),
        "pdf must be the derivative of cdf": np.allclose(slope[clear], density, 1e-3, off),
    }


def _inverses(noise: Noise) -> dict[str, bool]:
    p = np.concatenate([np.logspace(-12, -1, 23), np.linspace(0.1, 0.9, 33)])
    return {
        "quantile must invert cdf": np.allclose(noise.cdf(noise.quantile(p)), p, TOLERANCE, 0),
        "isf must invert sf": np.allclose(noise.sf(noise.isf(p)), p, TOLERANCE, 0),
    }


#: Tails are added up from probability 1/2 down to e^-DEEP; what lies beyond e^-FAR must not count.
FAR, DEEP = 60.0, 80.0


def _moments(noise: Noise) -> dict[str, bool]:
    """Compare mean and variance with integrals over quantiles, far into both tails.

    With p = e^-y the integral of Q(p)² over p is one of Q(e^-y)²·e^-y over y, which is smooth, so
    that heavy tails are not cut off. A tail so heavy that its end still counts is not judged.
    """
    y = np.linspace(math.log(2), DEEP, 4001)
    p = np.exp(-y)
    low, high = noise.quantile(p), noise.isf(p)
    mean, off = _sum(y, p * (low + high)), 1e-3 * float(noise.scale)
    spread = p * ((low - mean) ** 2 + (high - mean) ** 2)
    variance, beyond = _sum(y, spread), _sum(y[y > FAR], spread[y > FAR])
    settled = beyond <= 1e-3 * variance
    return {
        "mean must be the mean of the law": math.isclose(
            mean, noise.mean, rel_tol=1e-3, abs_tol=off
        ),
        "variance must be the variance of the law": not settled
        or math.isclose(variance, noise.variance, rel_tol=1e-2),
    }


def _sum(y: np.ndarray, values: np.ndarray) -> float:
    """Integrate by trapezoids."""
    return float(np.sum((values[1:] + values[:-1]) * np.diff(y)) / 2)


def _constants(noise: Noise) -> list[str]:
    """A stated Lipschitz constant must be what the numeric check sees, never less."""
    scale = float(noise.scale)
    checks = [
        ("ln f", noise.unit_log_density_fall, noise.unit_logpdf, True),
        ("ln S", noise.unit_log_survival_constant, noise.unit_logsf, False),
        ("ln(-ln F)", noise.unit_log_hazard_constant, lambda z: noise.log_hazard(z * scale), False),
    ]
    faults = []
    for what, stated, function, falling in checks:
        if stated is None:
            continue
        slope = measured_constant(function, falling=falling)
        if slope > stated * (1 + TOLERANCE):
            faults.append(
                f"{what} is stated {stated}-Lipschitz, but a slope of {slope:.6g} was seen"
            )
        elif math.isinf(stated) and math.isfinite(slope):
            faults.append(f"{what} is stated unbounded, but no slope above {slope:.6g} was seen")
    return faults
