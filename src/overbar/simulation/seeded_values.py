"""Continuous noise from a seeded generator, and runs in which the highest noisy values win.

For studies: floats, and nothing secret. One draw per candidate, and the best so far.

The highest of a union are among the highest of its parts, so a block of candidates is held at a
time, and of its values only those that reach the bar and the best of the blocks before.

Theory: :doc:`/theory/ranked`.
"""

from __future__ import annotations

import math

import numpy as np

from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise
from overbar.plans import Plan
from overbar.simulation.candidates import Array, Candidates, Indices

#: Keeps a logarithm finite in the one draw of 2^53 or so that comes out as zero.
SMALLEST = float(np.finfo(np.float64).tiny)


def values_run(plan: Plan, candidates: Candidates, generator: np.random.Generator) -> Indices:
    """Draw the threshold noise and one value for each; return the highest that reach it."""
    bar = -math.inf
    if plan.bar is not None:
        level = candidates.threshold + float(plan.correction)
        bar = level + draw_threshold_noise(plan.threshold_noise, generator)
    return highest(plan.query_noise, candidates, bar, count=plan.cutoff, generator=generator)


def highest(
    noise: Noise,
    candidates: Candidates,
    bar: float,
    *,
    count: int,
    generator: np.random.Generator,
) -> Indices:
    """Return the candidates with the `count` highest values among those that reach the bar."""
    leaders, best = np.empty(0, dtype=np.int64), np.empty(0)
    for start in range(0, len(candidates), candidates.block):
        scores = candidates.scores[start : start + candidates.block]
        values = draw_noise(noise, len(scores), generator)
        values += scores
        places = np.flatnonzero(values >= bar)
        leaders = np.concatenate([leaders, places + start])
        best = np.concatenate([best, values[places]])
        if len(best) > count:
            top = np.argpartition(best, -count)[-count:]
            leaders, best = leaders[top], best[top]
            bar = float(best.min())
    return leaders[np.argsort(-best, kind="stable")]


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
