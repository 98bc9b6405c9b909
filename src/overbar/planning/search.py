"""The least noise with which a plan keeps what is asked for: one search on one function.

The function is `excess`: by how much a plan passes the δ asked for at ε, in logs. At δ = 0 there is
nothing to look for, as a pure cost is inverse to the scale. What is found has been evaluated.

Theory: :doc:`/theory/allocation`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Literal

import scipy

from overbar._numbers import least, least_safe, rounded_up, short_fraction
from overbar.errors import NoGuaranteeError, named
from overbar.mechanisms import HistogramPlan, Reach, ScorePlan
from overbar.mechanisms.way import Split, Way
from overbar.noise import Gaussian
from overbar.privacy.account import Near, account_of
from overbar.privacy.orders import checked_log_delta

#: Significant digits of a scale found numerically.
SCALE_DIGITS = 15
#: Where so much more noise does not keep a request, none does: it is not the labels that cost.
MOST_GROWN = 10**6
#: How close to the least scale a search ends; one that compares splits; one that compares ways.
CLOSE, FINE, ROUGH = 1e-9, 1e-5, 1e-3
#: More than the tolerance with which ε is found at a δ.
HAIR_LESS = 1 - Fraction(1, 10**12)
#: How far (in logs) from where it was chosen a sequence may be far from the best.
FAR = 0.1
#: Grid steps per noise scale, at least: rounding to the grid then drowns in the noise.
STEPS_PER_SCALE = 8
#: How far (in logs) from the first guess of a split another may be, how far aside it is looked at
#: in the end, how close to the best it is enough, and how often it is moved at most.
FARTHEST, ASIDE, ENOUGH, MOST_TURNS = 1.5, 0.15, 0.03, 4


How = Literal["glance", "closely"]


@dataclass(eq=False)
class Excess:
    """By how much plans that differ by a scale pass the δ asked for at ε, in logs."""

    make: Callable[[Fraction], ScorePlan]
    epsilon: Fraction
    delta: Fraction
    near: Near = field(default_factory=Near)
    known: dict[float, float] = field(default_factory=dict)
    looked_at: float = 1e-300

    def __call__(self, scale: float) -> float:
        """Return it, by the sequence of steps that said most of a plan with about this noise."""
        scale = float(rounded(scale))
        if scale not in self.known:
            far = abs(math.log(scale / self.looked_at)) > FAR
            if far and self.near.how == "near":
                self.known[scale] = self.look(scale, "glance")
            else:
                self.known[scale] = self._evaluated(scale)
        return self.known[scale]

    def _evaluated(self, scale: float) -> float:
        plan = self.make(rounded(scale))
        left = self.delta - plan.lone_delta()
        level = -rounded_up(-self.epsilon * HAIR_LESS)
        if left <= 0:
            return math.inf
        return account_of(plan).log_delta(level, self.near) - checked_log_delta(left)

    @property
    def slope(self) -> float:
        """How it changes with the log of the scale: about with the square of noise, at first."""
        near = sorted((abs(one), math.log(scale), one) for scale, one in self.known.items())
        if len(near) > 1 and math.isfinite(near[1][0]) and near[0][1] != near[1][1]:
            steep = (near[0][2] - near[1][2]) / (near[0][1] - near[1][1])
            if steep < 0:
                return steep
        return min(1.6 * checked_log_delta(self.delta), -1.0)

    def least(self, start: float, close: float = CLOSE) -> float:
        """Return about the least scale that keeps what is asked for, from a guess on."""
        scale = least_safe(self, start, self.slope, close, MOST_GROWN * start)
        if math.isinf(scale):
            raise NoGuaranteeError(
                "no noise on the labels is enough for what their counts leave of epsilon: "
                f"leave the noises open, or give {named('counts')} a smaller share, such as 0.2"
            )
        return scale

    def confirmed(self, start: float, close: float = CLOSE, how: How = "closely") -> float:
        """Return about the least scale, by whichever sequence says most there."""
        scale = self.least(start, close)
        while True:
            places, before = dict(self.near.places), self._evaluated(scale)
            now = self.look(scale, how)
            if self.near.places == places or -math.inf < before <= now:
                self.near.places = places
                return scale
            self.known.clear()
            further = self.least(scale, close)
            if further >= scale * (1 - close):
                return min(scale, further)
            scale = further

    def look(self, scale: float, how: How) -> float:
        """Return it by the sequence that says most there, at a glance or closely."""
        self.near.how, self.looked_at = how, scale
        now = self._evaluated(scale)
        self.near.how = "near"
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
    def plan(self) -> ScorePlan:
        """The plan, without a correction."""
        return self.way.plan(self.scale, self.grid, self.split)

    @property
    def on_its_grid(self) -> Found:
        """The same on the grid asked for, or one that drowns in the noise."""
        request = self.way.request
        if request.grid is not None:
            return self
        plan = self.way.plan(self.scale, request.coarsest_grid, self.split)
        noises = (plan.query_noise, plan.threshold_noise, plan.counts)
        least, step = min(one.scale for one in noises if one is not None), plan.grid
        while step * STEPS_PER_SCALE > least:
            step /= 2
        return replace(self, grid=step)


def roughly(way: Way) -> Found:
    """Return about the best plan of a way, on the grid that serves it."""
    if not way.request.delta:
        return _pure(way)
    with suppress(NoGuaranteeError):  # what it is paid for together with may not be pure
        if way.split.was_pure:
            return _pure(way)
    first = Found(way, way.request.coarsest_grid, way.split, _start(way))
    found = _by_orders(first).on_its_grid
    scale = rounded(excess_of(found).confirmed(float(found.scale), ROUGH, "glance"))
    return replace(found, scale=scale).on_its_grid


def exactly(found: Found) -> Found:
    """Return the plan of a way with the least noise that keeps what is asked for."""
    if not found.way.request.delta:
        return found
    if found.split.is_open:
        found, near = _by_profiles(found)
        found = replace(found, split=found.split.settled(found.scale))
        return replace(found, scale=rounded(excess_of(found, near).least(float(found.scale))))
    return replace(found, scale=rounded(excess_of(found).confirmed(float(found.scale))))


def excess_of(found: Found, near: Near | None = None) -> Excess:
    """Return the function of the plans that differ from one by a scale."""
    request = found.way.request
    make, near = partial(found.way.plan, grid=found.grid, split=found.split), near or Near()
    return Excess(make, request.epsilon, request.delta, near)


def _pure(way: Way) -> Found:
    """Return the plan that is pure ε, in exact fractions; a little more falls to ε at δ.

    A pure plan with p is (ε, δ)-DP for e^ε = e^p - δ(1 + e^p). What does not depend on the scale is
    paid for first.
    """
    epsilon, delta = way.request.epsilon, float(way.request.delta)
    if delta:
        more = math.log1p(delta * math.exp(-epsilon)) - math.log1p(-delta)
        epsilon = rounded((float(epsilon) + more) * (1 - 1e-12))
    one, two = (
        way.plan(Fraction(scale), way.request.coarsest_grid, way.split).pure() for scale in (1, 2)
    )
    fixed = 2 * two - one
    scale = (one - fixed) / (epsilon - fixed)
    return Found(way, way.request.coarsest_grid, way.split, scale).on_its_grid


def _start(way: Way) -> Fraction:
    """Return a guess of the scale, as if each positive were told with Gaussian noise."""
    request = way.request
    plan = way.any_plan
    places = request.runs * min(plan.cutoff, plan.items_per_person or plan.cutoff)
    shift = rough_shift(float(request.epsilon), checked_log_delta(request.delta))
    scale = float(request.reach.width) * math.sqrt(places) / shift
    return rounded(max(scale, float(request.grid or 0)))


def rough_shift(epsilon: float, log_delta: float) -> float:
    """Return about how far, in deviations, Gaussian noise may be shifted at (ε, δ)."""

    def excess(spread: float) -> float:
        near, far = (
            float(scipy.special.log_ndtr(side / spread / 2 - epsilon * spread)) for side in (1, -1)
        )
        return near + math.log(-math.expm1(min(epsilon + far - near, -1e-300))) - log_delta

    start = math.sqrt(max(1.0, -2 * log_delta)) / epsilon
    return 1 / least_safe(excess, start, min(2 * log_delta, -1.0), 1e-6)


def _by_orders(found: Found) -> Found:
    """Return about the least scale, with about the best split, by a look at orders alone.

    They see all proofs, but not how much each of them says: it is where a search begins.
    """
    scale = float(found.scale)
    if not found.split.is_open:
        scale = excess_of(found, Near(how="roughly")).least(scale, ENOUGH)
        return replace(found, scale=rounded(scale))

    def variance(aside: float) -> float:
        nonlocal scale
        other = replace(found, split=found.split.moved(aside))
        scale = excess_of(other, Near(how="roughly")).least(scale, ROUGH)
        return _log_variance(other) + 2 * math.log(scale)

    aside, _ = least(variance, -FARTHEST, FARTHEST, ENOUGH)
    return replace(found, split=found.split.moved(aside), scale=rounded(scale))


def _by_profiles(found: Found) -> tuple[Found, Near]:
    """Return the split of about the least variance: moved while what is proved gets better."""
    best: tuple[Found, Near] | None = None
    least_variance = math.inf
    for _ in range(MOST_TURNS):
        excess = excess_of(found)
        scale = excess.confirmed(float(found.scale), FINE)
        found = replace(found, scale=rounded(scale))
        variance = _log_variance(found) + 2 * math.log(scale)
        if best is not None and variance >= least_variance:
            break
        best, least_variance = (found, excess.near), variance
        step = _step(found, excess, scale)
        if abs(step) < ENOUGH:
            break
        found = replace(found, split=found.split.moved(step))
    assert best is not None
    return best


def _step(found: Found, excess: Excess, scale: float) -> float:
    """Return how far to move the split, in logs: towards less variance, by a parabola.

    Splits aside are looked at with the same scale, and what they would need follows from the slope.
    """
    slope = (excess(scale * math.exp(ENOUGH)) - excess(scale)) / ENOUGH
    if not -math.inf < slope < 0:  # a pure proof ends here
        return 0.0
    values = []
    for aside in (-ASIDE, 0.0, ASIDE):
        other = replace(found, split=found.split.moved(aside))
        near = Near(dict(excess.near.places))
        passed = excess_of(other, near).look(scale, "glance") if aside else excess(scale)
        values.append(_log_variance(other) - 2 * passed / slope)
    left, middle, right = values
    bend = left + right - 2 * middle
    if bend > 0:
        return max(-ASIDE, min(ASIDE, ASIDE * (left - right) / (2 * bend)))
    return math.copysign(ASIDE, left - right)


def _log_variance(found: Found) -> float:
    """Return the log of the variance of a comparison, with noise of scale one on scores."""
    request, one = found.way.request, Fraction(1)
    assert request.bar_kind is not None  # its split is open
    bar = request.bar_kind(found.split.of(one)).variance
    return math.log(found.way.weight * request.query_kind(one).variance + bar)


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
