"""The noise of counts beside labels, and what it leaves to the labels.

In a histogram counts are free, and with δ and Gumbel noise nearly so: they are the noisy values
that decided, less a noise that they share. Elsewhere the selected scores get fresh noise, from a
share of ε.
With δ, Gaussian noise on them that would be (share·ε, δ)-DP by itself costs the selection much less
than the share, because divergences add up and not ε's. So its usual share is larger.

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
from overbar.noise import Gaussian, Laplace
from overbar.planning.request import Request
from overbar.planning.scales import gaussian_sigma, laplace_scale

#: Shares of ε where none is named: the margin at which candidates are told apart then grows by
#: about 43 % under pure ε, and by 20 to 25 % with δ (measured: docs/theory/counts.md).
LAPLACE_SHARE, GAUSSIAN_SHARE = Fraction(3, 10), Fraction(1, 2)


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


@lru_cache(maxsize=16)
def counts_noise(request: Request) -> Laplace | Gaussian | None:
    """Return the noise that selected scores get: with δ, of two kinds the one that spreads less.

    None where no counts are asked for.
    """
    if request.counts is False:
        return None
    items = request.runs * min(request.cutoff, request.items_per_person or request.cutoff)
    sensitivity = request.reach.most
    budget = _budget(request, LAPLACE_SHARE)
    laplace = Laplace(laplace_scale(budget, items=items, sensitivity=sensitivity))
    if request.delta == 0:
        return laplace
    sigma = gaussian_sigma(
        _budget(request, GAUSSIAN_SHARE),
        request.delta,
        items=items,
        sensitivity=sensitivity,
        grid=request.coarsest_grid,
    )
    gaussian = Gaussian(sigma)
    return gaussian if gaussian.variance < laplace.variance else laplace


def without_counts(request: Request) -> Request:
    """Return the request for the labels alone: exact for pure counts, else to start a search."""
    noise = counts_noise(request)
    if isinstance(noise, Laplace):
        left = request.epsilon - _budget(request, LAPLACE_SHARE)
    elif isinstance(noise, Gaussian):
        share = float(_budget(request, GAUSSIAN_SHARE) / request.epsilon)
        left = request.epsilon * short_fraction(math.sqrt(1 - share * share), 6)
    else:
        left = request.epsilon
    return replace(request, epsilon=left, counts=False)


def _budget(request: Request, usual: Fraction) -> Fraction:
    share = usual if isinstance(request.counts, bool) else request.counts
    return share * request.epsilon
