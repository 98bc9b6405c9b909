"""What a histogram costs: against slow sums, calibrated and asked again, at its atoms."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb
from scipy import special

from overbar.errors import NoGuaranteeError, ParameterError
from overbar.noise import Exponential, Gaussian, Laplace
from overbar.noise.grid_tails import gaussian_tail, grid_tail
from overbar.planning.search import least_gaussian
from overbar.privacy import guarantee
from overbar.privacy.histogram import Moved
from overbar.privacy.orders import log_delta_from_renyi
from tests.reference.histogram import Tails
from tests.reference.plans import any_plan

ONE = Fraction(1)
MILLIONTH = Fraction(1, 10**6)


def histogram(noise, items=1, **changes):
    """A plan without a correction."""
    words = {"monotonic": True, "mechanism": "histogram", "items_per_person": items} | changes
    return any_plan(noise, None, 0, 5, **words)


def sum_masses(scale, items):
    """P(S = k) of a sum of discrete Gaussians, by plain convolution; k from -reach to reach."""
    reach = math.ceil(12 * float(scale)) + 2
    k = np.arange(-reach, reach + 1, dtype=float)
    each = np.exp(-((k / float(scale)) ** 2) / 2)
    each /= each.sum()
    total = each
    for _ in range(items - 1):
        total = np.convolve(total, each)
    return total


def slow_delta(scale, items, steps, epsilon):
    """The hockey-stick of the sum of the values, point by point."""
    masses, shift = sum_masses(scale, items), items * steps
    first = np.concatenate([np.zeros(shift), masses])
    second = np.concatenate([masses, np.zeros(shift)])
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


@pytest.mark.parametrize(
    ("noise", "steps"),
    [(Laplace(Fraction(7, 3)), 1), (Gaussian(Fraction(1, 3)), 1), (Gaussian(Fraction(9, 2)), 1),
     (Gaussian(Fraction(40)), 1), (Gaussian(Fraction(5)), Fraction(1, 20))],
)  # fmt: skip
def test_tails_are_those_added_up(noise, steps):
    grid = Fraction(steps)
    tails = Tails(noise, grid)
    for k in (-5, -1, 0, 1, 2, 7, int(3 * noise.scale / grid)):
        ball = grid_tail(noise, grid, k, 100)
        assert ball.rel_accuracy_bits() > 90
        assert float(ball.mid()) == pytest.approx(float(tails(k)), rel=1e-14)


@pytest.mark.parametrize("places", [14, 15, 16, 20, 50, 120])
def test_tails_of_noise_that_is_far_wider_than_the_grid_are_the_normal_ones(places):
    """From a width of about 10^16 steps on they were no number."""
    scale = Fraction(10) ** places
    for deviations in (-1, 1, 3):
        tail = gaussian_tail(scale**2, int(deviations * scale), 96)
        normal = (arb(deviations) / arb(2).sqrt()).erfc() / 2
        assert abs(tail - normal).upper() < 1e-13


def test_both_ways_to_sum_a_gaussian_tail_agree(monkeypatch):
    for variance, size, precision in ((300, 20, 200), (300, 200, 900), (10**4, 1, 60)):
        fine = gaussian_tail(Fraction(variance), size, precision)
        with monkeypatch.context() as patch:
            patch.setattr("overbar.noise.grid_tails.SHORT", 10**3)
            added = gaussian_tail(Fraction(variance), size, precision)
        assert fine.overlaps(added)
        assert min(fine.rel_accuracy_bits(), added.rel_accuracy_bits()) > precision - 8


def test_a_tail_that_the_expansion_cannot_reach_is_added_up():
    fine, finer = (gaussian_tail(Fraction(256), 10, precision) for precision in (200, 10**4))
    assert finer.rel_accuracy_bits() > 9900
    assert fine.contains(finer)


def test_a_tail_far_out_is_between_zero_and_a_bound_and_then_itself():
    rough, fine = (gaussian_tail(ONE, 60, precision) for precision in (100, 400))
    assert rough.contains(0)
    assert rough.contains(fine)
    assert fine.rel_accuracy_bits() > 390


def test_pure_costs_are_exact_and_inverse():
    assert histogram(Laplace(42), 7, sensitivity=Fraction(2)).pure() == Fraction(1, 3)


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(6, 5), Fraction(3), Fraction(21, 2)])
@pytest.mark.parametrize(("items", "steps"), [(1, 1), (1, 3), (2, 1), (5, 2)])
def test_the_curve_is_the_slow_one(scale, items, steps):
    moved = Moved(items, steps, scale**2)
    for epsilon in (0.0, 0.1, 1.0, 3.0):
        slow = slow_delta(scale, items, steps, epsilon)
        if slow < 1e-12:
            continue
        found = math.exp(moved.log_delta(epsilon))
        assert found >= slow * (1 - 1e-9)
        assert found <= slow * (1 + 1e-9) + 10 * moved.blur


@pytest.mark.parametrize("items", [1, 2, 30])
def test_coarse_grids_have_a_bound_too(items):
    """Below one step of noise the sum is not Gaussian, and the Rényi bound serves."""
    scale = Fraction(3, 5)
    moved = Moved(items, 1, scale**2)
    for epsilon in (0.0, 1.0, 5.0, 12.0):
        assert math.exp(moved.log_delta(epsilon)) >= slow_delta(scale, items, 1, epsilon) * (
            1 - 1e-9
        )


def test_the_blur_covers_what_sums_of_noises_do():
    """Worst ratio of the sum's masses to the discrete Gaussian's: within e^τ, half of it at two."""
    for items in (2, 3, 6):
        masses = sum_masses(1, items)
        k = np.arange(-(len(masses) // 2), len(masses) // 2 + 1)
        law = np.exp(-(k**2) / 2 / items)
        ratio = np.log((masses / masses.sum())[abs(k) <= 8] / (law / law.sum())[abs(k) <= 8])
        blur = Moved(items, 1, ONE).blur
        assert np.max(np.abs(ratio)) <= blur
        assert items > 2 or np.max(np.abs(ratio)) > 0.49 * blur
    assert Moved(2, 1, Fraction(9)).blur < 1e-35
    assert Moved(10**6, 1, ONE).blur < 0.02


def test_a_fine_grid_tends_to_the_gaussian_mechanism():
    """δ of the continuous Gaussian (Balle and Wang 2018), μ = √m·Δ/σ."""
    items, steps = 4, 10**4
    sigma = 3.0
    mu = 2 / sigma
    moved = Moved(items, steps, Fraction(3 * steps) ** 2)
    for epsilon in (0.5, 1.0, 2.0):
        exact = special.ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * special.ndtr(
            -mu / 2 - epsilon / mu
        )
        assert math.exp(moved.log_delta(epsilon)) == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("items", [1, 3, 40])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), ONE, Fraction(5)])
def test_a_calibrated_sigma_keeps_its_promise_and_wastes_nothing(items, epsilon):
    sigma = least_gaussian(epsilon, MILLIONTH, items=items, sensitivity=ONE, grid=ONE)
    plan = histogram(Gaussian(sigma), items)
    assert guarantee(plan).delta(epsilon) <= 1e-6
    assert float(guarantee(plan).at(MILLIONTH)) <= float(epsilon) * (1 + 1e-9)
    less = histogram(Gaussian(sigma * Fraction(999, 1000)), items)
    assert guarantee(less).delta(epsilon) > 1e-6


def test_sigma_scales_with_sensitivity_and_grid():
    kept = [
        least_gaussian(ONE, MILLIONTH, items=2, sensitivity=Fraction(d), grid=Fraction(d))
        for d in (1, 1000)
    ]
    assert float(kept[1]) == pytest.approx(1000 * float(kept[0]), rel=1e-9)


def test_renyi_adds_up_over_items():
    plan = histogram(Gaussian(Fraction(6)), 9, sensitivity=Fraction(2))
    assert guarantee(plan).renyi(3.0) == pytest.approx(3 * 9 * 4 / 36 / 2, rel=1e-11)
    assert guarantee(plan).renyi(3.0) >= 3 * 9 * 4 / 36 / 2
    with pytest.raises(ParameterError):
        guarantee(plan).renyi(1.0)


def test_no_order_says_less_than_the_exact_delta_of_one_item():
    """So orders are looked at only where sums of noises are blurred."""
    for variance in (Fraction(1, 9), Fraction(1), Fraction(40), Fraction(10**12)):
        for steps in (1, 7, 1000):
            moved = Moved(1, steps, variance)
            for epsilon in (0.0, 1e-6, 0.1, 1.0, 20.0, 600.0):
                by_orders = log_delta_from_renyi(moved.renyi, epsilon)
                assert moved.log_delta(epsilon) <= by_orders


def test_extremes_stay_bounds():
    proved = guarantee(histogram(Gaussian(Fraction(5)), 2))
    assert 0 < proved.delta(10**4) < 1e-300
    assert 5 < proved.at("1e-100") < 12
    assert proved.at(Fraction(999, 1000)) == 0


def test_what_is_refused():
    with pytest.raises(NoGuaranteeError, match="positive delta"):
        guarantee(histogram(Gaussian(ONE))).at(0)
    with pytest.raises(ParameterError, match="items_per_person must be"):
        histogram(Gaussian(ONE), None)
    with pytest.raises(ParameterError):
        grid_tail(Exponential(ONE), ONE, 1, 64)


@pytest.mark.parametrize("noise", [Laplace(Fraction(2)), Gaussian(Fraction(3))])
@pytest.mark.parametrize("items", [1, 4])
def test_unlisted_delta_has_the_atom_at_the_threshold(noise, items):
    """A value equal to the threshold is released: P(N >= τ - Δ), not P(N > τ - Δ)."""
    tails = Tails(noise, ONE)
    plan = histogram(noise, items, sensitivity=Fraction(2))
    found = plan.unlisted_delta(9, items)
    with mpmath.workdps(60):
        exact = 1 - (1 - tails(7)) ** items
        assert exact <= found <= exact * (1 + mpmath.mpf(10) ** -14)
    without_atom = 1 - (1 - float(tails(8))) ** items
    assert found > 1.2 * without_atom


def test_unlisted_delta_is_never_zero_and_never_above_one():
    plan = histogram(Gaussian(ONE), 3)
    assert plan.unlisted_delta(10**6, 3) == math.ulp(0.0)
    assert plan.unlisted_delta(-(10**6), 3) == 1.0
    half_step = histogram(Laplace(ONE), grid=Fraction(1, 2))
    off, on = (half_step.unlisted_delta(Fraction(level), 1) for level in ("4.1", "4.5"))
    assert off == on  # rounded up to the grid
