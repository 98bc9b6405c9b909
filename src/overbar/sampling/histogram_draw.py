"""One noisy value for each candidate: two-sided noise on the grid, drawn exactly.

To find the highest, few bits are drawn for all, as in :mod:`overbar.sampling.ranked_draw`; the law
of the noise is in :mod:`overbar.sampling.symmetric`.

Scores of zero may be so many that one value for each takes too long. How many of them fail to reach
a bar before the next one does is a geometric variable, and the value of one that does has the law
of the noise N given N >= bar. So only those that reach it are drawn.

Theory: :doc:`/theory/histogram`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from overbar.noise import Gaussian, Laplace
from overbar.noise.grid_tails import ball, grid_tail
from overbar.sampling.bounds import exponential_bounds
from overbar.sampling.coin import settle
from overbar.sampling.enclosure import GUARD_BITS, exponential
from overbar.sampling.entropy import Source, random_bits, random_words, system
from overbar.sampling.integers import Integers, as_array, exact_sums, whole_numbers
from overbar.sampling.ranked_draw import (
    KEY_BITS,
    MARGIN,
    WORD_BITS,
    FlooredExponential,
    Ranked,
    floors,
    highest,
    highest_by,
)
from overbar.sampling.symmetric import TINY, Symmetric

#: So many zeros are drawn by themselves, if each reaches the bar with at most this chance: only
#: then is it faster.
MANY_ZEROS, SELDOM = 1 << 12, 1e-4
#: Zeros drawn together, where too many of them reach the bar to skip any.
BATCH = 1 << 20
#: From this chance on nothing is gained by skipping.
OFTEN = 1 / 8


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

    Of many zeros only those that reach the bar are drawn, where these are few.

    Precondition: scores and bar are in grid steps, of any size; count >= 1. Without a bar all
    candidates take part.
    Postcondition: the noises are independent and have the law of :class:`Symmetric`, exactly; equal
    values come in a random order. The values may be released.
    """
    draw = partial(
        highest_by, Symmetric(noise, grid), count=count, source=source, word_bits=word_bits
    )
    scores = whole_numbers(scores)
    held = np.flatnonzero(scores)
    zeros = len(scores) - len(held)
    if bar is None or zeros < MANY_ZEROS or _chance(noise, grid, bar) > SELDOM:
        return draw(scores, bar)
    best = [one._replace(place=int(held[one.place])) for one in draw(scores[held], bar)]
    found = noisy_zeros(
        zeros, bar, count=count, noise=noise, grid=grid, source=source, word_bits=word_bits
    )
    places = _places_of_zeros(held, np.array([one.place for one in found], dtype=np.int64))
    best += [one._replace(place=at) for one, at in zip(found, places.tolist(), strict=True)]
    return sorted(best)[:count]


