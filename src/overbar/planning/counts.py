"""Counts and groups around any way.

In a histogram counts are free, and with δ and Gumbel noise nearly so: they are the noisy values
that decided, less a noise that they share. Elsewhere the selected scores get fresh noise, from a
share of ε. With δ, Gaussian noise on them that would be (share·ε, δ)-DP by itself costs the
selection much less than the share, because losses add up and not ε's. So its usual share is larger.

Theory: :doc:`/theory/counts`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from overbar import _check
from overbar._numbers import short_fraction
from overbar.errors import ParameterError, named
from overbar.mechanisms.score_plan import ScorePlan
from overbar.mechanisms.together import composed
from overbar.mechanisms.way import BAR_DIGITS, Request, Way
from overbar.noise import Gaussian, Laplace, Noise
from overbar.planning.search import least_gaussian

#: Shares of ε where none is named: the margin at which candidates are told apart then grows by
#: about 43 % under pure ε, and by 20 to 25 % with δ (measured: docs/theory/counts.md).
LAPLACE_SHARE, GAUSSIAN_SHARE = Fraction(3, 10), Fraction(1, 2)


def together(way: Way) -> Way:
    """Return a way with what is paid for with its labels."""
    request, split = way.request, way.split
    counted = request.counts is not False and not way.any_plan.gives_values
    if not counted and request.groups is None:
        return way
    if split.stands:  # by what the labels of one run may cost
        left = _left(request) if counted else 1.0
        share = short_fraction(float(split.share) * math.sqrt(request.runs) / left, BAR_DIGITS)
        split = split._replace(share=share)

    def make(query: Noise, bar: Noise | None, grid: Fraction) -> ScorePlan:
        counts = counts_noise(request, grid) if counted else None
        return composed(way.make(query, bar, grid), counts=counts, groups=request.groups)

    return replace(way, make=make, split=split)


def _left(request: Request) -> float:
    """Return about which part of ε counts leave to labels."""
    noise = counts_noise(request, request.coarsest_grid)
    if isinstance(noise, Laplace):
        return 1 - float(_budget(request, LAPLACE_SHARE) / request.epsilon)
    return math.sqrt(1 - float(_budget(request, GAUSSIAN_SHARE) / request.epsilon) ** 2)


@lru_cache(maxsize=64)
def counts_noise(request: Request, grid: Fraction) -> Laplace | Gaussian:
    """Return the noise that selected scores get: with δ, of two kinds the one that spreads less."""
    items = request.runs * min(request.cutoff, request.items_per_person or request.cutoff)
    moved = request.reach.most
    laplace = Laplace(items * moved / _budget(request, LAPLACE_SHARE))
    if request.delta == 0:
        return laplace
    budget = _budget(request, GAUSSIAN_SHARE)
    sigma = least_gaussian(budget, request.delta, items=items, sensitivity=moved, grid=grid)
    gaussian = Gaussian(sigma)
    return gaussian if gaussian.variance < laplace.variance else laplace


def _budget(request: Request, usual: Fraction) -> Fraction:
    share = usual if isinstance(request.counts, bool) else request.counts
    return share * request.epsilon


def checked_counts(counts: object) -> bool | Fraction:
    """Return whether counts are asked for, or the share of ε for them."""
    return counts if isinstance(counts, bool) else checked_share(counts)


def checked_share(share: object, name: str = "counts") -> Fraction:
    """Return a share of ε for counts."""
    part = _check.rational(name, share)
    if not 0 < part < 1:
        true = "True, or " if name == "counts" else ""
        raise ParameterError(
            f"{named(name)} must be {true}the share of epsilon for counts, between 0 and 1, such "
            f"as 0.3, got {share}"
        )
    return part
