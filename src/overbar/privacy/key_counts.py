"""Counts beside keys that nobody listed: noise for each key that is out, and for everything else.

After the keys are out each person keeps at most m of their pairs, by new lots among all keys. The
count of a key that is out is how many persons kept it; *everything else* is all other kept pairs.
Gaussian noise of scale σ for each count and √m·σ for everything else costs as much as noise of
scale σ/√m on one value of sensitivity 1. Laplace noise of scale b for all of them is pure: m/b.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from overbar.errors import NoGuaranteeError
from overbar.mechanisms import CountNoise
from overbar.noise import Gaussian, Laplace

#: The part of the variance that hides the grid, in steps².
HIDING = 1 << 10
#: Digits kept of a root.
DIGITS = 12


def counts_variance(noise: CountNoise, items: int) -> Fraction:
    """Return the variance of Gaussian noise on one value of sensitivity 1 that costs as much.

    Both noises are functions of Gaussian noise that is not on a grid and has less variance.
    """
    hidden = HIDING * noise.grid**2
    each, rest = (law.scale**2 - hidden for law in (noise.each, noise.rest))
    gaussian = isinstance(noise.each, Gaussian) and isinstance(noise.rest, Gaussian)
    if not gaussian or min(each, rest) <= hidden:
        raise NoGuaranteeError("the noise must be Gaussian, and wider than the grid it hides")
    return min(each / items, rest / items**2)


def counts_epsilon(noise: CountNoise, items: int) -> Fraction:
    """Return the pure ε of Laplace noise."""
    if not (isinstance(noise.each, Laplace) and isinstance(noise.rest, Laplace)):
        raise NoGuaranteeError("only Laplace noise has a pure guarantee here")
    return items / min(noise.each.scale, noise.rest.scale)


def root(square: Fraction, *, up: bool = False) -> Fraction:
    """Return a square root of twelve digits, rounded down or up."""
    unit = 10 ** max(0, DIGITS - math.floor(math.log10(square) / 2))
    down = math.isqrt(math.floor(square * unit * unit))
    return Fraction(down + (1 if up else 0), unit)
