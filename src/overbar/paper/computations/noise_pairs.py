"""The noises of one comparison, as each method of the paper scales them."""

from __future__ import annotations

import math
from fractions import Fraction

from overbar.accuracy.correction import correction_term
from overbar.calibration.allocation import budget_ratio
from overbar.noise import NOISES, Noise

#: The four query noises the paper compares.
FOUR = ("exponential", "laplace", "gumbel", "gaussian")
#: How each is corrected there.
CORRECTIONS = {"exponential": "optimal", "laplace": "none", "gumbel": "mean", "gaussian": "none"}


def pair(
    noise: str,
    *,
    epsilon: float,
    cutoff: int,
    monotonic: bool,
    delta: float,
    ratio: float | None = None,
) -> tuple[Noise, Noise]:
    """Return query noise and threshold noise at scales f·c·Δ/ε₂ and Δ/ε₁, sensitivity one.

    Gaussian noise replaces both, with √(2 ln(1.25/δ)) times these scales. ``ratio`` is ε₂/ε₁, by
    default the one of least variance. In the paper: w.
    """
    threshold = "gaussian" if noise == "gaussian" else "laplace"
    unit = Fraction(1)
    split = ratio or budget_ratio(
        NOISES[noise](unit),
        NOISES[threshold](unit),
        cutoff=cutoff,
        monotonic=monotonic,
        resample=False,
    )
    width = math.sqrt(2 * math.log(1.25 / delta)) if noise == "gaussian" else 1.0
    first = epsilon / (1 + split)
    shift = 1 if monotonic else 2
    return (
        NOISES[noise](Fraction(width * shift * cutoff / (split * first))),
        NOISES[threshold](Fraction(width / first)),
    )


def correction_of(
    noise: str, noises: tuple[Noise, Noise], *, negatives: int, tolerance: float = 0.0
) -> float:
    """Return the correction that the paper gives a noise."""
    return correction_term(
        CORRECTIONS[noise], *noises, negatives=negatives, tolerance=Fraction(tolerance)
    )
