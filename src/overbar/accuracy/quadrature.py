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
_GOLDEN = (np.sqrt(5) - 1) / 2
_MOST_STEPS = 72  # 0.618^72 = 1e-15: as fine as a float
_LEVEL = 1e-3  # a stretch over which g falls by less is narrow beside every panel
_LARGEST_HALVING = 60


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
        return log_integrand(t[:, None])[:, 0]

    left = np.maximum(np.min(centres - 64 * widths, axis=1), ends[0])
    right = np.minimum(np.max(centres + 64 * widths, axis=1), ends[1])
    summit = _summit(at, left, right)
    peak = at(summit)
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
    """Find the summit of each g by golden sections, or a place that lies hardly below it."""
    first, second = right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)
    at_left, at_first, at_second, at_right = map(at, (left, first, second, right))
    for _ in range(_MOST_STEPS):
        fall = np.maximum(at_first, at_second) - np.minimum(at_left, at_right)
        if (fall < _LEVEL).all():
            break
        # Minus infinity on both sides means before the support, which for every noise is the left.
        up = at_second >= at_first
        left, right = np.where(up, first, left), np.where(up, right, second)
        at_left, at_right = np.where(up, at_first, at_left), np.where(up, at_right, at_second)
        step = _GOLDEN * (right - left)
        fresh = np.where(up, left + step, right - step)
        value = at(fresh)
        first, second = np.where(up, second, fresh), np.where(up, fresh, first)
        at_first, at_second = np.where(up, at_second, value), np.where(up, value, at_first)
    best: Array = np.where(at_second >= at_first, second, first)
    return best


def _fall(at: Function, summit: Array, peak: Array, reach: Array) -> Array:
    """Return reach/2^j with the largest j at which g has still fallen by one."""
    near = np.full(summit.shape, float(_LARGEST_HALVING))
    far = np.zeros(summit.shape)
    while (near - far > 1).any():
        middle = np.floor((near + far) / 2)
        fallen = ~(peak - at(summit + reach * 2.0**-middle) < 1)
        near, far = np.where(fallen, near, middle), np.where(fallen, middle, far)
    distance: Array = reach * 2.0**-far
    return distance
