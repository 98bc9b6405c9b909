"""Partial shift as numbers: the tables, both ends of the range, digits, rounding, what is spent."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar._numbers import read_up
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy import guarantee, spent
from overbar.privacy.partial_shift import PARTIAL_SHIFT, Part, partial_shift_of
from overbar.privacy.race import RACE, Race, bare_of
from overbar.privacy.theorem import log_delta_from_renyi
from overbar.privacy.threshold_loss import GaussianShift, LaplaceShift
from tests.queue_plans import queue_plan
from tests.reference.largest_step import gumbel_parts, rate_by_parts
from tests.reference.partial_shift import exact_bound
from tests.reference.plans import any_plan, other_plan

pytestmark = pytest.mark.one_in(5)


def plan(threshold=None, cutoff=50, **more):
    more = {"monotonic": True, "grid": Fraction(1, 64)} | more
    return any_plan(Gumbel(18), threshold or Laplace(50), 0, cutoff, **more)


@pytest.mark.parametrize(
    ("monotonic", "cutoff", "epsilon", "rate"),
    [(True, 5, 1, 0.23155), (True, 20, 1, 0.10287), (True, 50, 1, 0.06467),
     (True, 200, 1, 0.03262), (True, 50, "0.1", 0.007487),
     (False, 5, 1, 0.11593), (False, 20, 1, 0.05151), (False, 50, 1, 0.032377)],
)  # fmt: skip
def test_the_figures_with_two_percent_on_the_threshold(monotonic, cutoff, epsilon, rate):
    share = LaplaceShift(0.02 * float(epsilon), 64)
    found = rate_by_parts(float(epsilon), 1e-6, cutoff, share, monotonic=monotonic)
    assert found == pytest.approx(rate, rel=2e-4)


@pytest.mark.parametrize(("cutoff", "least"), [(50, 0.062), (500, 0.0193)])
def test_calibration_shifts_in_part(cutoff, least):
    made = queue_plan(
        epsilon=1, delta="1e-6", cutoff=cutoff, monotonic=True, noise="auto",
        allocation="appending", candidates=10_000,
    )  # fmt: skip
    assert made.grid == Fraction(1, 64)
    assert made.threshold_noise == Laplace(50)
    assert 1 / made.query_noise.scale >= least
    assert 1 - 1e-6 <= guarantee(made).at("1e-6") <= 1
    # control: on a grid of Δ there is no part of it to shift by
    coarse = queue_plan(
        epsilon=1, delta="1e-6", cutoff=cutoff, monotonic=True, noise="gumbel",
        allocation="appending", candidates=10_000, grid=1,
    )  # fmt: skip
    assert coarse.query_noise.scale > 1.4 * made.query_noise.scale


def test_as_good_as_the_bounded_range_analysis_of_peeling():
    """Dong, Durfee and Rogers, arXiv:1909.13830: κ²/8-zCDP for each pick, without a threshold."""

    def log_delta(step):
        return log_delta_from_renyi(lambda order: 50 * order * step**2 / 8, 1.0)

    assert log_delta(0.0624) < math.log(1e-6) < log_delta(0.0626)
    share = LaplaceShift(0.02, 64)
    assert rate_by_parts(1.0, 1e-6, 50, share, monotonic=True) > 0.0626


@pytest.mark.parametrize("threshold", [LaplaceShift(0.3, 8), GaussianShift(0.2, 8)])
@pytest.mark.parametrize("order", [1.3, 4.0])
def test_both_ends_of_the_range_are_the_older_theorems(threshold, order):
    for monotonic in (True, False):
        first, *_, last = gumbel_parts(7, 0.1, threshold, Fraction(not monotonic)).parts
        whole = Race(7, 0.1 if monotonic else 0.2, threshold, monotonic)
        assert last.renyi(order) == pytest.approx(whole.renyi(order), rel=1e-11)
        bare = Race(7, 0.1, None, monotonic)
        assert first.renyi(order) == pytest.approx(bare.renyi(order), rel=1e-11)
        assert first.threshold is None
        assert first.largest_order == pytest.approx(bare.part.largest_order)


def test_more_of_anything_costs_more():
    for order in (1.5, 6.0):
        base = gumbel_parts(10, 0.05, LaplaceShift(0.1, 16), Fraction(0))
        grown = (
            gumbel_parts(11, 0.05, LaplaceShift(0.1, 16), Fraction(0)),
            gumbel_parts(10, 0.06, LaplaceShift(0.1, 16), Fraction(0)),
            gumbel_parts(10, 0.05, LaplaceShift(0.2, 16), Fraction(0)),
            gumbel_parts(10, 0.05, LaplaceShift(0.1, 16), Fraction(1)),
        )
        assert all(more.renyi(order) > base.renyi(order) for more in grown)
        assert base.renyi(order * 1.1) > base.renyi(order)
    # A finer grid has all the shifts of a coarser one.
    coarse, fine = (gumbel_parts(50, 0.05, LaplaceShift(0.02, n), Fraction(0)) for n in (4, 16))
    assert fine.log_delta(1.0) < coarse.log_delta(1.0)
    assert coarse.log_delta(1.1) < coarse.log_delta(1.0)


def test_the_best_of_all_parts_is_found():
    """The quick look at all parts leaves none out that is much better by orders."""
    rng = np.random.default_rng(3)
    for _ in range(12):
        rate, budget = float(10 ** rng.uniform(-2.5, 0)), float(10 ** rng.uniform(-2, 0.5))
        shifts = gumbel_parts(
            int(10 ** rng.uniform(0, 2.5)),
            rate,
            LaplaceShift(budget, 9),
            Fraction(not bool(rng.integers(2))),
        )
        for level in (0.3, 2.0):
            each = [
                log_delta_from_renyi(part.renyi, level, part.largest_order) for part in shifts.parts
            ]
            assert shifts.log_delta(level) <= min(each) + 2e-3 * abs(min(each)) + 1e-6


def test_against_fifty_digits_rounded_up():
    rng = np.random.default_rng(5)
    for number in range(24):
        noise = ("laplace", "gaussian")[number % 2]
        steps, points = int(rng.choice([2, 4, 8])), float(rng.uniform(2, 9))
        shift = int(rng.integers(1, steps + 1))
        cutoff, rate = int(rng.integers(1, 200)), float(10 ** rng.uniform(-3, -0.5))
        size = steps / points
        threshold = (LaplaceShift if noise == "laplace" else GaussianShift)(size, steps)
        part = gumbel_parts(cutoff, rate, threshold, Fraction(not bool(rng.integers(2)))).parts[
            shift
        ]
        order = 1 + (min(part.largest_order, 40.0) - 1) * float(rng.uniform(0.05, 0.95))
        exact = exact_bound(order, cutoff, part.rise, part.fall, noise, points, shift)
        assert exact <= part.renyi(order)
        # The discrete Gaussian's part is bounded by the continuous one; on few points it is less.
        assert part.renyi(order) <= exact * (1 + (1e-9 if noise == "laplace" else 0.05))


def test_every_plan_with_threshold_noise_has_the_bare_guarantee():
    """Hardly any noise on the threshold: shifting it is dear, leaving it alone is not."""
    for monotonic in (True, False):
        made = plan(Laplace("0.05"), cutoff=20, monotonic=monotonic)
        bare = RACE.epsilon(bare_of(made), "1e-6")
        assert guarantee(made).at("1e-6") == read_up(bare) < RACE.epsilon(made, "1e-6") / 2
    with pytest.raises(NoGuaranteeError, match="bare already"):
        bare_of(bare_of(plan()))


def test_epsilon_and_delta_agree():
    for threshold in (Laplace(50), Gaussian(20)):
        for monotonic in (True, False):
            made = plan(threshold, monotonic=monotonic)
            for delta in (1e-3, 1e-9):
                epsilon = PARTIAL_SHIFT.epsilon(made, delta)
                assert PARTIAL_SHIFT.delta(made, epsilon) == pytest.approx(delta, rel=1e-4)
    assert PARTIAL_SHIFT.epsilon(plan(), 0) == math.inf
    assert 0 < PARTIAL_SHIFT.delta(plan(), 10**5) < 1e-300


def test_what_was_spent_follows_one_shift():
    """Each positive costs the same: the least of several costs so far would be no filter."""
    for threshold in (Laplace(50), Gaussian(20)):
        for resample in (False, True):
            made = plan(threshold, cutoff=7, resample=resample)
            for order in (1.5, 8.0):
                costs = [PARTIAL_SHIFT.spent(made, k, order) for k in range(8)]
                steps = np.diff(costs)[: 6 if resample else 7]
                assert steps == pytest.approx([steps[0]] * len(steps))
                assert costs[-1] == pytest.approx(PARTIAL_SHIFT.renyi(made, order), rel=1e-12)
                assert costs[-1] <= RACE.renyi(made, order)
    made = plan(Gaussian(20), cutoff=7)
    assert spent(made, 3).renyi(4.0) == PARTIAL_SHIFT.spent(made, 3, 4.0) < RACE.spent(made, 3, 4.0)
    assert spent(made).renyi(4.0) == guarantee(made).renyi(4.0)


def test_refusals():
    for query in (Exponential(20), Gaussian(20)):
        with pytest.raises(NoGuaranteeError):
            partial_shift_of(other_plan(plan(), query_noise=query))
    with pytest.raises(NoGuaranteeError, match="nothing to shift"):
        PARTIAL_SHIFT.delta(other_plan(plan(), threshold_noise=None), 1)
    with pytest.raises(NoGuaranteeError, match="gumbel noise on the threshold"):
        PARTIAL_SHIFT.epsilon(plan(Gumbel(10)), "1e-6")
    with pytest.raises(ParameterError, match="order must be above 1"):
        PARTIAL_SHIFT.renyi(plan(), 1.0)
    with pytest.raises(ParameterError, match="at most 50, got 51"):
        PARTIAL_SHIFT.spent(plan(), 51, 2.0)


@pytest.mark.parametrize("query", [Gumbel("1e-3"), Gumbel(10**9), Laplace("0.01"), Laplace(10**6)])
@pytest.mark.parametrize("threshold", [Laplace("1e-3"), Laplace(10**9), Gaussian(3)])
@pytest.mark.parametrize("cutoff", [1, 10**6])
def test_extremes_are_bounds_and_raise_nothing(query, threshold, cutoff):
    for monotonic in (True, False):
        made = any_plan(query, threshold, 0, cutoff, monotonic=monotonic, grid="0.125")
        epsilon = PARTIAL_SHIFT.epsilon(made, "1e-9")
        assert epsilon >= 0
        assert not math.isnan(PARTIAL_SHIFT.delta(made, 1))
        if math.isfinite(epsilon):
            assert PARTIAL_SHIFT.delta(made, epsilon) <= 1e-9 * (1 + 1e-3)
        assert PARTIAL_SHIFT.renyi(made, 1.5) > 0


def test_a_part_without_any_move_costs_nothing():
    assert Part(3, 0.0, 0.0, None).renyi(2.0) == 0.0


@pytest.mark.parametrize("kind", [LaplaceShift, GaussianShift])
@pytest.mark.parametrize("steps", [None, 17, 64, 1000])
def test_parts_that_do_not_look_best_have_no_smaller_divergence(kind, steps):
    """Against all parts, each in full."""
    sizes = (1e-4, 3.0, 1), (0.1, 0.01, 50), (2.0, 1e-6, 10**6), (700.0, 0.5, 7)
    for size, rate, cutoff in sizes:
        for monotonic in (True, False):
            shifts = gumbel_parts(cutoff, rate, kind(size, steps), Fraction(not monotonic))
            for order in (1 + 1e-9, 1.5, 30.0, 1e5, math.inf):
                assert shifts.renyi(order) == min(part.renyi(order) for part in shifts.parts)
