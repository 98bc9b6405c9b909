"""The (ε, δ) budget against every adaptive adversary of small games, and twins that fail."""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest

import overbar
from overbar import BudgetError, ParameterError
from overbar.ledger import Charge
from overbar.ledger.budget import _limit, budget_of
from overbar.ledger.charges import APPROXIMATE, STEPS, charge_of
from overbar.ledger.costs import Balance, up
from overbar.ledger.endings import CURVES, cost_of
from overbar.privacy.gaussian_potential import pure_cost
from overbar.privacy.orders import checked_log_delta, pure_renyi
from tests.queue_plans import queue_plan
from tests.reference.adaptive import all_back, in_full, pure_part_back, worst_delta

pytestmark = pytest.mark.one_in(5)

MENU = (Fraction(1, 5), Fraction(2, 5), Fraction(4, 5))


def with_orders(budget, *chosen):
    """Follow other orders: those that show the danger, with limits by the same rule."""
    share = checked_log_delta((budget.delta - budget.additive) / len(chosen))
    limits = tuple(_limit(budget.epsilon, share, float(order)) for order in chosen)
    return replace(budget, orders=tuple(Fraction(order) for order in chosen), limits=limits)


def charged(budget, quiet=0.0):
    """Charge randomised response that says nothing with a probability: exactly its curve."""

    def renyi(epsilon, order):
        told = math.exp((order - 1) * pure_renyi(float(epsilon), order))
        return math.log(quiet + (1 - quiet) * told) / (order - 1)

    def charge(epsilon):
        costs = [Fraction(renyi(epsilon, float(order))) for order in budget.orders]
        return [Charge(epsilon, tuple(up(cost, 10**9) for cost in costs), Fraction(0))]

    return charge


def worst(budget, settled=in_full, allows=None, quiet=0.0, menu=MENU):
    """The largest δ of any adversary, as a multiple of the budget's."""
    found = worst_delta(
        budget.epsilon,
        menu,
        budget.delta / 4,
        budget.nothing,
        allows or budget.allows,
        charged(budget, quiet),
        settled,
        quiet,
    )
    return found / budget.delta


@pytest.mark.parametrize(
    ("epsilon", "delta", "chosen"),
    [(1, "0.1", [3]), (1, "0.1", [2, 4]), (1, "0.3", [3]), ("0.5", "0.3", [2, 3, 5])],
)
def test_no_adversary_gets_more_than_delta(epsilon, delta, chosen):
    budget = with_orders(budget_of(epsilon, delta, "1/2"), *chosen)
    assert 0.4 < worst(budget) <= 1
    assert 0.4 < worst(budget, pure_part_back) <= 1


def test_the_orders_that_are_followed_hold_as_well():
    for epsilon, delta in ((1, "0.1"), ("0.5", "0.01")):
        assert worst(budget_of(epsilon, delta, "1/2"), pure_part_back) <= 1


def test_a_delta_that_is_split_on_the_way_fails():
    """A control: what is bought is taken off δ before the rest is shared out, each time anew.

    After harmless outcomes the adversary buys; after harmful ones it goes on. Both at full price.
    """
    budget = with_orders(budget_of(1, "0.1", 0), 3)

    def allows(total):
        left = budget.delta - total.delta
        if total.pure <= budget.epsilon or left <= 0:
            return left >= 0 and total.pure <= budget.epsilon
        limit = _limit(budget.epsilon, checked_log_delta(left), 3.0)
        return total.renyi[0] <= limit

    assert worst(budget, allows=allows) > 1.2
    assert worst(with_orders(budget_of(1, "0.1", "1/2"), 3)) <= 1


def test_a_refund_of_renyi_costs_fails():
    """A control: a run that happened to say nothing is given back, so it is run until it speaks."""
    budget = with_orders(budget_of(1, "0.1", 0), 3)
    for settled, least, most in ((all_back, 1.2, 9), (in_full, 0, 1), (pure_part_back, 0, 1)):
        assert least < worst(budget, settled, quiet=0.7, menu=MENU[1:]) <= most


@pytest.mark.parametrize(
    ("epsilon", "delta", "additive", "chosen"),
    [(1, "0.1", "1/2", 3), (1, "0.1", "1/5", None)],
)
def test_runs_without_a_pure_epsilon_and_runs_as_a_pair_in_any_order(
    epsilon, delta, additive, chosen
):
    """The first close order ∞. The second, each with a δ of its own, then count as pure runs do."""
    budget = budget_of(epsilon, delta, additive)
    budget = budget if chosen is None else with_orders(budget, chosen)
    exact = charged(budget)

    def found(closes=2, part=1):
        def charges(level):
            (pure,) = exact(level)
            costs = tuple(cost * part for cost in pure.renyi)
            pairs = [Charge(level, costs, budget.additive / share) for share in (1, 2)]
            return [pure, replace(pure, pure=closes * budget.epsilon), *pairs]

        return worst_delta(
            budget.epsilon, MENU, Fraction(0), budget.nothing, budget.allows, charges, moves=5
        ) / float(budget.delta)

    assert 0.55 < found() <= 1
    # Two controls: order ∞ is not closed; of a pair only a part is counted at the orders.
    assert found(closes=0) > 1.2
    assert found(part=Fraction(1, 4)) > 1.2


