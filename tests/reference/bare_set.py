"""A bare set by the definition: one bit for each candidate, all sets with their chances."""

from __future__ import annotations

import itertools
import math

from scipy import integrate, stats


def above(gap: float) -> float:
    """The chance that a normal variable reaches so many deviations."""
    return math.erfc(gap / math.sqrt(2)) / 2


def sets(scores: list[float], sigma: float, threshold: float = 0.0) -> dict[tuple[int, ...], float]:
    """How likely each set of candidates is the one that passes."""
    passing = [above((threshold - score) / sigma) for score in scores]
    law = {}
    for bits in itertools.product((0, 1), repeat=len(scores)):
        chances = (p if bit else 1 - p for bit, p in zip(bits, passing, strict=True))
        law[tuple(place for place, bit in enumerate(bits) if bit)] = math.prod(chances)
    return law


def in_order(
    scores: tuple[float, float], sigma: float, threshold: float
) -> dict[tuple[int, ...], float]:
    """How likely each answer is if two candidates that pass come by value, the higher first."""
    law = sets(list(scores), sigma, threshold)
    one, other = scores
    first, _ = integrate.quad(
        lambda x: (
            stats.norm.pdf(x, one, sigma)
            * (stats.norm.cdf(x, other, sigma) - stats.norm.cdf(threshold, other, sigma))
        ),
        max(threshold, one - 12 * sigma),
        one + 12 * sigma,
        epsabs=1e-13,
    )
    both = law.pop((0, 1))
    return law | {(0, 1): first, (1, 0): both - first}


def hockey_stick(first: dict, second: dict, epsilon: float) -> float:
    """The largest P(S) - e^ε·Q(S)."""
    return math.fsum(max(0.0, first[key] - math.exp(epsilon) * second[key]) for key in first)
