"""One noisy value for each candidate: two-sided noise on the grid, drawn exactly.

To find the highest, few bits are drawn for all, as in :mod:`overbar.sampling.ranked_draw`; the law
of the noise is in :mod:`overbar.sampling.symmetric`.

Theory: :doc:`/theory/histogram`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from overbar.noise import Gaussian, Laplace
from overbar.sampling.entropy import Source, random_words, system
from overbar.sampling.integers import Integers
from overbar.sampling.ranked_draw import WORD_BITS, Ranked, highest_by
from overbar.sampling.symmetric import Symmetric


def noisy_highest(
    scores: Integers,
    bar: int | None = None,
    *,
    count: int,
    noise: Laplace | Gaussian,
    grid: Fraction,
    source: Source = system,
    word_bits: int = WORD_BITS,
) -> list[Ranked]:
    """Return the `count` highest of score plus noise among those that reach the bar, in order.

    Precondition: scores and bar are in grid steps, of any size; count >= 1. Without a bar all
    candidates take part.
    Postcondition: the noises are independent and have the law of :class:`Symmetric`, exactly; equal
    values come in a random order. The values may be released.
    """
    law = Symmetric(noise, grid)
    return highest_by(law, scores, bar, count=count, source=source, word_bits=word_bits)


def noisy_values(
    scores: Sequence[int], *, noise: Laplace | Gaussian, grid: Fraction, source: Source = system
) -> list[int]:
    """Return each score plus noise of its own, in grid steps: independent and exact."""
    law = Symmetric(noise, grid)
    words = random_words(len(scores), WORD_BITS, source).astype(np.uint64)
    known = law.known(words, WORD_BITS)
    noises = known.low.tolist()
    for at in np.flatnonzero(known.open | known.sunk | (known.low != known.high)).tolist():
        noises[at] = law.exact(int(words[at]), WORD_BITS, source)
    return [score + int(drawn) for score, drawn in zip(scores, noises, strict=True)]
