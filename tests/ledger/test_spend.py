"""Other mechanisms are paid from the same budget, before they are used."""

import contextlib
import json
import math
from fractions import Fraction

import pytest
from scipy.stats import norm

import overbar
from overbar import BudgetError, LedgerError, NoGuaranteeError
from overbar.ledger.description import Description, StatedCost
from tests.ledger.booked import plan, total
from tests.ledger.chaining import chained
from tests.ledger.places import FilePlace

ASKED = Description("batch", plan(), Fraction(5))


def test_what_is_claimed_is_spent(ledger):
    receipt = ledger.booking("pure", purpose="a mean").spend(epsilon="1/3", neighbours="person")
    assert receipt.cost.pure == Fraction(1, 3)
    assert ledger.remaining("pure") == Fraction(2, 3)
    (entry,) = ledger.show("pure").entries
    assert (entry.kind, entry.purpose, entry.plan, entry.open) == ("other", "a mean", "null", False)
    with pytest.raises(BudgetError, match="epsilon"):
        ledger.booking("pure").spend(epsilon="0.7", neighbours="person")
    ledger.booking("pure").spend(epsilon=Fraction(2, 3), neighbours="person")
    with pytest.raises(BudgetError):
        ledger.reserve("pure", ASKED)
    ledger.verify()


def test_epsilon_and_delta_add_up_with_runs(ledger):
    ledger.reserve("both", ASKED)
    before = total(ledger, "both")
    ledger.booking("both").spend(epsilon="0.1", delta="1e-8", neighbours="person")
    after = total(ledger, "both")
    assert after.pure - before.pure == Fraction(1, 10)
    assert after.delta - before.delta == Fraction(1, 10**8)
    assert all(more > less for more, less in zip(after.renyi, before.renyi, strict=True))
    with pytest.raises(BudgetError, match="delta"):
        ledger.booking("both").spend(epsilon="0.1", delta="1e-6", neighbours="person")
    ledger.verify()


def test_the_first_may_take_everything(ledger):
    ledger.booking("both").spend(epsilon=1, delta="1e-6", neighbours="person")
    assert ledger.remaining("both") == 0
    with pytest.raises(BudgetError):
        ledger.booking("both").spend(epsilon="1e-9", neighbours="person")
    ledger.verify()


def test_many_small_ones_cost_less_than_their_sum(ledger):
    for _ in range(40):
        ledger.booking("both").spend(epsilon="0.026", neighbours="person")
    assert total(ledger, "both").pure > 1
    assert ledger.remaining("both") > 0
    ledger.verify()


def test_a_delta_does_not_fit_a_pure_budget(ledger):
    with pytest.raises(BudgetError, match="delta"):
        ledger.booking("pure").spend(epsilon="0.1", delta="1e-9", neighbours="person")


def test_an_id_is_booked_once(ledger):
    """A second answer under one cost would be free: the ledger does not know the first."""
    ledger.booking("pure", request_id="mean").spend(epsilon="0.1", neighbours="person")
    with pytest.raises(LedgerError, match="'mean' was booked before, in row 3"):
        ledger.booking("pure", request_id="mean").spend(epsilon="0.1", neighbours="person")
    with pytest.raises(LedgerError, match="another cost"):
        ledger.booking("pure", request_id="mean").spend(epsilon="0.2", neighbours="person")
    with pytest.raises(LedgerError, match="another"):
        ledger.reserve("pure", ASKED, request_id="mean")
    assert ledger.remaining("pure") == Fraction(9, 10)
    ledger.verify()


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0, 0), (-1, 0), ("nan", 0), (1, 1), (1, -1), (10**200, 0), ("x", 0)]
)
def test_what_is_no_cost_is_refused(ledger, epsilon, delta):
    with pytest.raises(overbar.ParameterError):
        ledger.booking("pure").spend(epsilon=epsilon, delta=delta, neighbours="person")
    assert ledger.remaining("pure") == 1


