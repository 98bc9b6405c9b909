"""The law of Z = v - ρ on a grid, by FFT, between two bounds that are proved.

The paper's numerical route (its algorithms "Discretizer" and "CorrectionTerm"): cut [-B, B] into
cells of width u, keep the mass outside in two brackets at minus and plus infinity, and convolve. It
serves any pair of noises. Here it also says how far off it can be.

**Why the bounds hold.** Let L be the sum of v and -ρ, each floored to the grid. Then
L <= Z < L + 2u, so with C(j) = P(L <= j·u), on what the brackets leave,

    Γ(j·u) = C(j-2) + P(L = (j-1)·u and the two parts cut off sum to less than u).

The last term lies between 0 and P(L = (j-1)·u): that is the sandwich of floor and ceiling. It is
sharper for densities that rise up to zero and fall after it, as those of all noises here do. On one
cell such a density lies between its values at the two ends, and half of the square of two cells has
area u²/2, so for a pair of cells the term lies between u²/2·(least · least) and u²/2·(most · most).
Where a density changes much within one cell, u·most is replaced by twice the mass of the cell,
which is safe because the other factor loses at most one half. Summed over pairs by two more
convolutions, the bounds close like u² instead of u.

To this come the mass of the brackets, which may count as either, and the rounding of the FFT
(Higham, Accuracy and Stability of Numerical Algorithms, second edition, Theorem 24.2).

Theory: :doc:`/theory/correction`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from overbar.noise import Noise
from overbar_lab import checks

Array = NDArray[np.float64]
#: The paper's number of buckets.
BUCKETS = 20_001
_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, repr=False)
class DiscretisedLaw:
    """The distribution function of Z on a grid, and how far off it can be.

    Attributes
    ----------
    step
        Width of a cell. In the paper: u.
    grid
        Multiples of the step.
    values, lower, upper
        At each grid point: an estimate of Γ, and bounds that are proved to hold it.
    error
        The largest distance from an estimate to one of its bounds.
    below, above
        Mass kept in the brackets at minus and plus infinity.
    """

    step: float
    grid: Array
    values: Array
    lower: Array
    upper: Array
    error: float
    below: float
    above: float

    def __repr__(self) -> str:
        return f"DiscretisedLaw(step={self.step:.6g}, error={self.error:.3g})"

    def cdf(self, z: ArrayLike) -> Array:
        """Return an estimate of Γ at any z: straight between grid points."""
        return np.interp(np.asarray(z, dtype=np.float64), self.grid, self.values)

    def bounds(self, z: ArrayLike) -> tuple[Array, Array]:
        """Return proved bounds of Γ at any z, from the grid points around it."""
        place = np.asarray(z, dtype=np.float64)
        before = np.searchsorted(self.grid, place, side="right") - 1
        after = np.searchsorted(self.grid, place, side="left")
        last = self.grid.size - 1
        low = np.where(before < 0, 0.0, self.lower[np.clip(before, 0, last)])
        high = np.where(after > last, 1.0, self.upper[np.clip(after, 0, last)])
        return low, high


def discretised_difference(
    query_noise: Noise,
    threshold_noise: Noise | None,
    *,
    buckets: int = BUCKETS,
    tail: float = 1e-12,
) -> DiscretisedLaw:
    """Discretise both noises and convolve.

    Parameters
    ----------
    query_noise, threshold_noise
        The two noises; None for a threshold without noise.
    buckets
        Cells on either side of zero, plus one. In the paper: m.
    tail
        Mass that may be left to the brackets. In the paper: e.

    >>> from overbar.noise import Exponential, Laplace
    >>> law = discretised_difference(Exponential(1), Laplace(1), buckets=2001)
    >>> low, high = law.bounds(2.0)
    >>> bool(low < 1 - math.exp(-2) * (3 / 4 + 2 / 2) < high), law.error < 1e-3
    (True, True)
    """
    half = checks.whole("buckets", buckets) - 1
    left_out = float(checks.positive("tail", tail)) / 4
    noises = [query_noise] if threshold_noise is None else [query_noise, threshold_noise]
    reach = max(
        max(float(noise.isf(left_out)), -float(noise.quantile(left_out))) for noise in noises
    )
    step = reach / max(half, 1)
    query = _discretise(query_noise, half, step, mirrored=False)
    if threshold_noise is None:
        return _exact(query_noise, half, step)
    return _combine(query, _discretise(threshold_noise, half, step, mirrored=True), half, step)


@dataclass(frozen=True)
class _Cells:
    """A noise on the cells [i·u, (i+1)·u): masses, u·(least, most density), and the brackets."""

    mass: Array
    least: Array
    most: Array
    below: float
    above: float


def _discretise(noise: Noise, half: int, step: float, *, mirrored: bool) -> _Cells:
    """Cut a noise (or its mirror image) into 2·half cells around zero."""
    edges = np.arange(-half, half + 1) * step
    cdf, sf, density = noise.cdf(edges), noise.sf(edges), noise.pdf(edges) * step
    # Differences of the smaller tail keep their digits.
    mass = np.where(edges[:-1] < 0, np.diff(cdf), -np.diff(sf))
    least = np.minimum(density[:-1], density[1:])
    most = np.maximum(density[:-1], density[1:])
    slack = 1e-9 * step * float(noise.pdf(0.0)) + 1e-15
    one_summit = bool(np.all(least <= mass + slack) and np.all(mass <= most + slack))
    falls = np.where(edges[:-1] < 0, -1.0, 1.0) * np.diff(density) <= slack
    # Nothing is assumed of a density that is seen to do something else.
    if not (one_summit and np.all(falls | (mass == 0))):
        least, most = np.zeros_like(mass), np.full_like(mass, np.inf)
    most = np.minimum(most, 2 * mass)
    least = np.minimum(least, mass)
    below, above = float(cdf[0]), float(sf[-1])
    if mirrored:
        return _Cells(mass[::-1], least[::-1], most[::-1], above, below)
    return _Cells(mass, least, most, below, above)


def _combine(query: _Cells, other: _Cells, half: int, step: float) -> DiscretisedLaw:
    """Convolve the cells and add up the bounds."""
    from scipy.signal import fftconvolve  # here: it takes as long to load as the rest together

    pairs = np.maximum(fftconvolve(query.mass, other.mass), 0.0)
    least = np.maximum(fftconvolve(query.least, other.least) / 2, 0.0)
    most = np.minimum(fftconvolve(query.most, other.most) / 2, pairs)
    # pairs[n] is P(L = (n - 2·half)·u), so the grid point that splits it is (n - 2·half + 1)·u.
    before = np.cumsum(pairs, dtype=np.longdouble)
    before = np.asarray(np.concatenate([[0.0], before[:-1]]), dtype=np.float64)
    grid: Array = np.arange(1.0 - 2 * half, 2 * half) * np.float64(step)
    rounding = _rounding(query, other, pairs.size)
    mixed = query.below * other.above + query.above * other.below
    below = query.below + other.below - query.below * other.below
    above = query.above + other.above - query.above * other.above
    lower = np.clip(before + least - rounding, 0.0, 1.0)
    upper = np.clip(before + np.maximum(most, least) + rounding + below + above, 0.0, 1.0)
    # Γ does not fall, so each bound may be carried on to where it is stronger.
    lower = np.maximum.accumulate(lower)
    upper = np.minimum.accumulate(upper[::-1])[::-1]
    values = np.clip(before + (least + most) / 2 + below - mixed / 2, lower, upper)
    error = float(max(np.max(upper - values), np.max(values - lower)))
    return DiscretisedLaw(step, grid, values, lower, upper, error, below, above)


def _rounding(query: _Cells, other: _Cells, size: int) -> float:
    """Bound what rounding does to a running sum of a convolution.

    In the 2-norm one transform of length N is off by about 7·log2(N) half-epsilons (relative), and
    three transforms by 11·log2(N) epsilons, so the convolution is off by that times
    |x|₂·|y|₁ + |x|₁·|y|₂. A running sum of n terms multiplies by at most √n, and adding them up
    costs n roundings of the wider type. The masses themselves are off by a few epsilons.
    """
    length = scipy.fft.next_fast_len(size, real=True)
    norms = float(np.linalg.norm(query.most) + np.linalg.norm(other.most))
    transforms = 16 * _EPSILON * math.log2(length) * math.sqrt(size) * norms
    return transforms + size * float(np.finfo(np.longdouble).eps) + 16 * _EPSILON


def _exact(noise: Noise, half: int, step: float) -> DiscretisedLaw:
    """Return the law of one noise: nothing to convolve, and only rounding to state."""
    grid: Array = np.arange(-half, half + 1.0) * np.float64(step)
    values, error = noise.cdf(grid), 16 * _EPSILON
    lower, upper = np.maximum(values - error, 0.0), np.minimum(values + error, 1.0)
    ends = float(values[0]), float(noise.sf(grid[-1]))
    return DiscretisedLaw(step, grid, values, lower, upper, error, *ends)
