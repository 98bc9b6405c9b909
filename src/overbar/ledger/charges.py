"""What a run of a plan is charged: decided before it runs, from public numbers.

Two forms. *As the plan's curves*: its pure ε where it has one, and the best Rényi bound proved at
each order. *As (ε₀, δ₀)*: by Kairouz, Oh and Viswanath (2015, arXiv:1311.0776v4) such a run is
pure ε₀ except with probability δ₀, so it is charged as a pure run and δ₀ is added up. The second
is tried where the first does not fit, with the ε that is left and the δ the plan has there.

A δ for candidates read off the data (:func:`overbar.accounting.unlisted_delta`) adds up too.
"""

from __future__ import annotations

import math
from fractions import Fraction

from overbar import _check
from overbar.accounting import guarantee, pure_epsilon
from overbar.accounting.bracket import rounded_up
from overbar.accounting.renyi import pure_renyi
from overbar.errors import BudgetError, NoGuaranteeError
from overbar.ledger.budget import Balance, Budget, Charge, booked, up
from overbar.plan import Plan

CURVES, APPROXIMATE = "curves", "approximate"
#: Rényi costs are rounded up to whole multiples of this.
PARTS = 10**15


def charge_of(
    plan: Plan, budget: Budget, balance: Balance, unlisted_delta: Fraction
) -> tuple[str, Charge]:
    """Return the form of the charge and the charge, or raise if no form fits into the budget."""
    pure = pure_or_none(plan)
    if pure is None and budget.delta == 0:
        raise NoGuaranteeError(
            "this plan has no pure guarantee and the dataset's budget is pure; use noise "
            "'exponential' with threshold_noise 'laplace' and delta=0, or open a dataset with a "
            "positive delta"
        )
    if unlisted_delta and budget.delta == 0:
        raise NoGuaranteeError(
            "candidates read off the data cost a delta and the dataset's budget is pure; give a "
            "public catalogue of candidates, or open a dataset with a positive delta"
        )
    proved = guarantee(plan)
    plain = Charge(
        # A cost without bound is booked as twice the limit: that order is closed all the same.
        2 * budget.epsilon if pure is None else booked(pure),
        tuple(
            _finite(proved.renyi(float(order)), limit)
            for order, limit in zip(budget.orders, budget.limits, strict=True)
        ),
        booked(unlisted_delta),
    )
    if budget.allows(balance.reserve(plain).total):
        return CURVES, plain
    left = budget.epsilon - balance.total.pure
    if budget.delta and left > 0:
        other = _as_approximate(plan, budget, left, unlisted_delta)
        if budget.allows(balance.reserve(other).total):
            return APPROXIMATE, other
        if not budget.orders:
            raise _refusal(budget, balance, other)
    raise _refusal(budget, balance, plain)


def pure_or_none(plan: Plan) -> Fraction | None:
    """Return a plan's pure ε; None where it has none."""
    try:
        return pure_epsilon(plan)
    except NoGuaranteeError:
        return None


def cost_of(plan: Plan, form: str, reserved: Charge, positives: int, asked: bool) -> Charge:
    """Return what a run has cost that has ended, at most what was reserved.

    Nothing, if nothing was asked. Otherwise only the pure cost of a run charged by its curves goes
    down, to what its positives have cost: that bound holds for every single transcript, whatever
    made it end. The Rényi costs and δ's stay, because they hold on average over all the ways in
    which a run can end, and so must be fixed before it is known how it did.
    """
    if not asked:
        return Charge(Fraction(0), (Fraction(0),) * len(reserved.renyi), Fraction(0))
    if form != CURVES or pure_or_none(plan) is None:
        return reserved
    pure = min(reserved.pure, booked(pure_epsilon(plan, positives)))
    return Charge(pure, reserved.renyi, reserved.delta)


def _finite(divergence: float, limit: Fraction) -> Fraction:
    return 2 * limit if math.isinf(divergence) else up(Fraction(divergence), PARTS)


def _as_approximate(plan: Plan, budget: Budget, epsilon: Fraction, unlisted: Fraction) -> Charge:
    level = Fraction(math.floor(epsilon * PARTS), PARTS)
    renyi = tuple(
        _finite(pure_renyi(rounded_up(level), float(order)), limit)
        for order, limit in zip(budget.orders, budget.limits, strict=True)
    )
    delta = Fraction(guarantee(plan).delta(level))
    return Charge(level, renyi, booked(delta) + booked(unlisted))


def _refusal(budget: Budget, balance: Balance, charge: Charge) -> BudgetError:
    """Say what is missing: δ, or ε, or room at the order that comes closest."""
    left = budget.additive - balance.total.delta
    if charge.delta > left:
        return BudgetError(
            "delta",
            charge.delta,
            left,
            "use a plan with a smaller delta; where candidates are read off the data, raise the "
            "threshold or give a public list of them",
        )
    left = budget.epsilon - balance.total.pure
    if not budget.orders:
        return BudgetError(
            "epsilon", charge.pure, left, "use a smaller epsilon, or stop spending on this dataset"
        )
    lacks = [
        ((charge.renyi[i] + balance.total.renyi[i]) / budget.limits[i], i)
        for i in range(len(budget.orders))
    ]
    _, i = min(lacks)
    return BudgetError(
        f"divergence at order {_check.brief(budget.orders[i])}",
        charge.renyi[i],
        budget.limits[i] - balance.total.renyi[i],
        "use a smaller epsilon or a smaller cutoff, or stop spending on this dataset",
    )
