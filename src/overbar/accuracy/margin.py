"""How far from the threshold a candidate must be to be told from the rest, and the bar for that.

Let D be the noise of a candidate minus that of the bar. Of n candidates c are wanted. If all others
lie a margin m below the threshold and the bar is moved up by r, one of them passes with the chance
P(D >= r + m); a candidate m above is missed with the chance P(D < r - m). So the noise tells them
apart from the margin on at which r + m is where few of the n pass, and r - m where few are missed.

Theory: :doc:`/theory/correction`.
"""

from __future__ import annotations

from overbar.accuracy.difference import Difference
from overbar.noise import Noise

#: Candidates that may be wrong, by those that are wanted.
WRONG = 0.1


def margin(
    query_noise: Noise, threshold_noise: Noise | None, *, found: int, candidates: int
) -> float:
    """Return the margin from which on about one in ten answers is wrong, with the best bar.

    >>> from overbar.noise import Exponential, Laplace
    >>> round(margin(Exponential(50), Exponential(50), found=50, candidates=10_000), 1)
    212.9
    >>> round(margin(Laplace(1), None, found=50, candidates=10_000), 1)
    4.3
    """
    law = Difference(query_noise, threshold_noise)
    high = float(law.isf(WRONG * min(1.0, found / candidates)))
    return (high - float(law.quantile(WRONG))) / 2


def halfway(query_noise: Noise, threshold_noise: Noise | None, *, share: float) -> float:
    """Return the bar halfway between where half of the noise passes and where a small share does.

    >>> from overbar.noise import Exponential
    >>> round(halfway(Exponential(50), Exponential(50), share=50 / 10_000), 1)
    115.1
    """
    law = Difference(query_noise, threshold_noise)
    return float(law.isf(min(0.5, share)) + law.isf(0.5)) / 2
