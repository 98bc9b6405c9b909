"""Rényi costs of exponential noise do not add up over positives: two runs that show it."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from scipy import integrate

from overbar.noise import Exponential, Gumbel, Laplace
from overbar.privacy.orders import epsilon_from_renyi, pure_renyi
from overbar.privacy.pairs import Pure
from tests.reference.claims import delta_of, every_proof, least_delta, race_proofs
from tests.reference.plans import any_plan


def chance(first, later, scale, *, positives=50, threshold_scale=10.0, gumbel=False):
    """Probability of one negative and then a row of positives, integrated over the threshold."""

    def survival(gap):
        if gumbel:
            return -math.expm1(-math.exp(-gap / scale))
        return math.exp(-max(gap, 0.0) / scale)

    def integrand(rho):
        density = math.exp(-abs(rho) / threshold_scale) / (2 * threshold_scale)
        return density * (1 - survival(rho - first)) * survival(rho - later) ** positives

    corners = sorted({-400.0, -50.0, 0.0, first, later, 5.0, 20.0, 400.0})
    return sum(
        integrate.quad(integrand, low, high, epsabs=0, epsrel=1e-11, limit=200)[0]
        for low, high in itertools.pairwise(corners)
    )


GENERAL = (chance(0.0, 0.25, 20.0), chance(1.0, -0.75, 20.0))
MONOTONIC = (chance(0.0, 0.25, 10.0), chance(1.0, 0.25, 10.0))


def test_the_probabilities():
    assert pytest.approx((6.58997e-4, 4.13288e-6), rel=1e-5) == GENERAL
    assert pytest.approx((5.67825e-4, 4.01202e-6), rel=1e-5) == MONOTONIC


def added_up(order):
    """What adding Rényi costs over positives would claim: the threshold, and fifty times 0.1."""
    return 51 * pure_renyi(0.1, order)


@pytest.mark.parametrize("pair", [GENERAL, MONOTONIC])
def test_they_break_what_adding_up_claims(pair):
    p, q = pair
    orders = [1 + 1.01**i for i in range(-300, 600)]
    plain = min(added_up(order) + math.log(1e5) / (order - 1) for order in orders)
    tight, _ = epsilon_from_renyi(added_up, math.log(1e-5))
    assert tight < plain < 3.57
    for claimed in (tight, plain, 3.56):
        assert p - math.exp(claimed) * q > 40 * 1e-5
    assert p - math.exp(5.1) * q <= 0  # the pure guarantee, of course, holds


def test_the_library_knows_nothing_but_what_is_pure():
    plan = any_plan(Exponential(20), Laplace(10), Fraction(0), 50)
    (proof,) = every_proof(plan)
    assert [type(step) for step in proof.steps] == [Pure]
    p, q = GENERAL
    assert delta_of(proof, 3.56) > p - math.exp(3.56) * q


def test_control_the_same_run_with_gumbel_noise_keeps_the_bound():
    """Same queries, same scale: with a bounded log-hazard no answer proves anything."""
    p, q = (chance(*run, 20.0, gumbel=True) for run in ((0.0, 0.25), (1.0, -0.75)))
    plan = any_plan(Gumbel(20), Laplace(10), Fraction(0), 50, grid=Fraction(1, 4))
    for epsilon in (1.0, 2.0, 3.56):
        assert p - math.exp(epsilon) * q <= least_delta(race_proofs(plan), epsilon)