def with_potential(budget, menu, part=1, settled=in_full, quiet=0.0, moves=24):
    """The largest δ of any adversary whose runs are charged a part of their cost in it."""

    def charges(epsilon):
        cost = pure_cost(epsilon, budget.potential.reserve) * part
        renyi = tuple(Fraction(pure_renyi(float(epsilon), float(a))) for a in budget.orders)
        return [Charge(epsilon, renyi, Fraction(0), up(cost, 10**9))]

    leak = budget.additive / 2
    return worst_delta(
        budget.epsilon,
        menu,
        leak,
        budget.nothing,
        budget.allows,
        charges,
        settled,
        quiet,
        moves,
    ) / float(budget.delta)


def test_the_gaussian_potential_holds_and_a_third_of_its_cost_does_not():
    alone = budget_of("0.5", "0.1", 0, gaussian=Fraction(1))
    menu = (Fraction(19, 200), Fraction(19, 100))
    assert 0.5 < with_potential(alone, menu) <= 1
    assert with_potential(alone, menu, part=Fraction(1, 3)) > 1.2


def test_beside_an_order_and_bought_deltas_the_potential_holds_as_well():
    budget = budget_of("0.5", "0.1", "1/8", gaussian=Fraction(5, 8))
    assert budget.orders
    for settled in (in_full, pure_part_back):
        assert 0.2 < with_potential(budget, (Fraction(7, 50),), settled=settled, moves=14) <= 1


def test_a_refund_in_the_potential_fails():
    """A control: its costs hold on average over the ways in which a run can end."""
    budget = budget_of("0.5", "0.1", 0, gaussian=Fraction(1))
    game = {"part": Fraction(3, 10), "quiet": 0.7, "moves": 60}
    assert with_potential(budget, (Fraction(19, 100),), **game) <= 1
    assert with_potential(budget, (Fraction(19, 100),), settled=all_back, **game) > 1.03


# Orders and limits ------------------------------------------------------------------------------


@pytest.mark.parametrize("delta", ["0.5", "1e-3", "1e-6", "1e-12", "1e-90"])
@pytest.mark.parametrize("epsilon", ["0.001", "0.1", 1, 10, 100])
@pytest.mark.parametrize("additive", [0, "1/2", "0.999"])
def test_limits_are_what_the_conversion_allows_and_no_more(epsilon, delta, additive):
    budget = budget_of(epsilon, delta, additive)
    assert budget.additive == budget.delta * Fraction(additive)
    with mpmath.workdps(60):
        share = mpmath.mpf(str(delta)) * (1 - mpmath.mpf(str(float(Fraction(additive)))))
        for order, limit in zip(budget.orders, budget.limits, strict=True):
            a = mpmath.mpf(order.numerator) / order.denominator
            exact = mpmath.mpf(str(epsilon)) + (
                mpmath.log(share) + mpmath.log(a - 1) - a * mpmath.log(1 - 1 / a)
            ) / (a - 1)
            ours = mpmath.mpf(limit.numerator) / limit.denominator
            slack = mpmath.mpf(10) ** -10 * (1 + mpmath.mpf(str(epsilon))) + mpmath.mpf(10) ** -14
            assert exact - slack < ours < exact


def test_without_delta_there_is_the_pure_order_alone():
    budget = budget_of(1, 0, "1/2")
    assert (budget.orders, budget.limits, budget.additive) == ((), (), 0)
    assert budget_of(1, "1e-6", 1).orders == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0, 0), "epsilon must be positive"),
        ((1, -1, 0), "delta must be zero or positive"),
        ((1, 1, 0), "delta must be below 1"),
        ((1, "1e-6", 2), "additive must be a share of delta"),
    ],
)
def test_bad_budgets(arguments, message):
    with pytest.raises(ParameterError, match=message):
        budget_of(*arguments)


# Charges ----------------------------------------------------------------------------------------


def plans():
    ask = {"cutoff": 5, "candidates": 100, "delta": "1e-9"}
    return [
        queue_plan(epsilon="0.1", cutoff=5, candidates=100),
        queue_plan(epsilon="0.1", noise="gumbel", monotonic=True, **ask),
        queue_plan(epsilon="0.1", noise="gumbel", threshold_noise="none", **ask),
        queue_plan(epsilon="0.1", resample=True, **ask),
    ]


@pytest.mark.parametrize("plan", plans())
def test_a_charge_is_never_below_what_is_proved(plan):
    budget = budget_of(1, "1e-6", "1/2")
    empty = Balance(budget.nothing, budget.nothing)
    form, charge = charge_of(plan, budget, empty, Fraction(1, 10**9))
    assert form == CURVES
    for order, cost in zip(budget.orders, charge.renyi, strict=True):
        proved = overbar.guarantee(plan).renyi(float(order))
        assert Fraction(proved) <= cost <= Fraction(proved) + Fraction(1, 10**15)
    assert charge.delta == Fraction(1, 10**9)
    try:
        assert charge.pure == plan.pure()
    except overbar.NoGuaranteeError:
        assert charge.pure > budget.epsilon