# Divergences --------------------------------------------------------------------------------------


def gaussian_delta(rho, epsilon):
    """The exact δ of a Gaussian that is ρ-zCDP (Balle and Wang 2018, arXiv:1805.06530v2)."""
    mean = math.sqrt(2 * rho)
    low, high = mean / 2 - epsilon / mean, -mean / 2 - epsilon / mean
    return norm.cdf(low) - math.exp(epsilon) * norm.cdf(high)


def booked_until_refused(ledger, **cost):
    with contextlib.suppress(BudgetError):
        for _ in range(1000):
            ledger.booking("both").spend(**cost, neighbours="person")
    with pytest.raises(BudgetError, match="divergence of order"):
        ledger.booking("both").spend(**cost, neighbours="person")
    return len(ledger.show("both").entries)


@pytest.mark.parametrize("as_curve", [False, True])
def test_gaussians_add_up_to_the_budget_and_not_beyond(ledger, as_curve):
    """δ = 1e-6 at ε = 1, half of it for this order: what is booked is within, and not idle."""
    rho = Fraction(1, 2000)
    orders = [Fraction(2 * n + 3, 2) for n in range(60)]
    cost = {"renyi": {order: rho * order for order in orders}} if as_curve else {"rho": rho}
    booked = booked_until_refused(ledger, **cost)
    assert gaussian_delta(float(booked * rho), 1) <= 1e-6
    assert gaussian_delta(float(2 * booked * rho), 1) > 1e-6
    ledger.verify()


def test_control_the_divergence_of_a_lower_order_would_overspend(ledger, monkeypatch):
    """It is smaller, and nothing bounds that of the order followed."""
    with pytest.raises(
        NoGuaranteeError, match=r"follows order 30\.515625; give a divergence of that"
    ):
        ledger.booking("both").spend(renyi={2: "0.001"}, neighbours="person")
    monkeypatch.setattr(StatedCost, "divergence", lambda self, order: self.renyi[0][1])
    booked = booked_until_refused(ledger, renyi={2: "0.01"})
    assert gaussian_delta(booked * 0.005, 1) > 1e-6


def test_divergences_and_runs_are_one_sum(ledger):
    ledger.reserve("both", ASKED)
    before = total(ledger, "both")
    ledger.booking("both", request_id="a", purpose="a mean").spend(
        renyi={"1.5": 1, 1000: "0.01"}, neighbours="person"
    )
    after = total(ledger, "both")
    assert after.renyi[0] - before.renyi[0] == Fraction(1, 100)
    assert (after.delta, after.pure - before.pure) == (before.delta, 2)
    assert ledger.show("both").entries[-1].purpose == "a mean"
    with pytest.raises(LedgerError, match="'a' was booked before"):
        ledger.booking("both", request_id="a", purpose="a mean").spend(
            renyi={"1.5": 1, 1000: "0.01"}, neighbours="person"
        )
    ledger.verify()


def test_where_divergences_cannot_be_added_they_are_refused(ledger):
    with pytest.raises(NoGuaranteeError, match="budget is pure; book an epsilon"):
        ledger.booking("pure").spend(rho="0.01", neighbours="person")
    ledger.open("sums", epsilon=1, delta="1e-6", additive=1)
    with pytest.raises(NoGuaranteeError, match="add up by their epsilon and delta"):
        ledger.booking("sums").spend(rho="0.001", neighbours="person")
    with pytest.raises(BudgetError, match="divergence of order"):
        ledger.booking("both").spend(rho=10, neighbours="person")
    ledger.booking("both").spend(
        epsilon=1, delta="1e-6", neighbours="person"
    )  # what was refused has settled nothing
    ledger.verify()


