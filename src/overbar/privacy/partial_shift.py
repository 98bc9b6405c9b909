"""Partial shift: the threshold noise takes up a part of what one person moves, hazards the rest.

Couple ρ = t on D with ρ = t + k·grid on a neighbour D′, k = 0 … n of the n grid steps to Δ, and let
step(m) be the most that ln H changes over m grid steps (:mod:`overbar.privacy.hazard`). Then the
log-hazard of every query changes by between -step(n - k) and step(k) if queries are monotonic, and
by between -step(n - k) and step(n + min(k, b)) if a person moves scores by up to b steps the other
way: b = n in general. For every order a with
1 < a < 1/(1 - e^-step(n - k)) the run is Rényi private with

    R_a(ρ shifted by k steps) + c · max over both ends y of [a·y - ln(1 + a(e^y - 1))]/(a - 1).

For (ε, δ) the best adversary's value (:mod:`overbar.privacy.race_profile`), averaged over the
loss of that shift, is smaller and holds if the rise is no less than the fall.

k = n is the companion theorem (:mod:`overbar.privacy.race`), k = 0 a bare threshold. Every k
holds, so the best is taken; it is no part of a plan.

Theory: :doc:`/theory/partial_shift`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from overbar._numbers import safe_end
from overbar.errors import NoGuaranteeError
from overbar.noise import Gumbel
from overbar.plans import RankedPlan, SparseVectorPlan
from overbar.privacy.hazard import hazard_step
from overbar.privacy.race import Part, RacePlan, race_covers
from overbar.privacy.theorem import (
    LARGEST_ORDER,
    SMALLEST_EXCESS,
    RunBound,
    Theorem,
    best_order,
    epsilon_at,
    log_delta_at,
)
from overbar.privacy.threshold_loss import GaussianShift, LaplaceShift, Shift, threshold_shift

Array = NDArray[np.float64]

#: Of a finer grid only so many shifts, evenly spread, are tried; and fewer for query noise whose
#: hazard step is slow to compute.
MOST_PARTS = 64
FEW_PARTS = 16
#: With more positives than these a shift that looks worse than the best one, by more than this in
#: logs of δ, is hardly ever better, and it takes long to see that.
FEW_POSITIVES, SIMILAR = 20, 0.25

_TWENTY = np.linspace(0.0, 1.0, 20)


@dataclass(frozen=True)
class PartialShift(RunBound):
    """All shifts that are tried for a run; each of them is proved."""

    parts: tuple[Part, ...]

    def renyi(self, order: float) -> float:
        """Return the smallest bound of any part at this order, of those that look about best."""
        parts = np.arange(len(self.parts))
        if len(self.parts) > FEW_PARTS and math.isfinite(order):
            with np.errstate(all="ignore"):
                rough = self._rough.renyi(np.full((len(self.parts), 1), order))[:, 0]
            parts = np.flatnonzero(~(rough > 1.1 * np.nanmin(rough)))
        return min(self.parts[place].renyi(order) for place in parts)

    def spent(self, positives: int, order: float) -> float:
        """Return the cost so far by the shift that is best for a whole run at this order.

        It is fixed beforehand, as the least of several costs so far would not be a filter.
        """
        return min(self.parts, key=lambda part: part.renyi(order)).spent(positives, order)

    def log_delta(self, epsilon: float) -> float:
        """Log of the smallest δ found at ε >= 0."""
        glance = self._look_at(epsilon)
        by_orders = self._best(lambda d, order: log_delta_at(d, order, epsilon), glance)
        reached = self._worst(
            glance,
            lambda part: part.best_adversary(epsilon, by_orders),
            math.inf if self.parts[0].cutoff <= FEW_POSITIVES else SIMILAR,
        )
        value = min(by_orders, reached)
        return min(0.0, value + 1e-12 * (1 + abs(value)))

    def epsilon(self, log_delta: float) -> float:
        """Return the smallest ε found at δ."""
        if log_delta == -math.inf:
            return math.inf
        glance = self._rough.epsilon(log_delta)
        least = self._best(lambda d, order: epsilon_at(d, order, log_delta), glance)
        for _ in range(2):  # what looks best there may not be what looks best for orders
            if least > 0:
                found = partial(_by_adversary, least, log_delta)
                least = min(least, self._worst(self._look_at(least), found))
        return least

    def looks_best(self, epsilon: float) -> int:
        """Return the place of the part that looks best at ε."""
        return int(np.argmin(self._look_at(epsilon)[0]))

    def one_part(self, log_delta: float) -> PartialShift:
        """Return the part alone that looks best where ε is what it is at δ."""
        return PartialShift((self.parts[self.looks_best(self.epsilon(log_delta))],))

    def _worst(
        self,
        glance: tuple[Array, Array],
        reached: Callable[[Part], float],
        similar: float = math.inf,
    ) -> float:
        """Return what the best adversary reaches against the part where that is least.

        It begins at the part that looks best by orders, of those for which an adversary is known:
        hazards rise by no less than they fall. It goes on from there while that pays
        and parts look similar.
        """
        known = [part.rise >= part.fall for part in self.parts]
        rough = np.where(known, glance[0], np.inf)
        place = int(np.argmin(rough))
        value, worth_it = reached(self.parts[place]), rough <= rough[place] + similar
        for step in (-1, 1):
            while 0 <= place + step < len(self.parts) and worth_it[place + step]:
                other = reached(self.parts[place + step])
                if not other < value:
                    break
                value, place = other, place + step
        return value

    def _best(self, value: Callable[[float, float], float], glance: tuple[Array, Array]) -> float:
        """Evaluate the parts that look about best, each at its best order."""
        rough, excess = glance
        close = np.min(rough) + 1e-3 * abs(np.min(rough))
        values = []
        for place in np.flatnonzero(rough <= close):
            part, near = self.parts[place], float(excess[place])

            def at(order: float, part: Part = part) -> float:
                return value(part.renyi(order), order)

            largest = min(part.largest_order, 1 + near * 1.2)
            values.append(best_order(at, largest, near / 1.2)[1])
        return min(values)

    def _look_at(self, epsilon: float) -> tuple[Array, Array]:
        """Roughly the log of δ at ε of each part, and where."""
        return self._rough.log_delta(epsilon)

    @cached_property
    def _rough(self) -> RoughParts:
        first, rises = self.parts[0], np.array([part.rise for part in self.parts])
        falls = np.array([part.fall for part in self.parts])
        whole, sizes = self.parts[-1].threshold, [_size(part.threshold) for part in self.parts]
        return RoughParts(first.cutoff, first.draws, rises, falls, type(whole), np.array(sizes))


@dataclass(frozen=True, eq=False)
class RoughParts:
    """Parts of a run, to choose by and not to promise: divergences to some digits, all at once."""

    cutoff: int
    draws: int
    rises: Array
    falls: Array
    #: The kind of shift, and its size in each part.
    kind: type
    sizes: Array

    def log_delta(self, epsilon: float) -> tuple[Array, Array]:
        """Return roughly the log of δ at ε of each part, and at which excess over order one."""
        return self.least(
            lambda divergence, order: np.asarray(
                (order - 1) * (divergence - epsilon + np.log1p(-1 / order)) - np.log(order)
            )
        )

    def epsilon(self, log_delta: float) -> tuple[Array, Array]:
        """Return roughly ε at δ of each part, and at which excess over order one."""
        return self.least(
            lambda divergence, order: np.asarray(
                divergence - np.log1p(1 / (order - 1)) - (np.log(order) + log_delta) / (order - 1)
            )
        )

    def least(self, value: Callable[[Array, Array], Array]) -> tuple[Array, Array]:
        """Return roughly the least value of each part, and where."""
        low = np.full(self.rises.size, math.log(SMALLEST_EXCESS))
        with np.errstate(divide="ignore"):
            ends = np.minimum(LARGEST_ORDER, -1 / np.expm1(-self.falls)) - 1
        high, rows = np.log(np.maximum(ends, 2 * SMALLEST_EXCESS)), np.arange(self.rises.size)
        for _ in range(3):
            logs = low[:, None] + (high - low)[:, None] * _TWENTY
            values = value(self.renyi(1 + np.exp(logs)), 1 + np.exp(logs))
            best = np.argmin(values, axis=1)
            low, high = logs[rows, np.maximum(best - 1, 0)], logs[rows, np.minimum(best + 1, 19)]
        return values[rows, best], np.exp(logs[rows, best])

    def renyi(self, orders: Array) -> Array:
        """Return the divergence of each part at a row of orders, as if in the continuum."""
        each = np.maximum(*(_rough_base_renyi(end, orders) for end in (self.rises, -self.falls)))
        size, excess = self.sizes[:, None], orders - 1
        if self.kind is GaussianShift:
            return np.asarray(self.draws * orders * size**2 / 2 + self.cutoff * each)
        up, down = excess * size - np.log1p(excess / orders), -orders * size
        both = np.logaddexp(up, down + np.log(excess / (orders + excess))) / excess
        drawn = np.where(orders * size < 1e-3, orders * size * size / 2, both)
        return np.asarray(self.draws * drawn + self.cutoff * each)


def _by_adversary(high: float, log_delta: float, part: Part) -> float:
    """Return the smallest ε found at δ that the best adversary proves; infinite if above `high`."""

    @cache
    def excess(epsilon: float) -> float:
        return part.best_adversary(epsilon, log_delta) + 1e-12 * (1 - log_delta) - log_delta

    if excess(high) > 0:
        return math.inf
    low, less = high, 0.02
    while low > 0 and excess(low) <= 0:
        high, low, less = low, max(0.0, low * (1 - less)), 2 * less
    return low if excess(low) <= 0 else safe_end(excess, high, low)


def _rough_base_renyi(steps: Array, orders: Array) -> Array:
    y = steps[:, None]
    with np.errstate(all="ignore"):
        inner = orders * np.expm1(y)
        exact = (orders * y - np.log1p(inner)) / (orders - 1)
        small = orders * y * y / 2 * (1 + y * (1 - 2 * orders) / 3)
    value = np.where(np.abs(inner) < 1e-4, small, exact)
    return np.where(np.isfinite(value) & (inner > -1), value, np.inf)


def rough_parts(
    cutoff: int, rate: float, threshold: Shift, back: Fraction, most: int
) -> RoughParts:
    """Return parts for Gumbel noise, whose log-hazard is linear: `rate` is Δ by scale."""
    shares, risen = _share_arrays(threshold.steps, most, back)
    sizes = _size(threshold) * shares
    return RoughParts(cutoff, 1, rate * risen, rate * (1 - shares), type(threshold), sizes)


@lru_cache(maxsize=64)  # a search for the largest rate asks for the same again and again
def _share_arrays(steps: int | None, most: int, back: Fraction) -> tuple[Array, Array]:
    shares = _shares(steps, most)
    return np.array([*map(float, shares)]), np.array([float(_risen(one, back)) for one in shares])


def _size(shift: Shift | None) -> float:
    if shift is None:
        return 0.0
    return shift.epsilon if isinstance(shift, LaplaceShift) else shift.distance


def _risen(share: Fraction, back: Fraction) -> Fraction:
    """Return how far gaps can grow where the noise is shifted by this share of Δ, by Δ."""
    return share if back == 0 else 1 + min(share, back)


@lru_cache(maxsize=64)
def _shares(steps: int | None, most: int) -> tuple[Fraction, ...]:
    """Return the parts of Δ to try: whole numbers of grid steps."""
    count = most if steps is None else min(steps, most)
    total = count if steps is None else steps
    return tuple(Fraction(round(Fraction(j * total, count)), total) for j in range(count + 1))


def _part_of(threshold: Shift, share: Fraction | float) -> Shift | None:
    """Return the shift by a part of Δ, which must be a whole number of grid steps."""
    if share == 0:
        return None
    steps = None if threshold.steps is None else round(share * threshold.steps)
    size = float(share) * (1 + 4e-16)
    if isinstance(threshold, LaplaceShift):
        return replace(threshold, epsilon=threshold.epsilon * size, steps=steps)
    return replace(threshold, distance=threshold.distance * size, steps=steps)


@lru_cache(maxsize=8)
def partial_shift_of(plan: RacePlan) -> PartialShift:
    """Read off a plan what the theorem needs.

    What must hold: query noise with a bounded log-hazard (Gumbel, Laplace) and threshold noise that
    is Laplace or Gaussian. Otherwise :class:`NoGuaranteeError` says why.
    """
    threshold = threshold_shift(plan)
    if threshold is None:
        raise NoGuaranteeError("without noise on the threshold there is nothing to shift")

    def step(share: Fraction) -> float:
        return hazard_step(plan.query_noise, share * plan.reach.most) if share else 0.0

    most = MOST_PARTS if type(plan.query_noise) is Gumbel else FEW_PARTS
    return every_shift(plan.cutoff, step, threshold, plan.reach.back, most, resample=plan.redraws)


def every_shift(
    cutoff: int,
    step: Callable[[Fraction], float],
    threshold: Shift,
    back: Fraction,
    most: int = MOST_PARTS,
    *,
    resample: bool = False,
) -> PartialShift:
    """Return all shifts to try, where log-hazards move by `step` over a share of Δ.

    `back` is how far one person moves scores the other way, by Δ.
    """
    return PartialShift(
        tuple(
            Part(
                cutoff,
                step(_risen(share, back)),
                step(1 - share),
                _part_of(threshold, share),
                resample,
            )
            for share in _shares(threshold.steps, most)
        )
    )


def shifted_covers(plan: RacePlan) -> bool:
    """Tell whether the theorem covers a plan; :func:`partial_shift_of` says why not."""
    return plan.threshold_noise is not None and race_covers(plan)


#: (ε, δ) by the best partial shift.
PARTIAL_SHIFT = Theorem(
    (RankedPlan, SparseVectorPlan), shifted_covers, partial_shift_of, is_filter=True, is_quick=True
)
