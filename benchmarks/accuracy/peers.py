"""Methods of other people for the top c: slow, obvious references with floats.

- Laplace noise on a histogram, published above a threshold (Korolova et al. 2009; OpenDP's
  ``make_laplace_threshold``): each person's items are cut to m by lot, noise m/epsilon.
- Peeling with the exponential mechanism. At (epsilon, delta) by bounded range: each pick of scale s
  is (1/s)²/8-zCDP (Durfee and Rogers 2019, arXiv:1905.04273; Dong, Durfee and Rogers,
  arXiv:1909.13830), as in OpenDP's ``make_noisy_top_k`` under zCDP. With pure epsilon the latter
  picks by permute-and-flip.
- The joint exponential mechanism (Gillenwater, Joseph, Munoz and Diaz 2022, arXiv:2201.12333).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

Scores = NDArray[np.int64]
Places = NDArray[np.intp]


def first(values: NDArray[np.float64], count: int) -> Places:
    """Return the places of the highest values, in order."""
    best = np.argpartition(-values, count - 1)[:count]
    return best[np.argsort(-values[best])]


def one_shot(
    scores: Scores, count: int, scale: float, noise: str, generator: np.random.Generator
) -> Places:
    """Add noise to all scores once and take the highest."""
    return first(scores + getattr(generator, noise)(scale=scale, size=len(scores)), count)


def concentrated(epsilon: float, delta: float) -> float:
    """Return the largest rho whose zCDP gives (epsilon, delta).

    By the conversion of Canonne, Kamath and Steinke (arXiv:2004.00010v3, Proposition 12).
    """

    def log_delta(rho: float) -> float:
        def at(log_order: float) -> float:
            order = 1 + math.exp(log_order)
            return (
                (order - 1) * (order * rho - epsilon)
                + (order - 1) * math.log1p(-1 / order)
                - math.log(order)
            )

        return float(minimize_scalar(at, bounds=(-8, 16), method="bounded").fun)

    return float(brentq(lambda rho: log_delta(rho) - math.log(delta), 1e-12, epsilon))


def bounded_range_scale(epsilon: float, delta: float, count: int) -> float:
    """Return the scale of Gumbel noise for so many picks of the exponential mechanism."""
    return math.sqrt(count / (8 * concentrated(epsilon, delta)))


class JointExponential:
    """The joint exponential mechanism for counts.

    A sequence s of distinct items has utility -max over i of (i-th highest count - count of s_i),
    of sensitivity 1, and is drawn with odds e^(utility·epsilon/2). With t_i(x) counts of at least
    (i-th highest - x), product over i of (t_i(x) - i + 1) sequences have a utility of -x or better.
    """

    def __init__(self, scores: Scores, count: int, epsilon: float) -> None:
        self.order = np.argsort(-scores, kind="stable")
        self.rising = np.sort(scores)
        highest = self.rising[::-1][:count]
        self.levels = np.arange(int(highest[0]) + 1)
        self.free = np.array([self._reach(high, self.levels) for high in highest])
        self.free -= np.arange(count)[:, None]
        total = np.log(self.free).sum(axis=0)
        before = np.concatenate([[-np.inf], total[:-1]])
        with np.errstate(divide="ignore"):
            exact = total + np.log1p(-np.exp(before - total))
        self.odds = exact - self.levels * epsilon / 2

    def _reach(self, high: int, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        return len(self.rising) - np.searchsorted(self.rising, high - levels)

    def draw(self, generator: np.random.Generator) -> Places:
        """Draw a worst shortfall, which place has it first, and then items that leave it so."""
        level = int(np.argmax(self.odds + generator.gumbel(size=len(self.odds))))
        count = len(self.free)
        within = self.free[:, level]
        less = self.free[:, level - 1] if level else np.zeros(count, dtype=np.int64)
        with np.errstate(divide="ignore"):
            before = np.concatenate([[0.0], np.cumsum(np.log(less))[:-1]])
            after = np.concatenate([np.cumsum(np.log(within)[::-1])[::-1][1:], [0.0]])
            odds = before + np.log(within - less if level else within) + after
            if not level:  # all are within, and no place need be the first
                odds = np.where(np.arange(count) == 0, 0.0, -np.inf)
        at = int(np.argmax(odds + generator.gumbel(size=count)))
        taken: list[int] = []
        for place in range(count):
            reach = within[place] + place
            low, high = 0, reach
            if level and place < at:
                high = less[place] + place
            elif level and place == at:
                low = less[place] + place
            while True:
                item = int(generator.integers(low, high))
                if item not in taken:
                    break
            taken.append(item)
        return self.order[taken]
