"""Budgets in ρ: what a run, or another mechanism, is charged of it, or why it has none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from overbar.accounting.instalments import pure_rho, rho_instalments
from overbar.errors import BudgetError, NoGuaranteeError
from overbar.ledger.budget import Budget
from overbar.ledger.costs import Balance, Charge, booked
from overbar.ledger.description import StatedCost
from overbar.plans import Plan

OTHERWISE = "or open a dataset with epsilon and a positive delta"


def charge_in_rho(
    plan: Plan | StatedCost, budget: Budget, balance: Balance, unlisted_delta: Fraction
) -> Charge:
    """Return the charge, or raise if there is none or it is more than is left."""
    charge = replace(budget.nothing, rho=rho_of(plan, unlisted_delta))
    if budget.allows(balance.reserve(charge).total):
        return charge
    ((spent, most),) = budget.used(balance.total)
    advice = "use a smaller epsilon or cutoff, or stop spending on this dataset"
    raise BudgetError("rho", charge.rho, most - spent, advice)


def rho_of(plan: Plan | StatedCost, unlisted_delta: Fraction) -> Fraction:
    """Return the ρ of a run; raise and say what to use instead if none is proved."""
    if unlisted_delta:
        raise NoGuaranteeError(
            "keys, and candidates read off the data, cost a delta and the dataset's budget is in "
            f"rho; give a public catalogue of candidates, {OTHERWISE}"
        )
    if isinstance(plan, StatedCost):
        return booked(_stated(plan))
    paid = rho_instalments(plan)
    if paid is None:
        raise NoGuaranteeError(
            "no rho is proved about this plan and the dataset's budget is in rho; use delta=0, "
            "noise 'gumbel' with threshold_noise 'laplace' or 'gaussian', a top with noise "
            f"'gumbel', or a histogram with noise 'gaussian', {OTHERWISE}"
        )
    return booked(paid.whole)


def _stated(cost: StatedCost) -> Fraction:
    """Return the ρ of another mechanism: as stated, or of its pure ε."""
    if cost.rho is not None:
        return cost.rho
    if cost.epsilon is None:
        raise NoGuaranteeError(
            "divergences of some orders say nothing about the others and the dataset's budget is "
            f"in rho; state rho, or a pure epsilon, {OTHERWISE}"
        )
    if cost.delta:
        raise NoGuaranteeError(
            "a delta has no rho and the dataset's budget is in rho; state rho, or an epsilon "
            f"without delta, {OTHERWISE}"
        )
    return pure_rho(cost.epsilon)
