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
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from overbar._numbers import exact_text, short_text
from overbar.audit.exact.law import RankedLaw, on_grid
from overbar.audit.exact.profile import Profile
from overbar.audit.exact.search_grid import directions
from overbar.audit.exact.threshold_points import Array, Points, grid_points
from overbar.errors import ParameterError
from overbar.noise import Gumbel

#: Places in the order found, with values where they are told.
Outcome = tuple[tuple[int, int] | int, ...]
Outcomes = dict[Any, tuple[float, float]]
DEPTH = 30.0
#: More combinations of noises than this are not enumerated.
MOST_ROWS = 1 << 21
#: Scales of the bar's noise above which it matters no more.
FAR = 12
#: More than a chance can be off by, in units of the largest term of its sum.
TERM_ERROR = 1e-14


class ScorePair(NamedTuple):
    """Two neighbouring lists of scores. It reads: scores on one data set | on its neighbour."""

    one: tuple[Fraction, ...]
    other: tuple[Fraction, ...]

    def __str__(self) -> str:
        return " | ".join(", ".join(map(short_text, side)) for side in self)


def ranked_profile(law: RankedLaw, one: Sequence[int], other: Sequence[int]) -> Profile:
    """Return what is given away between two lists of scores in grid steps."""
    return between(law, ranked_outcomes(law, one), ranked_outcomes(law, other), len(one))


def ranked_pairs(law: RankedLaw, thorough: bool) -> Iterator[tuple[ScorePair, Profile]]:
    """Yield small neighbouring lists of scores, each with its profile.

    Around the bar, and so far above it that only the others stand in one's way.
    """
    known = cache(lambda steps: ranked_outcomes(law, steps))
    size, bar = _size(law), law.threshold
    # Gumbel noise has no end, so that a noisy bar is known only from scores far on either side.
    gumbel = type(law.query) is Gumbel and bar is not None
    reach = range(-3, 4, 3 if gumbel else 1) if gumbel or thorough else range(-1, 2)
    lifts = [0] if bar is None or gumbel else [0, math.ceil(FAR * bar.noise.scale)]
    bases = itertools.combinations_with_replacement(sorted(reach, reverse=True), size)
    for base, lift, move in itertools.product(bases, lifts, _moves(law, size)):
        if not law.has_bar and base[0] < reach[-1]:
            continue  # without a bar scores that all move alike are the same
        one = tuple(law.level * law.grid + lift + step * law.sensitivity for step in base)
        other = tuple(score + change for score, change in zip(one, move, strict=True))
        first, second = (known(tuple(map(law.steps, side))) for side in (one, other))
        yield ScorePair(one, other), between(law, first, second, size)


def between(law: RankedLaw, one: Outcomes, other: Outcomes, size: int) -> Profile:
    """Return the profile between two distributions of at most so many scores each."""
    return Profile.between(one, other, left_out=_log(_left_out(law, size)))


def _size(law: RankedLaw) -> int:
    """Return how many scores are looked at: enough for a full answer and, if cheap, one more."""
    assert law.cutoff is not None
    if type(law.query) is Gumbel:
        return 4
    return max(2, min(3, law.cutoff + (not law.has_bar)) if not law.releases_value else 2)


def _moves(law: RankedLaw, size: int) -> list[tuple[Fraction, ...]]:
    most = size if law.items is None else law.items
    ways = {move for moves in directions(law) for move in itertools.product(moves, repeat=size)}
    return sorted(move for move in ways if 0 < sum(map(bool, move)) <= most)


def _points(law: RankedLaw) -> tuple[Points, Points]:
    """Return the noise of one score and of the bar."""
    assert law.query is not None
    grid = float(law.grid)
    gumbel = type(law.query) is Gumbel
    noise = grid_points(None if gumbel else on_grid(law.query), grid, DEPTH)
    return noise, grid_points(law.threshold, grid, DEPTH)


def _left_out(law: RankedLaw, size: int) -> float:
    noise, bar = _points(law)
    beyond = [math.exp(axis.log_below) + math.exp(axis.log_above) for axis in (noise, bar)]
    return size * beyond[0] + beyond[1]


def _log(chance: float) -> float:
    return math.log(chance) if chance > 0 else -math.inf


def ranked_outcomes(law: RankedLaw, scores: Sequence[int]) -> Outcomes:
    """Return lower and upper log-chances of all that can be said about scores in grid steps."""
    chances = _by_arrival(law, scores) if type(law.query) is Gumbel else _by_value(law, scores)
    beyond = _left_out(law, len(scores))
    return {
        said: (_log(chance - error), _log(chance + error + beyond))
        for said, (chance, error) in chances.items()
    }


def _by_value(law: RankedLaw, scores: Sequence[int]) -> dict[Outcome, tuple[float, float]]:
    """Enumerate all noises on the grid, and all orders of equal values."""
    noise, bar = _points(law)
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
    found: dict[Outcome, tuple[float, float]] = {}
    for order in orders:
        keys = [np.broadcast_to(key, values.shape) for key in (order, by_score)]
        places = np.lexsort((*keys, -values), axis=1)[:, : law.cutoff]
        highest = np.take_along_axis(values, places, axis=1)
        passing = highest >= (law.level + level)[:, None] if law.has_bar else highest > -np.inf
        said = places + 1
        if law.releases_value:
            said = said + len(scores) * (highest - values.min()).astype(np.int64)
        codes = np.where(passing, said, 0) @ (int(said.max()) + 1) ** np.arange(places.shape[1])
        _, first, kind = np.unique(codes, return_index=True, return_inverse=True)
        sums = np.bincount(kind, weights=chances) / len(orders)
        for row, chance in zip(first.tolist(), sums.tolist(), strict=True):
            names = places[row, passing[row]].tolist()
            told = highest[row, passing[row]].astype(int).tolist()
            outcome = tuple(zip(names, told, strict=True)) if law.releases_value else tuple(names)
            found[outcome] = (found.get(outcome, (0.0, 0.0))[0] + chance, 0.0)
    return found


def _mesh(axes: list[Array]) -> Sequence[Array]:
    return np.meshgrid(*axes, indexing="ij")


def _by_arrival(law: RankedLaw, scores: Sequence[int]) -> dict[Outcome, tuple[float, float]]:
    """Compute the chance of every order of Gumbel values, for each place of the bar."""
    assert law.query is not None
    assert law.cutoff is not None
    scale = float(law.query.scale / law.grid)
    rates = np.exp((np.asarray(scores, dtype=np.float64) - law.level) / scale)
    _, bar = _points(law)
    masses = np.exp(bar.log_masses)
    times = np.exp(-bar.steps / scale) if law.has_bar else np.full(1, np.inf)
    most = min(law.cutoff, len(scores))
    found: dict[Outcome, tuple[float, float]] = {}
    for count in range(most + 1) if law.has_bar else [most]:
        for outcome in itertools.permutations(range(len(scores)), count):
            gone = [0.0, *np.cumsum(rates[list(outcome)]).tolist()]
            left = [float(rates.sum()) - sum_ for sum_ in gone]
            if count == most:
                left[-1] = 0.0
            product = math.prod(rates[list(outcome)].tolist())
            terms = [
                product
                / math.prod(b - a for other, b in enumerate(left) if other != own)
                * np.exp(-a * times if a else 0 * masses)
                for own, a in enumerate(left)
            ]
            error = TERM_ERROR * float(np.abs(terms).sum(axis=0) @ masses)
            found[outcome] = (float(np.sum(terms, axis=0) @ masses), error)
    return found
