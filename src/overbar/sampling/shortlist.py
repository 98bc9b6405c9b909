"""Which of many candidates may be among the highest, from the first bits of the number of each.

Each candidate has a secret uniform number U, and the smaller that is, the higher it stands. The
first 8 bits of each U bound how high from both sides, and one comparison of whole numbers drops all
that lie below a line that enough others reach. The few left over reveal 64 bits, and are bounded
once more. Nothing is rounded towards a winner: whoever is dropped is beaten by `count` others for
certain, so the bits that it never drew could not have changed who wins.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from overbar.errors import SecrecyError
from overbar.sampling.entropy import Source, random_words
from overbar.sampling.integers import HIGHEST, Integers, sieve

WORD_BITS = 64
GLANCE_BITS = 8
#: So few candidates are all looked at closely: no more than there are levels to make.
FEW = 1 << GLANCE_BITS
#: Bits of what decides between equals: they fit in an int64.
KEY_BITS = 63


class Field(Protocol):
    """Candidates, and how high each stands as a function of its U: a whole number, or bounds."""

    scores: Integers

    def heights(
        self, places: NDArray[np.intp], words: NDArray[np.unsignedinteger], bits: int
    ) -> tuple[Integers, Integers]:
        """Bound how high candidates stand, given the first `bits` bits of their U.

        If all of them are 0, what is said to be the most means nothing; if all are 1, the least.
        """

    def lowest(self, line: Any, bits: int) -> Integers:
        """Return, for each first word of U, a score below which nobody reaches the line."""


class Shortlist(NamedTuple):
    """Candidates by their places, the first bits of their U, and bounds on how high they stand.

    Where all bits are 0 or 1, one bound means nothing.
    """

    places: NDArray[np.intp]
    words: NDArray[np.uint64]
    least: Integers
    most: Integers

    def __repr__(self) -> str:
        return "Shortlist (hidden)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError("a shortlist holds secret numbers: it cannot be pickled or copied")


def shortlist(
    field: Field, count: int, line: Any, source: Source, word_bits: int = WORD_BITS
) -> Shortlist:
    """Return all that may be among the `count` highest, and at the line or above if there is one.

    Precondition: count >= 1. Whoever stands as high as the last of these is kept.
    """
    scores, first = field.scores, min(GLANCE_BITS, word_bits)
    glance = random_words(len(scores), first, source)
    places = None
    if scores.dtype == np.int64 and len(scores) > FEW:
        # A line that `count` candidates of a sample reach is one that `count` of all reach.
        size = max(8 * math.isqrt(len(scores)), 32 * count)
        some = np.arange(0, len(scores), max(1, len(scores) // size))
        some = some[glance[some] != (1 << first) - 1]  # of the others no lower bound is known
        line = _line(field.heights(some, glance[some], first)[0], count, line)
        if line is not None:
            lowest = field.lowest(line, first)
            places, _ = sieve(scores, glance, lowest, np.full(len(lowest), HIGHEST))

    places = np.arange(len(scores)) if places is None else places
    more = random_words(len(places), word_bits - first, source).astype(np.uint64)
    words = glance[places].astype(np.uint64) << np.uint64(word_bits - first) | more
    least, most = field.heights(places, words, word_bits)
    sunk, open_ = words == (1 << word_bits) - 1, words == 0
    line = _line(least[~sunk] if sunk.any() else least, count, line)
    if line is None:
        return Shortlist(places, words, least, most)
    kept = np.flatnonzero(open_ | (most >= line).astype(np.bool_))
    return Shortlist(places[kept], words[kept], least[kept], most[kept])


def _line(least: Integers, count: int, known: Any) -> Any:
    """Return a line below which nobody can win: `count` reach it for certain, or it is given."""
    if len(least) < count:
        return known
    place = len(least) - count
    (reached,) = np.partition(least, place)[place : place + 1].tolist()
    return reached if known is None else max(reached, known)
