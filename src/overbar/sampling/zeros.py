"""Many scores of zero, of which few reach a bar: only those that do are drawn.

How many fail to reach the bar before the next one does is a geometric variable, and the value of
one that does has the law of the noise N given N >= bar.

Theory: :doc:`/theory/histogram`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import ctx

from overbar.noise import Exponential, Gaussian
from overbar.sampling.bounds import exponential_bounds
from overbar.sampling.coin import Power, toss
from overbar.sampling.enclosure import GUARD_BITS, exponential
from overbar.sampling.entropy import Source, random_bits, random_words
from overbar.sampling.integers import Integers, exact_sums
from overbar.sampling.on_grid import MARGIN, TINY, WORD_BITS, OnGrid

#: So many zeros are drawn by themselves, if each reaches the bar with at most this chance: only
#: then is it faster.
MANY_ZEROS, SELDOM = 1 << 12, 1e-4


@lru_cache(maxsize=64)
def chance(law: OnGrid, bar: int) -> float:
    """Return P(N >= bar) to many digits; zero where it is below TINY."""
    tail = law.tail(bar, 2 * WORD_BITS)
    return float(tail.mid()) if tail.upper() > TINY else 0.0


@np.errstate(all="ignore")
def passing(law: OnGrid, zeros: int, bar: int, source: Source, word_bits: int) -> list[int]:
    """Return the places of those of so many zeros that reach the bar, in order.

    With H = -ln(1 - P(N >= bar)) and E = -ln(1 - V), floor(E/H) fail before the next one passes.
    Floats bound it with a wide margin; a skip beyond the end is only known to be that.
    """
    often = chance(law, bar)
    mean = -1 / np.log1p(-often) if often else 1 / TINY
    places: list[int] = []
    start = 0
    while start < zeros:
        words = random_words(int(1.1 * often * (zeros - start)) + 16, word_bits, source)
        low, high = exponential_bounds(words, word_bits)
        high = high * (mean if often else np.inf)
        least, most = (
            np.floor(np.minimum(end, zeros)).astype(np.int64)
            for end in (low * mean * (1 - MARGIN), high * (1 + MARGIN))
        )
        for at in np.flatnonzero(least != most).tolist():
            least[at] = _exact_skip(law, int(words[at]), word_bits, zeros, bar, source)
        for skip in least.tolist():
            start += skip
            if start >= zeros:
                break
            places.append(start)
            start += 1
    return places


def _exact_skip(law: OnGrid, word: int, bits: int, most: int, bar: int, source: Source) -> int:
    """Return floor(E/H), or `most` if it is no less, revealing as many further bits as it takes."""
    while True:
        precision = bits + GUARD_BITS
        with ctx.workprec(precision):
            hazard = -(-law.tail(bar, precision)).log1p()
            waited = exponential(word, bits)
            if most * hazard <= waited:
                return most
            exact = (waited / hazard).floor().unique_fmpz() if waited.is_finite() else None
        if exact is not None:
            return min(int(exact), most)
        word, bits = word << WORD_BITS | random_bits(WORD_BITS, source), bits + WORD_BITS


def values_from(law: OnGrid, bar: int, count: int, source: Source, word_bits: int) -> Integers:
    """Return so many draws of N given that it is at least bar, for bar >= 1."""
    bars = np.full(count, bar, dtype=np.int64 if bar < 1 << 62 else np.object_)
    if isinstance(law.noise, Gaussian):
        return exact_sums(bars, _gaussian_excess(law, bar, count, source, word_bits))
    beyond = OnGrid(Exponential(law.noise.scale), law.grid)  # their tail has no memory
    return exact_sums(bars, beyond.draw(count, source, word_bits))


def _gaussian_excess(law: OnGrid, bar: int, count: int, source: Source, word_bits: int) -> Integers:
    """Return how far above the bar so many draws are.

    J is proposed, geometric with P(J >= j) = e^(-j·bar/variance), and accepted with chance
    e^(-J²/2·variance): the product is the law.
    """
    variance = law.ratio**2
    proposed = OnGrid(Exponential(variance / bar), Fraction(1))
    found: list[int] = []
    while (missing := count - len(found)) > 0:
        steps = proposed.draw(2 * missing, source, word_bits).tolist()
        found += [j for j in steps if toss(Power(Fraction(j * j) / (2 * variance)), source)]
    return np.array(found[:count], dtype=np.object_)
