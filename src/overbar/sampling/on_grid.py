"""Noise on the grid as a function of a uniform number, known as far as its bits tell.

The noise is a whole number N of grid steps: real noise floored to the grid, or discrete Laplace or
Gaussian noise. With U uniform and S(k) = P(N >= k), N >= k iff U < S(k). Two-sided noise is its own
mirror image, so how near U is to an end of [0, 1] says how far out N lies. 8 bits bound N from both
sides, 64 bits almost always leave one whole number, and where they do not, further bits and ball
arithmetic decide.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy
from flint import arb, ctx
from numpy.typing import NDArray

from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise
from overbar.noise.grid_tails import ball, check_symmetric, gaussian_tail, grid_tail
from overbar.sampling.bounds import Floats, exponential_bounds
from overbar.sampling.enclosure import GUARD_BITS, check_exact, survival
from overbar.sampling.entropy import Source, random_bits, random_words
from overbar.sampling.integers import Integers, as_array

WORD_BITS = 64
#: Bounds on noise are moved outward by this, relative to their size; floats err by less than 1e-13.
MARGIN = 1e-9
#: Noise below this is held in an int64 beside a score.
SMALL = 2.0**60
#: Standard deviations below this, in grid steps, have a table of their tails.
TABLED = 512
#: Tails below this are not told from zero by floats.
TINY = 1e-290


@dataclass(frozen=True)
class OnGrid:
    """The law of N. Public numbers.

    Exponential and Gumbel noise is floored to the grid; Laplace and Gaussian noise is discrete, or
    `floored` as well: a score is above a bar by real noise iff it is by floored noise.
    """

    noise: Noise
    grid: Fraction
    floored: bool = False

    def __post_init__(self) -> None:
        if self.floored:
            check_exact(self.noise, once=True)
        elif type(self.noise) not in (Exponential, Gumbel):
            check_symmetric(self.noise)

    def tail(self, steps: int, precision: int) -> arb:
        """Enclose S(steps)."""
        law = grid_tail if self._is_discrete else survival
        return law(self.noise, self.grid, steps, precision)

    @cached_property
    def ratio(self) -> Fraction:
        """The scale of the noise in grid steps."""
        return self.noise.scale / self.grid

    @cached_property
    def _width(self) -> float:
        """The same, where it is no larger than what floats are used for."""
        return float(self.ratio) if self.ratio * WORD_BITS < SMALL else math.inf

    @cached_property
    def guard_bits(self) -> int:
        """Bits of precision beyond those of U: a scale of many steps wants more."""
        return GUARD_BITS + math.ceil(self.ratio).bit_length()

    @property
    def is_real(self) -> bool:
        """Whether what is rounded to the grid is told apart below it all the same."""
        return isinstance(self.noise, Gumbel)

    @cached_property
    def _mirrors(self) -> bool:
        return isinstance(self.noise, Laplace | Gaussian)

    @cached_property
    def _is_discrete(self) -> bool:
        return self._mirrors and not self.floored

    def _mirrored(self, size: Any) -> Any:
        """Return N, where it is as far out on the left as one of this size is on the right."""
        return -1 - size if self.floored else -size

    def bounds(self, words: NDArray[np.uint64], bits: int) -> tuple[Integers, Integers]:
        """Bound N from both sides, given the first `bits` bits of U, at least one of them.

        Where all of them are 0 there is no upper bound, and where all are 1 no lower one: what is
        returned in its place means nothing.
        """
        if not self._mirrors:
            return self._sizes(words, bits)
        last = np.uint64((1 << bits) - 1)
        mirrored = words > last >> np.uint64(1)
        low, high = self._sizes(np.where(mirrored, last - words, words), bits)
        left = self._mirrored(high), self._mirrored(low)
        return np.where(mirrored, left[0], low), np.where(mirrored, left[1], high)

    def draw(self, count: int, source: Source, word_bits: int = WORD_BITS) -> Integers:
        """Return so many independent N."""
        words = random_words(count, word_bits, source).astype(np.uint64)
        return self.settled(words, source, word_bits)

    def settled(
        self, words: NDArray[np.uint64], source: Source, word_bits: int = WORD_BITS
    ) -> Integers:
        """Return N for each, given the first bits of its U."""
        return self.opened(words, source, word_bits)[0]

    def opened(
        self, words: NDArray[np.uint64], source: Source, word_bits: int
    ) -> tuple[Integers, dict[int, tuple[int, int]]]:
        """Return N for each, and by place all bits of U, and how many, where further ones decided.

        Whoever goes on with one of these must go on from all of them.
        """
        low, high = self.bounds(words, word_bits)
        unsure = (low != high) | (words == 0) | (words == (1 << word_bits) - 1)
        places = np.flatnonzero(unsure)
        found = [self.revealed(word, word_bits, source) for word in words[places].tolist()]
        exact = as_array([noise for noise, *_ in found])
        drawn = low.astype(np.result_type(low, exact))
        drawn[places] = exact
        known = zip(places.tolist(), found, strict=True)
        return drawn, {place: (word, bits) for place, (_, word, bits) in known}

    def revealed(self, word: int, bits: int, source: Source) -> tuple[int, int, int]:
        """Return N, all bits of U that are known then, and how many they are."""
        mirrored = self._mirrors and word >> bits - 1 == 1
        tail = (1 << bits) - 1 - word if mirrored else word
        while True:
            low, high = self._bracket(tail, bits)
            last = (1 << bits) - 1
            if low == high and 0 < tail < last:
                noise = self._mirrored(low) if mirrored else low
                return noise, (last - tail if mirrored else tail), bits
            # Mirrored bits of U are as uniform as its own.
            tail, bits = tail << WORD_BITS | random_bits(WORD_BITS, source), bits + WORD_BITS

    @np.errstate(all="ignore")
    def _sizes(self, tails: NDArray[np.uint64], bits: int) -> tuple[Integers, Integers]:
        """Bound N, or |N|, where U or 1 - U lies in [tail, tail + 1] · 2^-bits."""
        if self._width == math.inf:
            found = [self._bracket(tail, bits) for tail in tails.tolist()]
            low, high = np.array(found, dtype=np.object_).reshape(-1, 2).T
            return low, high
        if self._is_discrete and isinstance(self.noise, Gaussian) and self._width < TABLED:
            least, most = _tail_table(self.ratio**2)
            first = tails << np.uint64(WORD_BITS - bits)
            last = first + np.uint64((1 << WORD_BITS - bits) - 1)
            return (
                len(least) - np.searchsorted(least, last),
                len(most) - np.searchsorted(most, first),
            )
        if self.is_real:
            far, near = exponential_bounds(tails, bits)
        else:
            near = (tails.astype(np.float64) + 1) * 2.0**-bits
            far = np.maximum(near - 2.0**-bits, 2.0**-bits / 2)
        inner, margin = self._size(near)
        outer, wider = self._size(far)
        lowest = -SMALL if self.is_real else 0.0
        return _floors(np.maximum(inner - margin, lowest)), _floors(outer + wider)

    def _size(self, end: Floats) -> tuple[Floats, Floats]:
        """Return the real number whose floor is N, or |N|, and a bound on how far it is off.

        With y = e^(-grid/scale). Exponential: S(k) = y^k. Laplace: y^k/2, and y^k/(1 + y) if it is
        discrete. Gumbel: for `end` -ln(1 - U) is given, and S(k) = 1 - exp(-y^k). Gaussian: S(k) is
        that of the normal law; if it is discrete, with a standard deviation of t >= TABLED steps,
        nearly from k - 1/2 on: for tails down to 2^-65 this is off by less than 5/t steps. What is
        relative is for floats.
        """
        ratio = self._width
        if isinstance(self.noise, Gaussian):
            shift, off = (0.5, 5 / ratio) if self._is_discrete else (0.0, MARGIN)
            deviations = -scipy.special.ndtri(end)
            return deviations * ratio + shift, off + MARGIN * ratio * (1 + np.abs(deviations))
        folds = -np.log(end)
        both = 0.0
        if isinstance(self.noise, Laplace):
            both = math.log1p(math.exp(-1 / max(ratio, TINY)) if self._is_discrete else 1)
        return (folds - both) * ratio, MARGIN * (1 + ratio * (1 + np.abs(folds)))

    def _bracket(self, tail: int, bits: int) -> tuple[int, int]:
        """Bound N, or |N|, by balls; an end where S is 0 or 1 means nothing."""
        precision = bits + self.guard_bits
        with ctx.workprec(precision):
            near, far = (self._place(end * arb(2) ** -bits) for end in (tail + 1, tail))
            if not (self._is_discrete and isinstance(self.noise, Gaussian)):
                return _floor_of(near.lower()), _floor_of(far.upper())

        def level(size: int) -> arb:
            return self.tail(size, precision) * arb(2) ** bits

        def surely_reaches(size: int) -> bool:
            with ctx.workprec(precision):
                return bool(level(size) >= tail + 1)

        def may_reach(size: int) -> bool:
            with ctx.workprec(precision):
                return not level(size) <= tail

        low = _last(surely_reaches, _floor_of(near.mid()))
        return low, (_last(may_reach, _floor_of(far.mid())) if tail else 0)

    def _place(self, chance: arb) -> arb:
        """Enclose the real number whose floor is N, or |N|; discrete Gaussian noise: about it."""
        if self.is_real:
            unit = -(-(-chance).log1p()).log()
        elif isinstance(self.noise, Gaussian):
            unit = (2 * chance).erfcinv() * arb(2).sqrt()
        elif isinstance(self.noise, Laplace):
            both = 1 + (-1 / ball(self.ratio)).exp() if self._is_discrete else 2
            unit = -(chance * both).log()
        else:
            unit = -chance.log()
        return unit * ball(self.ratio)


@lru_cache(maxsize=16)
def word_bounds(law: OnGrid, bits: int) -> tuple[Integers, Integers]:
    """Return the bounds on N for each first word; public numbers, kept. Nobody may change them."""
    return law.bounds(np.arange(1 << bits, dtype=np.uint64), bits)


def _last(holds: Callable[[int], bool], guess: int) -> int:
    """Return a whole number that holds, or zero, whose successor does not, found from a guess."""
    low = high = max(0, guess)
    step = 1
    while low > 0 and not holds(low):
        low, high, step = max(0, low - step), low, 2 * step
    if low == high:
        high, step = low + 1, 1
        while holds(high):
            low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@lru_cache(maxsize=8)
def _tail_table(variance: Fraction) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return, rising, a lower and an upper bound on 2^64·S(k) for k >= 1, each less one.

    With t the tail's first word and u its last, |N| >= k for certain if u + 1 <= 2^64·S(k), and
    |N| < k for certain if t >= 2^64·S(k). Sizes left out have 2^64·S(k) <= 1.
    """
    with ctx.workprec(3 * WORD_BITS):

        def scaled(size: int) -> arb:
            return gaussian_tail(variance, size, 3 * WORD_BITS) * (1 << WORD_BITS)

        end = _last(lambda size: not scaled(size) <= 1, 10 * math.isqrt(math.ceil(variance))) + 1
        level, rate = scaled(end), ball(1 / (2 * variance))
        centre = (1 << WORD_BITS) - 2 * scaled(1)  # of the mass at zero
        levels = []
        for size in range(end - 1, 0, -1):
            level += centre * (-rate * (size * size)).exp()
            levels.append(level)
        lower = [_floor_of(level.lower()) - 1 for level in levels]
        upper = [-_floor_of(-level.upper()) - 1 for level in levels]
    least = np.array([word for word in lower if word >= 0], dtype=np.uint64)
    most = np.array(upper, dtype=np.uint64)
    least.flags.writeable = most.flags.writeable = False
    return least, most


def _floors(values: Floats) -> NDArray[np.int64]:
    """Return whole numbers; what does not fit is an end that means nothing."""
    return np.floor(np.clip(values, -SMALL, SMALL)).astype(np.int64)


def _floor_of(point: arb) -> int:
    """Return the floor of a ball without radius, such as an end of another; 0 for no number."""
    return int(point.floor().unique_fmpz() or 0)
