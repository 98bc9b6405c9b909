"""Intervals of 95 % around a score under noise, also one that was selected because it is high.

Let Y = q + N with q the score and N the noise in grid steps. Given that Y reached a bar z, it has
the law of q + N cut off below z. An interval has all q that do not make the value y look odd:

    P(|N| >= |y - q| given N >= z - q) > 5 %.

It holds the true score with a probability of at least 95 %, whatever it is, also among those that
were selected alone, and it holds y itself. Without a bar it is y ± the half-width of the noise. The
noise falls to both sides, and then these q are an interval; where a value close to the bar says
nothing about how low the score is, it has no lower end.

Intervals of about 95 % around scores whose noisy values decided, and came out themselves.

Let y = q + G be the value of a score q, with Gumbel noise G and its tail S. What is told is
z = y - ρ, with one noise ρ for all. Who came out had z >= w: the level of the threshold, or the
first value that was beaten, less ρ. Let H be the chance that z leads w by more than it does.

**The level** is the same whatever ρ is, so H = P(G - ρ >= z - q)/P(G - ρ >= w - q), exactly.

**A value that was beaten** is L = w + ρ, and ρ does not know who came out. Given L and ρ the chance
is S(z + ρ - q)/S(w + ρ - q); L is not known, so H is its mean over ρ. Far above w, and far below
it, H has the uniform law; in between nearly so. With a level below it, both kinds are supposed.

An interval has all q at which the lead is neither too large nor too small to be believed:
5 % - 2.5 %·p < H < 1 - 2 %·p, with p the chance P(G - ρ >= w - q) to come out. H rises with q and
both bounds fall, so these q are an interval. How often it holds the score was added up and not
proved: 94.2 to 96.1 % of the time, wherever the score lies, for shared noise of up to 1.8 scales.

Theory: :doc:`/theory/counts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np

from overbar.noise import Gumbel, Noise
from overbar.noise.grid_tails import grid_tail
from overbar.noise.noise import Array

#: How often an interval may miss.
MISSES = 0.05
PRECISION = 64
#: Tails below this are not told from zero by floats.
TINY = 1e-220
#: A bar so many scales below a value changes nothing that floats show.
FAR = 100
#: On fine grids ends are moved outwards, to about this part of a scale.
FINE = 1 << 12


def interval(
    noise: Noise, grid: Fraction, value: int, bar: int | None = None, *, tied: bool = False
) -> tuple[int | None, int]:
    """Return the ends of the interval in grid steps; None where there is no lower end.

    With `tied` the bar is the value of another candidate, which a value equal to it may have lost
    or won against by lot: what either case allows is inside.

    >>> from overbar.noise import Laplace
    >>> interval(Laplace(10), Fraction(1), 500), interval(Laplace(10), Fraction(1), 500, 495)
    ((470, 530), (None, 527))
    """
    lead = None if bar is None else value - bar
    lead = None if lead is None or lead > FAR * noise.scale / grid else lead
    below, above = _offsets(noise, grid, lead)
    if tied and lead:
        other = _offsets(noise, grid, lead - 1)
        below = None if below is None or other[0] is None else max(below, other[0])
        above = max(above, other[1])
    return None if below is None else value - below, value + above


@lru_cache(maxsize=1 << 12)
def _offsets(noise: Noise, grid: Fraction, lead: int | None) -> tuple[int | None, int]:
    """Return how far below and above a value scores fit that leads a bar by so many steps."""

    @cache
    def tail(steps: int) -> float:
        return float(grid_tail(noise, grid, steps, PRECISION).mid())

    def fits(score: int) -> bool | None:
        """Tell whether a score may have given the value zero; None too far out to tell."""
        off = abs(score)
        reached = 1.0 if lead is None else tail(-lead - score)
        if reached < TINY:
            return None
        inside = lead is None or -lead - score <= -off
        return off == 0 or tail(off) + inside * (reached - tail(1 - off)) > MISSES * reached

    scale = max(1, int(noise.scale / grid))
    high = _last(fits, scale)
    assert high is not None  # a score far above the value would have given a higher one
    return _last(lambda steps: fits(-steps), scale), high


def _last(fits: Callable[[int], bool | None], scale: int) -> int | None:
    """Return the last number of steps that fits, of those up to the first that does not."""
    inside, outside = 0, scale
    while (inside_yet := fits(outside)) is not False:
        if inside_yet is None:
            return None
        inside, outside = outside, 2 * outside
    while outside - inside > max(1, scale // FINE):
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if fits(middle) else (inside, middle)
    return outside - 1


#: Noise of scale one.
STANDARD = Gumbel(Fraction(1))
#: How often an interval may miss because the value was high: next to L, and less far above it.
TOO_HIGH, LESS = 0.05, 0.025
#: How often it may miss because the value was low, far above L.
TOO_LOW = 0.02
#: Places of the shared noise, in its standard deviations, and the logarithms of their weights.
_PLACES: Array = np.linspace(-6.0, 6.0, 97)
_LOG_WEIGHTS: Array = -(_PLACES**2) / 2 - np.log(np.exp(-(_PLACES**2) / 2).sum())
#: Ends are looked for so many scales out, of whichever noise is wider, by so many halvings.
OUTERMOST, HALVINGS = 64.0, 20
#: A bar so many scales below a value changes nothing, and floats need not hold the lead.
BEYOND = 1000


@np.errstate(all="ignore")  # what NumPy was told to raise must not depend on values
def value_interval(
    noise: Noise,
    shared: Noise,
    grid: Fraction,
    value: int,
    level: int | None = None,
    beaten: int | None = None,
) -> tuple[int | None, int]:
    """Return the ends of the interval in grid steps; None where there is no lower end.

    `level` is that of the threshold, None for the top; `beaten` the first value that did not come
    out for want of a place, None if there was none. Values are floors, so a lead may be larger or
    smaller by less than a step: ends are moved outwards.

    >>> from overbar.noise import Gaussian, Gumbel
    >>> value_interval(Gumbel(100), Gaussian(50), Fraction(1), 5000)
    (4620, 5170)
    >>> value_interval(Gumbel(100), Gaussian(50), Fraction(1), 5000, beaten=4950)
    (None, 5163)
    """
    scale, width = float(noise.scale / grid), float(shared.scale / noise.scale)
    bar = level if beaten is None else beaten
    lead = math.inf
    if bar is not None and value - bar <= BEYOND * max(noise.scale, shared.scale) / grid:
        lead = float(value - bar)
    kinds = [kind for kind, there in ((True, level), (False, beaten)) if there is not None]
    least, most = max(lead - 1, 0) / scale, (lead + 1) / scale
    low = min(_lower_end(width, least, fixed) for fixed in kinds or [True])
    high = max(_upper_end(width, most, fixed) for fixed in kinds or [True])
    return (
        None if low == -math.inf else value + math.floor(low * scale),
        value + 1 + math.ceil(high * scale),
    )


@lru_cache(maxsize=1 << 12)
def _lower_end(width: float, lead: float, fixed: bool) -> float:
    """Return the least offset of a score from its value at which the lead is not too large."""

    def too_low(offset: float) -> bool:
        larger, out = _chances(width, lead, offset, fixed)
        return larger <= TOO_HIGH - LESS * out

    far = OUTERMOST * max(1.0, width)
    return _end(too_low, far) if too_low(-far) else -math.inf


@lru_cache(maxsize=1 << 12)
def _upper_end(width: float, lead: float, fixed: bool) -> float:
    """Return the largest offset at which the lead is not too small."""

    def fits(offset: float) -> bool:
        larger, out = _chances(width, lead, offset, fixed)
        return larger < 1 - TOO_LOW * out

    return _end(fits, OUTERMOST * max(1.0, width))


def _chances(width: float, lead: float, offset: float, fixed: bool) -> tuple[float, float]:
    """Return the chances of a larger lead and to come out, of a score so far from its value.

    The bar that it leads is `fixed` if it is the level, which stays where it is whatever ρ is.
    """
    value = width * _PLACES - offset
    tail, reached = STANDARD.unit_logsf(value), STANDARD.unit_logsf(value - lead)
    # Far out nothing but the logarithm is left.
    log_out = np.logaddexp.reduce(reached + _LOG_WEIGHTS)
    if fixed:
        larger = np.exp(np.logaddexp.reduce(tail + _LOG_WEIGHTS) - log_out)
    else:
        larger = np.exp(tail - reached) @ np.exp(_LOG_WEIGHTS)
    return float(larger), float(np.exp(log_out))


def _end(holds: Callable[[float], bool], far: float) -> float:
    """Return where something ends to hold that holds far below."""
    low, high = -far, far
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high