def _places_of_zeros(held: NDArray[np.intp], zeros: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where the zeros of these numbers stand among all, given where the others do."""
    before = held - np.arange(len(held))  # how many zeros stand before each of the others
    return zeros + np.searchsorted(before, zeros, side="right")


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


def noisy_zeros(
    how_many: int,
    bar: int,
    *,
    count: int,
    noise: Laplace | Gaussian,
    grid: Fraction,
    source: Source = system,
    word_bits: int = WORD_BITS,
) -> list[Ranked]:
    """Return what :func:`noisy_highest` does for so many scores of zero, drawing those that pass.

    Precondition: bar is in grid steps, of any size; 0 <= how_many <= 2^40; count >= 1.
    """
    best: list[Ranked] = []
    if _chance(noise, grid, bar) >= OFTEN:  # which includes every bar up to zero
        for start in range(0, how_many, BATCH):
            zeros = np.zeros(min(BATCH, how_many - start), dtype=np.int64)
            part = highest_by(Symmetric(noise, grid), zeros, bar, count=count, source=source)
            best = sorted([*best, *(one._replace(place=one.place + start) for one in part)])[:count]
        return best
    places = _passing(how_many, bar, noise, grid, source, word_bits)
    if isinstance(noise, Laplace):  # its tail has no memory
        level = as_array([bar]).repeat(len(places))
        best = highest(level, count=count, scale=noise.scale, grid=grid, source=source)
        return [one._replace(place=places[one.place]) for one in best]
    values = _gaussian_from(bar, len(places), (noise.scale / grid) ** 2, source, word_bits)
    keys = random_words(len(places), KEY_BITS, source).tolist()
    return sorted(map(Ranked.of, values, keys, places))[:count]


@lru_cache(maxsize=64)
def _chance(noise: Laplace | Gaussian, grid: Fraction, bar: int) -> float:
    """Return P(N >= bar) to many digits; zero where it is below TINY."""
    tail = grid_tail(noise, grid, bar, 2 * WORD_BITS)
    return float(tail.mid()) if tail.upper() > TINY else 0.0


@np.errstate(all="ignore")
def _passing(
    how_many: int,
    bar: int,
    noise: Laplace | Gaussian,
    grid: Fraction,
    source: Source,
    word_bits: int,
) -> list[int]:
    """Return the places of those that reach the bar, in order.

    With H = -ln(1 - P(N >= bar)) and E = -ln(1 - V), floor(E/H) fail before the next one passes.
    Floats bound it with a wide margin; a skip beyond the end is only known to be that.
    """
    chance = _chance(noise, grid, bar)
    mean = -1 / np.log1p(-chance) if chance else 1 / TINY
    places: list[int] = []
    start = 0
    while start < how_many:
        draws = int(1.1 * chance * (how_many - start)) + 16
        words = random_words(draws, word_bits, source).astype(np.uint64)
        low, high = exponential_bounds(words, word_bits)
        least = floors(np.minimum(low * mean * (1 - MARGIN), how_many))
        most = floors(np.minimum(high * (mean if chance else np.inf) * (1 + MARGIN), how_many))
        for at in np.flatnonzero(least != most).tolist():
            word = int(words[at])
            least[at] = _exact_skip(word, word_bits, how_many, bar, noise, grid, source)
        for skip in least.tolist():
            start += skip
            if start >= how_many:
                break
            places.append(start)
            start += 1
    return places


def _exact_skip(
    word: int,
    bits: int,
    most: int,
    bar: int,
    noise: Laplace | Gaussian,
    grid: Fraction,
    source: Source,
) -> int:
    """Return floor(E/H), or `most` if it is no less, revealing as many further bits as it takes."""
    while True:
        precision = bits + GUARD_BITS
        with ctx.workprec(precision):
            hazard = -(-grid_tail(noise, grid, bar, precision)).log1p()
            waited = exponential(word, bits)
            if most * hazard <= waited:
                return most
            exact = (waited / hazard).floor().unique_fmpz() if waited.is_finite() else None
        if exact is not None:
            return min(int(exact), most)
        word, bits = word << WORD_BITS | random_bits(WORD_BITS, source), bits + WORD_BITS


@np.errstate(all="ignore")
def _gaussian_from(
    bar: int, count: int, variance: Fraction, source: Source, word_bits: int
) -> list[int]:
    """Return so many draws of the discrete Gaussian given that it is at least bar, for bar >= 1.

    bar + J is proposed, J geometric with P(J >= j) = e^(-j·bar/variance), and accepted with chance
    e^(-J²/2·variance): the product is the law.
    """
    law = FlooredExponential(variance / bar)
    values: list[int] = []
    while (missing := count - len(values)) > 0:
        words = random_words(2 * missing, word_bits, source).astype(np.uint64)
        known = law.known(words, word_bits)
        steps = known.low.tolist()
        for at in np.flatnonzero(known.open | (known.low != known.high)).tolist():
            steps[at] = law.exact(int(words[at]), word_bits, source)
        coins = random_words(2 * missing, word_bits, source).astype(np.uint64)
        halves = [Fraction(step * step) / (2 * variance) for step in steps]
        level = np.exp(-np.array(halves, dtype=np.float64))
        uniform = coins.astype(np.float64) * 2.0**-word_bits
        accepted = uniform + 2.0**-word_bits < level * (1 - MARGIN)
        for at in np.flatnonzero(~accepted & (uniform < level * (1 + MARGIN) + TINY)).tolist():

            def chance(precision: int, half: Fraction = halves[at]) -> arb:
                with ctx.workprec(precision):
                    return (-ball(half)).exp()

            accepted[at] = settle(int(coins[at]), word_bits, chance, source)
        values += [bar + steps[at] for at in np.flatnonzero(accepted).tolist()]
    return values[:count]


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
