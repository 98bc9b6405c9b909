"""What is said where the highest noisy values win, and by counts beside labels, with bounds.

Noise on the grid is enumerated, for every score and for the bar, out to a mass of about e^-DEPTH.
What is beyond could be any outcome, so it is added to the upper end of each.

Gumbel noise is not on the grid. There a candidate arrives at a time that is exponential with rate
e^(score/scale), and the highest value arrives first; the bar is the time e^(-bar/scale). Let R_1 be
the rate of all, R_2 of all but the first, and so on. Arrivals in a given order, and nobody else in
time t, have the chance

    product of the rates of those who arrive · Σ_i e^(-R_i·t) / Π_{j ≠ i} (R_j - R_i),

with R = 0 for the last where the answer is full: whoever comes later is not asked.

A count tells two sides apart only by how likely it is on each. On the grid, noise of scale s has
chances proportional to e^(-c(n)/w): c(n) = |n| and w = s for Laplace, c(n) = n² and w = 2s² for
Gaussian noise. If the score moves by d steps, the log-ratio is (c(n - d) - c(n))/w, a whole number
over w, and for several counts these numbers add up. So values with the same sum are one outcome,
and nothing is lost. Where there are very many sums, neighbours are put together: that loses a
little, and what is found stays a lower bound.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from overbar._numbers import exact_text
from overbar.audit.profile import Array, Outcomes
from overbar.errors import ParameterError
from overbar.noise import Gumbel, Laplace, Noise
from tests.attacks.exact.run import Points, grid_points

if TYPE_CHECKING:
    from tests.attacks.exact.law import RankedLaw

#: Chances by places in the order found, with values where they are told; and their errors.
Chances = dict[Hashable, tuple[float, float]]
DEPTH = 30.0
#: More combinations of noises than this are not enumerated.
MOST_ROWS = 1 << 21
#: More than a chance can be off by, in units of the largest term of its sum.
TERM_ERROR = 1e-14


def ranked_outcomes(law: RankedLaw, scores: Sequence[int]) -> Outcomes:
    """Return lower and upper log-chances of all that can be said about scores in grid steps.

    What is not enumerated could be any outcome. It is never zero: what is too small for a float is
    not impossible.
    """
    grid, gumbel = float(law.grid), type(law.query) is Gumbel
    noise = grid_points(None if gumbel else law.query, grid, DEPTH)
    bar = law.bar_points(DEPTH)
    beyond = [math.exp(axis.log_below) + math.exp(axis.log_above) for axis in (noise, bar)]
    left_out = max(len(scores) * beyond[0] + beyond[1], math.ulp(0.0))
    chances = _by_arrival(law, scores, bar) if gumbel else _by_value(law, scores, noise, bar)
    bounds = {
        outcome: (_log(chance - error), _log(chance + error + left_out))
        for outcome, (chance, error) in chances.items()
    }
    return Outcomes(bounds, math.log(left_out))


def _log(chance: float) -> float:
    return math.log(chance) if chance > 0 else -math.inf


def _by_value(law: RankedLaw, scores: Sequence[int], noise: Points, bar: Points) -> Chances:
    """Enumerate all noises on the grid, and all orders of equal values."""
    axes = [*[noise] * len(scores), bar]
    if math.prod(axis.steps.size for axis in axes) > MOST_ROWS:
        raise ParameterError(
            f"grid must be so coarse that all noises of {len(scores)} scores can be enumerated, "
            f"got {exact_text(law.grid)}; audit a plan with a larger epsilon or a smaller cutoff, "
            "on the grid of its sensitivity"
        )
    *drawn, level = (mesh.ravel() for mesh in _mesh([axis.steps for axis in axes]))
    chances = np.exp(sum(mesh.ravel() for mesh in _mesh([axis.log_masses for axis in axes])))
    values = np.stack(drawn, axis=1) + np.asarray(scores)
    orders = list(itertools.permutations(range(len(scores))))
    summed: Chances = {}
    for order in orders:
        by_lot = np.broadcast_to(order, values.shape)
        places = np.lexsort((by_lot, -values), axis=1)[:, : law.cutoff]
        highest = np.take_along_axis(values, places, axis=1)
        passing = highest >= (law.level + level)[:, None] if law.has_bar else highest > -np.inf
        coded = places + 1
        if law.releases_value:
            coded = coded + len(scores) * (highest - values.min()).astype(np.int64)
        codes = np.where(passing, coded, 0) @ (int(coded.max()) + 1) ** np.arange(places.shape[1])
        _, first, kind = np.unique(codes, return_index=True, return_inverse=True)
        sums = np.bincount(kind, weights=chances) / len(orders)
        for row, chance in zip(first.tolist(), sums.tolist(), strict=True):
            names = places[row, passing[row]].tolist()
            if law.releases_value:
                names = zip(names, highest[row, passing[row]].astype(int).tolist(), strict=True)
            outcome = tuple(names)
            summed[outcome] = (summed.get(outcome, (0.0, 0.0))[0] + chance, 0.0)
    return summed


def _mesh(axes: list[Array]) -> Sequence[Array]:
    return np.meshgrid(*axes, indexing="ij")


def _by_arrival(law: RankedLaw, scores: Sequence[int], bar: Points) -> Chances:
    """Compute the chance of every order of Gumbel values, for each place of the bar."""
    assert law.query is not None
    assert law.cutoff is not None
    scale = float(law.query.scale / law.grid)
    rates = np.exp((np.asarray(scores, dtype=np.float64) - law.level) / scale)
    masses = np.exp(bar.log_masses)
    times = np.exp(-bar.steps / scale) if law.has_bar else np.full(1, np.inf)
    most = min(law.cutoff, len(scores))
    chances: Chances = {}
    for count in range(most + 1) if law.has_bar else [most]:
        for outcome in itertools.permutations(range(len(scores)), count):
            gone = [0.0, *np.cumsum(rates[list(outcome)]).tolist()]
            left = [float(rates.sum()) - sum_ for sum_ in gone]
            if count == most:
                left[-1] = 0.0
            if len(set(left)) < len(left):
                raise ParameterError(
                    "query_noise must be larger: floats do not tell these scores apart; audit a "
                    "plan with a smaller epsilon"
                )
            product = math.prod(rates[list(outcome)].tolist())
            terms = [
                product
                / math.prod(b - a for other, b in enumerate(left) if other != own)
                * np.exp(-a * times if a else 0 * masses)
                for own, a in enumerate(left)
            ]
            error = TERM_ERROR * float(np.abs(terms).sum(axis=0) @ masses)
            chances[outcome] = (float(np.sum(terms, axis=0) @ masses), error)
    return chances


#: More sums than this are put together.
MOST_SUMS = 200

#: Lower and upper log-chances.
Bounds = list[tuple[float, float]]


def with_counts(
    noise: Noise, grid: Fraction, one: Outcomes, other: Outcomes, moved: Mapping[Hashable, int]
) -> tuple[Outcomes, Outcomes]:
    """Return two distributions of labels with what their counts tell besides.

    That is the logarithm of how much likelier the counts are on the first side.
    """
    sides = Outcomes({}, one.left_out), Outcomes({}, other.left_out)
    for labels in dict.fromkeys([*one.chances, *other.chances]):
        sums, *counts = _sums(noise, grid, _distances(labels, moved))
        for alone, both, logs in zip((one, other), sides, counts, strict=True):
            if labels in alone.chances:
                low, high = alone.chances[labels]
                for ratio, (least, most) in zip(sums, logs, strict=True):
                    both.chances[labels, ratio] = (low + least, high + most)
    return sides


def _distances(labels: Any, moved: Mapping[Hashable, int]) -> tuple[int, ...]:
    """Return how far the scores of labels move; up or down is the same to symmetric noise.

    Where values come out too, each stands beside its label.
    """
    places = (label[0] if isinstance(label, tuple) else label for label in labels)
    return tuple(sorted(abs(moved[place]) for place in places if moved[place]))


@lru_cache(maxsize=256)
def _sums(
    noise: Noise, grid: Fraction, distances: tuple[int, ...]
) -> tuple[list[float], Bounds, Bounds]:
    """Return all sums, and lower and upper log-chances of each on either side."""
    points = grid_points(noise, float(grid), DEPTH)
    last, centre = int(points.steps[-1]), points.log_masses.max()
    scale = float(noise.scale / grid)
    beyond = len(distances) * (math.exp(points.log_below) + math.exp(points.log_above))
    sums, first, second = np.zeros(1), np.ones(1), np.ones(1)
    for distance in distances:
        steps = np.arange(-last, last + distance + 1, dtype=np.float64)
        if type(noise) is Laplace:
            own, moved = np.abs(steps) / scale, np.abs(steps - distance) / scale
        else:
            own, moved = ((at / scale) ** 2 / 2 for at in (steps, steps - distance))
        sums, first, second = _merged(
            np.add.outer(sums, moved - own),
            np.multiply.outer(first, np.exp(centre - own)),
            np.multiply.outer(second, np.exp(centre - moved)),
        )
    with np.errstate(divide="ignore"):
        logs = ((np.log(side), np.log(side + beyond)) for side in (first, second))
    one, other = (list(zip(low.tolist(), high.tolist(), strict=True)) for low, high in logs)
    return sums.tolist(), one, other


def _merged(sums: Array, first: Array, second: Array) -> tuple[Array, Array, Array]:
    """Add up the chances of equal sums, or of sums that are close where there are too many."""
    distinct, kinds = np.unique(np.round(sums.ravel(), 9), return_inverse=True)
    if distinct.size > MOST_SUMS:
        kinds = np.minimum(kinds * MOST_SUMS // distinct.size, MOST_SUMS - 1)
        distinct = np.bincount(kinds, weights=sums.ravel()) / np.bincount(kinds)
    one, other = (
        np.bincount(kinds, weights=side.ravel()).astype(np.float64) for side in (first, second)
    )
    return distinct, one, other
