"""What a run of a plan is charged: decided before it runs, from public numbers.

Two forms. *As the plan's curves*: its pure ε where it has one, the best Rényi bound proved at each
order, and its cost in the Gaussian potential. *As (ε₀, δ₀)*: by Kairouz, Oh and Viswanath (2015,
arXiv:1311.0776v4) such a run is pure ε₀ except with probability δ₀, so it is charged as a pure run
and δ₀ is added up. The second is tried where the first does not fit. Of the pairs on the plan's
curve the one is taken that uses up the same share of the ε and of the δ that are left, so that both
last equally long.

A δ for candidates read off the data (:func:`overbar.privacy.unlisted_delta`) adds up too, and
so does that of keys that one person alone holds. Here `unlisted_delta` is their sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_FLOOR
from fractions import Fraction
from typing import Any

from overbar._numbers import people_text, rounded_up
from overbar.errors import BudgetError, NoGuaranteeError
from overbar.ledger.budget import Budget, by_orders, by_potential, by_sums
from overbar.ledger.costs import Balance, Charge, booked, up
from overbar.ledger.description import StatedCost
from overbar.ledger.endings import CURVES, LEEWAY, RENYI_PARTS, pure_or_none
from overbar.ledger.values import Standing
from overbar.mechanisms import Plan
from overbar.privacy import PureDP
from overbar.privacy.gaussian_potential import potential_cost, pure_cost
from overbar.privacy.guarantees import proved_about
from overbar.privacy.orders import pure_renyi

APPROXIMATE, STATED = "approximate", "stated"
#: A run booked by its (ε, δ) takes a whole number of parts of what is left.
STEPS = 1000


def settled_for(plan: Plan | StatedCost, budget: Budget, unlisted_delta: Fraction) -> Budget:
    """Settle how runs add up, from the plan of the first, before anything is drawn for it.

    By the Gaussian potential or by divergences if the first run leaves room there, since many small
    runs cost less that way; else by sums, so that one run may use up all of ε and δ.
    """
    if budget.settled:
        return budget
    if isinstance(plan, StatedCost) and plan.is_curve:
        return by_orders(budget)  # nothing else has room for it
    for split in (by_potential(budget), by_orders(budget)):
        charge = (
            _at_stated(plan, split)
            if isinstance(plan, StatedCost)
            else _by_curves(plan, split, unlisted_delta)
        )
        _, *ways = split.used(charge)
        if ways and ways[-1][0] <= ways[-1][1] and charge.delta <= split.additive:
            return split
    return by_sums(budget)


def charge_of(
    plan: Plan | StatedCost, budget: Budget, balance: Balance, unlisted_delta: Fraction
) -> tuple[str, Charge]:
    """Return the form of the charge and the charge, or raise if no form fits into the budget."""
    if isinstance(plan, StatedCost):
        return STATED, _stated(plan, budget, balance)
    pure = pure_or_none(plan)
    if pure is None and budget.delta == 0:
        raise NoGuaranteeError(
            "this run costs a delta and the dataset's budget is pure; ask with delta=0 where that "
            "can be, or open a dataset with a positive delta"
        )
    if unlisted_delta and budget.delta == 0:
        raise NoGuaranteeError(
            "candidates read off the data cost a delta and the dataset's budget is pure; give a "
            "public catalogue of candidates, or open a dataset with a positive delta"
        )
    plain = _by_curves(plan, budget, unlisted_delta)
    if budget.allows(balance.reserve(plain).total):
        return CURVES, plain
    spare = budget.additive - balance.total.delta - plain.delta
    # By the pure order, or if that is closed or too narrow, by the widest that is alive.
    for left in (budget.epsilon - balance.total.pure, budget.remaining(balance.total)):
        if left > 0 and spare > 0:
            other = _as_approximate(plan, budget, left, spare, plain.delta)
            if budget.allows(balance.reserve(other).total):
                return APPROXIMATE, other
    raise _refusal(plan, budget, balance, plain)


def reserved(
    standing: Standing, plan: Plan | StatedCost, unlisted_delta: Fraction
) -> tuple[Standing, str, Charge]:
    """Return where a dataset stands once a run is reserved, and its charge; raise if none fits."""
    budget = settled_for(plan, standing.budget, unlisted_delta)
    # Before how runs add up was settled, nothing was reserved.
    balance = standing.balance if standing.budget.settled else budget.unspent
    form, charge = charge_of(plan, budget, balance, unlisted_delta)
    return replace(standing, budget=budget, balance=balance.reserve(charge)), form, charge


def falls_short(
    plan: Plan | StatedCost, form: str, charge: Charge, budget: Budget, unlisted_delta: Fraction
) -> bool:
    """Return whether a charge is below what is proved about the plan.

    With a hair of leeway where floats are compared, which differ from machine to machine.
    """
    if isinstance(plan, StatedCost) and (form != STATED or unlisted_delta):
        return True
    if isinstance(plan, StatedCost):
        least = _at_stated(plan, budget)
    elif form == CURVES:
        least = _by_curves(plan, budget, unlisted_delta)
    elif form == APPROXIMATE and budget.delta:
        least = _at_level(plan, budget, charge.pure, unlisted_delta)
    else:
        return True
    if charge.pure < least.pure or charge.gaussian < least.gaussian:
        return True
    pairs = zip(charge.values, least.values, strict=True)
    return any(value < low * LEEWAY for value, low in pairs)


def _by_curves(plan: Plan, budget: Budget, unlisted_delta: Fraction) -> Charge:
    pure = pure_or_none(plan)
    return Charge(
        # A cost without bound is booked as twice the limit: that order is closed all the same.
        2 * budget.epsilon if pure is None else booked(pure),
        tuple(
            _finite(proved_about(plan).renyi(float(order)), limit)
            for order, limit in zip(budget.orders, budget.limits, strict=True)
        ),
        booked(unlisted_delta),
        _in_potential(budget, potential_cost, plan),
    )


def _finite(divergence: float, limit: Fraction) -> Fraction:
    return 2 * limit if math.isinf(divergence) else up(Fraction(divergence), RENYI_PARTS)


def _as_approximate(
    plan: Plan, budget: Budget, left: Fraction, spare: Fraction, unlisted: Fraction
) -> Charge:
    """Charge the smallest share of what is left that is enough, the same of ε as of δ."""
    whole = Fraction(math.floor(left * RENYI_PARTS), RENYI_PARTS)
    proved = proved_about(plan)
    few, enough = 0, STEPS
    while enough - few > 1:
        middle = (few + enough) // 2
        share = Fraction(middle, STEPS)
        if booked(Fraction(proved.delta(whole * share))) <= spare * share:
            enough = middle
        else:
            few = middle
    share = Fraction(enough, STEPS)
    charge = _at_level(plan, budget, whole * share, unlisted)
    most = spare * share + unlisted
    # ε at a δ and δ at an ε are both rounded up: where the first fits, the second may not quite.
    if charge.delta > most and proved.implies(charge.pure, spare * share):
        return replace(charge, delta=most)
    return charge


def _at_level(plan: Plan, budget: Budget, level: Fraction, unlisted: Fraction) -> Charge:
    delta = Fraction(proved_about(plan).delta(level))
    return _as_pure(level, budget, booked(delta) + booked(unlisted))


def _as_pure(level: Fraction, budget: Budget, delta: Fraction) -> Charge:
    """Charge a run that is pure but for a δ."""
    divergences = (
        _finite(pure_renyi(rounded_up(level), float(order)), limit)
        for order, limit in zip(budget.orders, budget.limits, strict=True)
    )
    return Charge(level, tuple(divergences), delta, _in_potential(budget, pure_cost, level))


def _in_potential(
    budget: Budget, cost_of: Callable[[Any, Fraction], Fraction | None], run: Plan | Fraction
) -> Fraction:
    """Return a cost in the Gaussian potential; twice its limit where none is proved."""
    if budget.potential is None:
        return Fraction(0)
    cost = cost_of(run, budget.potential.reserve)
    return 2 * budget.potential.limit if cost is None else booked(cost)


def _at_stated(cost: StatedCost, budget: Budget) -> Charge:
    """Charge another mechanism as the second form does: pure ε, and a δ that adds up.

    One that states divergences is charged those, and has no pure ε.
    """
    if cost.epsilon is None:
        stated = map(cost.divergence, budget.orders)
        renyi = (
            2 * limit if divergence is None else up(divergence, RENYI_PARTS)
            for divergence, limit in zip(stated, budget.limits, strict=True)
        )
        closed = 2 * budget.potential.limit if budget.potential else Fraction(0)
        return Charge(2 * budget.epsilon, tuple(renyi), Fraction(0), closed)
    return _as_pure(booked(cost.epsilon), budget, booked(cost.delta))


def _stated(cost: StatedCost, budget: Budget, balance: Balance) -> Charge:
    charge, total = _at_stated(cost, budget), balance.total
    if cost.is_curve:
        _refuse_unfit_curve(cost, budget)
    if budget.allows(balance.reserve(charge).total):
        return charge
    if cost.is_curve:
        order, left = budget.orders[0], budget.limits[0] - total.renyi[0]
        raise BudgetError(
            f"divergence of order {float(order)}",
            charge.renyi[0],
            max(left, Fraction(0)),
            "use more noise, or stop spending",
        )
    spare = budget.additive - total.delta
    if charge.delta > spare:
        raise BudgetError("delta", charge.delta, spare, "use a smaller delta")
    raise BudgetError(
        "epsilon", charge.pure, budget.remaining(total), "use a smaller epsilon, or stop spending"
    )


def _refuse_unfit_curve(cost: StatedCost, budget: Budget) -> None:
    """Say why divergences alone cannot be added to what a budget counts."""
    if budget.delta == 0:
        raise NoGuaranteeError(
            "divergences give no pure epsilon and the dataset's budget is pure; book an epsilon, "
            "or open a dataset with a positive delta"
        )
    if not budget.orders:
        raise NoGuaranteeError(
            "runs of this dataset add up by their epsilon and delta, and divergences do not; book "
            "the epsilon and delta that the mechanism has"
        )
    if all(cost.divergence(order) is None for order in budget.orders):
        raise NoGuaranteeError(
            f"the dataset's budget follows order {float(max(budget.orders))}; give a divergence "
            "of that order or a higher one"
        )


def _refusal(plan: Plan, budget: Budget, balance: Balance, charge: Charge) -> BudgetError:
    """Say what is missing, as ε and δ, and what would fit."""
    spare = budget.additive - balance.total.delta
    if charge.delta > spare:
        return BudgetError(
            "delta",
            charge.delta,
            spare,
            "use a plan with a smaller delta; where candidates are read off the data, raise the "
            "threshold or give a public list of them",
        )
    spare -= charge.delta
    room = budget.remaining(balance.total)
    pure, proved = pure_or_none(plan), proved_about(plan)
    if isinstance(proved, PureDP) or (pure is not None and not (room and spare)):
        unit = "epsilon" if isinstance(proved, PureDP) else "epsilon at delta 0"
        return BudgetError(
            unit, charge.pure, room, "use a smaller epsilon, or stop spending on this dataset"
        )
    if not spare:
        fits = (
            f"a plan of epsilon {people_text(room, ROUND_FLOOR)} at delta 0 fits"
            if room
            else "none fits"
        )
        return BudgetError("delta", Fraction(proved.delta(room)), spare, fits)
    unit = f"epsilon at delta {people_text(spare, ROUND_FLOOR)}"
    needed = Fraction(proved.at(spare))
    return BudgetError(unit, needed, room, "use a smaller epsilon or cutoff")
