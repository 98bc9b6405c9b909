"""Split scores by their first few random bits: surely positive, undecided, surely negative."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from overbar.sampling.integers import Integers, clipped

#: Scores looked at together: their words, levels and verdicts stay in the processor's cache.
BLOCK = 1 << 15


def sieve(
    scores: NDArray[np.int64], words: NDArray[np.unsignedinteger], low: Integers, high: Integers
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places where low[word] <= score <= high[word], and those where score > high[word].

    Precondition: there is a level for every possible word, and low <= high + 1.
    Postcondition: a place left out has a score below its low level, and one in the second array a
    score above its high level, for certain; both arrays are in order.

    A level outside int64 is moved to its nearest end. That can only put a place into the first
    array that belongs out of both or into the second, never the other way round.
    """
    low_table, high_table = clipped(low), clipped(high)
    level = np.empty(BLOCK, dtype=np.int64)
    passed = np.empty(BLOCK, dtype=np.bool_)
    open_places, sure_places = [], []
    for start in range(0, len(scores), BLOCK):
        block, word = scores[start : start + BLOCK], words[start : start + BLOCK]
        size = len(block)
        # Every word is a valid place; "clip" only spares numpy the check of each.
        np.take(low_table, word, out=level[:size], mode="clip")
        np.greater_equal(block, level[:size], out=passed[:size])
        places = np.flatnonzero(passed[:size])
        sure = block[places] > high_table[word[places]]
        places += start
        open_places.append(places[~sure])
        sure_places.append(places[sure])
    nobody = np.empty(0, dtype=np.intp)
    return np.concatenate([nobody, *open_places]), np.concatenate([nobody, *sure_places])
