"""The highest of many noisy values, each drawn once, and noisy values by themselves.

The value of a candidate is its score plus noise on the grid (:mod:`overbar.sampling.on_grid`); the
highest values win, equal ones by a random key. Floats bound the noise with a wide margin, and where
that leaves more than one whole number open, further bits and ball arithmetic decide. So the law of
what comes out does not depend on floats; how long it takes depends on the scores.

Theory: :doc:`/theory/ranked`, :doc:`/theory/histogram`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from overbar.errors import SecrecyError
from overbar.noise import Gaussian, Laplace
from overbar.sampling.entropy import Source, random_words, system
from overbar.sampling.integers import LOWEST, Integers, exact_sums, whole_numbers
from overbar.sampling.on_grid import GridNoise, OnGrid
from overbar.sampling.shortlist import KEY_BITS, WORD_BITS, shortlist
from overbar.sampling.zeros import MANY_ZEROS, SELDOM, chance, passing, values_from


class Ranked(NamedTuple):
    """A candidate among the highest. They sort by value, the highest first, then by key."""

    below: int
    key: int
    place: int

    @property
    def value(self) -> int:
        """Score plus noise, in grid steps: private, but in a histogram."""
        return -self.below

    def __repr__(self) -> str:
        return f"Ranked at place {self.place}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError(
            "a ranked candidate holds a secret value: it cannot be pickled or copied"
        )


@dataclass(frozen=True, repr=False)
class Values:
    """Candidates by score plus noise."""

    scores: Integers
    law: OnGrid

    def heights(
        self, places: NDArray[np.intp], words: NDArray[np.unsignedinteger], bits: int
    ) -> tuple[Integers, Integers]:
        """Bound score plus noise."""
        scores = self.scores[places]
        if bits > 8:
            low, high = self.law.bounds(words.astype(np.uint64), bits)
        else:
            low, high = (bound[words] for bound in self._glance(bits))
        return exact_sums(scores, low), exact_sums(scores, high)

    def lowest(self, line: int, bits: int) -> list[int]:
        """Return the line less the most that the noise can be: without an end where U may be 0."""
        return [LOWEST, *(line - most for most in self._glance(bits)[1][1:].tolist())]

    def _glance(self, bits: int) -> tuple[Integers, Integers]:
        return self.law.bounds(np.arange(1 << bits, dtype=np.uint64), bits)


@np.errstate(all="ignore")  # what NumPy was told to raise must not depend on scores
def highest(
    scores: Integers,
    bar: int | None = None,
    *,
    count: int,
    noise: GridNoise,
    grid: Fraction,
    source: Source = system,
    word_bits: int = WORD_BITS,
) -> list[Ranked]:
    """Return the `count` highest of score plus noise among those that reach the bar, in order.

    Of many zeros only those that reach the bar are drawn, where these are few.

    Precondition: scores and bar are in grid steps, of any size; count >= 1. Without a bar all
    candidates take part.
    Postcondition: the noises are independent and have the law of :class:`OnGrid`, exactly. Keys
    are uniform words; should two be equal, the candidate given first comes first.
    """
    scores, law = whole_numbers(scores), OnGrid(noise, grid)
    if bar is None or len(scores) < MANY_ZEROS or chance(law, bar) > SELDOM:
        return _highest(law, scores, bar, count, source, word_bits)
    held = np.flatnonzero(scores)
    if (zeros := len(scores) - len(held)) < MANY_ZEROS:
        return _highest(law, scores, bar, count, source, word_bits)
    best = [
        one._replace(place=int(held[one.place]))
        for one in _highest(law, scores[held], bar, count, source, word_bits)
    ]
    found = passing(law, zeros, bar, source, word_bits)
    values = values_from(law, bar, len(found), source, word_bits)
    places = _places_of_zeros(held, np.array(found, dtype=np.int64))
    return sorted([*best, *_ranked(values, places, count, source)])[:count]


def _highest(
    law: OnGrid, scores: Integers, bar: int | None, count: int, source: Source, word_bits: int
) -> list[Ranked]:
    found = shortlist(Values(scores, law), count, bar, source, word_bits)
    noise = law.settled(found.words, source, word_bits)
    values = exact_sums(scores[found.places], noise)
    if bar is not None:
        reached = np.flatnonzero(values >= bar)
        return _ranked(values[reached], found.places[reached], count, source)
    return _ranked(values, found.places, count, source)


def _ranked(
    values: Integers, places: NDArray[np.int64], count: int, source: Source
) -> list[Ranked]:
    """Give each a random key, and return the highest in order."""
    keys = random_words(len(values), KEY_BITS, source)
    first = np.lexsort((keys, ~values))[:count]  # ~ is less than minus by one
    below = [-value for value in values[first].tolist()]
    columns = (below, keys[first].tolist(), places[first].tolist())
    return list(map(Ranked._make, zip(*columns, strict=True)))


def _places_of_zeros(held: NDArray[np.intp], zeros: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where the zeros of these numbers stand among all, given where the others do."""
    before = held - np.arange(len(held))  # how many zeros stand before each of the others
    return zeros + np.searchsorted(before, zeros, side="right")


def noisy_values(
    scores: Sequence[int], *, noise: Laplace | Gaussian, grid: Fraction, source: Source = system
) -> list[int]:
    """Return each score plus noise of its own, in grid steps: independent and exact."""
    noises = OnGrid(noise, grid).draw(len(scores), source).tolist()
    return [score + int(drawn) for score, drawn in zip(scores, noises, strict=True)]


@np.errstate(all="ignore")
def reaching(
    scores: Integers,
    bar: int,
    *,
    noise: Laplace | Gaussian,
    grid: Fraction,
    source: Source = system,
    word_bits: int = WORD_BITS,
) -> NDArray[np.bool_]:
    """Return for each score whether score plus noise is at least the bar.

    Precondition: scores and bar are in grid steps, of any size.
    Postcondition: the noises are independent and have the law of :class:`OnGrid`, exactly.
    """
    law = OnGrid(noise, grid)
    words = random_words(len(scores), word_bits, source).astype(np.uint64)
    low, high = law.bounds(words, word_bits)
    above = (exact_sums(scores, low) >= bar).astype(np.bool_) & (words != (1 << word_bits) - 1)
    below = (exact_sums(scores, high) < bar).astype(np.bool_) & (words != 0)
    for at in np.flatnonzero(~above & ~below).tolist():
        steps = law.exact(int(words[at]), word_bits, source)
        above[at] = int(scores[at]) + steps >= bar
    return above
