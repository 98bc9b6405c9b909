"""What is found where the highest noisy values win.

The time of :mod:`overbar.prediction.population` is here the value y, which runs down from infinity
to the bar: a candidate has come by y if its value is at least y, with the chance X(y), whatever the
others do, and the first c to come are found. So given a bar B,

    E[hits] = a · ∫ P(K(y) <= c - 1) dX_a(y),  y from infinity down to B,

and averaged over the noise of the bar, the integrand is multiplied by the chance P(B <= y) that
the bar lies no higher: one integral for all bars. The same holds for precision, with the bar for
the end of time.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from overbar.noise.noise import Array
from overbar.plans import Plan
from overbar.prediction.knots import LEFT_OUT, bars, pieces
from overbar.prediction.population import LEAST_LOG, Population

#: Beyond this cutoff counts follow the normal law, and shares are off by less than 0.001.
MANY = 300


def highest_values(plan: Plan, distance: float, population: Population) -> tuple[float, float]:
    """Return expected hits and expected precision if all scores are so far from the threshold."""
    noise, bar = plan.query_noise, plan.threshold_noise
    level = -math.inf if plan.bar is None else float(plan.correction)
    lowest = level if bar is None else level + float(bar.quantile(LEFT_OUT))
    low = max(lowest, distance + float(noise.quantile(LEFT_OUT)))
    high = max(low, distance + float(noise.isf(LEFT_OUT)))

    places, widths = pieces(plan, distance, population, (low, high))
    mass = widths * noise.pdf(places - distance)
    if bar is not None:
        mass *= bar.cdf(places - level)
    hits = population.above * float(mass @ _early(population, *_below(plan, distance, places)))

    ends, weights = bars(plan, distance, population)
    log_above, log_below = _below(plan, distance, ends)
    came = -population.above * np.expm1(log_above)
    extra = float(weights @ (came * _extra(population, log_above, log_below)))
    return hits, hits / population.cutoff + extra


def _below(plan: Plan, distance: float, places: Array) -> tuple[Array, Array]:
    """Return the logarithms of the chances to have a value below each place."""
    above, below = (plan.query_noise.logcdf(places + side) for side in (-distance, distance))
    return np.maximum(above, LEAST_LOG), np.maximum(below, LEAST_LOG)


def _early(population: Population, log_above: Array, log_below: Array) -> Array:
    """Return P(K <= c - 1)."""
    if population.cutoff <= MANY:
        return population.at_most(log_above, log_below)
    return np.asarray(scipy.special.ndtr(_room(population, log_above, log_below)[0]))


def _extra(population: Population, log_above: Array, log_below: Array) -> Array:
    """Return Σ_{j < c} (1/(j+1) - 1/c)·P(K = j), where fewer than c are found."""
    cutoff = population.cutoff
    if cutoff <= MANY:
        places = np.arange(1, cutoff + 1)
        return population.counts(log_above, log_below) @ (1 / places - 1 / cutoff)
    # The sum over all j, and without those from c on: there 1/c - 1/(1+K) is about (1+K-c)/c².
    room, spread = _room(population, log_above, log_below)
    beyond = spread * (
        np.exp(-(room**2) / 2) / math.sqrt(2 * math.pi) - room * scipy.special.ndtr(-room)
    )
    most = np.maximum(cutoff, 1 + population.mean(log_above, log_below))
    inverse = population.mean_inverse(log_above, log_below)
    return np.asarray(np.maximum(inverse - 1 / cutoff + beyond / (cutoff * most), 0.0))


def _room(population: Population, log_above: Array, log_below: Array) -> tuple[Array, Array]:
    """Return how far K is from c on average, in standard deviations, and one of these."""
    above, below = np.exp(log_above), np.exp(log_below)
    variance = (population.above - 1) * above * (1 - above) + population.below * below * (1 - below)
    spread = np.sqrt(np.maximum(variance, 1e-18))
    return (population.cutoff - 0.5 - population.mean(log_above, log_below)) / spread, spread
