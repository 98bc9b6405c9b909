"""Integrals of log-concave functions over the real line, in logs and in many places at once.

Every integral of this package has the form ∫ e^(g(t)) dt with g concave: densities, distribution
functions and survival functions of the noises are log-concave, and so are products and powers.
A concave g has one summit, and where it has fallen by one at distance h it has fallen by n at
distance n·h. So panels that double in width away from the summit, out to 64·h, hold all but e^-64
of the integral. More panels stand around the places where a factor bends (an edge of a support,
the corner of a Laplace density, the rise of a high power of a distribution function).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from overbar.noise.noise import Array

#: A place where the integrand bends, and the width of the bend. One place per integral, or one
#: for all of them.
Knot = tuple[ArrayLike, float]
Function = Callable[[Array], Array]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_DOUBLINGS = 2.0 ** np.arange(-3, 7)
_AROUND = np.concatenate([-_DOUBLINGS[::-1], [0.0], _DOUBLINGS])
_GRID = np.linspace(0.0, 1.0, 33)
_MOST_GRIDS = 13  # 16^-13 = 2e-16: as fine as a float
_LEVEL = 1e-3  # a stretch over which g falls by less is narrow beside every panel
_HALVINGS = 2.0 ** -np.arange(60)


def log_integral(
    log_integrand: Function, knots: Sequence[Knot], low: ArrayLike, high: ArrayLike
) -> Array:
    """Return ln ∫ e^(g(t)) dt over [low, high] for a concave g, to about 13 digits.

    Parameters
    ----------
    log_integrand
        g, for an array with one row of places for each integral.
    knots
        Where g bends, each with the width of the bend. The summit must lie among them.
    low, high
        Ends of the support, possibly infinite, for each integral.
    """
    peak, _, weights = _panels(log_integrand, knots, low, high)
    return np.asarray(peak + np.log(np.sum(weights, axis=1)))


def mean_score(
    log_integrand: Function,
    score: Function,
    knots: Sequence[Knot],
    low: ArrayLike,
    high: ArrayLike,
) -> Array:
    """Return ∫ score·e^g / ∫ e^g."""
    _, places, weights = _panels(log_integrand, knots, low, high)
    with np.errstate(all="ignore"):
        values = np.where(weights > 0, score(places), 0.0)
    return np.asarray(np.sum(values * weights, axis=1) / np.sum(weights, axis=1))


@np.errstate(all="ignore")  # once for all steps: minus infinity is what there is outside
def _panels(
    log_integrand: Function, knots: Sequence[Knot], low: ArrayLike, high: ArrayLike
) -> tuple[Array, Array, Array]:
    """Return g at the summit, the places to look at, and their weights times e^(g - g(summit))."""
    centres = np.stack(np.broadcast_arrays(*[np.atleast_1d(centre) for centre, _ in knots]), axis=1)
    widths = np.array([width for _, width in knots])
    rows = centres.shape[0]
    ends = [np.broadcast_to(np.asarray(end, dtype=np.float64), (rows,)) for end in (low, high)]

    def at(t: Array) -> Array:
        return np.fmax(log_integrand(t), -np.inf)

    left = np.maximum(np.min(centres - 64 * widths, axis=1), ends[0])
    right = np.minimum(np.max(centres + 64 * widths, axis=1), ends[1])
    summit = _summit(at, left, right)
    peak = at(summit[:, None])[:, 0]
    breaks = [centres[:, :, None] + widths[None, :, None] * _AROUND[None, None, :]]
    span = []
    for sign in (-1.0, 1.0):
        fall = _fall(at, summit, peak, sign * 2 * (right - left))
        breaks.append((summit[:, None] + fall[:, None] * np.append(0.0, _DOUBLINGS))[:, None, :])
        span.append(summit + 64 * fall)
    lowest = np.maximum(span[0], ends[0])[:, None]
    highest = np.minimum(span[1], ends[1])[:, None]
    edges = np.concatenate([part.reshape(rows, -1) for part in breaks], axis=1)
    edges = np.sort(np.clip(edges, lowest, highest), axis=1)
    half = np.diff(edges, axis=1)[:, :, None] / 2
    middle = (edges[:, 1:] + edges[:, :-1])[:, :, None] / 2
    places = (middle + half * _NODES).reshape(rows, -1)
    height = np.exp(log_integrand(places) - peak[:, None])
    return peak, places, height * (half * _WEIGHTS).reshape(rows, -1)


def _summit(at: Function, left: Array, right: Array) -> Array:
    """Find the summit of each g on finer and finer grids, or a place that lies hardly below it."""
    rows = np.arange(len(left))
    summit = left
    for _ in range(_MOST_GRIDS):
        span = (right - left)[:, None]
        places = np.minimum(left[:, None] + span * _GRID, right[:, None])
        values = at(places)
        # The last of equals: minus infinity all along means before the support, which for every
        # noise is the left.
        best = len(_GRID) - 1 - np.argmax(values[:, ::-1], axis=1)
        below, above = np.maximum(best - 1, 0), np.minimum(best + 1, len(_GRID) - 1)
        fall = values[rows, best] - np.minimum(values[rows, below], values[rows, above])
        left, summit, right = (places[rows, place] for place in (below, best, above))
        if (fall < _LEVEL).all():
            break
    return summit


def _fall(at: Function, summit: Array, peak: Array, reach: Array) -> Array:
    """Return reach/2^j with the largest j at which g has still fallen by one."""
    distances = reach[:, None] * _HALVINGS
    fallen = ~(peak[:, None] - at(summit[:, None] + distances) < 1)
    last = np.max(np.where(fallen, np.arange(len(_HALVINGS)), 0), axis=1)
    return np.asarray(distances[np.arange(len(summit)), last])
