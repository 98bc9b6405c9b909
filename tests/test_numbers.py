"""Rounding and root finding keep to the safe side, come close, and do not take long."""

import math
from fractions import Fraction

import pytest
from scipy.optimize import brentq

from overbar._numbers import least, least_safe, root, rounded_up, safe_end


@pytest.mark.parametrize(
    "value",
    [Fraction(1, 3), Fraction(-1, 3), Fraction(2, 7), Fraction(1, 10), Fraction(10**17 + 1)],
)
def test_rounded_up_is_the_smallest_float_at_or_above(value):
    found = rounded_up(value)
    assert Fraction(found) >= value
    assert Fraction(math.nextafter(found, -math.inf)) < value


def test_floats_round_up_to_themselves():
    for value in (0.1, -0.7, 3.0, 0.0, 1e300, 5e-324):
        assert rounded_up(Fraction(value)) == value


FUNCTIONS = {
    "line": lambda x: x - 0.3,
    "steep": lambda x: math.expm1(40 * (x - 0.3)),
    "flat": lambda x: (x - 0.3) ** 3,
    "jump": lambda x: -1.0 if x <= 0.3 else 5.0,
    "infinite beyond": lambda x: math.inf if x > 0.7 else x - 0.3,
    "infinite before": lambda x: -math.inf if x < 0.1 else x - 0.3,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("tolerance", [1e-12, 1e-4])
def test_the_end_is_safe_close_and_soon_found(name, mirrored, tolerance):
    seen = {}

    def excess(x):
        value = FUNCTIONS[name](1 - x if mirrored else x)
        seen[x] = value
        return value

    safe, unsafe = (1.0, 0.0) if mirrored else (0.0, 1.0)
    found = safe_end(excess, safe, unsafe, tolerance)
    assert seen[found] <= 0
    root = 0.7 if mirrored else 0.3
    assert (found >= root) == mirrored or found == root
    near = 1e-5 if name == "flat" else 0.0  # a triple root is zero to the last digit around it
    assert abs(found - root) <= max(2 * tolerance, near)
    assert len(seen) < (20 if name == "line" else 100)


def test_without_tolerance_it_ends_at_neighbouring_floats():
    found = safe_end(lambda x: -1.0 if x <= 0.3 else 1.0, 0.0, 1.0, 0.0)
    assert found == 0.3


def test_a_bracket_of_one_point_is_that_point():
    assert safe_end(lambda x: x - 2.0, 2.0, 2.0) == 2.0


def test_the_tolerance_is_relative_to_the_larger_end():
    for scale in (1e-9, 1e9):
        found = safe_end(lambda x, scale=scale: x / scale - 0.3, 0.0, scale, 1e-6)
        assert 0 <= 0.3 - found / scale <= 2e-6
    negative = safe_end(lambda x: -0.3 - x, 0.0, -1.0, 1e-6)
    assert 0 <= negative + 0.3 <= 2e-6


@pytest.mark.parametrize("start", [1e-6, 0.2, 0.3, 0.31, 50.0])
@pytest.mark.parametrize("slope", [-1e-3, -1.0, -1e3])
@pytest.mark.parametrize(
    "excess",
    [
        lambda x: 0.3 - x,
        lambda x: math.log(0.3 / x) * 30,
        lambda x: 1 / x - 1 / 0.3,
        lambda x: math.inf if x < 0.1 else 0.09 - x * x,
        lambda x: -math.inf if x > 0.4 else 0.3 - x,
        lambda x: 1.0 if x < 0.3 else -1.0,
    ],
)
def test_the_least_safe_number_is_found_from_any_guess(excess, start, slope):
    places = []

    def looked_at(x):
        places.append(x)
        return excess(x)

    place = least_safe(looked_at, start, slope, 1e-9)
    assert place in places
    assert excess(place) <= 0
    assert place == pytest.approx(0.3, rel=4e-9)
    assert len(places) < 70


def test_secants_need_few_looks_and_what_is_never_safe_is_infinite():
    places = []

    def excess(x):
        places.append(x)
        return math.log(1e-6) * (x * x - 1)

    assert least_safe(excess, 1.05, -25.0, 1e-9) == pytest.approx(1, rel=2e-9)
    assert len(places) <= 6
    assert least_safe(lambda x: 1 + 1 / x, 1.0, -1.0, largest=1e6) == math.inf


def test_the_least_point_of_a_valley():
    place, value = least(lambda x: (x - 0.3) ** 2 + 1, -4.0, 9.0, 1e-6)
    assert place == pytest.approx(0.3, abs=1e-6)
    assert value == pytest.approx(1)
    cut = least(lambda x: math.inf if x > 0.5 else (x - 0.3) ** 2, -4.0, 9.0, 1e-6)
    assert cut[0] == pytest.approx(0.3, abs=1e-6)
    assert least(lambda x: math.inf, 0.0, 1.0, 1e-3)[1] == math.inf


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (1.0, 0.0), (-7.0, 0.31), (0.29, 3.0)])
@pytest.mark.parametrize(("absolute", "relative"), [(1e-16, 1e-15), (1e-3, 1e-14), (1e-9, 1e-2)])
def test_a_root_is_the_one_that_scipy_finds_in_as_many_steps(name, low, high, absolute, relative):
    seen = [[], []]

    def function(x, places):
        places.append(x)
        return FUNCTIONS[name](x)

    found = root(lambda x: function(x, seen[0]), low, high, absolute, relative)
    wanted = brentq(function, low, high, (seen[1],), xtol=absolute, rtol=relative, maxiter=1000)
    assert found == wanted
    assert seen[0] == seen[1]


def test_without_a_change_of_sign_there_is_no_root():
    with pytest.raises(ValueError, match="must change its sign"):
        root(lambda x: x * x + 1, -1.0, 1.0, 1e-9, 1e-9)
    assert root(lambda x: x, 0.0, 1.0, 1e-9, 1e-9) == root(lambda x: x, -1.0, 0.0, 1e-9, 1e-9) == 0
