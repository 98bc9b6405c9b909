"""A bare set: each candidate is asked once under Gaussian noise, and only who passes is told.

One person moves at most m scores, each by at most Δ. Nothing but bits comes out: no value, no order
of values, and a cutoff that leaves out some who passed is computed from the bits. A bit about a
Gaussian value that is moved by Δ says less than the value. So this needs less noise than a
histogram (:mod:`overbar.privacy.histogram`), of which all values may be told.

**Claim.** With d = Δ/σ, T_d one such bit in front of what is still to come
(:mod:`overbar.privacy.key_bits`) and W₀(x) = (1 - e^x)₊, the answer is (ε, (T_d)^m W₀(ε))-DP
for every ε >= 0. At order a its Rényi divergence is at most m·R_a, that of m such bits.

The noise of a query is not on the grid: a bit is drawn with the chance of the continuous law.

Theory: :doc:`/theory/histogram`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from overbar._numbers import rounded_up
from overbar.errors import NoGuaranteeError
from overbar.noise import Gaussian
from overbar.plans import Plan, SparseVectorPlan
from overbar.privacy.key_bits import Bits
from overbar.privacy.theorem import (
    RunBound,
    Theorem,
    epsilon_from_renyi,
    log_delta_from_renyi,
)


@dataclass(frozen=True)
class ShownValues(RunBound):
    """What would hold if the noisy values were told: `total` is m·Δ²/σ², rounded up."""

    total: float

    def renyi(self, order: float) -> float:
        """Rényi divergence of an order above 1, rounded up."""
        return order * self.total / 2 * (1 + 1e-15)

    def log_delta(self, epsilon: float) -> float:
        """Log of δ at ε, at the best order."""
        return log_delta_from_renyi(self.renyi, epsilon)

    def epsilon(self, log_delta: float) -> float:
        """Return ε at δ, at the best order."""
        return epsilon_from_renyi(self.renyi, log_delta)[0]


def bare_set_covers(plan: Plan) -> bool:
    """Tell whether a plan asks each once, under Gaussian noise, and against a bare threshold."""
    return (
        type(plan.query_noise) is Gaussian
        and plan.threshold_noise is None
        and plan.repeats.rounds == 1
        and plan.items_per_person is not None
    )


def shown_total(plan: Plan) -> Fraction:
    """Return m·Δ²/σ², what all values together are moved by; say what is missing, if it is."""
    if plan.items_per_person is None or not bare_set_covers(plan):
        raise NoGuaranteeError(
            "this bound is for Gaussian noise on queries that are asked once, a bare threshold and "
            "a limit on the items of a person"
        )
    return plan.items_per_person * (plan.reach.most / plan.query_noise.scale) ** 2


def set_bits(plan: SparseVectorPlan) -> Bits:
    """Read off a plan the bits that one person moves."""
    shown, items = ShownValues(rounded_up(shown_total(plan))), plan.items_per_person
    assert items is not None  # looked at just now
    return Bits(shown, (((items, rounded_up(plan.reach.most / plan.query_noise.scale)),),))


#: (ε, δ) where only who passes is told.
BARE_SET = Theorem((SparseVectorPlan,), bare_set_covers, set_bits)
