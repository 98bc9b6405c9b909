"""The contract every noise keeps, and the check of it."""

from __future__ import annotations

import math

import numpy as np

from overbar.errors import ParameterError
from overbar.noise.conditions import measured_constant
from overbar.noise.noise import Noise

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


def _moments(noise: Noise) -> dict[str, bool]:
    """Compare mean and variance with sums over quantiles of equal probability."""
    t = (np.arange(400_000) + 0.5) / 400_000
    half = t[: t.size // 2]
    sample = np.concatenate([noise.quantile(half), noise.isf(half)])
    mean, off = sample.mean(), 1e-3 * float(noise.scale)
    return {
        "mean must be the mean of the law": math.isclose(
            mean, noise.mean, rel_tol=1e-3, abs_tol=off
        ),
        "variance must be the variance of the law": math.isclose(
            sample.var(), noise.variance, rel_tol=1e-2
        ),
    }


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
