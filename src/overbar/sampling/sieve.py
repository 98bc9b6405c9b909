"""One pass over many scores that drops those whose fate the first few random bits already seal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from overbar.sampling.integers import HIGHEST, LOWEST

#: Scores looked at together: their words, levels and verdicts stay in the processor's cache.
BLOCK = 1 << 15


def sieve(
    scores: NDArray[np.int64], words: NDArray[np.unsignedinteger], levels: Sequence[float | int]
) -> NDArray[np.intp]:
    """Return the places, in order, where `scores >= levels[words]` may hold.

    Precondition: `levels` has an entry, a whole number or an infinity, for every possible word.
    Postcondition: a place left out has a score below its level, for certain. A level outside
    int64 is moved to its nearest end, which can only let a score through.
    """
    table = np.array([max(LOWEST, min(level, HIGHEST)) for level in levels], dtype=np.int64)
    level = np.empty(BLOCK, dtype=np.int64)
    passed = np.empty(BLOCK, dtype=np.bool_)
    found = []
    for start in range(0, len(scores), BLOCK):
        block = scores[start : start + BLOCK]
        size = len(block)
        # Every word is a valid place; "clip" only spares numpy the check of each.
        np.take(table, words[start : start + BLOCK], out=level[:size], mode="clip")
        np.greater_equal(block, level[:size], out=passed[:size])
        found.append(np.flatnonzero(passed[:size]) + start)
    return np.concatenate(found) if found else np.empty(0, dtype=np.intp)