def test_a_plan_as_large_as_the_budget_is_booked_as_a_whole():
    """By its (ε, δ), where its curve does not fit: the same share of ε and of the δ for sums."""
    plan = queue_plan(
        epsilon=1, delta="4e-7", cutoff=50, noise="gumbel", monotonic=True, candidates=1000
    )
    budget = budget_of(1, "1e-6", "1/2")
    empty = Balance(budget.nothing, budget.nothing)
    form, charge = charge_of(plan, budget, empty, Fraction(0))
    assert form == APPROXIMATE
    assert 0.9 < charge.pure < 1
    assert charge.delta / budget.additive <= charge.pure
    assert charge.delta >= Fraction(overbar.guarantee(plan).delta(charge.pure))
    less = charge.pure - Fraction(1, STEPS)
    assert Fraction(overbar.guarantee(plan).delta(less)) / budget.additive > less
    for order, cost in zip(budget.orders, charge.renyi, strict=True):
        assert float(cost) == pytest.approx(pure_renyi(float(charge.pure), float(order)))
    # No part of it comes back, whatever it found.
    assert cost_of(plan, form, charge, 0, asked=True) == charge
    assert cost_of(plan, form, charge, 0, asked=False) == budget.nothing
    with pytest.raises(BudgetError):
        charge_of(plan, budget, empty.reserve(charge), Fraction(0))
    # Kept for sums alone, δ pays for a plan that needs all of it.
    whole = queue_plan(
        epsilon=1, delta="1e-6", cutoff=50, noise="gumbel", monotonic=True, candidates=1000
    )
    with pytest.raises(BudgetError):
        charge_of(whole, budget, empty, Fraction(0))
    alone = budget_of(1, "1e-6", 1)
    assert (
        charge_of(whole, alone, Balance(alone.nothing, alone.nothing), Fraction(0))[0]
        == APPROXIMATE
    )


def test_a_curve_that_has_ended_closes_its_order():
    """A bare threshold has no finite divergence at large orders: nothing may be left there."""
    plan = queue_plan(
        epsilon=1, delta="1e-3", cutoff=1, noise="gumbel", threshold_noise="none", candidates=9
    )
    budget = budget_of(1, "0.01", "1/2")
    assert math.isinf(overbar.guarantee(plan).renyi(float(budget.orders[0])))
    empty = Balance(budget.nothing, budget.nothing)
    assert charge_of(plan, budget, empty, Fraction(0))[0] == APPROXIMATE
    with pytest.raises(
        BudgetError, match=r"^delta must be at most 0, .* 1 at delta 0 fits"
    ) as caught:
        charge_of(plan, replace(budget, additive=Fraction(0)), empty, Fraction(0))
    assert caught.value.requested > caught.value.remaining == 0
    alone = budget_of("0.9", "1e-3", 1)
    with pytest.raises(
        BudgetError, match=r"^epsilon at delta 0\.001 must be at most 0\.9, "
    ) as caught:
        charge_of(plan, alone, Balance(alone.nothing, alone.nothing), Fraction(0))
    assert caught.value.requested == pytest.approx(1)


def test_many_small_runs_cost_less_than_their_sum():
    """That is what δ buys: more runs than ε alone would pay for."""
    plan = queue_plan(epsilon="0.01", cutoff=5, candidates=100)
    budget = budget_of(1, "1e-6", "1/2")
    balance = empty = Balance(budget.nothing, budget.nothing)
    _, each = charge_of(plan, budget, empty, Fraction(0))
    runs = 0
    while budget.allows(balance.reserve(each).total):
        balance = balance.reserve(charge_of(plan, budget, balance, Fraction(0))[1])
        runs += 1
    assert runs > 400
    with pytest.raises(BudgetError, match=r"^epsilon must be at most 0\.006\d+, .* got 0\.01;"):
        charge_of(plan, budget, balance, Fraction(0))
    assert budget.remaining(balance.total) < Fraction(1, 100)


@pytest.mark.parametrize("delta", [0, "1e-6", "0.01"])
@pytest.mark.parametrize("count", [0, 3, 50, 90])
def test_what_remains_can_be_spent_and_little_more(delta, count):
    budget = budget_of(1, delta, "1/2")
    plan = queue_plan(epsilon="0.01", cutoff=5, candidates=100)
    balance = Balance(budget.nothing, budget.nothing)
    for _ in range(count):
        balance = balance.reserve(charge_of(plan, budget, balance, Fraction(0))[1])
    left = budget.remaining(balance.total)
    fits = queue_plan(epsilon=left, cutoff=5, candidates=100)
    assert budget.allows(balance.reserve(charge_of(fits, budget, balance, Fraction(0))[1]).total)
    more = queue_plan(epsilon=left * (1 + Fraction(1, 10**6)), cutoff=5, candidates=100)
    with pytest.raises(BudgetError):
        charge_of(more, replace(budget, additive=Fraction(0)), balance, Fraction(0))
    assert math.isclose(left, 1 - Fraction(count, 100)) or delta != 0
