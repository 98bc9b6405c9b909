"""Intervals of 95 % around scores whose noisy values were the highest, and came out themselves.

Let y = q + G be the value of a score q, with Gumbel noise G, and L the first value that did not
come out. Who came out had y >= L. What is told is z = y - ρ and w = L - ρ, with one noise ρ for
all, which does not know who came out. Given L and ρ the lead z - w is larger than l with the chance

    C(l, d) = S(l - d)/S(-d),    d = q - L,    S the tail of G,

which rises with d. Only e = q - w = d + ρ is known of d once q is supposed, so C is averaged over
ρ: H(l, e) = E[C(l, e - ρ)]. An interval has all q at which the lead is neither too large nor too
small to be believed: 5 % - 2.5 %·p < H < 1 - 2 %·p, with p the chance E[S(ρ - e)] to come out. Both
ends are where a rising function meets one that falls. Far above L, and far below it, H has the
uniform law and the interval misses 4.5 or 5 %; in between the law is nearly so.

Theory: :doc:`/theory/counts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np

from overbar.noise import Gaussian, Gumbel
from overbar.noise.noise import Array

#: Noise of scale one.
STANDARD = Gumbel(Fraction(1))
#: How often an interval may miss because the value was high: next to L, and less far above it.
TOO_HIGH, LESS = 0.05, 0.025
#: How often it may miss because the value was low, far above L.
TOO_LOW = 0.02
#: Places of the shared noise, in its standard deviations, and their weights.
_PLACES: Array = np.linspace(-6.0, 6.0, 97)
_WEIGHTS: Array = np.exp(-(_PLACES**2) / 2) / np.exp(-(_PLACES**2) / 2).sum()
#: Ends are looked for so many scales out, by so many halvings.
FAR, HALVINGS = 64.0, 20


def value_interval(
    noise: Gumbel, shared: Gaussian, grid: Fraction, value: int, beaten: int | None
) -> tuple[int | None, int]:
    """Return the ends of the interval in grid steps; None where there is no lower end.

    `beaten` is the first value that did not come out, None if all have. Values are floors, so a
    lead may be larger or smaller by less than a step: ends are moved outwards.

    >>> from overbar.noise import Gaussian, Gumbel
    >>> value_interval(Gumbel(100), Gaussian(50), Fraction(1), 5000, None)
    (4616, 5158)
    >>> value_interval(Gumbel(100), Gaussian(50), Fraction(1), 5000, 4950)
    (None, 5075)
    """
    scale, width = float(noise.scale / grid), float(shared.scale / noise.scale)
    lead = math.inf if beaten is None else float(value - beaten)
    low = _lower_end(width, max(lead - 1, 0) / scale)
    high = _upper_end(width, (lead + 1) / scale)
    return (
        None if low is None else value + math.floor(low * scale),
        value + 1 + math.ceil(high * scale),
    )


@lru_cache(maxsize=1 << 12)
def _lower_end(width: float, lead: float) -> float | None:
    """Return the least offset of a score from its value at which the lead is not too large."""

    def too_low(offset: float) -> bool:
        larger, out = _chances(width, lead, offset)
        return larger <= TOO_HIGH - LESS * out

    return _last(too_low) if too_low(-FAR) else None


@lru_cache(maxsize=1 << 12)
def _upper_end(width: float, lead: float) -> float:
    """Return the largest offset at which the lead is not too small."""

    def fits(offset: float) -> bool:
        larger, out = _chances(width, lead, offset)
        return larger < 1 - TOO_LOW * out

    return _last(fits)


def _chances(width: float, lead: float, offset: float) -> tuple[float, float]:
    """Return the chances of a larger lead and to come out, of a score so far from its value."""
    value = width * _PLACES - offset
    tail, reached = STANDARD.unit_logsf(value), STANDARD.unit_logsf(value - lead)
    return float(np.exp(tail - reached) @ _WEIGHTS), float(np.exp(reached) @ _WEIGHTS)


def _last(holds: Callable[[float], bool]) -> float:
    """Return where something ends to hold that holds far below."""
    low, high = -FAR, FAR
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high
