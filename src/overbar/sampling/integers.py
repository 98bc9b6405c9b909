"""Arrays of whole numbers that never wrap around: int64 where that is safe, else Python ints.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar.errors import ScoreError

#: One dimension, of int64 or of Python ints (element type object).
Integers = NDArray[Any]

#: What an int64 can hold.
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
#: The sum or difference of two numbers strictly within this of zero is strictly inside int64.
ROOM = 1 << 62


def whole_numbers(numbers: Integers) -> Integers:
    """Return int64, or Python ints where the element type may hold more than that."""
    array = np.asarray(numbers)
    if array.ndim == 1 and array.dtype.kind in "iu" and np.can_cast(array.dtype, np.int64):
        return array.astype(np.int64, copy=False)
    if array.ndim == 1 and array.dtype in (np.object_, np.uint64):
        return array.astype(np.object_, copy=False)
    raise ScoreError(f"scores must be a one-dimensional array of ints, got {array.dtype}")


def as_array(numbers: Sequence[int]) -> Integers:
    """Return int64 if all numbers fit, else Python ints."""
    try:
        return np.array(numbers, dtype=np.int64)
    except OverflowError:
        return np.array(numbers, dtype=np.object_)


def clipped(numbers: Integers) -> NDArray[np.int64]:
    """Return int64, where a number that does not fit is moved to the nearest end."""
    if numbers.dtype == np.int64:
        return numbers
    return np.array([max(LOWEST, min(number, HIGHEST)) for number in numbers], dtype=np.int64)


def exact_sums(scores: Integers, steps: Integers) -> Integers:
    """Return scores + steps, one by one: as int64 if a bound on both allows it."""
    if all(part.dtype == np.int64 and _has_room(part) for part in (scores, steps)):
        return np.asarray(scores + steps)
    return np.asarray(scores.astype(np.object_) + steps.astype(np.object_), dtype=np.object_)


def exact_products(numbers: Integers, times: int) -> Integers:
    """Return each number so many times: as int64, with room, if a bound allows it."""
    if times == 1:
        return numbers
    if numbers.dtype == np.int64 and times < ROOM and _has_room(numbers, ROOM // times):
        return np.asarray(numbers * times)
    return np.asarray(numbers.astype(np.object_) * times, dtype=np.object_)


def exact_gaps(scores: Integers, base: int) -> Integers:
    """Return base - scores: as int64, above its lowest number, if a bound on both allows it."""
    if -ROOM < base < ROOM and scores.dtype == np.int64 and _has_room(scores):
        return np.asarray(base - scores)
    return np.asarray(base - scores.astype(np.object_), dtype=np.object_)


def _has_room(numbers: NDArray[np.int64], room: int = ROOM) -> bool:
    return not len(numbers) or bool(numbers.min() > -room and numbers.max() < room)


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
