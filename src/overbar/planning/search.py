"""The least noise with which a plan keeps what is asked for: one search on one function.

The function is `excess`: by how much a plan passes the δ asked for at ε, in logs. At δ = 0 there is
nothing to look for, as a pure cost is inverse to the scale. What is found has been evaluated.

Theory: :doc:`/theory/allocation`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import scipy

from overbar._numbers import least_safe, rounded_up, short_fraction
from overbar.errors import NoGuaranteeError, named
from overbar.mechanisms import HistogramPlan, Plan, Reach
from overbar.mechanisms.way import SPLIT_DIGITS, Split, Way
from overbar.noise import Gaussian
from overbar.privacy.account import Near, account_of
from overbar.privacy.guarantees import lone_delta
from overbar.privacy.orders import checked_log_delta
from overbar.privacy.pure import pure_epsilon

#: Significant digits of a scale found numerically.
SCALE_DIGITS = 15
#: Where so much more noise does not keep a request, none does: it is not the labels that cost.
MOST_GROWN = 10**6
#: How close to the least scale a search ends, and one that says which ways are worth it.
CLOSE, ROUGH = 1e-9, 1e-3
#: More than the tolerance with which ε is found at a δ.
HAIR_LESS = 1 - Fraction(1, 10**12)
#: Grid steps per noise scale, at least: rounding to the grid then drowns in the noise.
STEPS_PER_SCALE = 8
#: How far apart (in logs) splits are looked at, how close to the best one ends, and how often.
ASIDE, ENOUGH, MOST_TURNS = 0.25, 0.1, 8


@dataclass(eq=False)
class Excess:
    """By how much plans that differ by a scale pass the δ asked for at ε, in logs."""

    make: Callable[[Fraction], Plan]
    epsilon: Fraction
    delta: Fraction
    near: Near = field(default_factory=Near)
    known: dict[float, float] = field(default_factory=dict)

    def __call__(self, scale: float) -> float:
        """Return it, by the sequence of steps that said most of another plan."""
        if scale not in self.known:
            self.known[scale] = self._evaluated(scale)
        return self.known[scale]

    def _evaluated(self, scale: float) -> float:
        plan = self.make(rounded(scale))
        left = self.delta - lone_delta(plan)
        level = -rounded_up(-self.epsilon * HAIR_LESS)
        if left <= 0:
            return math.inf
        return account_of(plan).log_delta(level, self.near) - checked_log_delta(left)

    @property
    def slope(self) -> float:
        """How it changes with the log of the scale: δ's goes with the square of noise, or nearly."""
        near = sorted((abs(one), math.log(scale), one) for scale, one in self.known.items())
        if len(near) > 1 and math.isfinite(near[1][0]) and near[0][1] != near[1][1]:
            steep = (near[0][2] - near[1][2]) / (near[0][1] - near[1][1])
            if steep < 0:
                return steep
        return min(1.6 * checked_log_delta(self.delta), -1.0)

    def least(self, start: float, close: float = CLOSE) -> float:
        """Return about the least scale that keeps what is asked for, from a guess on."""
        least = least_safe(self, start, self.slope, close, MOST_GROWN * start)
        if math.isinf(least):
            raise NoGuaranteeError(
                "no noise on the labels is enough for what their counts leave of epsilon: "
                f"leave the noises open, or give {named('counts')} a smaller share, such as 0.2"
            )
        return least

    def confirmed(self, start: float) -> float:
        """Return the least scale, by whichever sequence says most there."""
        while True:
            scale, known = self.least(start), dict(self.near.places)
            now = self.closely(scale)
            if self.near.places == known or now >= self(scale):
                return scale
            self.known.clear()
            start = scale

    def closely(self, scale: float) -> float:
        """Return it by the sequence that says most."""
        self.near.closely = True
        now = self._evaluated(scale)
        self.near.closely = False
        return now


def rounded(value: float) -> Fraction:
    """Round a scale to a short fraction."""
    return short_fraction(value, SCALE_DIGITS)


@dataclass(frozen=True)
class Found:
    """A way with the numbers that were found for it."""

    way: Way
    grid: Fraction
    split: Split
    scale: Fraction

    @property
    def plan(self) -> Plan:
        """The plan, without a correction."""
        return self.way.make(self.scale, self.grid, self.split)


def roughly(way: Way) -> Found:
    """Return about the best plan of a way, on the grid that serves it."""
    if not way.request.delta:
        return least_pure(way)
    start = _start(way)
    found = Found(way, _grid(way, rounded(start), way.split), way.split, rounded(start))
    split, scale = _best_split(found)
    return Found(way, _grid(way, scale, split), split, scale)


def exactly(found: Found) -> Found:
    """Return the plan of a way with the least noise that keeps what is asked for."""
    if not found.way.request.delta:
        return found
    scale = _excess(found, found.split).confirmed(float(found.scale))
    return replace(found, scale=rounded(scale))


def _excess(found: Found, split: Split) -> Excess:
    request = found.way.request
    return Excess(
        lambda scale: found.way.make(scale, found.grid, split), request.epsilon, request.delta
    )


