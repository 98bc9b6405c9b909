"""The noise of counts beside keys.

Theory: :doc:`/theory/keys`.
"""

from __future__ import annotations

from fractions import Fraction

from overbar.mechanisms import CountNoise
from overbar.mechanisms.key_values import HIDING, root
from overbar.noise import Gaussian, Laplace

#: The grid is at most this part of one, and so fine that hiding it takes this part of the noise.
COARSEST, HIDDEN_PART = Fraction(1, 1 << 8), Fraction(1, 10**5)


def gaussian_counts(variance: Fraction, items: int) -> CountNoise:
    """Return noise for counts that costs what Gaussian noise on one value of sensitivity 1 does.

    >>> noise = gaussian_counts(Fraction(16), 100)
    >>> round(float(noise.each.scale), 3), round(float(noise.rest.scale), 2)
    (40.0, 400.0)
    """
    grid = COARSEST
    while HIDING * grid**2 > variance * items * HIDDEN_PART:
        grid /= 2
    each = root(variance * items + HIDING * grid**2, up=True)
    return CountNoise(Gaussian(each), Gaussian(root(items * each**2, up=True)), grid)


def laplace_counts(epsilon: Fraction, items: int) -> CountNoise:
    """Return noise for counts that is pure ε.

    >>> laplace_counts(Fraction(1, 4), 1).each.scale
    Fraction(4, 1)
    """
    noise = Laplace(items / epsilon)
    return CountNoise(noise, noise, Fraction(1))
