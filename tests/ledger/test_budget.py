"""Charges add up at every order, one live order is enough, and nothing settles for more."""

from fractions import Fraction

import pytest

from overbar.errors import LedgerError
from overbar.ledger.budget import Budget
from overbar.ledger.costs import (
    COST_PARTS,
    EXACT_BITS,
    LONGEST_BITS,
    TINY_PARTS,
    Balance,
    Charge,
    booked,
    up,
)
from overbar.ledger.fields import from_fields, to_fields

NONE, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


def charge(pure, *renyi, delta=0):
    return Charge(Fraction(pure), tuple(Fraction(value) for value in renyi), Fraction(delta))


BUDGET = Budget(ONE, Fraction(1, 10), Fraction(1, 20), (Fraction(2), Fraction(8)), (ONE, HALF))


@pytest.mark.parametrize(
    ("total", "allowed"),
    [
        (charge(1, 9, 9), True),
        (charge(2, 1, 9), True),
        (charge(2, 9, "1/2"), True),
        (charge("10/9", "10/9", "6/11"), False),
        (charge(0, 0, 0, delta="1/20"), True),
        (charge(0, 0, 0, delta="1/19"), False),
    ],
)
def test_the_deltas_must_fit_and_one_order_must_be_alive(total, allowed):
    assert BUDGET.allows(total) is allowed


def test_sums_and_differences_at_every_order():
    one, two = charge(1, 2, 3, delta="1/7"), charge("1/2", "1/3", "1/4", delta="1/9")
    assert one + two == charge("3/2", "7/3", "13/4", delta="16/63")
    assert one + two - two == one
    assert BUDGET.nothing + two == two
    assert BUDGET.nothing == charge(0, 0, 0)


def test_what_is_written_is_read_back():
    balance = Balance(charge(1, 2, 3), charge("1/3", 0, 0, delta="1/7"))
    assert from_fields(Balance, to_fields(balance)) == balance
    assert from_fields(Budget, to_fields(BUDGET)) == BUDGET


def test_reserve_and_settle():
    start = Balance(BUDGET.nothing, BUDGET.nothing)
    held = start.reserve(charge(1, 1, 1, delta="1/9"))
    assert held.total == charge(1, 1, 1, delta="1/9")
    settled = held.settle(charge(1, 1, 1, delta="1/9"), charge("1/2", "1/2", 1, delta="1/9"))
    assert settled == Balance(charge("1/2", "1/2", 1, delta="1/9"), BUDGET.nothing)


@pytest.mark.parametrize(
    "cost",
    [
        charge("10/9", 0, 0),
        charge(0, "10/9", 0),
        charge(0, 0, "10/9"),
        charge(0, 0, 0, delta="1/8"),
    ],
)
def test_a_run_cannot_settle_for_more_than_it_reserved(cost):
    reserved = charge(1, 1, 1, delta="1/9")
    held = Balance(BUDGET.nothing, BUDGET.nothing).reserve(reserved)
    with pytest.raises(LedgerError, match="cannot cost more"):
        held.settle(reserved, cost)


@pytest.mark.parametrize(
    "held",
    [
        charge("1/2", 1, 1, delta="1/9"),
        charge(1, "1/2", 1, delta="1/9"),
        charge(1, 1, "1/2", delta="1/9"),
        charge(1, 1, 1, delta="1/10"),
    ],
)
def test_what_is_not_held_cannot_be_settled(held):
    reserved = charge(1, 1, 1, delta="1/9")
    with pytest.raises(LedgerError, match="settled before"):
        Balance(BUDGET.nothing, held).settle(reserved, BUDGET.nothing)


def test_long_fractions_are_rounded_up_at_their_limits():
    kept = Fraction(1, 2 ** (EXACT_BITS - 1))
    assert booked(kept) == kept
    longer = Fraction(1, 2**EXACT_BITS)
    assert longer < booked(longer) < longer + Fraction(1, TINY_PARTS)
    assert longer + 1 < booked(longer + 1) == 1 + Fraction(1, COST_PARTS)
    long, longest = Fraction(1, 2**LONGEST_BITS), Fraction(1, 2 ** (LONGEST_BITS - 1))
    assert charge(0, 0, 0) + Charge(longest, (NONE, NONE), NONE) == Charge(
        longest, (NONE, NONE), NONE
    )
    rounded = charge(0, 0, 0) + Charge(long, (long, NONE), long)
    least = Fraction(1, COST_PARTS)
    assert rounded == Charge(least, (least, NONE), least)
    assert up(Fraction(1, 3), 10) == Fraction(4, 10)
    assert up(Fraction(3, 10), 10) == Fraction(3, 10)
