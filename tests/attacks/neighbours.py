"""The exact privacy profile of a plan or law between two neighbouring inputs, whoever asks.

Also the search among small lists of scores, for mechanisms that take a whole list: where the
highest values win, and where a sparse vector run is a batch, with counts beside the labels or with
few items of a person.

A search puts its queries at positions around the bar, and tries the ways one person moves them. It
works on a coarse copy of the threshold noise and is free to be wrong: whatever it finds is computed
again with bounds before it is reported.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from overbar._check import Number
from overbar._numbers import number_text
from overbar.audit.profile import Array, Profile
from overbar.errors import ParameterError
from overbar.mechanisms import Plan
from overbar.noise import Gumbel
from tests.attacks.exact.between import Between as Inputs
from tests.attacks.exact.between import law_profile, side_by_side
from tests.attacks.exact.key_outcomes import KeyLaw
from tests.attacks.exact.run import Points, grid_points, log_negative, log_positive
from tests.attacks.strategies import Path, Strategy
from tests.attacks.twin_law import Law, RankedLaw, law_of, mirror

#: The search leaves out a mass of the threshold noise of about e^-SHALLOW.
SHALLOW = 40.0
#: The search looks at no more points of the threshold noise than this.
MOST_POINTS = 700


def coarse_points(law: Law, most: int = MOST_POINTS) -> Points:
    """Return the threshold noise on the grid, thinned out to a number of points.

    Continuous noise is floored: that is good enough to climb by.
    """
    points = grid_points(law.threshold, float(law.grid), SHALLOW, floored=law.continuous)
    points = mirror(points) if law.mirrored else points
    stride = math.ceil(points.steps.size / most)
    return Points(points.steps[::stride], points.log_masses[::stride] + math.log(stride))


def scales(law: Law) -> tuple[float, float]:
    """Return the scales of query and threshold noise in steps, at least a step and zero."""
    query = 0.0 if law.query is None else float(law.query.scale / law.grid)
    threshold = 0.0 if law.threshold is None else float(law.threshold.scale / law.grid)
    return max(query, 1.0), threshold


def path_gaps(law: Law, count: int) -> list[Fraction]:
    """Return gaps in steps: close together around zero, in halves of a step, and far apart beyond.

    Halves of a step show what a mechanism's rounding does.
    """
    near = [Fraction(i, 2) for i in range(-4, 5)]
    query, threshold = scales(law)
    far = 12 * (query + threshold)
    growing = np.geomspace(2.0, max(far, 8.0), max(2, (count - len(near)) // 2))
    beyond = {Fraction(round(g)) for g in growing.tolist()}
    return sorted({*near, *beyond, *(-g for g in beyond)})


def tree_gaps(law: Law, count: int) -> list[Fraction]:
    """Return gaps in steps where an answer is neither certain nor hopeless."""
    _, threshold = scales(law)
    if law.query is None:
        low, high = -1.0, 1.0
    else:
        low, high = (float(law.query.isf(p)) / float(law.grid) for p in (0.999, 1e-4))
    gaps = np.linspace(low - 4 * threshold, high + 4 * threshold, count)
    around = np.linspace(low, high, max(2, count // 2))
    return sorted({Fraction(round(g)) for g in [*gaps.tolist(), *around.tolist()]})


def moves(law: Law, thorough: bool = False) -> list[Fraction]:
    """Return how far one person may move a score: all the way or not at all, or also half."""
    amounts = {law.sensitivity, (law.reach // 2) * law.grid} if thorough else {law.sensitivity}
    return sorted({Fraction(0), *amounts, *(-amount for amount in amounts)})


def directions(law: Law, thorough: bool = False) -> list[list[Fraction]]:
    """Return the sets of moves that may go together: of one sign where queries are monotonic."""
    everything = moves(law, thorough)
    if not law.monotonic:
        return [everything]
    return [[m for m in everything if m >= 0], [m for m in everything if m <= 0]]


def log_tables(law: Law, scores: list[Fraction], points: Points) -> tuple[Array, Array]:
    """Return ln F and ln S of each score (rows) at each point of the threshold noise."""
    steps = np.array([law.steps(score) for score in scores], dtype=np.float64)
    gaps = law.level + points.steps[None, :] - steps[:, None]
    return log_negative(law, gaps), log_positive(law, gaps)


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries that may be asked: their scores on both data sets, and the logs of their chances.

    ``logs[side, answer]`` has a row for each query and a column for each point of the noise.
    """

    scores: list[tuple[Fraction, Fraction]]
    logs: Array

    @classmethod
    def of(
        cls, law: Law, positions: list[Fraction], moved: list[Fraction], points: Points
    ) -> Queries:
        """Tabulate queries at these positions, moved in each of these ways."""
        scores = [(score, score + move) for score in positions for move in moved]
        sides = [log_tables(law, list(side), points) for side in zip(*scores, strict=True)]
        return cls(scores, np.array(sides))


