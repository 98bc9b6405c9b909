"""Intervals of 95 % around a score under noise, also one that was selected because it is high.

Let Y = q + N with q the score and N the noise in grid steps. Given that Y reached a bar z, it has
the law of q + N cut off below z. An interval has all q that do not make the value y look odd:

    P(|N| >= |y - q| given N >= z - q) > 5 %.

It holds the true score with a probability of at least 95 %, whatever it is, also among those that
were selected alone, and it holds y itself. Without a bar it is y ± the half-width of the noise. The
noise falls to both sides, and then these q are an interval; where a value close to the bar says
nothing about how low the score is, it has no lower end.

Theory: :doc:`/theory/counts`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache

from overbar.noise import Noise
from overbar.noise.grid_tails import grid_tail

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
    while (found := fits(outside)) is not False:
        if found is None:
            return None
        inside, outside = outside, 2 * outside
    while outside - inside > max(1, scale // FINE):
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if fits(middle) else (inside, middle)
    return outside - 1
