"""Noises: one file per distribution, each a frozen value of public numbers.

Which may go where (paper, Theorem 2; companion theorem of the race)::

    noise        threshold, pure   query, pure   query, with delta > 0 (race)
    Laplace      yes               yes           yes
    Exponential  yes, by default   yes, tight    no
    Gumbel       not drawn         yes           yes, tight
    Gaussian     no                no            no
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from overbar import _check
from overbar.noise.contract import check_noise
from overbar.noise.exponential import Exponential
from overbar.noise.gaussian import Gaussian
from overbar.noise.gumbel import Gumbel
from overbar.noise.laplace import Laplace
from overbar.noise.noise import Noise

__all__ = [
    "NOISES",
    "Exponential",
    "Gaussian",
    "Gumbel",
    "Laplace",
    "Noise",
    "check_noise",
    "noise_class",
]

#: The noises a plan may name.
NOISES: dict[str, Callable[[Fraction], Noise]] = {
    noise.name: noise for noise in (Laplace, Exponential, Gumbel, Gaussian)
}


@_check.known_keywords
def noise_class(parameter: str, name: object) -> Callable[[Fraction], Noise]:
    """Look a noise up by its name; what comes back makes one of a given scale.

    Parameters
    ----------
    parameter : str
        The parameter that named it, for the message of an error.
    name : str
        Its name.

    Returns
    -------
    callable
        Makes a noise of a given scale.
    """
    return NOISES[_check.choice(parameter, name, NOISES)]
