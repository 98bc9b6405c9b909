"""Yes or no for each of many counts, with a listed chance for each count: exact.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from overbar.sampling.entropy import Source, random_bits, random_words, system

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
