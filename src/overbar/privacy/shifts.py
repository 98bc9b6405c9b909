"""Shifts of a threshold's noise, of which each gives a proof: many at a glance.

A look costs little and promises nothing: divergences of all shifts to some digits, all at once. It
says which of them are worth following.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from overbar.privacy.loss_profile import Array
from overbar.privacy.orders import LARGEST_ORDER, SMALLEST_EXCESS
from overbar.privacy.threshold_loss import GaussianShift, Shift

#: Of a finer grid only so many shifts, evenly spread, are tried; and fewer for query noise whose
#: hazard step is slow to compute.
MOST_SHIFTS, FEW_SHIFTS = 64, 16

_TWENTY = np.linspace(0.0, 1.0, 20)
#: What a divergence is at an order, or many.
Curve = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Glance:
    """Races of a run for each shift, to choose by: rises and falls, and the sizes of the shifts."""

    times: int
    draws: int
    rises: Array
    falls: Array
    kind: type
    sizes: Array

    def log_delta(self, epsilon: float, runs: int = 1, more: Curve | None = None) -> Array:
        """Return roughly the log of δ at ε of each, so many runs and more beside them."""
        return self._least(
            lambda divergence, order: np.asarray(
                (order - 1) * (divergence - epsilon + np.log1p(-1 / order)) - np.log(order)
            ),
            runs,
            more,
        )

    def epsilon(self, log_delta: float, runs: int = 1, more: Curve | None = None) -> Array:
        """Return roughly ε at δ of each, so many runs and more beside them."""
        return self._least(
            lambda divergence, order: np.asarray(
                divergence - np.log1p(1 / (order - 1)) - (np.log(order) + log_delta) / (order - 1)
            ),
            runs,
            more,
        )

    def renyi(self, orders: Array) -> Array:
        """Return the divergence of each at a row of orders, as if in the continuum."""
        each = np.maximum(*(_base_renyi(end, orders) for end in (self.rises, -self.falls)))
        size, excess = self.sizes[:, None], orders - 1
        if self.kind is GaussianShift:
            return np.asarray(self.draws * orders * size**2 / 2 + self.times * each)
        up, down = excess * size - np.log1p(excess / orders), -orders * size
        both = np.logaddexp(up, down + np.log(excess / (orders + excess))) / excess
        drawn = np.where(orders * size < 1e-3, orders * size * size / 2, both)
        return np.asarray(self.draws * drawn + self.times * each)

    def _least(
        self, value: Callable[[Array, Array], Array], runs: int, more: Curve | None
    ) -> Array:
        low = np.full(self.rises.size, math.log(SMALLEST_EXCESS))
        with np.errstate(divide="ignore"):
            ends = np.minimum(LARGEST_ORDER, -1 / np.expm1(-self.falls)) - 1
        high, rows = np.log(np.maximum(ends, 2 * SMALLEST_EXCESS)), np.arange(self.rises.size)
        for _ in range(3):
            logs = low[:, None] + (high - low)[:, None] * _TWENTY
            orders = 1 + np.exp(logs)
            divergences = runs * self.renyi(orders) + (0.0 if more is None else more(orders))
            values = value(divergences, orders)
            best = np.argmin(values, axis=1)
            low, high = logs[rows, np.maximum(best - 1, 0)], logs[rows, np.minimum(best + 1, 19)]
        return np.asarray(values[rows, best])


def _base_renyi(steps: Array, orders: Array) -> Array:
    y = steps[:, None]
    with np.errstate(all="ignore"):
        inner = orders * np.expm1(y)
        exact = (orders * y - np.log1p(inner)) / (orders - 1)
        small = orders * y * y / 2 * (1 + y * (1 - 2 * orders) / 3)
    value = np.where(np.abs(inner) < 1e-4, small, exact)
    return np.where(np.isfinite(value) & (inner > -1), value, np.inf)


def risen(share: Fraction, back: Fraction) -> Fraction:
    """Return how far gaps can grow where the noise is shifted by this share of Δ, by Δ.

    `back` is how far one person moves scores the other way, by Δ.
    """
    return share if back == 0 else 1 + min(share, back)


@lru_cache(maxsize=64)
def shares_of(steps: int | None, most: int) -> tuple[Fraction, ...]:
    """Return the parts of Δ to try: whole numbers of grid steps."""
    count = most if steps is None else min(steps, most)
    total = count if steps is None else steps
    return tuple(Fraction(round(Fraction(j * total, count)), total) for j in range(count + 1))


@lru_cache(maxsize=64)
def share_arrays(steps: int | None, most: int, back: Fraction) -> tuple[Array, Array]:
    """Return these parts, and how far gaps can grow, as floats."""
    shares = shares_of(steps, most)
    return np.array([*map(float, shares)]), np.array([float(risen(one, back)) for one in shares])


def shifted_by(threshold: Shift, share: Fraction) -> Shift | None:
    """Return the shift by a part of Δ, which must be a whole number of grid steps."""
    if share == 0:
        return None
    steps = None if threshold.steps is None else round(share * threshold.steps)
    return replace(threshold, size=threshold.size * float(share) * (1 + 4e-16), steps=steps)
