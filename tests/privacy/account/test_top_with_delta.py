"""The top by Gumbel noise: what is claimed, against bits in many digits and older bounds."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import overbar
from overbar.noise import Exponential, Gumbel, Laplace
from overbar.plans import Reach
from overbar.privacy.orders import epsilon_from_renyi
from overbar.privacy.race import RACE
from overbar.privacy.top_with_delta import (
    PICKS,
    Picks,
    pick_renyi,
    picks_cover,
    rough_range,
)
from tests.reference.plans import any_plan, other_plan

pytestmark = pytest.mark.one_in(3)

LOG_DELTA = math.log(1e-6)


def top(scale=20, count=50, **changes):
    plan = any_plan(Gumbel(scale), None, 0, count, monotonic=True, is_top=True, mechanism="ranked")
    return other_plan(plan, **changes)


def exact_renyi(range_, order, parts=400):
    """The largest divergence of a bit with losses t and t - κ, over a fine grid of t."""
    with mpmath.workdps(60):
        k, a = mpmath.mpf(range_), mpmath.mpf(order)
        best = mpmath.mpf(0)
        for j in range(1, parts):
            t = k * j / parts
            p = mpmath.expm1(t - k) / mpmath.expm1(-k)
            moment = p * mpmath.exp((a - 1) * t) + (1 - p) * mpmath.exp((a - 1) * (t - k))
            best = max(best, mpmath.log(moment) / (a - 1))
        return best


@pytest.mark.parametrize("range_", [1e-6, 1e-3, 0.067, 0.5, 3.0, 20.0])
@pytest.mark.parametrize("order", [1.0001, 1.5, 3.0, 20.0, 500.0])
def test_the_divergence_of_a_pick_is_that_of_the_best_bit(range_, order):
    claimed, exact = pick_renyi(range_, order), exact_renyi(range_, order)
    assert exact <= claimed <= exact * (1 + 5e-3)


def test_divergences_end_at_the_range_and_are_paid_pick_by_pick():
    run = Picks(50, 0.067)
    assert pick_renyi(0.067, math.inf) == 0.067
    assert run.renyi(1e20) <= run.pure_epsilon == pytest.approx(50 * 0.067)
    costs = [run.spent(k, 8.0) for k in range(52)]
    assert costs[0] == 0
    assert costs[10] == pytest.approx(10 * pick_renyi(0.067, 8.0), rel=1e-12)
    assert costs[51] == costs[50] == run.renyi(8.0)


@pytest.mark.parametrize(
    ("count", "epsilon", "owed"),
    [(20, "1", 0.1055), (50, "1", 0.0663), (200, "1", 0.0331), (50, "0.1", 0.0077)],
)
def test_so_little_noise_is_enough_for_the_top(count, epsilon, owed):
    plan = overbar.plan(top=True, epsilon=epsilon, delta="1e-6", cutoff=count, monotonic=True)
    assert float(1 / plan.query_noise.scale) >= owed
    proved = overbar.guarantee(plan)
    assert proved.implies(epsilon, "1e-6")
    assert proved.at("1e-6") >= Fraction(epsilon) * (1 - Fraction(1, 10**8))
    by_orders, _ = epsilon_from_renyi(proved.renyi, LOG_DELTA)
    assert by_orders > 1.045 * float(epsilon)


@pytest.mark.parametrize(("count", "epsilon"), [(1, 1.0), (2, 0.3), (5, 3.0), (3, 0.01)])
def test_a_guess_at_the_range_is_safe_and_a_plan_has_the_widest(count, epsilon):
    guess = rough_range(Fraction(epsilon), Fraction("1e-6"), count)
    assert guess >= epsilon / count
    assert Picks(count, guess).epsilon(LOG_DELTA) <= epsilon * (1 + 1e-12)
    plan = overbar.plan(
        top=True, epsilon=epsilon, delta="1e-6", cutoff=count, monotonic=True, noise="gumbel"
    )
    range_ = float(1 / plan.query_noise.scale)
    assert Picks(count, range_).epsilon(LOG_DELTA) <= epsilon
    assert Picks(count, range_ * (1 + 1e-6)).epsilon(LOG_DELTA) > epsilon


def test_epsilon_and_delta_meet_and_more_costs_more():
    for count, range_ in itertools.product((1, 7, 65, 2001), (0.003, 0.06, 1.1)):
        run = Picks(count, range_)
        for log_delta in (-3.0, -13.8, -100.0):
            epsilon = run.epsilon(log_delta)
            assert run.log_delta(epsilon) <= log_delta * (1 - 1e-6)
            assert Picks(count, range_ * 1.01).epsilon(log_delta) > epsilon or epsilon == 0
            assert Picks(count + 1, range_ * 1.01).epsilon(log_delta) >= epsilon
    assert Picks(3, 0.5).log_delta(1.6) == -math.inf
    assert Picks(3, 0.5).epsilon(-math.inf) == pytest.approx(1.5)
    assert Picks(3, 0.5).epsilon(-700.0) <= Picks(3, 0.5).pure_epsilon


def test_beyond_what_is_followed_orders_serve():
    """Very many picks, very wide ranges, and δ below any use: still a bound, and quickly."""
    assert 0 < Picks(10**6, 0.001).epsilon(LOG_DELTA) < 1000
    assert Picks(4, 40.0).epsilon(LOG_DELTA) <= 160.0 * (1 + 1e-12)
    assert -1000 < Picks(50, 0.05).log_delta(2.49) < -50


@pytest.mark.parametrize("range_", [1e-200, 1e-170, 1e-160, 1e-100, 1e-13])
def test_a_range_too_narrow_for_floats_has_a_bound_as_well(range_):
    run = Picks(2, range_)
    assert math.exp(run.log_delta(0.0)) >= range_ / 4
    assert 0 <= run.epsilon(LOG_DELTA) <= run.pure_epsilon
    assert run.renyi(8.0) > 0


def test_it_is_the_width_that_counts():
    """Scores that move within (-0.25, 0.75) and within (0, 1) cost the same; (-1, 1) twice that."""
    quarter = Fraction(1, 4)
    reaches = Reach(0, 1), Reach(-quarter, 3 * quarter)
    plans = [top(reach=reach, grid=quarter) for reach in reaches]
    assert PICKS.epsilon(plans[0], "1e-6") == PICKS.epsilon(plans[1], "1e-6")
    wide = other_plan(top(40), reach=Reach(-1, 1))
    assert PICKS.epsilon(wide, "1e-6") == PICKS.epsilon(plans[0], "1e-6")


def test_what_it_covers():
    assert picks_cover(top())
    assert not picks_cover(any_plan(Gumbel(20), None, 0, 50, mechanism="ranked"))
    for noise in (Exponential(20), Laplace(20)):
        assert not picks_cover(other_plan(top(), query_noise=noise))
    with pytest.raises(overbar.NoGuaranteeError, match="without a bar"):
        PICKS.epsilon(any_plan(Gumbel(20), None, 0, 50, mechanism="ranked"), "1e-6")


def test_a_race_is_looked_at_where_a_person_has_few_items():
    """Elsewhere it proves less: each pick is a post-processing of an arrival."""
    assert not RACE.covers(top())
    assert not RACE.covers(top(items_per_person=50))
    assert RACE.covers(top(items_per_person=3))
    few = overbar.guarantee(top(items_per_person=3)).at("1e-6")
    assert few < overbar.guarantee(top()).at("1e-6")
    assert RACE.epsilon(top(), "1e-6") > PICKS.epsilon(top(), "1e-6")


def plain_delta(count, range_, epsilon, cells=2000, ends=81):
    """The same by a plain programme in floats: no corners, no chords, all ends on a grid."""
    last = min(count * range_, epsilon + range_ * (6 * math.sqrt(count) + 1))
    levels = np.linspace(-last, last, 2 * cells + 1)
    t = np.linspace(0.0, range_, ends)[:, None]
    chance = np.expm1(t - range_) / math.expm1(-range_)
    values = np.maximum(0.0, -np.expm1(levels))
    for _ in range(count):

        def at(level, values=values):
            inside = np.interp(level, levels, values)
            return np.where(level < levels[0], -np.expm1(level), inside)

        both = chance * at(levels - t) + (1 - chance) * at(levels - t + range_)
        values = both.max(axis=0)
    return float(np.interp(epsilon, levels, values))


@pytest.mark.parametrize(
    ("count", "range_", "epsilon"),
    [(1, 1.3, 1.0), (2, 0.0566, 0.1), (5, 0.298, 1.0), (10, 0.0843, 0.5), (20, 0.149, 1.0)],
)
def test_an_independent_programme_says_the_same(count, range_, epsilon):
    ours = math.exp(Picks(count, range_).log_delta(epsilon))
    assert 0.9999 < ours / plain_delta(count, range_, epsilon) < 1.03
