"""The run that shows that Rényi costs of positives do not add up, as a number.

General queries, sensitivity one, Laplace ρ of scale 10, exponential noise of scale 20, threshold
and correction zero. The first query is 0 on D and 1 on its neighbour; then fifty queries of 0.25 on
D and -0.75 on the neighbour. The event: a negative, then fifty positives.

Theory: :doc:`/theory/counterexample`.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from overbar.noise import Exponential, Laplace

POSITIVES = 50


def chance_of_the_run(*, on_neighbour: bool) -> float:
    """Return the probability of the event, integrated over the threshold noise.

    >>> f"{chance_of_the_run(on_neighbour=False):.5e}"
    '6.58997e-04'
    >>> f"{chance_of_the_run(on_neighbour=True):.5e}"
    '4.13288e-06'
    """
    from scipy import integrate

    first, later = (1.0, -0.75) if on_neighbour else (0.0, 0.25)
    query, threshold = Exponential(Fraction(20)), Laplace(Fraction(10))

    def integrand(rho: float) -> float:
        return float(
            threshold.pdf(rho) * query.cdf(rho - first) * query.sf(rho - later) ** POSITIVES
        )

    # The first query is certainly positive below its own score: nothing is missed there.
    corners = sorted({first, max(first, later), 5.0, 20.0, 400.0})
    return math.fsum(
        integrate.quad(integrand, low, high, epsabs=0, epsrel=1e-10, limit=200)[0]
        for low, high in itertools.pairwise(corners)
    )
