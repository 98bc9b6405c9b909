"""What a ledger writes down about a run: the threshold that was asked for, on any grid."""

from fractions import Fraction

import pytest

import overbar
from overbar.noise import Exponential, Laplace
from tests.reference.plans import any_plan


@pytest.mark.parametrize("grid", [Fraction(1), Fraction(1, 4)])
@pytest.mark.parametrize("correction", [0, 10])
def test_the_threshold_is_written_as_it_was_given(grid, correction, tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=10**6)
    plan = any_plan(Exponential("0.01"), Laplace("0.01"), correction, 2, monotonic=True, grid=grid)
    with overbar.SparseVector(plan, threshold=3, booking=ledger.booking("data")) as run:
        assert run.ask(10**9)
    with overbar.SparseVector(plan, booking=ledger.booking("data")):
        pass
    overbar.select([1, 10**9], threshold=3, plan=plan, booking=ledger.booking("data"))
    told = [entry.threshold for entry in ledger.show("data").entries]
    assert [None if one is None else Fraction(one) for one in told] == [3, None, 3]
