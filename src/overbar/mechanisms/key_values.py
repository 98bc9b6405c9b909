"""What searches for keys are made of: rounds, weights, noise of counts; and limits of them all.

After the keys are out each person keeps at most m of their pairs, by new lots among all keys. The
count of a key that is out is how many persons kept it; *everything else* is all other kept pairs.
Gaussian noise of scale σ for each count and √m·σ for everything else costs as much as noise of
scale σ/√m on one value of sensitivity 1. Laplace noise of scale b for all of them is pure: m/b.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.mechanisms.reach_and_bar import set_checked
from overbar.noise import Gaussian, Laplace

#: Grid steps in a weight of one. The weights of 2^38 persons fit in 62 bits.
STEPS = 1 << 24
MOST_ITEMS, MOST_ROUNDS = 1000, 10
LARGEST_BAR, LARGEST_EPSILON = 10**120, 1000
#: Below this ε the chances of single keys would be too many to list.
LEAST_EPSILON = Fraction(1, 10**4)
#: The part of the variance that hides the grid, in steps².
HIDING = 1 << 10
#: Digits kept of a root.
DIGITS = 12


@dataclass(frozen=True)
class Round:
    """One round: the scale of the noise, and the bar in grid steps."""

    sigma: Fraction
    bar: int

    def __post_init__(self) -> None:
        set_checked(
            self,
            sigma=_check.positive("sigma", self.sigma),
            bar=_check.whole("bar", self.bar, lowest=0, largest=LARGEST_BAR),
        )


@dataclass(frozen=True)
class Weight:
    """Who keeps up to so many keys adds so many grid steps to each; at most one."""

    items: int
    steps: int

    def __post_init__(self) -> None:
        items = limited("items", self.items, MOST_ITEMS)
        set_checked(self, items=items, steps=limited("steps", self.steps, STEPS))


@dataclass(frozen=True)
class CountNoise:
    """The noise of the count of each key that is out and of everything else, on a grid.

    Parameters
    ----------
    each, rest : Gaussian or Laplace
        The noises, in persons.
    grid : Fraction
        One person is a whole number of steps of it.
    """

    each: Gaussian | Laplace
    rest: Gaussian | Laplace
    grid: Fraction

    def __post_init__(self) -> None:
        if not {type(self.each), type(self.rest)} <= {Gaussian, Laplace}:
            raise ParameterError("counts of keys must have laplace or gaussian noise")
        set_checked(self, grid=_check.positive("grid", self.grid))
        if self.grid.numerator != 1:
            raise ParameterError("the grid of counts must divide one")


def root_weight(items: int) -> int:
    """Return 1/√t in grid steps, rounded down.

    >>> root_weight(1) == STEPS, 2 * root_weight(2) ** 2 <= STEPS**2 < 2 * (root_weight(2) + 1) ** 2
    (True, True)
    """
    return math.isqrt(STEPS * STEPS // items)


def limited(name: str, value: object, most: int) -> int:
    """Return a positive whole number up to a limit."""
    number = _check.whole(name, value)
    if number > most:
        raise ParameterError(f"{named(name)} must be at most {most:,}, got {number:,}")
    return number


def root(square: Fraction, *, up: bool = False) -> Fraction:
    """Return a square root of twelve digits, rounded down or up."""
    unit = 10 ** max(0, DIGITS - math.floor(math.log10(square) / 2))
    down = math.isqrt(math.floor(square * unit * unit))
    return Fraction(down + (1 if up else 0), unit)


def counts_epsilon(noise: CountNoise, items: int) -> Fraction:
    """Return the pure ε of Laplace noise on counts, of which so many are of one person."""
    if not (isinstance(noise.each, Laplace) and isinstance(noise.rest, Laplace)):
        raise NoGuaranteeError("only Laplace noise has a pure guarantee here")
    return items / min(noise.each.scale, noise.rest.scale)


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
