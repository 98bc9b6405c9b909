"""What does not fit is refused, with what is left; an infinite cost fits nowhere."""

import math
from fractions import Fraction

import pytest

import overbar
from overbar import BudgetError
from overbar.ledger.charges import RENYI_PARTS, _finite
from overbar.ledger.description import Description
from tests.queue_plans import queue_plan

SMALL = queue_plan(epsilon="0.3", cutoff=2, monotonic=True, candidates=100)
LARGE = queue_plan(epsilon="0.9", cutoff=2, monotonic=True, candidates=100)


def test_a_refusal_says_what_was_asked_for_and_what_is_left(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=1)
    ledger.reserve("data", Description("online", SMALL, Fraction(5))).settle(
        positives=2, asked=True
    )
    with pytest.raises(BudgetError) as caught:
        ledger.reserve("data", Description("online", LARGE, Fraction(5)))
    assert caught.value.requested == Fraction(9, 10)
    assert caught.value.remaining == Fraction(7, 10)
    assert ledger.remaining("data") == Fraction(7, 10)


@pytest.mark.parametrize("limit", [Fraction(1, 1000), Fraction(1), Fraction(7, 2), Fraction(900)])
def test_an_infinite_divergence_is_more_than_the_limit(limit):
    assert _finite(math.inf, limit) > limit


@pytest.mark.parametrize("divergence", [0.0, 1e-20, 0.1, 1 / 3, 12345.678])
def test_a_finite_divergence_is_rounded_up(divergence):
    found = _finite(divergence, Fraction(1))
    assert Fraction(divergence) <= found < Fraction(divergence) + Fraction(1, RENYI_PARTS)
