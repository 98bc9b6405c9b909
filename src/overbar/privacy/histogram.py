"""What Gaussian noise on many values costs, where one person moves few of them.

The worst neighbour moves m scores by exactly Δ, and the sum of the m values is all that tells. So
with n = Δ/grid, t = σ/grid and S the sum of m noises

    δ(ε) = P(S >= b - m·n) - e^ε·P(S >= b),    b = floor(ε·t²/n + m·n/2) + 1.

S is discrete Gaussian with parameter m·t², but for factors within e^±τ, where τ is tiny from t = 1
on. For coarser grids the Rényi bound serves: m·a·Δ²/2σ² at order a, on the grid as in the continuum
(Canonne, Kamath & Steinke 2020, arXiv:2004.00010v3, Proposition 5).

Theory: :doc:`/theory/histogram`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from flint import arb, ctx

from overbar._numbers import chance_up, least_safe, rounded_up
from overbar.noise.grid_tails import ball, gaussian_tail
from overbar.privacy.orders import epsilon_from_renyi, log_delta_from_renyi

PRECISION = 128
#: Terms of τ that are added one by one; the rest are no larger than the last.
TERMS = 1000


@dataclass(frozen=True)
class Moved:
    """m scores moved by `steps` grid steps each, under noise of this variance in steps²."""

    items: int
    steps: int
    variance: Fraction

    @cached_property
    def blur(self) -> float:
        """τ: how far, in logs, the sum of m noises may be from a discrete Gaussian law.

        Adding noise k + 1 to the sum of k gives a theta sum of parameter v = t²·k/(k + 1), which is
        within 1 ± ρ of its mean, ρ = 2(q + q⁴ + …) <= 2q(1 + q), q = e^(-2π²v).
        """
        total = 0.0
        for k in range(1, min(self.items, TERMS)):
            q = math.exp(-2 * math.pi**2 * float(self.variance) * k / (k + 1)) * (1 + 1e-9)
            last = 2 * math.atanh(min(2 * q * (1 + q), 1 - 1e-9))  # ln (1 + ρ)/(1 - ρ)
            total += last * (1 + max(0, self.items - TERMS) * (k == TERMS - 1))
        return total * (1 + 1e-9)

    @cached_property
    def distance(self) -> float:
        """The square of how far all of it is moved, in deviations."""
        return rounded_up(self.items * self.steps**2 / self.variance)

    def renyi(self, order: float) -> float:
        """Rényi divergence of an order above 1, rounded up."""
        return order * self.distance / 2 * (1 + 1e-15)

    def log_delta(self, epsilon: float) -> float:
        """Log of a δ that holds at ε >= 0, rounded up."""
        if self.items > 1 and self.variance < 1:
            return log_delta_from_renyi(self.renyi, epsilon)
        level = Fraction(epsilon)
        shift = self.items * self.steps
        first = math.floor(level * self.variance / self.steps + Fraction(shift, 2)) + 1
        spread = self.items * self.variance
        with ctx.workprec(PRECISION):
            blur = arb(self.blur)
            reached = gaussian_tail(spread, first - shift, PRECISION) * blur.exp()
            taken = gaussian_tail(spread, first, PRECISION) * (ball(level) - blur).exp()
            delta = reached - taken
            if not delta.upper() > 0:
                return log_delta_from_renyi(self.renyi, epsilon)
            value = float(delta.upper().log().upper())
        value += 1e-15 * (1 + abs(value))
        if self.items == 1 and delta.rel_accuracy_bits() > 30:  # exact: no order says less
            return min(0.0, value)
        return min(log_delta_from_renyi(self.renyi, epsilon), value)

    def epsilon(self, log_delta: float) -> float:
        """Return an ε whose δ is at most the one given; what is returned has been evaluated."""
        return _epsilon(self, log_delta)


@lru_cache(maxsize=64)  # what stands beside other parts is asked for the same δ again and again
def _epsilon(moved: Moved, log_delta: float) -> float:
    if moved.log_delta(0.0) <= log_delta:
        return 0.0
    high, _ = epsilon_from_renyi(moved.renyi, log_delta)
    return least_safe(
        lambda epsilon: moved.log_delta(epsilon) - log_delta, max(high, 1e-6), 2 * log_delta
    )


# Plans --------------------------------------------------------------------------------------------


def any_of(items: int, chance: arb) -> float:
    """Return the chance that one of so many comes to pass, each by itself; rounded up, not zero."""
    with ctx.workprec(PRECISION):
        if not chance < 1:
            return 1.0
        passed = -(items * (-chance).log1p()).expm1()
        return chance_up(float(passed.upper()))
