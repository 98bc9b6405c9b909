"""Noises, each a frozen value of public numbers.

Which may go where (paper, Theorem 2; :doc:`/theory/steps`)::

    noise        threshold, pure   query, pure   query, with delta > 0 (race)
    Laplace      yes               yes           yes
    Exponential  yes, by default   yes, tight    no
    Gumbel       not drawn         yes           yes, tight
    Gaussian     no                no            no
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from overbar.noise.contract import check_noise, measured_constant
from overbar.noise.distributions import Exponential, Gaussian, Gumbel, Laplace
from overbar.noise.noise import Noise

__all__ = [
    "Exponential",
    "Gaussian",
    "Gumbel",
    "Laplace",
    "Noise",
    "check_noise",
    "measured_constant",
]

#: The noises a plan may name.
NOISES: dict[str, Callable[[Fraction], Noise]] = {
    noise.name: noise for noise in (Laplace, Exponential, Gumbel, Gaussian)
}
