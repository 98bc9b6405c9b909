"""Counts beside keys that nobody listed: noise for each key that is out, and for everything else.

After the keys are out each person keeps at most m of their pairs, by new lots among all keys. The
count of a key that is out is how many persons kept it; *everything else* is all other kept pairs.

**Claim.** Gaussian noise of scale σ for each count and √m·σ for everything else costs as much as
noise of scale σ/√m on one value of sensitivity 1. **Proof.** A person with k pairs at keys that are
out and j at others, k + j <= m, moves k counts by one and everything else by j. In units of the
noise the squared distance is k/σ² + j²/mσ² <= (k + j)/σ² <= m/σ², because j <= m. ∎

Laplace noise of scale b for all of them is pure: (k + j)/b <= m/b.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from overbar.accounting.histogram import DIGITS
from overbar.accuracy.interval import interval
from overbar.errors import NoGuaranteeError
from overbar.noise import Gaussian, Laplace, Noise
from overbar.plans import HistogramPlan, Plan, Reach

#: The part of the variance that hides the grid, in steps².
HIDING = 1 << 10
#: No answer has as many keys.
UNLIMITED = 10**18
#: The grid is at most this part of one, and so fine that hiding it takes this part of the noise.
COARSEST, HIDDEN_PART = Fraction(1, 1 << 8), Fraction(1, 10**5)


@dataclass(frozen=True)
class CountNoise:
    """The noise of each count and of everything else, in persons, on a grid."""

    each: Gaussian | Laplace
    rest: Gaussian | Laplace
    grid: Fraction

    def variance(self, items: int) -> Fraction:
        """Return the variance of Gaussian noise on one value of sensitivity 1 that costs as much.

        Both noises are functions of Gaussian noise that is not on a grid and has less variance.
        """
        hidden = HIDING * self.grid**2
        each, rest = (noise.scale**2 - hidden for noise in (self.each, self.rest))
        gaussian = isinstance(self.each, Gaussian) and isinstance(self.rest, Gaussian)
        if not gaussian or min(each, rest) <= hidden:
            raise NoGuaranteeError("the noise must be Gaussian, and wider than the grid it hides")
        return min(each / items, rest / items**2)

    def epsilon(self, items: int) -> Fraction:
        """Return the pure ε of Laplace noise."""
        if not (isinstance(self.each, Laplace) and isinstance(self.rest, Laplace)):
            raise NoGuaranteeError("only Laplace noise has a pure guarantee here")
        return items / min(self.each.scale, self.rest.scale)

    @cached_property
    def margin(self) -> int:
        """By how much a count is off at most, in 95 of 100 cases."""
        return math.floor(interval(self.each, self.grid, 0)[1] * self.grid)

    @cached_property
    def rest_margin(self) -> int:
        """By how much everything else is off at most, in 95 of 100 cases."""
        return math.floor(interval(self.rest, self.grid, 0)[1] * self.grid)

    def total_margin(self, keys: int) -> int:
        """By how much the sum over so many keys and everything else is off, in 95 of 100 cases.

        In units of its deviation a sum of Laplace noises is nearer to zero than one of them.
        """
        laplace = isinstance(self.each, Laplace)
        factor = math.log(20) / math.sqrt(2) if laplace else 1.96
        each, rest = (
            float(noise.scale**2) * (2 if laplace else 1) + 1 / 12
            for noise in (self.each, self.rest)
        )
        return math.ceil(factor * math.sqrt(keys * each + rest))


def one_value(noise: Noise, grid: Fraction = Fraction(1)) -> Plan:
    """Return a plan that costs what a search for keys does: one value of sensitivity 1."""
    return HistogramPlan(noise, None, UNLIMITED, Reach(Fraction(0), Fraction(1)), grid, 1)


def gaussian_counts(variance: Fraction, items: int) -> CountNoise:
    """Return noise for counts that costs what Gaussian noise on one value of sensitivity 1 does.

    >>> found = gaussian_counts(Fraction(16), 100)
    >>> round(float(found.each.scale), 3), round(float(found.rest.scale), 2), found.margin
    (40.0, 400.0, 78)
    """
    grid = COARSEST
    while HIDING * grid**2 > variance * items * HIDDEN_PART:
        grid /= 2
    each = root(variance * items + HIDING * grid**2, up=True)
    return CountNoise(Gaussian(each), Gaussian(root(items * each**2, up=True)), grid)


def laplace_counts(epsilon: Fraction, items: int) -> CountNoise:
    """Return noise for counts that is pure ε.

    >>> laplace_counts(Fraction(1, 4), 1).margin
    12
    """
    noise = Laplace(items / epsilon)
    return CountNoise(noise, noise, Fraction(1))


def root(square: Fraction, *, up: bool = False) -> Fraction:
    """Return a square root of twelve digits, rounded down or up."""
    unit = 10 ** max(0, DIGITS - math.floor(math.log10(square) / 2))
    found = math.isqrt(math.floor(square * unit * unit))
    return Fraction(found + (1 if up else 0), unit)
