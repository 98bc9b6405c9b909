"""Public numbers are read exactly, and every bad one gets the same form of message."""

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import overbar
from overbar import _check
from overbar._numbers import exact_text
from overbar.errors import OverbarError, ParameterError


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (1, Fraction(1)),
        ("0.1", Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (1e-9, Fraction(1, 10**9)),
        (np.float64(0.3), Fraction(3, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int64(7), Fraction(7)),
        (Decimal("2.50"), Fraction(5, 2)),
        (Fraction(2, 3), Fraction(2, 3)),
        (" 2/3 ", Fraction(2, 3)),
        ("1e-3", Fraction(1, 1000)),
        ("-4", Fraction(-4)),
        (1e22, Fraction(10**22)),
    ],
)
def test_numbers_are_read_exactly(written, meant):
    assert _check.rational("epsilon", written) == meant


@given(st.floats(min_value=1e-90, max_value=1e90))
def test_a_float_means_its_shortest_decimal_form(value):
    assert _check.rational("x", value) == Fraction(repr(value))


@pytest.mark.parametrize(
    "value",
    [
        math.nan, math.inf, -math.inf, np.float64("nan"), np.float32("inf"), Decimal("NaN"),
        Decimal("Infinity"), "nan", "inf", "", "abc", "1/0", "1//2", "1/2/3", "0x10", True, False,
        np.True_, None, [], {}, object(), 1j, b"1", "1" * 1000, 10**101, Fraction(1, 10**101),
        "1e999999999", "1e-999999999", Decimal("1e999999"), 1e-200, 1e200, "1_0/ ",
        Fraction(1, 3**1200),
    ],
)  # fmt: skip
def test_what_is_not_a_sensible_number_is_refused(value):
    with pytest.raises(ParameterError, match=r"^epsilon must be .*, got "):
        _check.rational("epsilon", value)


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        (_check.positive, -1, "epsilon must be positive, got -1"),
        (_check.positive, 0, "epsilon must be positive, got 0"),
        (_check.positive, "-0.5", "epsilon must be positive, got '-0.5'"),
        (_check.non_negative, -2, "epsilon must be zero or positive, got -2"),
        (_check.probability, 1, "epsilon must be below 1, got 1"),
        (_check.whole, 0, "epsilon must be a positive whole number, got 0"),
        (_check.whole, 2.5, "epsilon must be a positive whole number, got 2.5"),
        (_check.whole, "x", "epsilon must be a number such as 1, '0.1' or '1/3', got 'x'"),
        (_check.whole, True, "epsilon must be a positive whole number, got True"),
        (_check.whole, None, "epsilon must be a positive whole number, got None"),
        (_check.whole, 10**19, "epsilon must be at most 1e18, got 10000000000000000000"),
        (
            lambda name, value: _check.whole(name, value, lowest=0),
            -1,
            "epsilon must be a whole number from zero up, got -1",
        ),
        (_check.flag, 1, "epsilon must be True or False, got 1"),
        (_check.flag, "yes", "epsilon must be True or False, got 'yes'"),
    ],
)
def test_messages(check, value, message):
    with pytest.raises(ParameterError) as caught:
        check("epsilon", value)
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [5, 5.0, "5", Fraction(5), np.uint8(5), Decimal(5)])
def test_whole_numbers_in_any_form(value):
    assert _check.whole("cutoff", value) == 5
    assert type(_check.whole("cutoff", value)) is int


def test_choice_lists_the_options():
    with pytest.raises(ParameterError, match="noise must be one of 'a', 'b', got 'c'"):
        _check.choice("noise", "c", ["a", "b"])
    with pytest.raises(ParameterError, match="one of"):
        _check.choice("noise", 3, ["a", "b"])
    assert _check.choice("noise", "b", ["a", "b"]) == "b"


def test_a_value_whose_repr_fails_still_gets_a_message():
    class Hostile:
        def __repr__(self):
            raise RuntimeError

    with pytest.raises(ParameterError, match="an object of type Hostile"):
        _check.rational("epsilon", Hostile())


@given(st.fractions(max_denominator=10**9))
def test_text_of_is_exact(value):
    assert _check.rational("x", exact_text(value)) == value if value else True
    assert Fraction(exact_text(value)) == value


def test_every_parameter_error_is_a_value_error_and_ours():
    with pytest.raises(ValueError) as caught:
        _check.positive("x", -1)
    assert isinstance(caught.value, OverbarError)


@pytest.mark.parametrize(
    ("written", "instead"),
    [("0,5", "0.5"), ("1.234,5", "1234.5"), ("1,234.5", "1234.5"), ("1,000", "1000 or 1.000")],
)
def test_a_comma_is_told_to_be_a_point(written, instead):
    with pytest.raises(ParameterError, match=f"got '{re.escape(written)}': write {instead}$"):
        _check.positive("epsilon", written)


def test_thousands_are_no_decimals_of_a_whole_number():
    assert _check.whole("cutoff", "3.0") == 3
    with pytest.raises(ParameterError, match=r"got '10.000': write 10000 for thousands"):
        _check.whole("cutoff", "10.000")


def test_whoever_gives_a_release_a_seed_is_sent_to_the_simulation():
    doors = [
        lambda: overbar.SparseVector(threshold=1, cutoff=1, epsilon=1, seed=1),
        lambda: overbar.select([1], threshold=1, cutoff=1, epsilon=1, seed=1),
        lambda: overbar.top([1], cutoff=1, epsilon=1, seed=1),
        lambda: overbar.frames.top(None, item="a", seed=1),
    ]
    for door in doors:
        with pytest.raises(TypeError, match=r"takes no seed.*overbar_lab\.simulate takes one"):
            door()
