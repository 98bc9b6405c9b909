"""From (ε, δ, c) to about the noise a race needs, and how to split the budget.

Functions of public numbers only. What comes out is a guess: whoever makes a plan of it looks from
there for the least noise that keeps what was asked for, by whichever theorem proves most.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from overbar._numbers import least, least_safe, rounded_up, short_fraction
from overbar.errors import ParameterError
from overbar.privacy.histogram import rough_shift
from overbar.privacy.partial_shift import rough_parts
from overbar.privacy.race import Race
from overbar.privacy.theorem import checked_log_delta, log_delta_from_renyi
from overbar.privacy.threshold_loss import GaussianShift, LaplaceShift, Shift

#: Unit variance of the query noises whose log-hazard is bounded; Gumbel's is tight here.
UNIT_VARIANCE = {"gumbel": math.pi**2 / 6, "laplace": 2.0}
#: Digits of a threshold budget, so that plans can be read; a flat optimum needs no more.
BUDGET_DIGITS = 4
#: From so many positives on, what orders lose is allowed for.
MANY = 10
#: Partial shifts that are tried for a guess, and how close it is to what each theorem says: with
#: fewer shifts, or less close, the best budget would lie in one of several valleys.
ROUGH_PARTS, ROUGH = 64, 1e-6


def shift_of(noise: str, budget: Fraction, steps: int) -> Shift | None:
    """Return the shift of threshold noise with this budget, sensitivity by scale; None for none.

    `steps` is the sensitivity in units of the grid.
    """
    if noise == "none":
        return None
    return (LaplaceShift if noise == "laplace" else GaussianShift)(rounded_up(budget), steps)


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
    race = Race(cutoff, 1.0, threshold, back == 0)
    shift = rough_shift(level, log_delta)
    lost = 0.0
    if cutoff >= MANY and not by_orders:
        lost = log_delta_from_renyi(lambda order: order * shift**2 / 2, level) - log_delta

    def by_race(width: float) -> float:
        run = replace(race, step=1 / width)
        if run.mixed:  # the best adversary allows a little more, and takes long
            return log_delta_from_renyi(run.renyi, level, run.part.largest_order) - log_delta - lost
        return run.log_delta(level) - log_delta

    def by_parts(width: float) -> float:
        assert threshold is not None
        rate = 1 / width / float(1 + back)
        parts = rough_parts(cutoff, rate, threshold, back, ROUGH_PARTS)
        return float(np.min(parts.log_delta(level)[0])) - log_delta - lost / 2

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
    unit_variance = 2.0 if threshold_noise == "laplace" else 1.0
    factor = float(1 + back)

    def cost(log_budget: float) -> float:
        budget = short_fraction(math.exp(log_budget), BUDGET_DIGITS)
        moved = shift_of(threshold_noise, budget, steps)
        try:
            step = rough_step(
                epsilon,
                delta,
                cutoff,
                threshold=moved,
                back=back,
                query_noise=query_noise,
                by_orders=True,
            )
        except ParameterError:
            return math.inf
        query_variance = UNIT_VARIANCE[query_noise] * (factor / step) ** 2
        return unit_variance / float(budget) ** 2 + query_weight * query_variance

    low, high = math.log(epsilon * Fraction(1, 1000)), math.log(epsilon)
    if threshold_noise == "gaussian":
        low, high = low - 1, high + 1
    return short_fraction(math.exp(least(cost, low, high, 2e-3)[0]), BUDGET_DIGITS)
