"""The Gaussian potential: no step lifts it by more than its cost, and what would is caught."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest

import overbar
from overbar.privacy import gaussian_potential
from overbar.privacy.gaussian_potential import (
    largest_total,
    potential_cost,
    pure_cost,
    step_cost,
    within_delta,
)
from overbar.privacy.histogram import Moved
from tests.reference.gaussian_potential import exact, grid_gaussian, two_points, worst_ratio
from tests.reference.gaussian_potential import potential as reference

pytestmark = pytest.mark.one_in(5)

RESERVES = (Fraction(1, 1000), Fraction(1, 50), Fraction(1, 2))
PLACES = [Fraction(k, 2) for k in range(-16, 17)]


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(40):
        yield


def totals(reserve):
    return [reserve * factor for factor in (1, Fraction(3, 2), 5, 60)]


def side(square):
    """Return the range whose u is this, a hair below."""
    return 2 * Fraction(float(mpmath.sqrt(exact(square)))) * (1 - Fraction(1, 10**12))


@pytest.mark.parametrize("reserve", RESERVES)
@pytest.mark.parametrize("part", [Fraction(1, 100), Fraction(1, 10), Fraction(1, 2)])
def test_a_step_of_bounded_range_lifts_the_potential_by_no_more_than_its_cost(reserve, part):
    range_ = side(part * reserve)
    cost = step_cost(range_, reserve)
    for share in (Fraction(1, 20), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)):
        law = two_points(range_, share * range_)
        assert worst_ratio(law, cost, totals(reserve), PLACES) <= 1
    even = two_points(range_, range_ / 2)
    # Tight: with a tenth less than u itself it is false wherever one looks first.
    assert worst_ratio(even, range_**2 / 4 * Fraction(9, 10), [reserve], PLACES) > 1


@pytest.mark.parametrize("reserve", RESERVES)
@pytest.mark.parametrize("part", [Fraction(1, 50), Fraction(1, 2), Fraction(2), Fraction(7, 2)])
def test_a_pure_run_lifts_the_potential_by_no_more_than_its_cost(reserve, part):
    epsilon = side(part * reserve) / 2
    cost = pure_cost(epsilon, reserve)
    if epsilon > 1:
        assert cost is None
        return
    law = two_points(2 * epsilon, epsilon)
    assert worst_ratio(law, cost, totals(reserve), PLACES) <= 1
    # Without the term of the reserve it is false.
    assert worst_ratio(law, epsilon**2, [reserve], PLACES) > 1
    if part == Fraction(1, 50):  # tight, where runs are small
        assert worst_ratio(law, cost * Fraction(99, 100), [reserve], PLACES) > 1


@pytest.mark.parametrize("reserve", [Fraction(1, 10**9), Fraction(1, 750), Fraction(10**9)])
def test_however_small_a_pure_run_is_it_has_a_cost(reserve):
    """With a fixed number of digits both sides of a condition are the same from 1e-14 on."""
    assert pure_cost(Fraction(0), reserve) == 0
    for places in (6, 13, 14, 20, 99):
        epsilon = Fraction(1, 10**places)
        assert 1 < pure_cost(epsilon, reserve) / epsilon**2 < 1 + Fraction(1, 1000)


def test_what_is_too_large_for_the_reserve_has_no_cost():
    assert step_cost(Fraction(1, 10), Fraction(1, 250)) is None
    assert step_cost(Fraction(3), Fraction(100)) is None
    assert pure_cost(Fraction(1, 10), Fraction(1, 500)) is None
    assert pure_cost(Fraction(2), Fraction(100)) is None


@pytest.mark.parametrize(("steps", "deviation"), [(1, 8), (2, 12)])
def test_gaussian_noise_on_the_grid_costs_what_it_does_in_the_continuum(steps, deviation):
    variance = Fraction(deviation**2)
    cost = Fraction(steps**2) / variance
    reserve = 16 * steps**2 / variance**2
    moved = Moved(1, steps, variance)
    assert gaussian_potential._gaussian_cost(moved, reserve) == cost
    with mpmath.workdps(70):
        law = grid_gaussian(steps, variance)
        ratio = worst_ratio(law, cost, [reserve], PLACES[::12])
        assert ratio <= 1 + mpmath.mpf(10) ** -60
        assert ratio > 1 - mpmath.mpf(10) ** -30
        assert worst_ratio(law, cost * Fraction(999, 1000), [reserve], PLACES[::12]) > 1
    assert gaussian_potential._gaussian_cost(moved, reserve / 2) is None
    assert (
        gaussian_potential._gaussian_cost(replace(moved, variance=Fraction(15)), Fraction(100))
        is None
    )


def test_a_coarse_grid_does_lift_it():
    """Why noise and reserve must be wide: a narrow reserve sees the points of the grid."""
    steps, variance = 2, Fraction(9, 4)
    law = grid_gaussian(steps, variance)
    reserve = Fraction(1, 1000)
    assert worst_ratio(law, steps**2 / variance, [reserve], PLACES) > 1 + 1e-3


@pytest.mark.parametrize("epsilon", ["0.01", "1", "8"])
@pytest.mark.parametrize("delta", ["0.1", "1e-6", "1e-60"])
def test_the_largest_total_is_the_last_that_keeps_delta(epsilon, delta):
    level, allowed = Fraction(epsilon), Fraction(delta)
    total = largest_total(level, allowed)
    with mpmath.workdps(90):
        share = reference(exact(level), exact(total)) / exact(allowed)
        assert 1 - mpmath.mpf(10) ** -6 < share <= 1
    assert within_delta(total, level, allowed)
    assert not within_delta(total * (1 + Fraction(1, 10**8)), level, allowed)


# Plans --------------------------------------------------------------------------------------------

RESERVE = Fraction(1, 500)


def test_picks_add_up_and_are_less_than_the_whole_at_once():
    plan = overbar.plan(epsilon="0.1", delta="1e-8", cutoff=10, top=True, monotonic=True)
    pick = step_cost(1 / plan.query_noise.scale, RESERVE)
    assert 10 * pick <= potential_cost(plan, RESERVE) < 10 * pick * (1 + Fraction(1, 10**6))
    general = overbar.plan(epsilon="0.1", delta="1e-8", cutoff=10, top=True, monotonic=False)
    wide = step_cost(2 / general.query_noise.scale, RESERVE)
    assert 10 * wide <= potential_cost(general, RESERVE) < 10 * wide * (1 + Fraction(1, 10**6))


def test_pure_runs_and_parts():
    pure = overbar.plan(epsilon="0.02", cutoff=5, candidates=100, monotonic=True)
    cost = potential_cost(pure, RESERVE)
    assert cost >= pure_cost(Fraction(1, 50), RESERVE)
    counted = overbar.plan(
        epsilon="0.1",
        delta="1e-6",
        cutoff=20,
        top=True,
        monotonic=True,
        items_per_person=30,
        noise="gaussian",
    )
    square = 30 / counted.query_noise.scale**2
    assert square <= potential_cost(counted, RESERVE) < square * (1 + Fraction(1, 10**6))
    groups = overbar.plan(
        epsilon="0.1",
        delta="1e-6",
        cutoff=20,
        top=True,
        monotonic=True,
        groups=12,
        groups_per_person=3,
        noise="gumbel",
    )
    one = overbar.plan(
        epsilon="0.1", delta="1e-6", cutoff=20, top=True, monotonic=True, noise="gumbel"
    )
    scaled = step_cost(1 / groups.query_noise.scale, RESERVE)
    assert potential_cost(groups, RESERVE) >= 60 * scaled
    assert potential_cost(groups, RESERVE) > 0.5 * potential_cost(one, RESERVE)


def test_a_race_with_a_bar_has_none():
    """Its loss has an exponential tail, which no Gaussian potential covers."""
    race = overbar.plan(
        epsilon="0.1",
        delta="1e-6",
        cutoff=10,
        candidates=100,
        monotonic=True,
        noise="gumbel",
        threshold_noise="laplace",
    )
    assert potential_cost(race, RESERVE) is None
