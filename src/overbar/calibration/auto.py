"""Choose the noises that were left open: the most accurate pair with a proof. A named noise stays.

What accuracy means depends on how queries are asked. Asked about once (``allocation="variance"``),
it is the variance of a comparison. Asked again and again, the threshold noise drops out and only
the scale of the query noise counts.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from overbar._numbers import short_text
from overbar.accuracy import comparison_variance
from overbar.calibration.approximate_noises import approximate_noises
from overbar.calibration.pure_noises import pure_noises
from overbar.calibration.request import Request
from overbar.noise import Noise

LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Alternative:
    """One sound way to meet a request.

    ``rate`` is sensitivity by scale of the query noise; ``variance`` is that of a comparison.
    """

    request: Request
    theorem: str
    rate: Fraction
    variance: float

    @property
    def loss(self) -> tuple[float, float]:
        """What to keep small; where that is the same to six digits, the variance."""
        first = self.variance if self.request.allocation == "variance" else -float(self.rate)
        return float(f"{first:.6g}"), self.variance

    def __str__(self) -> str:
        rate = short_text(self.rate)
        return f"{self.theorem}: sensitivity/scale {rate}, variance {self.variance:.4g}"


def alternatives(request: Request) -> list[Alternative]:
    """Return the ways to meet a request whose query noise is open, best first.

    With δ = 0, Theorem 1 and exponential noise, the least spread out of those it covers at the
    same scale. With δ > 0 also the companion theorem and partial shift with Gumbel noise, which is
    tight there, with Laplace noise on the threshold and without any. Where the threshold noise was
    named, only ways with that one.
    """
    named = request.threshold_noise
    ways: list[tuple[Request, str]] = []
    if named in ("auto", "laplace"):
        pure = replace(request, noise="exponential", threshold_noise="laplace")
        ways.append((replace(pure, delta=Fraction(0)), "Theorem 1, pure"))
        if request.delta > 0 and request.resample:
            ways.append((pure, "composition of pure runs"))
    if request.delta > 0 and not request.resample:
        for threshold in ("laplace", "none") if named == "auto" else (named,):
            raced = replace(request, noise="gumbel", threshold_noise=threshold)
            ways.append((raced, f"companion theorem, threshold noise {threshold}"))
    return sorted((_measured(*way) for way in ways), key=lambda way: way.loss)


def noises_of(request: Request) -> tuple[Noise, Noise | None]:
    """Return query and threshold noise for a request that names both kinds."""
    # Only the theorems of δ > 0 look at the grid, which is the coarsest if none was named.
    grid = request.coarsest_grid if request.delta else None
    return _noises(replace(request, grid=grid))


@lru_cache(maxsize=16)  # one call of calibrate asks two or three times
def _noises(request: Request) -> tuple[Noise, Noise | None]:
    return pure_noises(request) if request.delta == 0 else approximate_noises(request)


def _measured(request: Request, theorem: str) -> Alternative:
    query, threshold = noises_of(request)
    return Alternative(
        request,
        theorem,
        request.sensitivity / query.scale,
        comparison_variance(query, threshold),
    )


def best(request: Request) -> Request:
    """Return the request with the best noises filled in, and log why they are."""
    if request.noise != "auto":
        open_threshold = request.threshold_noise == "auto"
        return replace(request, threshold_noise="laplace") if open_threshold else request
    found = alternatives(request)
    if not found:  # the threshold noise rules all of them out: refused, with the reason
        replace(request, noise="exponential").refuse_what_is_not_proved()
    chosen, *others = found
    if others:
        LOG.info("noise='auto' chose %s (against %s)", chosen, "; ".join(map(str, others)))
    return chosen.request
