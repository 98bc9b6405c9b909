"""A run's privacy loss on a grid, for composition with other mechanisms.

The grid's pair dominates the run's (Doroshenko, Ghazi, Kamath, Kumar & Manurangsi 2022, "Connect
the dots: tighter discrete approximations of privacy loss distributions", arXiv:2207.04380v1): its
profile is the true one at the grid's losses and, linear in e^ε between them, above it elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from overbar._numbers import rounded_up
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.plans import Plan
from overbar.privacy.guarantees import lone_delta
from overbar.privacy.hazard import log_excess_faster, log_excess_slower
from overbar.privacy.partial_shift import PARTIAL_SHIFT, partial_shift_of
from overbar.privacy.pure import pure_covers, pure_epsilon
from overbar.privacy.race import RACE, Race
from overbar.privacy.renyi import resampled_epsilon_each
from overbar.privacy.theorem import CURVES
from overbar.privacy.threshold_loss import shift_losses
from overbar.privacy.top_with_delta import PICKS

Array = NDArray[np.float64]

#: Losses are kept out to where δ falls below e^-DEPTH; the rest counts as infinite.
DEPTH = 60.0
POINTS = 4000
MOST_POINTS = 2_000_000
#: Theorems are compared at this ln δ.
COMPARED_AT = math.log(1e-6)
#: e^loss must be a float.
LARGEST_LOSS = 700.0


@dataclass(frozen=True)
class LossDistribution:
    """Masses of the losses (first + i)·interval under the first law; the rest is infinite.

    The pair serves both directions: it dominates (D, D′) and (D′, D) for every pair of neighbours.
    """

    interval: float
    first: int
    masses: Array
    infinite: float

    @property
    def losses(self) -> Array:
        """The losses the masses belong to."""
        return (self.first + np.arange(self.masses.size, dtype=np.float64)) * self.interval

    def delta(self, epsilon: float) -> float:
        """Hockey-stick divergence of the pair at ε."""
        gain = -np.expm1(np.minimum(epsilon - self.losses, 0.0))
        return float(np.sum(self.masses * gain)) + self.infinite


def loss_distribution(plan: Plan, interval: float | None = None) -> LossDistribution:
    """Return a loss distribution that dominates a run of any plan with a guarantee.

    By the companion theorem, by partial shift or pick by pick where they apply; else as randomised
    response, once or composed c times with ``resample`` (every pure mechanism is made of it);
    else, for Gaussian noise in a histogram or with ``max_queries``, by its curve δ(ε). A search for
    keys has a mass at infinity: the chance of a key that one person alone holds.
    """
    if len(plan.paid()) > 1:
        raise NoGuaranteeError("a plan of several parts has one loss distribution for each of them")
    (plan,) = plan.paid()
    losses, alone = _of_one_part(plan, interval), lone_delta(plan)
    # A key that one person alone holds has no bound: its chance is the mass at infinity.
    return (
        replace(losses, infinite=rounded_up(Fraction(losses.infinite) + alone)) if alone else losses
    )


def _of_one_part(plan: Plan, interval: float | None) -> LossDistribution:
    curves = [theorem.bound(plan) for theorem in CURVES if theorem.covers(plan)]
    if PICKS.covers(plan):
        last = min(each.epsilon(-DEPTH) for each in curves)
        return _of_curve(lambda x: min(each.log_delta(x) for each in curves), last, interval)
    if RACE.covers(plan):
        return race_loss_distribution(plan, interval)
    if curves and not pure_covers(plan):
        bound = curves[0]
        return _of_curve(bound.log_delta, bound.epsilon(-DEPTH / 2), interval)
    if plan.redraws:
        return _of_pure_runs(rounded_up(resampled_epsilon_each(plan)), plan.cutoff, interval)
    return _of_pure_runs(rounded_up(pure_epsilon(plan)), 1, interval)


def _of_pure_runs(each: float, times: int, interval: float | None) -> LossDistribution:
    """As randomised response, so many times."""
    up = 1 / (1 + math.exp(-each))
    ups = np.arange(times + 1, dtype=np.float64)
    masses = stats.binom.pmf(ups, times, up) * (1 + 1e-12)
    width, _ = _levels(times * each, interval)
    return _gathered((2 * ups - times) * each, masses, 0.0, width)


def race_loss_distribution(plan: Plan, interval: float | None = None) -> LossDistribution:
    """Return a loss distribution that dominates a run of the plan (companion theorem, or better).

    ``interval`` is the distance between losses; the default takes some thousand over the range.
    """
    race = RACE.bound(plan)
    assert isinstance(race, Race)  # which it reads off a plan
    if PARTIAL_SHIFT.covers(plan) and not race.resample:
        shifts = partial_shift_of(plan)
        if shifts.epsilon(COMPARED_AT) < race.epsilon(COMPARED_AT):
            shifts = shifts.one_part(COMPARED_AT)  # others would do as well, at other levels
            last = min(race.pure_epsilon, shifts.epsilon(-DEPTH))
            return _of_curve(
                lambda level: min(race.log_delta(level), shifts.log_delta(level)), last, interval
            )
    last = race.pure_epsilon if race.cutoff < 20 else math.inf
    last = last if math.isfinite(last) else race.epsilon(-DEPTH)
    if race.by_orders:
        return _of_curve(race.log_delta, last, interval)
    width, levels = _levels(last, interval)
    profile = log_excess_faster(race.cutoff, race.step, levels)
    if race.threshold is None:
        profile = np.maximum(profile, log_excess_slower(race.cutoff, race.step, levels))
        return connect_the_dots(np.exp(profile), -(levels.size // 2), width)
    pair = shift_losses(race.threshold, DEPTH)
    other = _gathered(pair.losses, pair.masses, math.exp(pair.log_beyond), width)
    return _product(connect_the_dots(np.exp(profile), -(levels.size // 2), width), other)


def _levels(last: float, interval: float | None) -> tuple[float, Array]:
    """Return the distance between losses, and losses from about -last to last around zero."""
    width = last / POINTS if interval is None else float(interval)
    if not width > 0 or last / width > MOST_POINTS:
        raise ParameterError(
            f"interval must be at least {last / MOST_POINTS:.3g} for this plan, got {interval}"
        )
    points = math.ceil(last / width)
    return width, np.arange(-points, points + 1, dtype=np.float64) * width


def _of_curve(
    log_delta: Callable[[float], float], last: float, interval: float | None
) -> LossDistribution:
    """Join a curve that holds in both directions, so that it can be mirrored.

    It is slow and smooth: few of its points are taken, and chords, which lie above.
    """
    width, levels = _levels(last, interval)
    if levels[-1] > LARGEST_LOSS:
        raise ParameterError(
            f"a loss above {LARGEST_LOSS:g} cannot be composed; give the noise a larger scale"
        )
    known = cache(log_delta)

    def delta(level: float) -> float:
        if level < 0:
            return 1 + math.exp(level) * math.expm1(known(-level))
        return math.exp(known(level))

    few = np.unique(np.append(np.arange(0, levels.size, 10), levels.size - 1))
    values = np.array([delta(float(levels[i])) for i in few])
    z = np.exp(levels)
    hull = _lower_hull(z[few], values)
    profile = np.interp(z, z[few][hull], values[hull])
    return connect_the_dots(profile, -(levels.size // 2), width)


def _lower_hull(x: Array, y: Array) -> NDArray[np.int64]:
    """Indices of the greatest convex curve below the points: the true profile is convex."""
    kept: list[int] = []
    for i in range(x.size):
        while len(kept) > 1:
            j, k = kept[-2], kept[-1]
            if (y[k] - y[j]) * (x[i] - x[k]) <= (y[i] - y[k]) * (x[k] - x[j]):
                break
            kept.pop()
        kept.append(i)
    return np.array(kept, dtype=np.int64)


def connect_the_dots(profile: Array, first: int, interval: float) -> LossDistribution:
    """Turn δ at the losses (first + i)·interval into the pair whose profile joins them."""
    falls = -np.diff(profile)
    from_below = falls / -math.expm1(-interval)
    from_above = falls / math.expm1(interval)
    masses = np.concatenate([[1 - profile[0]], from_below])
    masses[:-1] -= from_above
    # Convexity makes them non-negative; rounding may not. Moving the total up keeps it a bound.
    return LossDistribution(interval, first, np.maximum(masses, 0.0), float(profile[-1]))


def _gathered(losses: Array, masses: Array, infinite: float, width: float) -> LossDistribution:
    """Gather atoms on the grid, each on its two neighbours, with the mass of both laws kept."""
    place = np.floor(losses / width)
    share = np.expm1(-(losses - place * width)) / math.expm1(-width)
    first = int(place.min())
    index = (place - first).astype(np.int64)
    size = int(index.max()) + 2
    gathered: Array = np.bincount(index + 1, masses * share, size).astype(np.float64)
    gathered += np.bincount(index, masses * (1 - share), size)
    return LossDistribution(width, first, gathered, infinite)


def _product(one: LossDistribution, other: LossDistribution) -> LossDistribution:
    """Compose two pairs on the same grid; by plain sums, so that no mass is lost to an FFT."""
    infinite = one.infinite + other.infinite
    return LossDistribution(
        one.interval, one.first + other.first, np.convolve(one.masses, other.masses), infinite
    )
