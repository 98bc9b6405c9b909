"""Draw yes or no exactly: with any probability that can be bounded, or with one listed for a count.

Theory: :doc:`/theory/exact`, :doc:`/theory/keys`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from overbar.noise.grid_tails import ball
from overbar.sampling.entropy import Source, random_bits, random_words, system

#: How many bits of the uniform number are revealed at a time.
STEP = 64


def toss(probability: Callable[[int], arb], source: Source = system) -> bool:
    """Return True with exactly the probability enclosed by `probability(precision)`."""
    return settle(0, 0, probability, source)


def settle(word: int, bits: int, probability: Callable[[int], arb], source: Source) -> bool:
    """Decide U < p, given that the first `bits` bits of U are those of `word`.

    Precondition: the enclosures tighten around p in [0, 1] as the precision grows.
    Postcondition: True iff U < p, where U is uniform on what is known of it.

    Exact because it answers only when every U with these bits lies on one side of every p in the
    ball. Each further word leaves it undecided with probability about 2^-64, so it ends.
    """
    while True:
        word = word << STEP | random_bits(STEP, source)
        bits += STEP
        with ctx.workprec(bits + STEP):
            level = probability(bits + STEP) * arb(2) ** bits
            if level >= word + 1:
                return True
            if level <= word:
                return False


@dataclass(frozen=True)
class Power:
    """The chance e^-rate."""

    rate: Fraction

    def __call__(self, precision: int) -> arb:
        """Enclose it."""
        with ctx.workprec(precision):
            return (-ball(self.rate)).exp()


WORD_BITS = 64


def by_count(
    counts: NDArray[np.int64], chances: Sequence[int], bits: int, *, source: Source = system
) -> NDArray[np.bool_]:
    """Return True for a count n with probability chances[n]/2^bits; from the last on, always.

    Precondition: counts >= 0; bits > 64; all chances but the last are below 2^bits.
    """
    last = len(chances) - 1
    places = np.minimum(counts, last)
    rest = bits - WORD_BITS
    cuts = np.array([*(chance >> rest for chance in chances[:-1]), 0], dtype=np.uint64)[places]
    words = random_words(len(places), WORD_BITS, source)
    always = places == last
    found = always | (words < cuts)
    for at in np.flatnonzero(~always & (words == cuts)).tolist():
        found[at] = random_bits(rest, source) < chances[int(places[at])] & ((1 << rest) - 1)
    return np.asarray(found, dtype=np.bool_)
