"""Where to look: places of the bar, and of a noisy value, fine wherever something happens.

The threshold is at zero here, those above lie at the margin, and all others at minus the margin.
"""

from __future__ import annotations

import math

import numpy as np

from overbar.noise.noise import Array
from overbar.plans import Plan, SparseVectorPlan
from overbar.prediction.population import Population

#: Noise beyond this chance, on either side, is left out.
LEFT_OUT = 1e-11
#: Where to cut around a place at which something happens, in widths of what happens there.
_AROUND = np.array([-27.0, -9.0, -3.0, -1.0, 0.0, 1.0, 3.0, 9.0, 27.0])
#: Times that a bracket is cut into 32.
NARROWINGS = 5
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(6)


def bars(plan: Plan, distance: float, population: Population) -> tuple[Array, Array]:
    """Return places of the noisy bar and their weights; one where the bar is bare, or below all."""
    noise, level = plan.threshold_noise, float(plan.correction)
    if noise is None or plan.bar is None:
        return np.full(1, -math.inf if plan.bar is None else level), np.ones(1)
    ends = level + float(noise.quantile(LEFT_OUT)), level + float(noise.isf(LEFT_OUT))
    places, widths = pieces(plan, distance, population, ends)
    weights = widths * noise.pdf(places - level)
    kept = weights > 1e-15
    return places[kept], weights[kept] / weights.sum()


def pieces(
    plan: Plan, distance: float, population: Population, ends: tuple[float, float]
) -> tuple[Array, Array]:
    """Return places between two ends and the width that each stands for, by Gauss and Legendre."""
    width = float(plan.query_noise.scale)
    crossings = [_crossing(plan, population, distance, ends, n) for n in (plan.cutoff, 1)]
    knots = [
        (distance, width),
        (-distance, width),
        (crossings[0], width / population.cutoff**0.5),
        (crossings[1], width),
    ]
    if plan.threshold_noise is not None:
        knots.append((float(plan.correction), float(plan.threshold_noise.scale)))
    cuts = np.concatenate([place + size * _AROUND for place, size in knots])
    edges = np.unique(np.concatenate([ends, np.clip(cuts, *ends)]))
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half + half * _POINTS).ravel(), (half * _WEIGHTS).ravel()


def _crossing(
    plan: Plan, population: Population, distance: float, ends: tuple[float, float], level: float
) -> float:
    """Return the bar that so many reach on average; an end if none is."""
    rounds = plan.repeats.rounds if isinstance(plan, SparseVectorPlan) else 1
    times = math.inf if rounds is None else rounds
    low, high = ends
    for _ in range(NARROWINGS):
        tried = np.linspace(low, high, 33)
        logs = [plan.query_noise.logcdf(tried + side) for side in (-distance, distance)]
        with np.errstate(invalid="ignore"):
            missed = [np.where(log == 0, 0.0, times * log) for log in logs]
        last = max(1, int(np.count_nonzero(population.mean(*missed) >= level)))
        low, high = float(tried[last - 1]), float(tried[min(last, 32)])
    return low