def least_pure(way: Way) -> Found:
    """Return the plan that is pure ε, in exact fractions; what is no matter of the scale is fixed."""
    request = way.request
    one, two = (
        pure_epsilon(way.make(Fraction(scale), request.coarsest_grid, way.split))
        for scale in (1, 2)
    )
    fixed = 2 * two - one
    scale = (one - fixed) / (request.epsilon - fixed)
    return Found(way, _grid(way, scale, way.split), way.split, scale)


def _start(way: Way) -> float:
    """Return a guess of the scale, as if each positive were told with Gaussian noise."""
    request = way.request
    plan = way.any_plan
    places = request.runs * min(plan.cutoff, plan.items_per_person or plan.cutoff)
    shift = rough_shift(float(request.epsilon), checked_log_delta(request.delta))
    return max(float(request.reach.width) * math.sqrt(places) / shift, float(request.grid or 0))


def rough_shift(epsilon: float, log_delta: float) -> float:
    """Return about how far, in deviations, Gaussian noise may be shifted at (ε, δ)."""

    def excess(spread: float) -> float:
        near, far = (
            float(scipy.special.log_ndtr(side / spread / 2 - epsilon * spread)) for side in (1, -1)
        )
        return near + math.log(-math.expm1(min(epsilon + far - near, -1e-300))) - log_delta

    start = math.sqrt(max(1.0, -2 * log_delta)) / epsilon
    return 1 / least_safe(excess, start, min(2 * log_delta, -1.0), 1e-6)


def _grid(way: Way, scale: Fraction, split: Split) -> Fraction:
    """Return the grid asked for, or one that divides the sensitivity and drowns in the noise."""
    step = way.request.coarsest_grid
    if way.request.grid is None:
        plan = way.make(scale, step, split)
        noises = (plan.query_noise, plan.threshold_noise, plan.counts)
        least = min(noise.scale for noise in noises if noise is not None)
        while step * STEPS_PER_SCALE > least:
            step /= 2
    return step


import os
TRUE=int(os.environ.get("TRUE","1"))
def _best_split(found: Found) -> tuple[Split, Fraction]:
    """Return the split of about the least variance, and the scale that goes with it.

    Splits aside are looked at with the same scale, and what they would need follows from the slope.
    """
    split, scale = found.split, float(found.scale)
    if split.is_open:
        share0 = float(split.share)
        last = [scale]
        def loss(aside):
            other = replace_share(split, short_fraction(share0 * math.exp(aside), SPLIT_DIGITS))
            excess = replace(_excess(found, other), near=Near(roughly=True))
            last[0] = excess.least(last[0], 1e-3)
            return _log_variance(found.way, other) + 2*math.log(last[0])
        from overbar._numbers import least
        x,_ = least(loss, -1.5, 1.5, 0.03)
        split = replace_share(split, short_fraction(share0 * math.exp(x), SPLIT_DIGITS))
        scale = last[0]
    for _ in range(TRUE):
        excess = _excess(found, split)
        scale = excess.least(scale, ROUGH)
        if not split.is_open:
            break
        step = _step(found, split, scale, excess)
        share = short_fraction(float(split.share) * math.exp(step), SPLIT_DIGITS)
        split = replace_share(split, share)
        if abs(step) < ENOUGH:
            break
    if not TRUE: 
        scale = _excess(found, split).least(scale, ROUGH)
    return split, rounded(scale)


def replace_share(split: Split, share: Fraction) -> Split:
    """Return a split with another share."""
    return split._replace(share=share)


def _step(found: Found, split: Split, scale: float, center: Excess) -> float:
    """Return how far to go to the bottom of a parabola through three splits, in logs."""
    center.closely(scale)
    values, slope, places = [], center.slope, center.near.places
    for aside in (-ASIDE, 0.0, ASIDE):
        other = replace_share(split, Fraction(float(split.share) * math.exp(aside)))
        near = Near(dict(places))
        excess = replace(_excess(found, other), near=near).closely(scale)
        values.append(_log_variance(found.way, other) - 2 * excess / slope)
    left, middle, right = values
    bend = left + right - 2 * middle
    if not (math.isfinite(bend) and bend > 0):
        return math.copysign(2 * ASIDE, left - right)
    return max(-1.0, min(1.0, ASIDE * (left - right) / (2 * bend)))


def _log_variance(way: Way, split: Split) -> float:
    """Return the log of the variance of a comparison, with noise of scale one on scores."""
    query, bar = way.request.query_kind, way.request.bar_kind
    assert bar is not None  # its split is open
    square = float(split.share) ** 2 * bar(Fraction(1)).unit_variance
    return math.log(way.weight * query(Fraction(1)).unit_variance + square)


def least_gaussian(
    epsilon: Fraction, delta: Fraction, *, items: int, sensitivity: Fraction, grid: Fraction
) -> Fraction:
    """Return the least deviation of noise on values of which one person moves so many.

    >>> one = Fraction(1)
    >>> sigma = least_gaussian(one, Fraction(1, 10**6), items=1, sensitivity=one, grid=one)
    >>> print(round(float(sigma), 4))
    4.2308
    """
    reach = Reach(Fraction(0), sensitivity)
    excess = Excess(
        lambda scale: HistogramPlan(Gaussian(scale), None, items, reach, grid, items),
        epsilon,
        delta,
    )
    shift = rough_shift(float(epsilon), checked_log_delta(delta))
    start = max(float(sensitivity) * math.sqrt(items) / shift, float(grid))
    return rounded(excess.least(start))
