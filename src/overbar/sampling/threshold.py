"""Noise for the threshold, drawn exactly as a whole number of grid steps.

Discrete exponential noise is a geometric variable N, and discrete Laplace noise the difference of
two, with P(N >= n) = y^n, y = exp(-grid/scale). The binary digits of such an N are independent,
digit j being 1 with probability y_j / (1 + y_j), y_j = y^(2^j), because Σ y^n = Π (1 + y_j). The
digits from J on make a geometric variable of their own with y_J for y; with J so large that
y_J < 2^-144 it is zero but for that chance. So one fixed number of coins is tossed whatever comes
out, and the time a draw takes says nothing about its value.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from overbar import _check
from overbar.noise.grid_tails import ball
from overbar.sampling.coin import Power, settle, toss
from overbar.sampling.entropy import Source, random_bits, random_words, system
from overbar.sampling.integers import Integers, as_array, exact_sums

WORD_BITS = 64
#: Digits are tossed one by one up to the first that is 1 with a chance below e^-100 < 2^-144.
FAR = 100
#: So many draws are made together: their words stay in the processor's cache.
BLOCK = 1 << 12


def discrete_laplace(scale: Fraction, grid: Fraction, source: Source = system) -> int:
    """Return a whole number k of grid steps with P(k) proportional to exp(-|k| · grid / scale).

    Precondition: scale and grid are positive.
    In the paper: the threshold noise ρ with scale Δ/ε₁.
    """
    rate = _check.positive("grid", grid) / _check.positive("scale", scale)
    return _geometric(rate, source) - _geometric(rate, source)


def discrete_exponential(scale: Fraction, grid: Fraction, source: Source = system) -> int:
    """Return a whole number k >= 0 of grid steps with P(k) proportional to exp(-k · grid / scale).

    Precondition: scale and grid are positive.
    """
    rate = _check.positive("grid", grid) / _check.positive("scale", scale)
    return _geometric(rate, source)


def draw_many(
    draw: Callable[..., int], scale: Fraction, grid: Fraction, count: int, source: Source = system
) -> Integers:
    """Return `count` independent draws of one of the laws here.

    Gaussian noise is drawn one by one: how many proposals it takes is different for each.
    """
    if draw not in (discrete_laplace, discrete_exponential):
        return as_array([draw(scale, grid, source) for _ in range(count)])
    rate = grid / scale
    right = _geometrics(rate, count, source)
    if draw is discrete_exponential:
        return right
    return exact_sums(right, -_geometrics(rate, count, source))


def _geometric(rate: Fraction, source: Source) -> int:
    """Return N >= 0 with P(N >= n) = exp(-rate · n)."""
    return int(_geometrics(rate, 1, source)[0])


def _geometrics(rate: Fraction, count: int, source: Source) -> Integers:
    """Return independent N's, digit by digit, one block after the other."""
    if count <= BLOCK:
        return _geometric_block(rate, count, source)
    sizes = [min(BLOCK, count - start) for start in range(0, count, BLOCK)]
    return np.concatenate([_geometric_block(rate, size, source) for size in sizes])


def _geometric_block(rate: Fraction, count: int, source: Source) -> Integers:
    bounds = _digit_bounds(rate)
    length = len(bounds)
    words = random_words(count * length, WORD_BITS, source).reshape(count, length)
    digits = words < bounds
    for at in np.flatnonzero(words == bounds).tolist():  # one in 2^64 per digit
        row, place = divmod(at, length)
        chance = _Digit(rate * 2**place)
        digits[row, place] = settle(int(words[row, place]), WORD_BITS, chance, source)
    numbers = _numbers(digits)
    more, bound = _tail(rate, length)
    tails = random_words(count, WORD_BITS, source)
    for row in np.flatnonzero(tails <= bound).tolist():
        high, word = 0, int(tails[row])
        while word < bound or (word == bound and settle(word, WORD_BITS, more, source)):
            high, word = high + 1, random_bits(WORD_BITS, source)
        if high:
            numbers = numbers.astype(np.object_)
            numbers[row] += high << length
    return numbers


@lru_cache(maxsize=8)
def _tail(rate: Fraction, length: int) -> tuple[Power, int]:
    """Return the chance that the digits from `length` on count one more, and its bound."""
    more = Power(rate * 2**length)
    return more, _bound(more)


def _numbers(digits: NDArray[np.bool_]) -> Integers:
    """Return the whole number that each row of binary digits is, the lowest digit first."""
    rows = np.packbits(digits, axis=1, bitorder="little")
    if len(rows) == 1 or digits.shape[1] >= WORD_BITS - 2:
        return as_array([int.from_bytes(row.tobytes(), "little") for row in rows])
    whole = np.zeros((len(rows), 8), dtype=np.uint8)
    whole[:, : rows.shape[1]] = rows
    return whole.view("<i8")[:, 0].astype(np.int64)


@lru_cache(maxsize=8)
def _digit_bounds(rate: Fraction) -> NDArray[np.uint64]:
    """Return the floor of 2^64 times each digit's chance to be 1. Public numbers, kept.

    The chance is irrational (Lindemann), so a word below its bound is a 1, one above it a 0, and
    one equal to it undecided.
    """
    bounds: list[int] = []
    while rate * 2 ** len(bounds) <= FAR:
        bounds.append(_bound(_Digit(rate * 2 ** len(bounds))))
    found = np.array(bounds, dtype=np.uint64)
    found.flags.writeable = False
    return found


@lru_cache(maxsize=64)
def _bound(chance: Callable[[int], arb]) -> int:
    """Return the floor of 2^64 times a chance: below it a word is a yes, and above it a no."""
    bound, precision = None, 2 * WORD_BITS
    while bound is None:
        with ctx.workprec(precision):
            bound = (chance(precision) * arb(2) ** WORD_BITS).floor().unique_fmpz()
        precision *= 2
    return int(bound)


@dataclass(frozen=True)
class _Digit:
    """The chance 1 / (1 + e^rate) = y / (1 + y) that a digit is 1."""

    rate: Fraction

    def __call__(self, precision: int) -> arb:
        with ctx.workprec(precision):
            return 1 / (1 + ball(self.rate).exp())


def discrete_gaussian(sigma: Fraction, grid: Fraction, source: Source = system) -> int:
    """Return a whole number k of grid steps with P(k) proportional to exp(-(k · grid)² / 2σ²).

    Canonne, Kamath and Steinke (2020), arXiv:2004.00010v3, Algorithm 3: propose from the discrete
    Laplace law, accept by an exact coin. Every exponent is a fraction, so nothing is rounded. The
    number of proposals is independent of the value returned.
    """
    steps = _check.positive("sigma", sigma) / _check.positive("grid", grid)
    scale = Fraction(math.floor(steps) + 1)
    while True:
        proposal = discrete_laplace(scale, Fraction(1), source)
        exponent = (abs(proposal) - steps**2 / scale) ** 2 / (2 * steps**2)
        if toss(Power(exponent), source):
            return proposal
