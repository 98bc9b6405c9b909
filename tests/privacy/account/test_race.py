"""The companion theorem for plans: published figures, other routes to the same number, limits."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.privacy.race import RACE, Race, race_of
from overbar.privacy.theorem import log_delta_from_renyi
from overbar.privacy.threshold_loss import GaussianShift, LaplaceShift
from tests.reference.largest_step import step_by_race
from tests.reference.plans import any_plan

pytestmark = pytest.mark.one_in(5)


def plan(threshold=None, cutoff=50, scale=24, **more):
    return any_plan(Gumbel(scale), threshold, 0, cutoff, **more)


@pytest.mark.parametrize(
    ("cutoff", "epsilon", "step", "gain"),
    [(5, 1, 0.213918, 1.53), (50, "0.1", 0.00464852, 2.54), (50, 1, 0.0411329, 2.25),
     (500, 1, 0.0112449, 5.73)],
)  # fmt: skip
def test_the_figures_with_two_percent_on_the_threshold(cutoff, epsilon, step, gain):
    share = LaplaceShift(0.02 * float(epsilon))
    value = step_by_race(float(epsilon), 1e-6, cutoff, share, monotonic=True)
    assert value == pytest.approx(step, rel=1e-5)
    # The pure plan with Laplace and exponential noise at the split of least variance.
    ratio = (cutoff * math.sqrt(1 / 2)) ** (2 / 3)
    pure = float(epsilon) * ratio / (1 + ratio) / cutoff
    assert value / pure == pytest.approx(gain, abs=0.006)


@pytest.mark.parametrize(
    ("cutoff", "by_renyi", "exact", "noisy"),
    [
        (5, 0.05453, 0.06171, 0.106959),
        (50, 0.02525, 0.027513, 0.0205665),
        (500, 0.009207, 0.009918, 0.0056224),
    ],
)
def test_the_figures_without_threshold_noise_in_general(cutoff, by_renyi, exact, noisy):
    def log_delta(step):
        race = Race(cutoff, step, None, monotonic=False)
        return log_delta_from_renyi(race.renyi, 1.0, race.part.largest_order)

    assert log_delta(by_renyi * (1 - 3e-4)) < math.log(1e-6) < log_delta(by_renyi * (1 + 3e-4))
    value = step_by_race(1.0, 1e-6, cutoff, None, monotonic=False)
    assert value == pytest.approx(exact, rel=1e-4)
    value = step_by_race(1.0, 1e-6, cutoff, LaplaceShift(0.02), monotonic=False)
    assert value / 2 == pytest.approx(noisy, rel=2e-5)


def test_delta_against_monte_carlo_of_the_loss():
    made = plan(Laplace(50), monotonic=True)
    rng = np.random.default_rng(1)
    count = 2_000_000
    rate = math.exp(-1 / 50)
    rho = rng.geometric(1 - rate, count) - rng.geometric(1 - rate, count)
    step = 1 / 24
    loss = (np.abs(rho + 1) - np.abs(rho)) / 50
    loss += 50 * step + math.expm1(-step) * rng.gamma(50, 1.0, count)
    for epsilon in (0.2, 0.5, 0.8):
        gains = -np.expm1(np.minimum(epsilon - loss, 0.0))
        mean, error = gains.mean(), gains.std() / math.sqrt(count)
        assert abs(RACE.delta(made, epsilon) - mean) < 5 * error
        # control: a step 3 % smaller is told apart
        smaller = replace(race_of(made), step=step * 0.97)
        assert abs(math.exp(smaller.log_delta(epsilon)) - mean) > 5 * error


@pytest.mark.parametrize("threshold", [LaplaceShift(0.05), GaussianShift(0.05)])
def test_delta_against_numeric_composition(threshold):
    """Google's accountant composes the pairs one by one, on a grid of losses."""
    dp_accounting = pytest.importorskip("dp_accounting")
    pld = dp_accounting.pld
    interval, cutoff, step = 2e-5, 20, 0.06
    rate = -math.expm1(-step)

    def profile(epsilon):
        g = max(0.0, (step - epsilon) / rate)
        return max(0.0, -math.expm1(-g) + math.exp(epsilon) * math.expm1(-g * math.exp(-step)))

    places = np.arange(-math.ceil(30 * rate / interval), math.ceil(step / interval) + 1)
    pmf = pld.pld_pmf.create_pmf_pessimistic_connect_dots(
        interval, places, [profile(i * interval) for i in places]
    )
    composed = pld.privacy_loss_distribution.PrivacyLossDistribution(pmf).self_compose(cutoff)
    if isinstance(threshold, LaplaceShift):
        other = pld.privacy_loss_distribution.from_laplace_mechanism(
            1 / threshold.epsilon, value_discretization_interval=interval
        )
    else:
        other = pld.privacy_loss_distribution.from_gaussian_mechanism(
            1 / threshold.distance, value_discretization_interval=interval
        )
    composed = composed.compose(other)
    race = Race(cutoff, step, threshold, monotonic=True)
    for epsilon in (0.1, 0.3, 0.5, 0.7):
        theirs = composed.get_delta_for_epsilon(epsilon)
        ours = math.exp(race.log_delta(epsilon))
        assert ours == pytest.approx(theirs, rel=2e-3, abs=1e-12)
        wrong = math.exp(replace(race, step=step * 0.98).log_delta(epsilon))
        assert wrong != pytest.approx(theirs, rel=2e-3)  # control


