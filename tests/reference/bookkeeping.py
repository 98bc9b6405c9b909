"""A ledger as a plain list: every question is answered by adding up everything from the start."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from overbar.errors import NoGuaranteeError
from overbar.mechanisms import Plan
from overbar.privacy import guarantee
from overbar.privacy.instalments import RenyiSpent


@dataclass
class Run:
    """A run: its plan, and how it ended, if it did."""

    plan: Plan
    ended: bool = False
    asked: bool = True
    positives: int = 0


@dataclass
class PureBooks:
    """A pure budget. ``refunds`` counts how often a run gives back what it did not use."""

    epsilon: Fraction
    refunds: int = 1
    runs: list[Run] = field(default_factory=list)

    def total(self) -> Fraction:
        total = Fraction(0)
        for run in self.runs:
            total += run.plan.pure()
            if run.ended:
                total -= self.refunds * (run.plan.pure() - self.truly(run))
        return total

    @staticmethod
    def truly(run: Run) -> Fraction:
        """What a run has really cost; one that never ended may have answered all it could."""
        if not run.ended:
            return run.plan.pure()
        return run.plan.pure(run.positives) if run.asked else Fraction(0)

    def really_spent(self) -> Fraction:
        return sum((self.truly(run) for run in self.runs), Fraction(0))

    def allows(self, plan: Plan) -> bool:
        return self.total() + plan.pure() <= self.epsilon


@cache
def divergence(plan: Plan, positives: int | None, order: float) -> float:
    """Return that of a whole run, or of its positives where the best theorem is a filter."""
    whole = guarantee(plan).renyi(order)
    if positives is None or RenyiSpent(plan, plan.cutoff).renyi(order) > whole:
        return whole
    return RenyiSpent(plan, positives).renyi(order)


@dataclass
class RenyiBooks:
    """An (ε, δ) budget: one order is enough. What comes back is what a filter has not charged."""

    epsilon: Fraction
    limits: dict[Fraction, Fraction]
    runs: list[Run] = field(default_factory=list)

    def totals(self, runs: list[Run]) -> dict[Fraction | None, Fraction | None]:
        """Add up at every order; None is the pure one, and a total of None is without bound."""
        found: dict[Fraction | None, Fraction | None] = {None: Fraction(0)}
        counted = [run for run in runs if not run.ended or run.asked]
        for run in counted:
            try:
                cost = run.plan.pure(run.positives if run.ended else None)
            except NoGuaranteeError:
                found[None] = None
            else:
                found[None] = None if found[None] is None else found[None] + cost
        for order in self.limits:
            costs = [
                Fraction(divergence(run.plan, run.positives if run.ended else None, float(order)))
                for run in counted
            ]
            found[order] = sum(costs, Fraction(0))
        return found

    def alive(self, runs: list[Run]) -> set[Fraction | None]:
        """Return the orders whose total is within their limit."""
        limits: dict[Fraction | None, Fraction] = {None: self.epsilon, **self.limits}
        totals = self.totals(runs)
        return {
            order
            for order, limit in limits.items()
            if (total := totals[order]) is not None and total <= limit
        }
