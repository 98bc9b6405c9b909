"""``noise="auto"``: the most accurate sound pair of noises, and why.

What accuracy means depends on how queries are asked. Asked about once (``allocation="variance"``),
it is the variance of a comparison. Asked again and again, the threshold noise drops out and only
the scale of the query noise counts.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from fractions import Fraction

from overbar._check import brief
from overbar.accuracy import comparison_variance
from overbar.calibration.approximate import approximate_noises
from overbar.calibration.pure import pure_noises
from overbar.calibration.request import Request

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
        return f"{self.theorem}: sensitivity/scale {brief(self.rate)}, variance {self.variance:.4g}"


def alternatives(request: Request) -> list[Alternative]:
    """Return the ways to meet a request, best first.

    With δ = 0, Theorem 1 and exponential noise, the least spread out of those it covers at the
    same scale. With δ > 0 also the companion theorem and partial shift with Gumbel noise, which is
    tight there, with Laplace noise on the threshold and without any.
    """
    pure = replace(request, noise="exponential", threshold_noise="laplace", delta=Fraction(0))
    ways = [(pure, "Theorem 1, pure")]
    if request.delta > 0 and request.resample:
        composed = replace(request, noise="exponential", threshold_noise="laplace")
        ways.append((composed, "composition of pure runs"))
    elif request.delta > 0:
        for threshold in ("laplace", "none"):
            raced = replace(request, noise="gumbel", threshold_noise=threshold)
            ways.append((raced, f"companion theorem, threshold noise {threshold}"))
    return sorted((_measured(*way) for way in ways), key=lambda way: way.loss)


def _measured(request: Request, theorem: str) -> Alternative:
    query, threshold = pure_noises(request) if not request.delta else approximate_noises(request)
    return Alternative(
        request,
        theorem,
        request.sensitivity / query.scale,
        comparison_variance(query, threshold),
    )


def best(request: Request) -> Request:
    """Return the request with the best noises filled in, and log why they are."""
    chosen, *others = alternatives(request)
    against = "; ".join(map(str, others))
    LOG.info("noise='auto' chose %s (against %s)", chosen, against or "nothing else")
    return chosen.request
