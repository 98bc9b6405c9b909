"""From (ε, δ, c) to about the noise a race needs, and how to split the budget.

Functions of public numbers only. What comes out is a guess: whoever makes a plan of it looks from
there for the least noise that keeps what was asked for, by whichever theorem proves most.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from overbar._numbers import least, least_safe, rounded_up, short_fraction
from overbar.errors import ParameterError
from overbar.noise import NOISES
from overbar.planning.scales import rough_shift
from overbar.privacy.hazard import log_excess_faster, log_excess_slower
from overbar.privacy.loss_profile import Array
from overbar.privacy.orders import checked_log_delta, log_delta_from_renyi
from overbar.privacy.reading import log_delta_by_orders
from overbar.privacy.shifts import MOST_SHIFTS, Glance, risen, shares_of
from overbar.privacy.steps import Race
from overbar.privacy.threshold_loss import SHIFTED, Shift, shift_losses

#: Digits of a threshold budget, so that plans can be read; a flat optimum needs no more.
BUDGET_DIGITS = 4
#: From so many positives on, what orders lose is allowed for.
MANY = 10
#: How close a guess is to what each proof says: less close, the best budget would lie in one of
#: several valleys; and how far down the losses of a threshold are looked at (in logs).
ROUGH, DEEP = 1e-6, 120.0
#: Shifts of threshold noise, by its name.
SHIFTS = {noise.name: shift for noise, shift in SHIFTED.items()}


def shift_of(noise: str, budget: Fraction, steps: int) -> Shift | None:
    """Return the shift of threshold noise with this budget, sensitivity by scale; None for none.

    `steps` is the sensitivity in units of the grid.
    """
    return None if noise == "none" else SHIFTS[noise](rounded_up(budget), steps)


def rough_step(
    epsilon: Fraction,
    delta: Fraction,
    cutoff: int,
    *,
    threshold: Shift | None,
    back: Fraction,
    query_noise: str = "gumbel",
    by_orders: bool = False,
) -> float:
    """Return about the largest hazard step of queries for which a run is (ε, δ)-DP.

    Over the width of what one person moves with threshold noise, over the sensitivity without;
    `back` is how far one person moves scores the other way, by the sensitivity. With many positives
    orders lose about what they would of Gaussian noise, and half of that beside a threshold's; what
    is paid for together with other parts loses that.
    """
    level, log_delta = float(epsilon), checked_log_delta(delta)
    shift = rough_shift(level, log_delta)
    lost = 0.0
    if cutoff >= MANY and not by_orders:
        lost = log_delta_from_renyi(lambda order: order * shift**2 / 2, level) - log_delta

    def by_race(width: float) -> float:
        if threshold is not None or back == 0:
            return _one_way(cutoff, 1 / width, threshold, level) - log_delta
        way = (Race(1 / width, 1 / width, times=cutoff),)  # its profile would take long
        return log_delta_by_orders(way, level) - log_delta - lost

    def by_parts(width: float) -> float:
        assert threshold is not None
        glance = gumbel_glance(cutoff, 1 / width / float(1 + back), threshold, back)
        return float(np.min(glance.log_delta(level))) - log_delta - lost / 2

    start, slope = math.sqrt(cutoff) / shift, min(1.6 * log_delta, -1.0)
    widest = cutoff / level * 1e9
    if threshold is not None and by_race(widest) > 0:
        raise ParameterError(
            "the threshold noise alone uses up epsilon and delta; give it a larger scale"
        )
    if threshold is None or query_noise != "gumbel":
        return 1 / least_safe(by_race, start, slope, ROUGH)
    width = least_safe(by_parts, start, slope, ROUGH)
    return 1 / (least_safe(by_race, width, slope, ROUGH) if by_race(width) <= 0 else width)


def gumbel_glance(times: int, rate: float, threshold: Shift, back: Fraction) -> Glance:
    """Return a look at Gumbel noise, whose log-hazard is linear: `rate` is Δ by scale."""
    shares, risen = _share_arrays(threshold.steps, back)
    sizes = threshold.size * shares
    return Glance(times, 1, rate * risen, rate * (1 - shares), type(threshold), sizes)


@lru_cache(maxsize=64)  # a search for the largest rate asks for the same again and again
def _share_arrays(steps: int | None, back: Fraction) -> tuple[Array, Array]:
    shares = shares_of(steps, MOST_SHIFTS)
    return np.array([*map(float, shares)]), np.array([float(risen(one, back)) for one in shares])


def _one_way(times: int, step: float, threshold: Shift | None, level: float) -> float:
    """Log of δ where hazards move one way: with noise on the threshold they rise, by all of it."""
    if threshold is None:
        both = (log_excess_faster, log_excess_slower)
        return max(float(curve(times, step, np.array([level]))[0]) for curve in both)
    pair = shift_losses(threshold, DEEP)
    terms = np.exp(log_excess_faster(times, step, level - pair.losses)) * pair.masses
    return math.log(float(np.sum(terms)) + math.exp(pair.log_beyond) + sys.float_info.min)


@lru_cache(maxsize=256)
def best_budget(
    epsilon: Fraction,
    delta: Fraction,
    cutoff: int,
    *,
    threshold_noise: str,
    back: Fraction,
    steps: int,
    query_noise: str,
    query_weight: int = 1,
) -> Fraction:
    """Return the budget of the threshold with the least variance of both noises together.

    That is for runs that compare each query about once. The query noise counts so often as its
    weight says.
    """
    query, bar = (NOISES[name](Fraction(1)) for name in (query_noise, threshold_noise))
    budgets = epsilon, delta, cutoff
    look = partial(rough_step, *budgets, back=back, query_noise=query_noise, by_orders=True)

    def cost(log_budget: float) -> float:
        budget = short_fraction(math.exp(log_budget), BUDGET_DIGITS)
        moved = shift_of(threshold_noise, budget, steps)
        try:
            step = look(threshold=moved)
        except ParameterError:
            return math.inf
        query_variance = query.unit_variance * (float(1 + back) / step) ** 2
        return bar.unit_variance / float(budget) ** 2 + query_weight * query_variance

    low, high = math.log(epsilon * Fraction(1, 1000)), math.log(epsilon)
    if threshold_noise == "gaussian":
        low, high = low - 1, high + 1
    return short_fraction(math.exp(least(cost, low, high, 2e-3)[0]), BUDGET_DIGITS)


def rough_range(epsilon: Fraction, delta: Fraction, count: int) -> float:
    """Return about the range for which so many picks are (ε, δ)-DP, for δ > 0.

    Many lose what Gaussian noise does, shifted by κ/2 for each; and the pure theorem is safe.
    """
    level = float(epsilon)
    shift = rough_shift(level, checked_log_delta(delta))
    return max(level / count, 2 * shift / math.sqrt(count))
