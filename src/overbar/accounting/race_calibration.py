"""From (ε, δ, c) to the noise a race needs: the largest hazard step, and how to split the budget.

Functions of public numbers only. Each answer is re-evaluated and lies on the safe side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache, partial

from overbar import _check
from overbar._numbers import least, rounded_up, safe_end, short_fraction
from overbar.accounting.partial_shift import PartialShift, gumbel_parts
from overbar.accounting.race import Race
from overbar.accounting.theorem import checked_log_delta
from overbar.accounting.threshold_loss import GaussianShift, LaplaceShift, Shift
from overbar.errors import NoGuaranteeError, ParameterError

#: Unit variance of the query noises whose log-hazard is bounded; Gumbel's is tight here.
UNIT_VARIANCE = {"gumbel": math.pi**2 / 6, "laplace": 2.0}
#: Share of ε that the threshold gets when only the step counts.
SMALLEST_SHARE = Fraction(1, 50)
#: Digits of a threshold budget, so that plans can be read; a flat optimum needs no more.
BUDGET_DIGITS = 4
#: Partial shifts that are tried while splits are compared.
ROUGH_PARTS = 16


@dataclass(frozen=True)
class Split:
    """How a budget is divided.

    ``threshold_budget`` is sensitivity/scale of the threshold noise (ε₁ for Laplace, μ for
    Gaussian, zero for none), exact. ``step`` is the hazard step the queries may use, over the
    query shift with threshold noise and over the sensitivity without; for Gumbel noise it is
    linear in the shift. The larger, the more accurate.
    """

    threshold_noise: str
    threshold_budget: Fraction
    step: float


def largest_hazard_step(
    epsilon: _check.Number,
    delta: _check.Number,
    cutoff: int,
    *,
    threshold: Shift | None,
    back: Fraction,
) -> float:
    """Return the largest hazard step found for which a run is (ε, δ)-DP.

    A larger step dominates a smaller one (it can be post-processed into it), so δ grows with the
    step and a bracket suffices. The answer satisfies δ(ε) <= δ and ε(δ) <= ε when re-evaluated.
    """
    level = -rounded_up(-_check.positive("epsilon", epsilon))
    log_delta = checked_log_delta(delta)
    _check.whole("cutoff", cutoff)
    if log_delta == -math.inf:
        return _pure_step(level, cutoff, threshold)
    # A hair less than was asked for, so that finding ε again, to its own tolerance, stays below.
    return _solve(level * (1 - 1e-10), log_delta, Race(cutoff, 1.0, threshold, back == 0), 1e-11)


def largest_rate(
    epsilon: _check.Number,
    delta: _check.Number,
    cutoff: int,
    *,
    threshold: Shift,
    back: Fraction,
) -> float:
    """Return the largest sensitivity/scale of Gumbel query noise found for a run to be (ε, δ)-DP.

    `back` is how far one person moves scores the other way, by the sensitivity. By the companion
    theorem or by :mod:`overbar.accounting.partial_shift`, whichever allows more.
    """
    level = -rounded_up(-_check.positive("epsilon", epsilon))
    log_delta = checked_log_delta(delta)
    step = largest_hazard_step(epsilon, delta, cutoff, threshold=threshold, back=back)
    whole = step / float(1 + back)
    if log_delta == -math.inf:
        return whole
    # The grid of a profile may come out otherwise where a plan rounds its scale.
    near, race = level * (1 - 1e-7), Race(cutoff, 1.0, threshold, back == 0)

    def shifts(rate: float) -> PartialShift:
        return gumbel_parts(cutoff, rate, threshold, back)

    @cache
    def excess(rate: float, place: int) -> float:
        return PartialShift((shifts(rate).parts[place],)).log_delta(near) - log_delta

    rate, rates = _rough_rate(level, log_delta, race, back), dict[int, float]()
    while (place := shifts(rate).looks_best(near)) not in rates:  # which depends on the rate
        while excess(rate, place) > 0:
            rate *= 0.9
        rate = rates[place] = _widened(partial(excess, place=place), rate, 1e-9, 1.03)
    # With all parts to choose from others may look best, and ε at δ must be found again as well.
    rate, less = max(rates.values()), 1e-4
    while rate > whole:
        bound = shifts(rate)
        if bound.log_delta(near) <= log_delta and bound.epsilon(log_delta) <= near:
            return rate
        rate, less = rate * (1 - less), 2 * less
    return whole


def _rough_rate(level: float, log_delta: float, race: Race, back: Fraction) -> float:
    """Return about the largest rate: enough to compare splits by."""
    threshold = race.threshold
    assert threshold is not None

    def excess(rate: float) -> float:
        shifts = gumbel_parts(race.cutoff, rate, threshold, back, most=ROUGH_PARTS)
        return shifts.rough_log_delta(level) - log_delta

    low = whole = _solve(level, log_delta, race, 1e-4) / float(1 + back)
    below = excess(low)
    if below > 0:
        return whole
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


def _solve(level: float, log_delta: float, race: Race, tolerance: float) -> float:
    """Return a step that is safe and within a relative tolerance of one that is not."""

    @cache
    def excess(step: float) -> float:
        return replace(race, step=step).log_delta(level) - log_delta

    safe = level / math.sqrt(race.cutoff * max(1.0, -2 * log_delta)) / 2
    smallest = level / race.cutoff * 1e-9
    while excess(safe) > 0:
        safe /= 2
        if safe < smallest:
            raise ParameterError(
                "the threshold noise alone uses up epsilon and delta; give it a larger scale"
            )
    return _widened(excess, safe, tolerance)


def _widened(
    excess: Callable[[float], float], safe: float, tolerance: float, grown: float = 1.5
) -> float:
    """Go up from a safe value to one that is not, and narrow the bracket."""
    unsafe = safe
    while excess(unsafe) <= 0:
        safe, unsafe = unsafe, unsafe * grown
    return safe_end(excess, safe, unsafe, tolerance)


def _pure_step(epsilon: float, cutoff: int, threshold: Shift | None) -> float:
    if not isinstance(threshold, LaplaceShift):
        raise NoGuaranteeError(
            "without Laplace noise on the threshold there is no pure guarantee; allow a "
            "positive delta"
        )
    if threshold.epsilon >= epsilon:
        raise ParameterError("the threshold noise alone uses up epsilon; give it a larger scale")
    return (epsilon - threshold.epsilon) / cutoff * (1 - 1e-15)


@lru_cache(maxsize=256)
def best_split(
    epsilon: Fraction,
    delta: Fraction,
    cutoff: int,
    *,
    threshold_noise: str = "laplace",
    back: Fraction,
    steps: int | None = None,
    objective: str = "variance",
    query_noise: str = "gumbel",
    query_weight: int = 1,
) -> Split:
    """Find how much of a budget the threshold should get.

    ``objective="variance"``: the least variance of threshold noise plus query noise, for runs
    that compare each query about once; the query noise counts so often as its weight says.
    ``objective="step"``: the largest step. That one alone has
    no interior optimum, since every bit taken from the threshold goes to the queries; it is what
    counts when queries are asked many times, and the threshold then gets SMALLEST_SHARE of ε.
    ``steps`` is the sensitivity in units of the grid; None for the continuum, which is a little
    better than any grid and not what a release draws. Gumbel noise may shift in part.
    """
    total = _check.positive("epsilon", epsilon)
    _check.choice("threshold_noise", threshold_noise, ("laplace", "gaussian", "none"))
    _check.choice("objective", objective, ("variance", "step"))
    _check.choice("query_noise", query_noise, UNIT_VARIANCE)
    factor = float(1 if threshold_noise == "none" else 1 + back)

    def shift(budget: Fraction) -> Shift:
        kind = LaplaceShift if threshold_noise == "laplace" else GaussianShift
        return kind(rounded_up(budget), steps)

    def split(budget: Fraction) -> Split:
        moved = shift(budget) if budget else None
        if moved is not None and query_noise == "gumbel":
            rate = largest_rate(total, delta, cutoff, threshold=moved, back=back)
            return Split(threshold_noise, budget, rate * factor)
        step = largest_hazard_step(total, delta, cutoff, threshold=moved, back=back)
        return Split(threshold_noise, budget, step)

    if threshold_noise == "none":
        return split(Fraction(0))
    if objective == "step":
        return split(total * SMALLEST_SHARE)
    unit_variance = 2.0 if threshold_noise == "laplace" else 1.0
    level, log_delta = float(total), checked_log_delta(delta)

    def rate(moved: Shift) -> float:
        if log_delta == -math.inf:
            return _pure_step(level, cutoff, moved) / factor
        race = Race(cutoff, 1.0, moved, back == 0)
        if query_noise == "gumbel":
            return _rough_rate(level, log_delta, race, back)
        return _solve(level, log_delta, race, 1e-6) / factor

    def cost(log_budget: float) -> float:
        budget = short_fraction(math.exp(log_budget), BUDGET_DIGITS)
        try:
            query_variance = UNIT_VARIANCE[query_noise] / rate(shift(budget)) ** 2
        except ParameterError:
            return math.inf
        return unit_variance / float(budget) ** 2 + query_weight * query_variance

    low, high = math.log(total * Fraction(1, 1000)), math.log(total)
    if threshold_noise == "gaussian":
        low, high = low - 1, high + 1
    return split(short_fraction(math.exp(least(cost, low, high, 2e-3)[0]), BUDGET_DIGITS))
