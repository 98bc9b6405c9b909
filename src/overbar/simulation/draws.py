"""Continuous noise from a seeded generator. For studies: floats, and nothing secret."""

from __future__ import annotations

import numpy as np

from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise
from overbar.simulation.candidates import Array

#: Keeps a logarithm finite in the one draw of 2^53 or so that comes out as zero.
SMALLEST = float(np.finfo(np.float64).tiny)


def draw_noise(noise: Noise, size: int, generator: np.random.Generator) -> Array:
    """Draw independent values of a noise."""
    scale = float(noise.scale)
    if isinstance(noise, Laplace):
        return generator.laplace(scale=scale, size=size)
    if isinstance(noise, Gaussian):
        return generator.normal(scale=scale, size=size)
    if isinstance(noise, Exponential):
        return scale * generator.standard_exponential(size)
    if isinstance(noise, Gumbel):
        return -scale * log_exponential(size, generator)
    return noise.quantile(np.maximum(generator.random(size), SMALLEST))


def draw_threshold_noise(noise: Noise | None, generator: np.random.Generator) -> float:
    """Draw the noise of the threshold; None stands for a bare threshold."""
    return 0.0 if noise is None else float(draw_noise(noise, 1, generator)[0])


def log_exponential(size: int, generator: np.random.Generator) -> Array:
    """Draw logarithms of standard exponential values."""
    values = generator.standard_exponential(size)
    np.maximum(values, SMALLEST, out=values)
    return np.log(values, out=values)
