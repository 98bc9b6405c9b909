"""Float bounds on the round of each candidate, wide enough to be true; they rule out most of them.

A round is G = ceil(e^k), k = ln E - ln H, and may be too large for a float. So it is bounded by its
*rank*: G itself up to e^25, and from there on the tangent of e^k, which grows like k. Ranks are in
the order of rounds, and where rounds are small enough to tie they are whole numbers, so that a tie
is seen as a tie.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from overbar.noise import Exponential, Laplace, Noise
from overbar.sampling.integers import HIGHEST, LOWEST, Integers

Floats = NDArray[np.float64]

#: Bounds are moved outward by this, relative to the logarithms they are made of, whose own error
#: is below 1e-13.
MARGIN = 1e-9
#: Up to this k a rank is the round. Beyond it, rounding up adds less than e^-25 = 1.4e-11 to k,
#: far inside the margin.
WHOLE = 25.0
LARGEST_WHOLE = float(math.ceil(math.exp(WHOLE)))
#: Scales from which on the log-hazard is linear, for all that floats can tell.
FAR = 1000
#: Scales up to which they tell one gap from another, with the margin above.
NEAR = 10**8
#: Floats say nothing about gaps and logarithms beyond this, whose ranks might be infinite.
LARGEST_FLOAT = 1e290


@np.errstate(all="ignore")
def rank_bounds(
    noise: Noise, grid: Fraction, gaps: Integers, words: NDArray[np.unsignedinteger], bits: int
) -> tuple[Floats, Floats]:
    """Bound the rank of G from both sides, given the first `bits` bits of V."""
    steps = np.array([_as_float(gap) for gap in gaps.tolist()]) if gaps.dtype != np.int64 else gaps
    log_hazard = noise.log_hazard(steps * float(grid))
    lowest, highest = _log_exponential(words, bits)
    low = lowest - log_hazard - MARGIN * (1 + np.abs(lowest) + np.abs(log_hazard))
    high = highest - log_hazard + MARGIN * (1 + np.abs(highest) + np.abs(log_hazard))
    unknown = ~(np.abs(log_hazard) < LARGEST_FLOAT)
    low[unknown], high[unknown] = -np.inf, np.inf
    if isinstance(noise, Exponential):
        high[gaps <= 0] = -np.inf  # F = 0: positive in the first round
    low[np.isnan(low)], high[np.isnan(high)] = -np.inf, np.inf
    return rank(low), rank(high)


def rank(log_ratio: Floats) -> Floats:
    """Return the rank of ceil(e^k). Never decreasing in k, rounding included."""
    whole = np.ceil(np.exp(np.minimum(log_ratio, WHOLE)))
    tangent = LARGEST_WHOLE * (1 + (np.maximum(log_ratio, WHOLE) - WHOLE))
    return np.where(log_ratio < WHOLE, np.maximum(whole, 1), tangent)


def rank_of(rounds: int | None) -> float:
    """Return the rank of given rounds, an infinite one for None."""
    if rounds is None:
        return math.inf
    if rounds < LARGEST_WHOLE:
        return float(rounds)
    return float(rank(np.asarray(math.log(rounds))))


def exponential_bounds(words: NDArray[np.unsignedinteger], bits: int) -> tuple[Floats, Floats]:
    """Return E = -ln(1 - V) at both ends of what V may be, each by the formula that is exact there.

    The error is a few units in the last place; the upper end is infinite where V may reach 1.
    """
    unit = 2.0**-bits
    below = words.astype(np.float64)
    above = (((1 << bits) - 1) - words).astype(np.float64)
    near = below < 0.5 / unit
    with np.errstate(divide="ignore"):
        low = np.where(near, -np.log1p(-below * unit * near), -np.log((above + 1) * unit))
        high = np.where(near, -np.log1p(-(below + 1) * unit * near), -np.log(above * unit))
    return low, high


def _log_exponential(words: NDArray[np.unsignedinteger], bits: int) -> tuple[Floats, Floats]:
    low, high = exponential_bounds(words, bits)
    with np.errstate(divide="ignore"):
        return np.log(low), np.log(high)


def slack(scores: Integers, base: int, count: int, noise: Noise, grid: Fraction) -> int:
    """Return how many steps nearer the bar may be put for bounds that meet only each other.

    Floats lose sight of the differences between gaps that are all huge. From FAR scales on, ln H is
    -z plus a constant, but for e^-FAR: lowering the bar takes the same off every k, and leaves each
    of them above WHOLE if 64 bits of V are not all zero. So the order of the candidates stays.
    The bar is put so that the highest score is FAR scales below it; or, if that is so far above the
    others that floats would see no difference between them, the last of the `count` highest.
    """
    if not len(scores):
        return 0
    top, seen = int(scores.max()), math.ceil(NEAR * noise.scale / grid)
    if len(scores) > count and top - int(scores.min()) > seen:
        last = int(np.partition(scores, len(scores) - count)[len(scores) - count])
        top = last if top - last > seen else top
    return max(0, base - top - distance(noise, grid))


def distance(noise: Noise, grid: Fraction) -> int:
    """Return FAR scales in grid steps."""
    return math.ceil(FAR * noise.scale / grid)


def levels(noise: Noise, grid: Fraction, base: int, limit: float, bits: int) -> list[int]:
    """Return, for each first word of V, the lowest score whose G may have a rank up to limit.

    Let z = gap · grid / scale. Then ln H <= -z + excess for all z > start, where

        Gumbel        ln H = -z                              excess 0
        Laplace       ln H + z is largest at z = ln 2 - 1    excess ln 2 - 1 < -0.3
        exponential   ln H + z falls; at z = 1 it is 0.2214  excess 0.25, start 1

    so that k >= ln E + z - excess, and k <= last needs z <= last + excess - ln E. For exponential
    noise all z up to 1 pass.
    """
    excess, start = 0.0, -math.inf
    if isinstance(noise, Laplace):
        excess = -0.3
    elif isinstance(noise, Exponential):
        excess, start = 0.25, 1.0
    if limit == math.inf:
        return [LOWEST] * (1 << bits)
    if limit < 1:
        return [HIGHEST] * (1 << bits)  # not even the first round is left
    last = math.log(limit) if limit <= LARGEST_WHOLE else WHOLE + (limit / LARGEST_WHOLE - 1)
    ratio = float(noise.scale / grid)
    lowest, _ = _log_exponential(np.arange(1 << bits, dtype=np.uint64), bits)
    reach = np.maximum(last + excess - lowest, start)
    reach = ratio * (reach + MARGIN * (1 + last + np.abs(lowest))) + 1
    return [base - math.floor(x) if x < math.inf else LOWEST for x in reach.tolist()]


def _as_float(gap: int) -> float:
    """Return a float, infinite where the int is too large for one."""
    if abs(gap) < LARGEST_FLOAT:
        return float(gap)
    return math.inf if gap > 0 else -math.inf