@pytest.mark.parametrize(
    "cost",
    [{}, {"rho": 0}, {"rho": -1}, {"rho": 1, "epsilon": 1}, {"rho": 1, "delta": "1e-9"},
     {"renyi": {}}, {"renyi": {1: 1}}, {"renyi": {2: -1}}, {"renyi": {2: 0}}, {"renyi": [2, 1]},
     {"renyi": {2: 1}, "rho": 1}, {"renyi": {"x": 1}}, {"renyi": dict.fromkeys(range(2, 2000), 1)}],
    ids=str,
)  # fmt: skip
def test_what_is_no_curve_is_refused(ledger, cost):
    with pytest.raises(overbar.ParameterError):
        ledger.booking("both").spend(**cost, neighbours="person")
    assert not ledger.show("both").entries


def test_a_forged_curve_is_found(tmp_path):
    """A row that says less than its charge is fine; one that was charged less is not."""
    place = FilePlace(tmp_path / "l.db")
    ledger = place.ledger()
    ledger.open("both", epsilon=1, delta="1e-6")
    ledger.booking("both").spend(renyi={1000: "0.01"}, neighbours="person")
    rows = place.rows()
    for old, new in (
        ('["1000","1/100"]', '["1000","1/2"]'),
        ('[["1000","1/100"]]', "[]"),
        ('[["1000","1/100"]]', '[["1","1/100"]]'),
    ):
        told = [content.replace(old, new) for _, content, _ in rows]
        assert told != [content for _, content, _ in rows]
        place.write(chained([json.loads(content) for content in told]))
        with pytest.raises(LedgerError):
            ledger.verify()
    place.write(rows)
    ledger.verify()


def test_events_of_dp_accounting(ledger):
    dp_accounting = pytest.importorskip("dp_accounting")
    from overbar.integrations.dp_accounting import event, renyi_curve

    ledger.booking("both").spend(
        renyi=renyi_curve(dp_accounting.GaussianDpEvent(50.0)), neighbours="person"
    )
    charged = total(ledger, "both").renyi[0]
    order = ledger.show("both").budget.orders[0]
    exact = order / (2 * 50**2)
    assert exact < charged < exact * Fraction(12, 10)  # the next order that they have
    sampled = dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(2.0))
    ledger.booking("both").spend(
        renyi=renyi_curve(dp_accounting.SelfComposedDpEvent(sampled, 5)),
        neighbours="person",
    )
    ledger.booking("both").spend(renyi=renyi_curve(event(plan())), neighbours="person")
    ledger.verify()
    with pytest.raises(NoGuaranteeError, match="no Rényi divergences for this event"):
        renyi_curve(dp_accounting.UnsupportedDpEvent())
    with pytest.raises(overbar.ParameterError, match="renyi must be a mapping"):
        ledger.booking("both").spend(
            renyi=renyi_curve(dp_accounting.NonPrivateDpEvent()), neighbours="person"
        )


def test_measurements_of_opendp(ledger):
    dp = pytest.importorskip("opendp.prelude")
    from overbar.integrations.opendp import stated_cost

    dp.enable_features("contrib", "honest-but-curious")
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    laplace = dp.m.make_laplace(*space, scale=30.0)
    gaussian = dp.m.make_gaussian(*space, scale=60.0)
    assert stated_cost(laplace, 1) == {"epsilon": Fraction(laplace.map(1))}
    assert stated_cost(gaussian, 1) == {"rho": Fraction(gaussian.map(1))}
    profile = dp.c.make_zCDP_to_approxDP(gaussian)
    fixed = dp.c.make_fix_delta(profile, 1e-8)
    assert float(stated_cost(profile, 1, "1e-8")["epsilon"]) == pytest.approx(
        float(stated_cost(fixed, 1)["epsilon"])
    )
    for one in (laplace, gaussian, fixed):
        ledger.booking("both").spend(**stated_cost(one, 1), neighbours="person")
    ledger.verify()
    other = dp.m.make_user_measurement(
        *space, dp.approximate(dp.zero_concentrated_divergence()), lambda x: x, lambda d: (1.0, 0.1)
    )
    with pytest.raises(NoGuaranteeError, match="cannot add up costs by"):
        stated_cost(other, 1)
