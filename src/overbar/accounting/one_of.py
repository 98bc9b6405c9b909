"""One of several plans, where an earlier part decides which.

**Claim.** Whatever an earlier part has given, what comes next is one of the plans, and keeps what
is proved about it. So at every ε the largest δ of all of them, and at every order the largest
divergence, holds for what comes next: it adds up with the earlier part as if it were one plan.

It would be too little to take the largest of the *sums*: of two plans one may be the dearer at a
small ε and the other at a large one, and who sees what came first meets both.

Theory: :doc:`/theory/bounds`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from overbar.accounting.guarantees import ApproximateDP, lone_delta, proved_about
from overbar.accounting.pure import pure_epsilon
from overbar.accounting.pure_guarantee import PureDP
from overbar.accounting.theorem import RunBound, Theorem, lone_cost, pure_cost
from overbar.plans.one_of_plan import OneOf

#: More than the rounding of a logarithm and back.
HAIR = 1e-12


@dataclass(frozen=True)
class Dearest(RunBound):
    """What holds for each of several plans."""

    proved: tuple[PureDP | ApproximateDP, ...]

    def log_delta(self, epsilon: float) -> float:
        """Log of a δ that holds at ε >= 0; minus infinity if none is needed."""
        largest = max(each.delta(Fraction(epsilon)) for each in self.proved)
        return min(0.0, math.log(largest) * (1 - HAIR) + HAIR) if largest else -math.inf

    def epsilon(self, log_delta: float) -> float:
        """Return an ε that holds at δ; what is returned has been evaluated."""
        delta = math.exp(log_delta * (1 + HAIR) - HAIR)
        return max(float(each.at(Fraction(delta))) for each in self.proved) * (1 + HAIR)

    def renyi(self, order: float) -> float:
        """Rényi divergence of an order above 1, of a whole run."""
        return max(each.renyi(order) for each in self.proved)


def _proved(plan: OneOf) -> tuple[PureDP | ApproximateDP, ...]:
    return tuple(map(proved_about, plan.ways))


#: (ε, δ) of the dearest, where some plan is more than pure.
ONE_OF = Theorem(
    (OneOf,),
    lambda plan: not all(isinstance(each, PureDP) for each in _proved(plan)),
    lambda plan: Dearest(_proved(plan)),
)


@pure_cost.of(OneOf)
def _dearest(plan: OneOf, _: int | None) -> Fraction:
    """All of it, whatever comes out: how many are found says nothing about what they cost."""
    return max(map(pure_epsilon, plan.ways))


@lone_cost.of(OneOf)
def _alone(plan: OneOf) -> Fraction:
    return max(map(lone_delta, plan.ways))