def test_epsilon_and_delta_invert_each_other():
    for threshold in (Laplace(50), Gaussian(20), None):
        for monotonic in (True, False):
            made = plan(threshold, monotonic=monotonic)
            for delta in (1e-3, 1e-9):
                epsilon = RACE.epsilon(made, delta)
                assert RACE.delta(made, epsilon) <= delta
                assert RACE.delta(made, epsilon * (1 - 1e-9)) > delta * (1 - 1e-6)


@pytest.mark.parametrize("cutoff", [1, 50, 10**6])
@pytest.mark.parametrize("epsilon", [1e-4, 1.0, 100.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-300])
@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize("threshold", ["laplace", "gaussian", None])
def test_limits_without_overflow(cutoff, epsilon, delta, monotonic, threshold):
    shift = {
        "laplace": LaplaceShift(0.02 * epsilon, 1),
        "gaussian": GaussianShift(0.01 * epsilon, 3),
    }.get(threshold)
    step = step_by_race(epsilon, delta, cutoff, shift, monotonic=monotonic)
    race = Race(cutoff, step, shift, monotonic)
    log_delta = math.log(delta)
    assert race.log_delta(epsilon) <= log_delta
    assert replace(race, step=step * 1.0001).log_delta(epsilon) > log_delta
    # The step tends to zero: so does δ.
    assert replace(race, step=1e-12 * step).log_delta(epsilon) < log_delta


def test_tiny_deltas_do_not_vanish():
    made = plan(None, cutoff=1, scale=1, monotonic=True)
    assert RACE.delta(made, 10**5) == math.ulp(0.0)
    assert race_of(made).log_delta(1e5) < -1000
    assert RACE.delta(plan(Laplace(10), cutoff=2, scale=10), 1) == 0.0


def test_pure_end_of_the_curve():
    made = plan(Laplace(50), cutoff=10, scale=20, monotonic=True)
    assert RACE.epsilon(made, 0) == pytest.approx(1 / 50 + 10 / 20)
    for threshold in (None, Gaussian(10)):
        with pytest.raises(NoGuaranteeError, match="no pure guarantee"):
            RACE.epsilon(plan(threshold), 0)


def test_renyi_and_what_was_spent():
    for threshold in (Laplace(50), Gaussian(20), None):
        for resample in (False, True):
            made = plan(threshold, cutoff=7, resample=resample)
            for order in (1.5, 8.0):
                costs = [RACE.spent(made, k, order) for k in range(8)]
                assert costs == sorted(costs)
                assert costs[-1] == pytest.approx(RACE.renyi(made, order), rel=1e-12)
                assert (threshold is None) == (costs[0] == 0)
    assert RACE.renyi(plan(None), 1000.0) == math.inf
    with pytest.raises(ParameterError, match="order must be above 1"):
        RACE.renyi(plan(None), 1.0)
    with pytest.raises(ParameterError, match="at most 50, got 51"):
        RACE.spent(plan(None), 51, 2.0)


def test_resampling_is_dearer_and_still_covered():
    once, anew = (plan(Laplace(50), monotonic=True, resample=flag) for flag in (False, True))
    assert RACE.delta(once, 1) < RACE.delta(anew, 1) < 1


def test_refusals():
    with pytest.raises(NoGuaranteeError, match="one negative answer can prove"):
        RACE.delta(any_plan(Exponential(20), Laplace(10), 0, 50), 1)
    with pytest.raises(NoGuaranteeError, match="unlimited length"):
        RACE.epsilon(any_plan(Gaussian(20), Gaussian(10), 0, 50), 1e-6)
    with pytest.raises(NoGuaranteeError, match="gumbel noise on the threshold"):
        race_of(any_plan(Gumbel(20), Gumbel(10), 0, 50))


def test_the_grid_is_taken_into_account():
    """On a grid of one step the threshold gives away more than in the continuum."""
    fine, coarse = (
        any_plan(Gumbel(24), Laplace(5), 0, 50, monotonic=True, grid=grid)
        for grid in (Fraction(1, 1000), Fraction(1))
    )
    assert RACE.delta(coarse, 1) > RACE.delta(fine, 1) * 1.01
