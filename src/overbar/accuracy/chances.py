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
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.accuracy.plan import Chance, Labels, Plan
from overbar.errors import ParameterError, named
from overbar.noise import Noise
from overbar.noise.noise import Array

#: Places of noise that are looked at, and how far out, in scales.
PLACES, REACH = 20_000, 25


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
    labels = covered(plan)
    if labels.for_top:
        leading, trailing = top_chances(labels, outside(labels, candidates))
        steps = math.floor(distance / labels.grid)
        return Chances(leading(steps), trailing(steps))
    passing = labels.passing()
    up, down = (side * distance - labels.correction for side in (1, -1))
    return Chances(passing(math.floor(up / labels.grid)), passing(math.ceil(down / labels.grid)))


def covered(plan: Plan) -> Labels:
    """Return the part that gives labels; refuse one of which nothing simple can be said."""
    if reason := plan.labels.not_predicted:
        raise ParameterError(reason)
    return plan.labels


def outside(plan: Labels, candidates: int | None) -> int:
    """Return how many have no place in the top."""
    if candidates is None:
        raise ParameterError(f"{named('candidates')} must be given to predict accuracy of the top")
    return max(0, _check.whole("candidates", candidates) - plan.limit)


def passing_chance(noise: Noise, shared: Noise | None, grid: Fraction, rounds: int = 1) -> Chance:
    """Return the chance to reach the bar of who is so many grid steps above its public level."""
    places: Array = np.zeros(1)
    weights: Array = np.ones(1)
    if shared is not None:
        reach = math.ceil(REACH * float(shared.scale / grid))
        apart = max(1, math.ceil(2 * reach / PLACES))
        places = np.arange(-reach, reach + 1, apart, dtype=np.float64) * float(grid)
        weights = shared.pdf(places)
        weights /= weights.sum()

    def chance(steps: int) -> float:
        log_missed = noise.logcdf(places - steps * float(grid))
        return float(-np.expm1(rounds * log_missed) @ weights)

    return chance


def top_chances(plan: Labels, rest: int) -> tuple[Chance, Chance]:
    """Return the least chance of who leads by so many steps, and the largest of who is behind."""
    noise, grid = plan.ranking_noise, float(plan.grid)
    values = np.asarray(noise.quantile(_middles()))

    def leading(steps: int) -> float:
        return float(np.exp(rest * noise.logcdf(values + steps * grid)).mean())

    def trailing(steps: int) -> float:
        return 1 - float(np.exp(plan.limit * noise.logsf(values - steps * grid)).mean())

    return leading, trailing


def together_chance(plan: Labels, rest: int) -> Chance:
    """Return the least chance that all who lead the rest by so many steps are found.

    That is where all inside are level, and all outside too: the lowest of the one must be above
    the highest of the others.
    """
    noise, grid = plan.ranking_noise, float(plan.grid)
    lowest = np.asarray(noise.quantile(-np.expm1(np.log1p(-_middles()) / plan.limit)))
    return lambda steps: float(np.exp(rest * noise.logcdf(lowest + steps * grid)).mean())


def _middles() -> Array:
    """Return the middles of equal parts of all chances."""
    middles: Array = (np.arange(PLACES) + 0.5) / PLACES
    return middles
