"""Mechanisms that take a whole list of scores: what comes out of two neighbouring lists.

Where the highest values win, and where a sparse vector run is a batch: with counts beside the
labels, or with few items of a person.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from overbar._numbers import short_text
from overbar.audit.exact.count_outcomes import with_counts
from overbar.audit.exact.law import Law, RankedLaw
from overbar.audit.exact.profile import Profile
from overbar.audit.exact.ranked_outcomes import Outcomes, left_out, ranked_outcomes
from overbar.audit.exact.search_grid import directions
from overbar.audit.exact.transcripts import labels
from overbar.noise import Gumbel

#: Scales of the bar's noise above which it matters no more.
FAR = 12
#: Lists of a sparse vector run have at most so many scores.
LONGEST = 4


class ScorePair(NamedTuple):
    """Two neighbouring lists of scores. It reads: scores on one data set | on its neighbour."""

    one: tuple[Fraction, ...]
    other: tuple[Fraction, ...]

    def __str__(self) -> str:
        return " | ".join(", ".join(map(short_text, side)) for side in self)


def list_profile(law: Law, one: Sequence[int], other: Sequence[int]) -> Profile:
    """Return what is given away between two lists of scores in grid steps."""
    return between(law, list_outcomes(law, one), list_outcomes(law, other), _moved(one, other))


def list_outcomes(law: Law, scores: Sequence[int]) -> Outcomes:
    """Return lower and upper log-chances of the labels, and values, that can come out."""
    return ranked_outcomes(law, scores) if isinstance(law, RankedLaw) else {**labels(law, scores)}


def between(law: Law, one: Outcomes, other: Outcomes, moved: Mapping[Hashable, int]) -> Profile:
    """Return the profile between two distributions, with the counts of labels that `moved` so."""
    beyond = math.log(left_out(law, len(moved))) if isinstance(law, RankedLaw) else -math.inf
    certified = law.certified and not law.releases_value and law.counts is None
    if law.counts is not None:
        one, other = with_counts(law.counts, law.grid, one, other, moved)
    return Profile.between(one, other, certified, beyond)


def _moved(one: Sequence[int], other: Sequence[int]) -> dict[Hashable, int]:
    return dict(enumerate(after - before for before, after in zip(one, other, strict=True)))


def list_pairs(law: Law, thorough: bool) -> Iterator[tuple[ScorePair, Profile]]:
    """Yield small neighbouring lists of scores, each with its profile."""
    known = cache(lambda steps: list_outcomes(law, steps))
    size = list_size(law)
    for base, move in itertools.product(_bases(law, size, thorough), _moves(law, size)):
        one = tuple(law.level * law.grid + score for score in base)
        other = tuple(score + change for score, change in zip(one, move, strict=True))
        first, second = (tuple(map(law.steps, side)) for side in (one, other))
        profile = between(law, known(first), known(second), _moved(first, second))
        yield ScorePair(one, other), profile


def list_size(law: Law) -> int:
    """Return how many scores are looked at: enough for a full answer and, if cheap, one more."""
    assert law.cutoff is not None
    if not isinstance(law, RankedLaw):
        return min(LONGEST, law.cutoff + 1)
    if type(law.query) is Gumbel:
        return LONGEST
    return max(2, min(3, law.cutoff + (not law.has_bar)) if not law.releases_value else 2)


def unseen(law: Law) -> str:
    """Say what of a law is not looked at; nothing where short lists show all that can be told.

    Of a histogram a person moves so many values, whatever else comes out. Elsewhere it is a full
    answer that costs most; one score more is beaten, or tells where the bar is, unless a bar of its
    own decides about each value.
    """
    if not law.takes_a_list or law.cutoff is None:
        return ""
    size = list_size(law)
    if law.releases_value and law.items is not None:
        return f"more than {size} items of one person" if law.items > size else ""
    longest = size if isinstance(law, RankedLaw) and law.has_bar else size - 1
    return f"answers of more than {longest}" if law.cutoff > longest else ""


def _bases(law: Law, size: int, thorough: bool) -> Iterator[tuple[Fraction, ...]]:
    """Yield scores from the highest down, as distances from the bar.

    Around the bar, and so far above it that only the others stand in one's way. A run that asks one
    by one has both in one list, and scores as far below: negatives tell where the bar is.
    """
    bar, query = law.threshold, law.query
    assert query is not None
    far = Fraction(math.ceil(FAR * (query if bar is None else bar.noise).scale))
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
