"""How likely a score comes out that lies so far above or below. No data is needed.

**Above a threshold.** A candidate of score q reaches the bar with the chance

    p(q) = E_ρ[1 - F(T + r + ρ - q)^R],

computed on the grid on which releases happen. Whoever reaches it is found while places are left;
so if fewer than the cutoff come out, a candidate that is missing was below the bar. Nothing is
supposed about the others.

**The top.** One who leads all outside the top c by d has at worst c - 1 others far ahead, and all
n - c others at distance d: it is found with a chance of at least E_v[F(v + d)^(n-c)]. One who is d
behind all of the top c has at best all c just at distance d, and nobody else to beat: it comes out
with a chance of at most 1 - E_v[S(v - d)^c]. Both hold for any scores, and are reached. A
sparse vector run for the top draws its winners as Gumbel noise of the same scale does
(:doc:`/theory/appending`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.accuracy.plan import Plan
from overbar.errors import ParameterError, named
from overbar.noise import Gumbel, Noise
from overbar.noise.grid_tails import grid_tail
from overbar.noise.noise import Array

#: Places of noise that are looked at, and how far out, in scales.
PLACES, REACH = 20_000, 25
PRECISION = 64

#: From a whole number of grid steps to a chance.
Chance = Callable[[int], float]


class Chances(NamedTuple):
    """How likely one comes out who is so far above, and one who is so far below.

    For the top: at least so likely if one leads the first place outside by so much, and at most
    if one is so far behind the last place inside.
    """

    above: float
    below: float


@_check.known_keywords
def chances(plan: Plan, margin: Number, *, candidates: int | None = None) -> Chances:
    """Return how likely a score comes out that is a margin above the threshold, and below it.

    Parameters
    ----------
    plan : Plan
        What would be run. Redrawing the threshold noise, asking without end against a threshold
        and a limit on comparisons are not covered.
    margin : int, float, str, Fraction or Decimal
        How far the score is from the threshold; for the top, from the place to be beaten.
    candidates : int, optional
        How many candidates there are; only the top needs it.

    Returns
    -------
    Chances
        Both chances; while places are left, if there is a threshold.

    Raises
    ------
    ParameterError
        If the plan is not covered.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=50, monotonic=True, candidates=10_000)
    >>> [round(chance, 4) for chance in chances(plan, 157)]
    [0.9515, 0.0034]
    """
    distance = _check.non_negative("margin", margin)
    if reason := not_covered(plan):
        raise ParameterError(reason)
    if plan.for_top:
        leading, trailing = top_chances(plan, outside(plan, candidates))
        steps = math.floor(distance / plan.grid)
        return Chances(leading(steps), trailing(steps))
    passing = passing_chance(plan)
    up, down = (side * distance - plan.correction for side in (1, -1))
    return Chances(passing(math.floor(up / plan.grid)), passing(math.ceil(down / plan.grid)))


def not_covered(plan: Plan) -> str:
    """Return why nothing simple can be said about a plan; empty where it can."""
    repeats = plan.repeats
    if plan.for_top:
        again = repeats.rounds is not None or repeats.resample or repeats.max_queries
        what = "a top that is asked for in rounds" if plan.in_turn and again else ""
    elif repeats.resample:
        what = named("resample", True)
    elif repeats.max_queries is not None:
        what = named("max_queries")
    else:
        what = "runs that ask without end" if repeats.rounds is None else ""
    return f"accuracy is not predicted for {what}; simulate it instead" if what else ""


def outside(plan: Plan, candidates: int | None) -> int:
    """Return how many have no place in the top."""
    if candidates is None:
        raise ParameterError(f"{named('candidates')} must be given to predict accuracy of the top")
    return max(0, _check.whole("candidates", candidates) - plan.cutoff)


def passing_chance(plan: Plan) -> Chance:
    """Return the chance to reach the bar of who is so many grid steps above its public level."""
    noise, grid, rounds = plan.threshold_noise, plan.grid, plan.repeats.rounds or 1
    if plan.labels.hides_values:
        return lambda steps: float(grid_tail(plan.query_noise, grid, -steps, PRECISION).mid())
    places: Array = np.zeros(1)
    weights: Array = np.ones(1)
    if noise is not None:
        reach = math.ceil(REACH * float(noise.scale / grid))
        apart = max(1, math.ceil(2 * reach / PLACES))
        places = np.arange(-reach, reach + 1, apart, dtype=np.float64) * float(grid)
        weights = noise.pdf(places)
        weights /= weights.sum()

    def chance(steps: int) -> float:
        log_missed = plan.query_noise.logcdf(places - steps * float(grid))
        return float(-np.expm1(rounds * log_missed) @ weights)

    return chance


def top_chances(plan: Plan, rest: int) -> tuple[Chance, Chance]:
    """Return the least chance of who leads by so many steps, and the largest of who is behind."""
    noise, grid = _ranking_noise(plan), float(plan.grid)
    values = np.asarray(noise.quantile(_middles()))

    def leading(steps: int) -> float:
        return float(np.exp(rest * noise.logcdf(values + steps * grid)).mean())

    def trailing(steps: int) -> float:
        return 1 - float(np.exp(plan.cutoff * noise.logsf(values - steps * grid)).mean())

    return leading, trailing


def together_chance(plan: Plan, rest: int) -> Chance:
    """Return the least chance that all who lead the rest by so many steps are found.

    That is where all inside are level, and all outside too: the lowest of the one must be above
    the highest of the others.
    """
    noise, grid = _ranking_noise(plan), float(plan.grid)
    lowest = np.asarray(noise.quantile(-np.expm1(np.log1p(-_middles()) / plan.cutoff)))
    return lambda steps: float(np.exp(rest * noise.logcdf(lowest + steps * grid)).mean())


def _ranking_noise(plan: Plan) -> Noise:
    """Return the noise by which scores are ranked; picks one after the other are Gumbel noise."""
    return Gumbel(plan.query_noise.scale) if plan.in_turn else plan.query_noise


def _middles() -> Array:
    """Return the middles of equal parts of all chances."""
    middles: Array = (np.arange(PLACES) + 0.5) / PLACES
    return middles
