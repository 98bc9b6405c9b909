"""Uniform choices of places: exact, by rejection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from overbar.sampling.entropy import Source, random_bits, random_words, system


def random_below(bound: int, source: Source = system) -> int:
    """Return a whole number, uniform in [0, bound).

    Precondition: bound >= 1. Exact because a draw that does not fit is thrown away whole.
    """
    bits = (bound - 1).bit_length()
    while (draw := random_bits(bits, source)) >= bound:
        pass
    return draw


def shuffled(count: int, source: Source = system, word_bits: int = 64) -> NDArray[np.intp]:
    """Return the numbers 0 to count - 1 in a uniformly random order.

    They are sorted by random words. Given that no two words are equal, every order is equally
    likely; if two are equal, all are drawn anew (at a million places once in 37 million times).
    Precondition: count is far below 2^(word_bits / 2), or this takes long.
    """
    while True:
        words = random_words(count, word_bits, source)
        order = np.argsort(words)
        ordered = words[order]
        if not np.any(ordered[1:] == ordered[:-1]):
            return order
