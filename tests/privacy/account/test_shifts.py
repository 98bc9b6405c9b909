"""Shifts of a threshold's noise: the published figures, and a look at all that misses none."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.noise import Gaussian, Gumbel, Laplace
from overbar.privacy import guarantee
from overbar.privacy.account import account_of, proofs_of
from overbar.privacy.arrivals import race
from overbar.privacy.orders import log_delta_from_renyi
from overbar.privacy.reading import log_delta_by_orders, log_delta_of
from overbar.privacy.shifts import risen, shares_of, shifted_by
from overbar.privacy.threshold_loss import GaussianShift, LaplaceShift
from tests.queue_plans import queue_plan
from tests.reference.partial_shift import exact_bound
from tests.reference.plain_partial_shift import reached_delta
from tests.reference.plans import any_plan

LOG_DELTA = math.log(1e-6)


def plan(rate, threshold, cutoff, monotonic, steps=64):
    noise = Gumbel(1 / Fraction(rate))
    return any_plan(noise, threshold, 0, cutoff, monotonic=monotonic, grid=Fraction(1, steps))


def of_shifts(made):
    """Return the proofs of a plan of which there is one for each shift."""
    (found,) = (proved for proved in proofs_of(made) if proved.glance is not None)
    return found


# Figures, at δ = 10⁻⁶ and 2 % of ε on the threshold --------------------------------------------


def is_largest(log_delta, rate, closely):
    """Whether ln δ passes the one allowed at this rate, as closely as that."""
    return log_delta(rate * (1 - closely)) <= LOG_DELTA < log_delta(rate * (1 + closely))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("monotonic", "cutoff", "epsilon", "rate"),
    [(True, 5, "1", 0.231557), (True, 20, "1", 0.102904), (True, 50, "1", 0.064683),
     (True, 200, "1", 0.032623), (True, 500, "1", 0.020802), (True, 50, "0.1", 0.0074885),
     (False, 5, "1", 0.115927), (False, 20, "1", 0.051522), (False, 50, "1", 0.032382)],
)  # fmt: skip
def test_the_figures_with_the_best_shift(monotonic, cutoff, epsilon, rate):
    noise = Laplace(50 / Fraction(epsilon))

    def log_delta(rate):
        return account_of(plan(rate, noise, cutoff, monotonic)).log_delta(float(epsilon))

    assert is_largest(log_delta, rate, 4e-4)


@pytest.mark.parametrize(
    ("cutoff", "epsilon", "step", "gain"),
    [(5, 1.0, 0.213918, 1.53), (50, 0.1, 0.00464852, 2.54), (50, 1.0, 0.0411329, 2.25),
     (500, 1.0, 0.0112449, 5.73)],
)  # fmt: skip
def test_the_figures_with_all_of_the_shift(cutoff, epsilon, step, gain):
    share = LaplaceShift(0.02 * epsilon)

    def log_delta(step):
        return log_delta_of(race(cutoff, step, 0.0, share).steps, epsilon)

    assert is_largest(log_delta, step, 2e-5)
    # The pure plan with Laplace and exponential noise at the split of least variance.
    ratio = (cutoff * math.sqrt(1 / 2)) ** (2 / 3)
    assert step / (epsilon * ratio / (1 + ratio) / cutoff) == pytest.approx(gain, abs=0.006)


@pytest.mark.parametrize(
    ("cutoff", "by_orders", "exact"),
    [(5, 0.05453, 0.06171), (50, 0.02525, 0.027513), (500, 0.009207, 0.009918)],
)
def test_the_figures_without_threshold_noise_in_general(cutoff, by_orders, exact):
    def bare(step):
        return race(cutoff, step, step, None).steps

    assert is_largest(lambda step: log_delta_by_orders(bare(step), 1.0), by_orders, 3e-4)
    assert is_largest(lambda step: log_delta_of(bare(step), 1.0), exact, 1e-4)


def test_as_good_as_the_bounded_range_analysis_of_peeling():
    """Dong, Durfee and Rogers, arXiv:1909.13830: κ²/8-zCDP for each pick, without a threshold."""

    def log_delta(step):
        return log_delta_from_renyi(lambda order: 50 * order * step**2 / 8, 1.0)

    assert log_delta(0.0624) < LOG_DELTA < log_delta(0.0626)
    assert account_of(plan(0.0626, Laplace(50), 50, True)).log_delta(1.0) < LOG_DELTA


@pytest.mark.parametrize(("cutoff", "least"), [(50, 0.062), (500, 0.0193)])
def test_calibration_shifts_in_part(cutoff, least):
    told = {"epsilon": 1, "delta": "1e-6", "cutoff": cutoff, "monotonic": True}
    told |= {"allocation": "appending", "candidates": 10_000}
    made = queue_plan(noise="auto", **told)
    assert made.grid == Fraction(1, 64)
    assert made.threshold_noise == Laplace(50)
    assert 1 / made.query_noise.scale >= least
    assert 1 - 1e-6 <= guarantee(made).at("1e-6") <= 1
    # Control: on a grid of Δ there is no part of it to shift by.
    coarse = queue_plan(noise="gumbel", grid=1, **told)
    assert coarse.query_noise.scale > 1.4 * made.query_noise.scale


# All shifts, and the best of them --------------------------------------------------------------


def test_shares_are_whole_steps_from_none_to_all():
    assert shares_of(4, 64) == tuple(Fraction(k, 4) for k in range(5))
    some = shares_of(1000, 64)
    assert (len(some), some[0], some[-1]) == (65, 0, 1)
    assert all((share * 1000).denominator == 1 for share in some)
    assert shares_of(None, 4) == shares_of(4, 4)


def test_a_shift_by_a_part_and_how_far_gaps_grow():
    whole = LaplaceShift(0.3, 8)
    assert shifted_by(whole, Fraction(0)) is None
    half = shifted_by(whole, Fraction(1, 2))
    assert (half.steps, half.size) == (4, pytest.approx(0.15, rel=1e-15))
    assert half.size >= 0.15
    for share, back, wanted in ((0.25, 0, 0.25), (0.25, 1, 1.25), (0.75, 0.5, 1.5)):
        assert risen(Fraction(share), Fraction(back)) == Fraction(wanted)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("noise", [Laplace, Gaussian])
@pytest.mark.parametrize("steps", [17, 64, 1000])
@pytest.mark.parametrize("monotonic", [True, False])
def test_a_look_says_what_each_proof_does_to_some_digits(noise, steps, monotonic):
    for size, rate, cutoff in ((1e-4, 3.0, 1), (0.1, 0.01, 50), (2.0, 1e-6, 10**6)):
        proved = of_shifts(plan(rate, noise(1 / Fraction(size)), cutoff, monotonic, steps))
        for order in (1.5, 30.0, 1e5):
            looked = proved.glance.renyi(np.full((len(proved.every), 1), order))[:, 0]
            # On a coarse grid noise says more than in the continuum, which is looked at.
            within = 0.02 if noise is Gaussian or steps != 17 else 0.1
            for place, proof in enumerate(proved.every):
                assert looked[place] == pytest.approx(proof.renyi(order), rel=within)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("noise", [Laplace, Gaussian])
@pytest.mark.parametrize("steps", [17, 64, 1000])
@pytest.mark.parametrize("monotonic", [True, False])
def test_shifts_that_do_not_look_best_have_no_smaller_divergence(noise, steps, monotonic):
    """Against all of them, each in full."""
    for size, rate, cutoff in ((0.1, 0.01, 50), (2.0, 1e-6, 10**6), (700.0, 0.5, 7)):
        made = plan(rate, noise(1 / Fraction(size)), cutoff, monotonic, steps)
        every = [proof for proved in proofs_of(made) for proof in proved.every]
        for order in (1 + 1e-9, 1.5, 30.0, 1e5, math.inf):
            least = min(proof.renyi(order) for proof in every)
            assert least <= account_of(made).renyi(order) <= least * (1 + 1e-11)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", range(8))
def test_the_best_of_all_shifts_is_found(number):
    """No proof, followed in full, says much more than the one that is taken."""
    rng = np.random.default_rng(number)
    rate, budget = float(10 ** rng.uniform(-2.5, -0.3)), float(10 ** rng.uniform(-2, 0.5))
    cutoff = int(10 ** rng.uniform(0, 2))
    made = plan(rate, Laplace(1 / Fraction(budget)), cutoff, bool(rng.integers(2)), 9)
    for share in (0.1, 0.6):
        level = share * float(min(2, made.pure()))
        least = min(log_delta_of(proof.steps, level) for proof in of_shifts(made).every)
        assert account_of(made).log_delta(level) <= least + 2e-3 * abs(least) + 1e-6


def test_against_fifty_digits_rounded_up():
    rng = np.random.default_rng(5)
    for number in range(24):
        noise = ("laplace", "gaussian")[number % 2]
        steps, points = int(rng.choice([2, 4, 8])), float(rng.uniform(2, 9))
        moved = int(rng.integers(1, steps + 1))
        cutoff, rate = int(rng.integers(1, 200)), float(10 ** rng.uniform(-3, -0.5))
        kind = LaplaceShift if noise == "laplace" else GaussianShift
        share, back = Fraction(moved, steps), Fraction(int(rng.integers(2)))
        rise, fall = rate * float(risen(share, back)), rate * float(1 - share)
        proof = race(cutoff, rise, fall, shifted_by(kind(steps / points, steps), share))
        last = min(40.0, -1 / math.expm1(-fall)) if fall else 40.0
        order = 1 + (last - 1) * float(rng.uniform(0.05, 0.95))
        ends = (rise, fall) if rise >= fall else (fall, rise)
        exact = max(
            exact_bound(order, cutoff, *pair, noise, points, moved) for pair in (ends, (rise, fall))
        )
        assert exact <= proof.renyi(order)
        # The discrete Gaussian's part is bounded by the continuous one; on few points it is less.
        assert proof.renyi(order) <= exact * (1 + (1e-9 if noise == "laplace" else 0.05))


def test_a_shift_in_part_against_plain_floats():
    """Which share no code with the package, at thirty settings; they come closer if finer."""
    rng = np.random.default_rng(28)
    for number in range(30):
        cutoff, moved = int(rng.integers(1, 9)), int(rng.integers(16, 29))
        rate, budget, epsilon = rng.uniform(0.05, 0.4), rng.uniform(0.02, 0.3), rng.uniform(0, 0.8)
        share = Fraction(moved, 32)
        rise, fall = rate * float(share), rate * float(1 - share)
        shift = shifted_by(LaplaceShift(budget, 32), share)

        def proved(factor, ends=(rise, fall), cutoff=cutoff, shift=shift, epsilon=epsilon):
            way = race(cutoff, *(factor * end for end in ends), shift).steps
            return math.exp(log_delta_of(way, epsilon))

        setting = epsilon, cutoff, rate, budget, 32, moved
        plain = reached_delta(*setting)
        assert plain <= proved(1 + 1e-15) <= 1.45 * plain
        if number in (19, 25):
            plain = reached_delta(*setting, finer=4)
            assert plain <= proved(1 + 1e-15) <= 1.05 * plain
        assert proved(0.5) < plain  # control: half of what hazards move would be too little


@pytest.mark.parametrize("order", [1.5, 6.0])
def test_more_of_anything_costs_more(order):
    def renyi(rate=0.05, size=10, cutoff=10, monotonic=True, order=order):
        proofs = of_shifts(plan(rate, Laplace(size), cutoff, monotonic, 16)).every
        return min(proof.renyi(order) for proof in proofs)

    more = (
        {"cutoff": 11},
        {"rate": 0.06},
        {"size": 5},
        {"monotonic": False},
        {"order": 1.1 * order},
    )
    assert all(renyi(**one) > renyi() for one in more)
