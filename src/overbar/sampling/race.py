"""The race: who turns positive first, over any number of rounds, with one draw per candidate.

A query that is asked again after every negative answer turns positive in round G ~ Geometric(S).
The whole run is then: sort by (G, position), take the first few. One draw per query replaces a
draw per query and round, and the law is identical, not approximate.

With V uniform, E = -ln(1 - V) and k = ln(E / H), G = ceil(e^k). The first bits of V bound k by
floats with a wide margin, and those not certain to be beaten (:mod:`overbar.sampling.shortlist`)
become Runners, to be ordered exactly. How long this takes depends on the gaps; the law of what
comes out does not depend on floats.

Theory: :doc:`/theory/appending`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from overbar.noise import Noise
from overbar.sampling.bounds import Floats, distance, levels, rank_bounds, rank_of, slack
from overbar.sampling.enclosure import check_exact
from overbar.sampling.entropy import Source, random_words, system
from overbar.sampling.integers import ROOM, Integers, as_array, exact_gaps, whole_numbers
from overbar.sampling.runner import Course, Runner
from overbar.sampling.shortlist import KEY_BITS, WORD_BITS, shortlist


class Ranks:
    """Candidates by the rank of G, the lowest first, in a race whose bar lies nearer."""

    def __init__(self, course: Course, scores: Integers, base: int, limit: float) -> None:
        self.scores, self._course, self._limit = scores, course, limit
        self._base = base - course.nearer

    def heights(
        self, places: NDArray[np.intp], words: NDArray[np.unsignedinteger], bits: int
    ) -> tuple[Floats, Floats]:
        """Bound minus the rank of G.

        Where the bar was moved, whoever is above the place it was moved for comes no later than
        from there, and nothing else is said.
        """
        noise, grid = self._course.noise, self._course.grid
        gaps = exact_gaps(self.scores[places], self._base)
        if not self._course.nearer:
            low, high = rank_bounds(noise, grid, gaps, words, bits)
            return -high, -low
        end = distance(noise, grid)
        if end > ROOM:
            gaps = gaps.astype(np.object_)
        low, high = rank_bounds(noise, grid, np.maximum(gaps, end), words, bits)
        return -high, np.where(gaps < end, np.inf, -low)

    def lowest(self, line: float, bits: int) -> Integers:
        """Return the lowest score that may have so low a rank, for each first word."""
        limit = min(-line, self._limit)
        return as_array(levels(self._course.noise, self._course.grid, self._base, limit, bits))


@np.errstate(all="ignore")  # what NumPy was told to raise must not depend on scores
def race_above(
    scores: Integers,
    base: int,
    *,
    count: int,
    noise: Noise,
    grid: Fraction,
    rounds: int | None = None,
    positions: NDArray[np.int64] | None = None,
    source: Source = system,
    word_bits: int = WORD_BITS,
) -> list[Runner]:
    """Return the first `count` candidates by (G, position) among those with G <= rounds, in order.

    Precondition: scores and base are in grid steps, and the gap of a score is base - score;
    positions, by default uniform words, are distinct; count >= 1; `rounds` is None for no limit.
    Should two random positions be equal, the candidate given first comes first.
    Postcondition: the G are independent and geometric with the chances S(gap), exactly.

    Exact because a candidate is dropped only if its G exceeds its limit, or if `count` others come
    before it, for certain; the bits it never drew, a random position among them, could not have
    changed that.
    """
    check_exact(noise)
    scores, limit = whole_numbers(scores), rank_of(rounds)
    far = rounds is None
    nearer = slack(scores, base, count, noise, grid) if far else 0
    course = Course(noise, grid, source, nearer)
    line = None if far else -limit
    found = shortlist(Ranks(course, scores, base, limit), count, line, source, word_bits)
    low, high = -found.most, -found.least
    if positions is None:
        order = random_words(len(low), KEY_BITS, source).astype(np.int64)
    else:
        order = positions[found.places]
    ahead = _ahead(low, high, order, count, limit)
    ahead = ahead[np.lexsort((order[ahead], low[ahead]))]
    gaps = [base - score for score in scores[found.places[ahead]].tolist()]
    columns = (order, found.places, found.words, low, high)
    rows = zip(gaps, *(column[ahead].tolist() for column in columns), strict=True)
    runners = [
        Runner(course, gap, position, place, word, word_bits, least, most)
        for gap, position, place, word, least, most in rows
    ]
    if rounds is not None:
        known = zip(runners, high[ahead].tolist(), strict=True)
        runners = [one for one, most in known if most <= limit or one.reaches(rounds)]
    return sorted(runners)[:count]


def _ahead(
    low: Floats, high: Floats, positions: NDArray[np.int64], count: int, limit: float
) -> NDArray[np.intp]:
    """Return who may be among the first `count` by (rank, position), of bounds on their ranks.

    The line is the count-th smallest of the pairs (high, position), of those within the limit.
    Whoever is left out has a higher rank, or the same and a later position: then every candidate
    that made the line comes before it.
    """
    within = np.flatnonzero((high <= limit) & np.isfinite(high))
    if len(within) < count:
        return np.flatnonzero(low <= limit)
    line = np.partition(high[within], count - 1)[count - 1]
    tied = positions[within][high[within] == line]
    place = count - 1 - np.count_nonzero(high[within] < line)
    last = np.partition(tied, place)[place]
    return np.flatnonzero((low < line) | ((low == line) & (positions <= last)))
