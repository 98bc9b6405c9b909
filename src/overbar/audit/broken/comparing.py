"""Many sparse vector runs at once, with any noise: what the broken mechanisms have in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: Draws noise of a shape.
Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]

#: Stands in a transcript for a question that was not answered any more.
HALTED = -1


def laplace(scale: float) -> Draw:
    """Laplace noise of this scale."""
    return lambda generator, shape: generator.laplace(scale=scale, size=shape)


def exponential(scale: float) -> Draw:
    """Exponential noise with this mean."""
    return lambda generator, shape: scale * generator.standard_exponential(shape)


def transcripts(
    scores: Array,
    runs: int,
    generator: np.random.Generator,
    *,
    threshold: Draw,
    query: Draw | None,
    cutoff: int | None,
) -> tuple[NDArray[np.int8], Array]:
    """Return the answers of many runs against a threshold of zero, and the noisy scores.

    One row for each run: 1 above, 0 below, HALTED once `cutoff` answers were positive.
    """
    bar = threshold(generator, (runs, 1))
    noisy = np.broadcast_to(scores, (runs, len(scores)))
    if query is not None:
        noisy = noisy + query(generator, (runs, len(scores)))
    answers = (noisy >= bar).astype(np.int8)
    if cutoff is not None:
        before = np.cumsum(answers, axis=1, dtype=np.int32) - answers
        answers[before >= cutoff] = HALTED
    return answers, noisy
