"""What is said where the highest noisy values win: all outcomes of a few scores, with bounds.

Noise on the grid is enumerated, for every score and for the bar, out to a mass of about e^-DEPTH.
What is beyond could be any outcome, so it is added to the upper end of each.

Gumbel noise is not on the grid. There a candidate arrives at a time that is exponential with rate
e^(score/scale), and the highest value arrives first; the bar is the time e^(-bar/scale). Let R_1 be
the rate of all, R_2 of all but the first, and so on. Arrivals in a given order, and nobody else in
time t, have the chance

    product of the rates of those who arrive · Σ_i e^(-R_i·t) / Π_{j ≠ i} (R_j - R_i),

with R = 0 for the last where the answer is full: whoever comes later is not asked.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from overbar._numbers import exact_text
from overbar.audit.exact.noise_points import Points, grid_points
from overbar.audit.exact.profile import Array, Outcomes
from overbar.errors import ParameterError
from overbar.noise import Gumbel

if TYPE_CHECKING:
    from overbar.audit.exact.law import RankedLaw

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
    bar = grid_points(law.threshold, grid, DEPTH)
    bar = bar.mirrored() if law.mirrored else bar
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
    by_score = -np.asarray(scores) if law.ties_by_score else np.zeros(len(scores))
    orders = list(itertools.permutations(range(len(scores))))
    summed: Chances = {}
    for order in orders:
        keys = [np.broadcast_to(key, values.shape) for key in (order, by_score)]
        places = np.lexsort((*keys, -values), axis=1)[:, : law.cutoff]
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
