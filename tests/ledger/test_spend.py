"""Other mechanisms are paid from the same budget, before they are used."""

from fractions import Fraction

import pytest

import overbar
from overbar import BudgetError, LedgerError
from overbar.ledger import Description
from tests.ledger.booked import plan, total

ASKED = Description("batch", plan(), Fraction(5))


def test_what_is_claimed_is_spent(ledger):
    receipt = ledger.spend("pure", epsilon="1/3", purpose="a mean")
    assert receipt.cost.pure == Fraction(1, 3)
    assert ledger.remaining("pure") == Fraction(2, 3)
    (entry,) = ledger.show("pure").entries
    assert (entry.kind, entry.purpose, entry.plan, entry.open) == ("other", "a mean", "null", False)
    with pytest.raises(BudgetError, match="epsilon"):
        ledger.spend("pure", epsilon="0.7")
    ledger.spend("pure", epsilon=Fraction(2, 3))
    with pytest.raises(BudgetError):
        ledger.reserve("pure", ASKED)
    ledger.verify()


def test_epsilon_and_delta_add_up_with_runs(ledger):
    ledger.reserve("both", ASKED)
    before = total(ledger, "both")
    ledger.spend("both", epsilon="0.1", delta="1e-8")
    after = total(ledger, "both")
    assert after.pure - before.pure == Fraction(1, 10)
    assert after.delta - before.delta == Fraction(1, 10**8)
    assert all(more > less for more, less in zip(after.renyi, before.renyi, strict=True))
    with pytest.raises(BudgetError, match="delta"):
        ledger.spend("both", epsilon="0.1", delta="1e-6")
    ledger.verify()


def test_the_first_may_take_everything(ledger):
    ledger.spend("both", epsilon=1, delta="1e-6")
    assert ledger.remaining("both") == 0
    with pytest.raises(BudgetError):
        ledger.spend("both", epsilon="1e-9")
    ledger.verify()


def test_many_small_ones_cost_less_than_their_sum(ledger):
    for _ in range(40):
        ledger.spend("both", epsilon="0.026")
    assert total(ledger, "both").pure > 1
    assert ledger.remaining("both") > 0
    ledger.verify()


def test_a_delta_does_not_fit_a_pure_budget(ledger):
    with pytest.raises(BudgetError, match="delta"):
        ledger.spend("pure", epsilon="0.1", delta="1e-9")


def test_an_id_is_booked_once(ledger):
    """A second answer under one cost would be free: the ledger does not know the first."""
    ledger.spend("pure", epsilon="0.1", request_id="mean")
    with pytest.raises(LedgerError, match="'mean' was booked before, in row 3"):
        ledger.spend("pure", epsilon="0.1", request_id="mean")
    with pytest.raises(LedgerError, match="another stated"):
        ledger.spend("pure", epsilon="0.2", request_id="mean")
    with pytest.raises(LedgerError, match="another"):
        ledger.reserve("pure", ASKED, request_id="mean")
    assert ledger.remaining("pure") == Fraction(9, 10)
    ledger.verify()


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0, 0), (-1, 0), ("nan", 0), (1, 1), (1, -1), (10**200, 0), ("x", 0)]
)
def test_what_is_no_cost_is_refused(ledger, epsilon, delta):
    with pytest.raises(overbar.ParameterError):
        ledger.spend("pure", epsilon=epsilon, delta=delta)
    assert ledger.remaining("pure") == 1
