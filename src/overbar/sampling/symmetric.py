"""Two-sided noise on the grid as a function of a uniform number, known as far as its bits tell.

The noise is a whole number of grid steps N with P(N = k) proportional to e^(-|k|·grid/scale)
(Laplace) or e^(-(k·grid)²/2σ²) (Gaussian). Let T(k) = P(N >= k). With V uniform and k >= 1,
N >= k iff V < T(k), and N <= -k iff 1 - V <= T(k). So the first bit of V is the side, and how near
V is to its end of [0, 1] says how far out N lies. 8 bits bound N from both sides, 64 bits almost
always leave one whole number, and where they do not, further bits and ball arithmetic decide.

Theory: :doc:`/theory/histogram`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
import scipy
from flint import arb, ctx
from numpy.typing import NDArray

from overbar.noise import Gaussian, Laplace
from overbar.noise.grid_tails import ball, check_symmetric, gaussian_tail, grid_tail
from overbar.sampling.bounds import Floats
from overbar.sampling.enclosure import GUARD_BITS
from overbar.sampling.entropy import Source, random_bits
from overbar.sampling.ranked_draw import MARGIN, SMALL, WORD_BITS, Known, floor_of, floors, known_of

#: Standard deviations below this, in grid steps, have a table of their tails.
TABLED = 512
#: Tails below this are not told from zero by floats.
TINY = 1e-290


class Symmetric:
    """The law of N. Public numbers."""

    def __init__(self, noise: Laplace | Gaussian, grid: Fraction) -> None:
        check_symmetric(noise)
        self.noise, self.grid, self.ratio = noise, grid, noise.scale / grid
        self.huge = self.ratio * WORD_BITS >= SMALL
        self.guard_bits = GUARD_BITS + math.ceil(self.ratio).bit_length()

    def known(self, words: NDArray[np.uint64], bits: int) -> Known:
        """Bound N from both sides, given the first `bits` bits of V, at least one of them."""
        last = np.uint64((1 << bits) - 1)
        mirrored = words > last >> np.uint64(1)
        low, high, unknown = self._sizes(np.where(mirrored, last - words, words), bits)
        return Known(
            np.where(mirrored, -high, low),
            np.where(mirrored, -low, high),
            unknown & ~mirrored,
            unknown & mirrored,
        )

    def exact(self, word: int, bits: int, source: Source) -> int:
        """Return N, revealing as many further bits of V as it takes."""
        last = (1 << bits) - 1
        mirrored = word > last >> 1
        tail = last - word if mirrored else word
        while True:
            low, high = self._bracket(tail, bits)
            if low == high:
                return -low if mirrored else low
            # Mirrored bits of V are as uniform as its own.
            tail, bits = tail << WORD_BITS | random_bits(WORD_BITS, source), bits + WORD_BITS

    def _sizes(
        self, tails: NDArray[np.uint64], bits: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Bound |N|, where V or 1 - V lies in [tail, tail + 1] · 2^-bits; only from below at 0."""
        if self.huge:
            found = known_of([self._bracket(tail, bits) for tail in tails.tolist()])
            return found.low, found.high, found.open
        if isinstance(self.noise, Gaussian) and self.ratio < TABLED:
            least, most = _tail_table(self.ratio**2)
            first = tails << np.uint64(WORD_BITS - bits)
            last = first + np.uint64((1 << WORD_BITS - bits) - 1)
            low = len(least) - np.searchsorted(least, last)
            return low, len(most) - np.searchsorted(most, first), tails == 0
        near = (tails.astype(np.float64) + 1) * 2.0**-bits
        far = np.where(tails == 0, near, tails.astype(np.float64) * 2.0**-bits)
        inner, margin = self._size(near)
        outer, wider = self._size(far)
        return np.maximum(floors(inner - margin), 0), floors(outer + wider), tails == 0

    def _size(self, tail: Floats) -> tuple[Floats, Floats]:
        """Return the real number whose floor is |N|, and a bound on how far it is off.

        Laplace: T(k) = y^k/(1 + y). Gaussian, with a standard deviation of t >= TABLED steps: T(k)
        is nearly that of the normal law from k - 1/2 on; for tails down to 2^-64 this is off by
        less than 5/t steps. What is relative is for floats.
        """
        ratio = float(self.ratio)
        if isinstance(self.noise, Laplace):
            folds = -np.log(tail)
            size = (folds - np.log1p(np.exp(-1 / max(ratio, TINY)))) * ratio
            return size, MARGIN * (1 + ratio * (1 + folds))
        deviations = -scipy.special.ndtri(tail)
        return deviations * ratio + 0.5, 5 / ratio + MARGIN * ratio * (1 + deviations)

    def _bracket(self, tail: int, bits: int) -> tuple[int, int | None]:
        """Bound |N| by balls; None where there is no upper bound."""
        precision = bits + self.guard_bits

        def level(size: int) -> arb:
            return grid_tail(self.noise, self.grid, size, precision) * arb(2) ** bits

        def surely_reaches(size: int) -> bool:
            with ctx.workprec(precision):
                return bool(level(size) >= tail + 1)

        def may_reach(size: int) -> bool:
            with ctx.workprec(precision):
                return not level(size) <= tail

        low = _last(surely_reaches, self._guess(tail + 1, bits))
        return low, (_last(may_reach, self._guess(tail, bits)) if tail else None)

    def _guess(self, tail: int, bits: int) -> int:
        """Return about what |N| is. It decides how long a search takes and nothing else."""
        with ctx.workprec(bits + self.guard_bits):
            double = arb(tail) * arb(2) ** (1 - bits)
            laplace = isinstance(self.noise, Laplace)
            unit = -double.log() if laplace else double.erfcinv() * arb(2).sqrt()
            size = unit * ball(self.ratio) + arb(0.5)
            return max(0, floor_of(size.mid()))


def _last(holds: Callable[[int], bool], guess: int) -> int:
    """Return a whole number that holds, or zero, whose successor does not, found from a guess."""
    low = high = guess
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
    """Return, rising, a lower and an upper bound on 2^64·T(k) for k >= 1, each less one.

    With t the tail's first word and u its last, |N| >= k for certain if u + 1 <= 2^64·T(k), and
    |N| < k for certain if t >= 2^64·T(k). Sizes left out have 2^64·T(k) <= 1.
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
        lower = [floor_of(level.lower()) - 1 for level in levels]
        upper = [-floor_of(-level.upper()) - 1 for level in levels]
    least = np.array([word for word in lower if word >= 0], dtype=np.uint64)
    most = np.array(upper, dtype=np.uint64)
    least.flags.writeable = most.flags.writeable = False
    return least, most