#: Scales of the bar's noise above which it matters no more.
FAR = 12

#: What the auditor takes apart.
Subject = Plan | Law | KeyLaw
#: Neighbouring inputs: two lists of scores, two tables, a path or a strategy.
Between = Inputs | Path | Strategy


class ScorePair(NamedTuple):
    """Two neighbouring lists of scores. It reads: scores on one data set | on its neighbour."""

    one: tuple[Fraction, ...]
    other: tuple[Fraction, ...]

    def __str__(self) -> str:
        return " | ".join(", ".join(map(number_text, side)) for side in self)


def exact_profile(
    subject: Subject, between: Between, *, threshold: Number = 0, release: str = "answers"
) -> Profile:
    """Compute what a run gives away, also to whoever asks along a path or by a strategy."""
    law = law_of(subject, threshold)
    if not isinstance(between, Path | Strategy):
        return law_profile(law, between, labels=release == "labels")
    if law.takes_a_list:
        raise ParameterError("between must be two lists of scores: this release takes a whole list")
    return Profile.between(*map(law.outcomes, between.asked(law)))


def list_pairs(law: Law, thorough: bool) -> Iterator[tuple[ScorePair, Profile]]:
    """Yield small neighbouring lists of scores, each with its profile."""
    outcomes = cache(law.outcomes)
    size = law.list_size
    for base, move in itertools.product(_bases(law, size, thorough), _moves(law, size)):
        one = tuple(law.level * law.grid + score for score in base)
        other = tuple(score + change for score, change in zip(one, move, strict=True))
        first, second = (tuple(map(law.steps, side)) for side in (one, other))
        profile = side_by_side(law, first, second, outcomes(first), outcomes(second))
        yield ScorePair(one, other), profile


def _bases(law: Law, size: int, thorough: bool) -> Iterator[tuple[Fraction, ...]]:
    """Yield scores from the highest down, as distances from the bar.

    Around the bar, and so far above it that only the others stand in one's way. A run that asks one
    by one has both in one list, and scores as far below: negatives tell where the bar is.
    """
    bar, query = law.threshold, law.query
    assert query is not None
    far = Fraction(math.ceil(FAR * (bar or query).scale))
    if not isinstance(law, RankedLaw):
        around = range(-2, 3) if thorough else range(-1, 2)
        places = {far, -far, *(step * law.sensitivity for step in around)}
        yield from itertools.combinations_with_replacement(sorted(places, reverse=True), size)
        return
    # Gumbel noise has no end, so that a noisy bar is known only from scores far on either side.
    gumbel = type(query) is Gumbel and bar is not None
    reach = range(-3, 4, 3 if gumbel else 1) if gumbel or thorough else range(-1, 2)
    lifts = [Fraction(0)] if bar is None or gumbel else [Fraction(0), far]
    bases = itertools.combinations_with_replacement(sorted(reach, reverse=True), size)
    for base, lift in itertools.product(bases, lifts):
        if law.has_bar or base[0] == reach[-1]:  # else scores that all move alike are the same
            yield tuple(lift + step * law.sensitivity for step in base)


def _moves(law: Law, size: int) -> list[tuple[Fraction, ...]]:
    most = size if law.items is None else law.items
    ways = {move for moves in directions(law) for move in itertools.product(moves, repeat=size)}
    return sorted(move for move in ways if 0 < sum(map(bool, move)) <= most)
