"""Whose noisy value reaches a bar: one draw for each score, and no value is worked out.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from overbar.noise import Gaussian, Laplace
from overbar.sampling.entropy import Source, random_words, system
from overbar.sampling.integers import Integers, exact_sums
from overbar.sampling.ranked_draw import WORD_BITS
from overbar.sampling.symmetric import Symmetric


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
    Postcondition: the noises are independent and have the law of :class:`Symmetric`, exactly.
    """
    law = Symmetric(noise, grid)
    words = random_words(len(scores), word_bits, source).astype(np.uint64)
    known = law.known(words, word_bits)
    above = (exact_sums(scores, known.low) >= bar).astype(np.bool_) & ~known.sunk
    below = (exact_sums(scores, known.high) < bar).astype(np.bool_) & ~known.open
    for at in np.flatnonzero(~above & ~below).tolist():
        steps = law.exact(int(words[at]), word_bits, source)
        above[at] = int(scores[at]) + steps >= bar
    return above
