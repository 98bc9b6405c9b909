"""From (ε, δ, c) to about the noise a race needs, and how to split the budget.

Functions of public numbers only. What comes out is a guess: whoever makes a plan of it looks from
there for the least noise that keeps what was asked for, by whichever theorem proves most.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache

from overbar._numbers import least, rounded_up, safe_end, short_fraction
from overbar.accounting.partial_shift import gumbel_parts
from overbar.accounting.race import Race
from overbar.accounting.theorem import checked_log_delta, log_delta_from_renyi
from overbar.accounting.threshold_loss import GaussianShift, LaplaceShift, Shift
from overbar.errors import ParameterError

#: Unit variance of the query noises whose log-hazard is bounded; Gumbel's is tight here.
UNIT_VARIANCE = {"gumbel": math.pi**2 / 6, "laplace": 2.0}
#: Digits of a threshold budget, so that plans can be read; a flat optimum needs no more.
BUDGET_DIGITS = 4
#: Partial shifts that are tried for a guess, and how close it is to what each theorem says.
ROUGH_PARTS, ROUGH = 16, 1e-4


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
) -> float:
    """Return about the largest hazard step of queries for which a run is (ε, δ)-DP.

    Over the width of what one person moves with threshold noise, over the sensitivity without;
    `back` is how far one person moves scores the other way, by the sensitivity.
    """
    level, log_delta = float(epsilon), checked_log_delta(delta)
    race = Race(cutoff, 1.0, threshold, back == 0)

    def by_race(step: float) -> float:
        run = replace(race, step=step)
        if run.mixed:  # the best adversary allows a little more, and takes long
            return log_delta_from_renyi(run.renyi, level, run.part.largest_order) - log_delta
        return run.log_delta(level) - log_delta

    safe, smallest = level / math.sqrt(cutoff * max(1.0, -2 * log_delta)), level / cutoff * 1e-9
    while by_race(safe) > 0:
        safe /= 2
        if safe < smallest:
            raise ParameterError(
                "the threshold noise alone uses up epsilon and delta; give it a larger scale"
            )
    step, unsafe = safe, safe
    while by_race(unsafe) <= 0:
        step, unsafe = unsafe, unsafe * 1.5
    step = safe_end(cache(by_race), step, unsafe, ROUGH)
    if threshold is None or query_noise != "gumbel":
        return step
    factor = float(1 + back)

    def by_parts(step: float) -> float:
        shifts = gumbel_parts(cutoff, step / factor, threshold, back, most=ROUGH_PARTS)
        return shifts.rough_log_delta(level) - log_delta

    return _about_zero(by_parts, step) if by_parts(step) <= 0 else step


def _about_zero(excess: Callable[[float], float], low: float) -> float:
    """Return about where a function that rises is zero, from a place on where it is below."""
    below = excess(low)
    while (above := excess(high := low * 1.5)) <= 0:
        low, below = high, above
    for _ in range(5):  # false position, with the end that stays counted half (Illinois)
        middle = low + (high - low) * below / (below - above)
        value = excess(middle)
        if value <= 0:
            low, below, above = middle, value, above / 2
        else:
            high, above, below = middle, value, below / 2
    return low + (high - low) * below / (below - above)


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
                epsilon, delta, cutoff, threshold=moved, back=back, query_noise=query_noise
            )
        except ParameterError:
            return math.inf
        query_variance = UNIT_VARIANCE[query_noise] * (factor / step) ** 2
        return unit_variance / float(budget) ** 2 + query_weight * query_variance

    low, high = math.log(epsilon * Fraction(1, 1000)), math.log(epsilon)
    if threshold_noise == "gaussian":
        low, high = low - 1, high + 1
    return short_fraction(math.exp(least(cost, low, high, 2e-3)[0]), BUDGET_DIGITS)
