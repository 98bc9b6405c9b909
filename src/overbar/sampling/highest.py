"""The highest of many noisy values, each drawn once, and noisy values by themselves.

The value of a candidate is its score plus noise on the grid (:mod:`overbar.sampling.on_grid`); the
highest values win, equal ones by a random key. Gumbel noise is real: it is drawn on a finer grid,
and what is equal there is told apart on ever finer ones. Floats bound the noise with a wide margin,
and where that leaves more than one whole number open, further bits and ball arithmetic decide. So
the law of what comes out does not depend on floats; how long it takes depends on the scores.

Theory: :doc:`/theory/ranked`, :doc:`/theory/histogram`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from overbar.errors import SecrecyError
from overbar.noise import Gumbel, Noise
from overbar.sampling.entropy import Source, random_words, system
from overbar.sampling.integers import (
    LOWEST,
    Integers,
    as_array,
    exact_gaps,
    exact_products,
    exact_sums,
    whole_numbers,
)
from overbar.sampling.on_grid import OnGrid, word_bounds
from overbar.sampling.shortlist import GLANCE_BITS, KEY_BITS, WORD_BITS, shortlist
from overbar.sampling.zeros import MANY_ZEROS, SELDOM, chance, passing, values_from


class Further:
    """Digits of real noise below the grid it was drawn on: they order what is equal there."""

    __slots__ = ("_bits", "_law", "_source", "_word")

    def __init__(self, law: OnGrid, source: Source, word: int, bits: int) -> None:
        self._law, self._source, self._word, self._bits = law, source, word, bits

    def __lt__(self, other: Further) -> bool:
        """Tell whether this noise is the higher one. It ends, as two are never equal."""
        times = 1
        while True:
            times <<= WORD_BITS
            mine, theirs = self._below(times), other._below(times)
            if mine != theirs:
                return mine > theirs

    def _below(self, times: int) -> int:
        """Return how far above a step of its grid the noise is, in steps so many times finer."""
        finer = OnGrid(self._law.noise, self._law.grid / times)
        noise, self._word, self._bits = finer.revealed(self._word, self._bits, self._source)
        return noise % times

    def __repr__(self) -> str:
        return "Further digits (hidden)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError("digits of noise are secret: they cannot be pickled or copied")


class Ranked(NamedTuple):
    """A candidate among the highest. They sort by value, the highest first, then by key."""

    below: int
    key: int | Further
    place: int

    @property
    def value(self) -> int:
        """Score plus noise, in steps of the grid it was drawn on: private, but in a histogram."""
        return -self.below

    def __repr__(self) -> str:
        return f"Ranked at place {self.place}"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError(
            "a ranked candidate holds a secret value: it cannot be pickled or copied"
        )


#: Gumbel noise is drawn in steps of which a scale has at least so many: few are equal then, and
#: floats still tell nearly all of them apart.
FINE = 1 << 18


def fineness(noise: Noise, grid: Fraction) -> int:
    """Return in how many steps each step of the grid is divided: in one, but for Gumbel noise."""
    return max(1, math.ceil(FINE * grid / noise.scale)) if isinstance(noise, Gumbel) else 1


class Values:
    """Candidates by score plus noise, in steps of a grid that may be finer than that of scores."""

    def __init__(self, scores: Integers, law: OnGrid, fine: int = 1) -> None:
        self.scores, self._law, self._fine = scores, law, fine

    def heights(
        self, places: NDArray[np.intp], words: NDArray[np.unsignedinteger], bits: int
    ) -> tuple[Integers, Integers]:
        """Bound score plus noise."""
        scores = exact_products(self.scores[places], self._fine)
        if bits > GLANCE_BITS:
            low, high = self._law.bounds(words.astype(np.uint64), bits)
        else:
            low, high = (bound[words] for bound in word_bounds(self._law, bits))
        return exact_sums(scores, low), exact_sums(scores, high)

    def lowest(self, line: int, bits: int) -> Integers:
        """Return the line less the most that the noise can be: without an end where U may be 0."""
        gaps = exact_gaps(word_bounds(self._law, bits)[1], line).tolist()  # of any size
        return as_array([LOWEST, *(-(-gap // self._fine) for gap in gaps[1:])])


@np.errstate(all="ignore")  # what NumPy was told to raise must not depend on scores
def highest(
    scores: Integers,
    bar: int | None = None,
    *,
    count: int,
    noise: Noise,
    grid: Fraction,
    source: Source = system,
    word_bits: int = WORD_BITS,
    public_bar: bool = False,
) -> list[Ranked]:
    """Return the `count` highest of score plus noise among those that reach the bar, in order.

    Of many zeros only those that reach a public bar are drawn, where these are few: which way is
    taken, and what is kept for the next time, follows from the bar.

    Precondition: scores and bar are in grid steps, of any size; count >= 1. Without a bar all
    candidates take part.
    Postcondition: the noises are independent and have the law of :class:`OnGrid`, exactly; values
    are in steps of a grid that is :func:`fineness` times as fine. Keys are uniform words; should
    two be equal, the candidate given first comes first.
    """
    scores, fine = whole_numbers(scores), fineness(noise, grid)
    law, how = OnGrid(noise, grid / fine), (count, source, word_bits)
    if law.is_real or bar is None or not public_bar or len(scores) < MANY_ZEROS:
        return _highest(law, fine, scores, bar, *how)
    if chance(law, bar) > SELDOM:
        return _highest(law, fine, scores, bar, *how)
    held = np.flatnonzero(scores)
    if (zeros := len(scores) - len(held)) < MANY_ZEROS:
        return _highest(law, fine, scores, bar, *how)
    best = [
        one._replace(place=int(held[one.place]))
        for one in _highest(law, fine, scores[held], bar, *how)
    ]
    found = passing(law, zeros, bar, source, word_bits)
    values = values_from(law, bar, len(found), source, word_bits)
    places = _places_of_zeros(held, np.array(found, dtype=np.int64))
    keys = random_words(len(places), KEY_BITS, source).tolist()
    return sorted([*best, *_ranked(values, keys, places)])[:count]


def _highest(
    law: OnGrid,
    fine: int,
    scores: Integers,
    bar: int | None,
    count: int,
    source: Source,
    word_bits: int,
) -> list[Ranked]:
    line = None if bar is None else bar * fine
    field = Values(scores, law, fine)
    places, words, *_ = shortlist(field, count, line, source, word_bits)
    noise, opened = law.opened(words, source, word_bits)
    values, own = exact_sums(exact_products(scores[places], fine), noise), np.arange(len(places))
    if line is not None:
        own = np.flatnonzero(values >= line)
        places, values = places[own], values[own]
    if law.is_real:
        order = np.argsort(~values, kind="stable")
        known = (opened.get(one, (int(words[one]), word_bits)) for one in own[order].tolist())
        digits = [Further(law, source, *bits) for bits in known]
        return sorted(_ranked(values[order], digits, places[order]))[:count]
    keys = random_words(len(values), KEY_BITS, source)
    order = np.lexsort((keys, ~values))[:count]
    return _ranked(values[order], keys[order].tolist(), places[order])


def _ranked(
    values: Integers, keys: Iterable[int | Further], places: NDArray[np.int64]
) -> list[Ranked]:
    below = [-value for value in values.tolist()]
    return list(map(Ranked._make, zip(below, keys, places.tolist(), strict=True)))


def _places_of_zeros(held: NDArray[np.intp], zeros: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where the zeros of these numbers stand among all, given where the others do."""
    before = held - np.arange(len(held))  # how many zeros stand before each of the others
    return zeros + np.searchsorted(before, zeros, side="right")


def noisy_values(
    scores: Sequence[int], *, noise: Noise, grid: Fraction, source: Source = system
) -> list[int]:
    """Return each score plus noise of its own, in grid steps: independent and exact."""
    noises = OnGrid(noise, grid).draw(len(scores), source).tolist()
    return [score + int(drawn) for score, drawn in zip(scores, noises, strict=True)]
