"""Bits about Gaussian noise: their profile and divergence against other ways to compute them."""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy.stats

from overbar.plans.key_plans import STEPS, root_weight
from overbar.privacy.gaussian_potential import potential_cost
from overbar.privacy.key_bits import Bits, bit_renyi, bits_profile
from overbar.privacy.key_rounds import SET_UNION, all_rounds, set_union

pytestmark = pytest.mark.one_in(3)


def same_cut(t, shift, epsilon):
    """δ of t keys that all others hold alike, at the best of many cuts: by binomial laws."""
    n, best = np.arange(t + 1), 0.0
    for cut in np.linspace(-4, 8, 241):
        laws = [
            scipy.stats.binom.logpmf(n, t, scipy.stats.norm.sf(cut - by)) for by in (shift, 0.0)
        ]
        for p, q in (laws, laws[::-1]):
            best = max(best, np.maximum(np.exp(p) - np.exp(epsilon + q), 0).sum())
    return best


@pytest.mark.parametrize(("epsilon", "delta"), [(1, "1e-6"), ("0.1", "1e-8"), (3, "1e-4")])
def test_one_round_is_near_what_binomial_laws_cost(epsilon, delta):
    """Whatever t; and weights 1/√t would leave most of it unused."""
    union = set_union(epsilon, delta, items_per_person=60, rounds=1)
    claimed, scale = SET_UNION.delta(union, epsilon), float(union.rounds[0].sigma) * STEPS
    exact = {t: same_cut(t, union.weight(t) / scale, float(epsilon)) for t in (1, 2, 7, 60)}
    assert max(exact.values()) <= claimed
    assert min(exact.values()) > 0.4 * claimed
    assert same_cut(60, root_weight(60) / scale, float(epsilon)) < 0.1 * claimed


def test_finer_levels_say_less_and_not_much():
    bits = all_rounds(set_union(1, "1e-6", items_per_person=20, rounds=2))
    assert isinstance(bits, Bits)
    fine, coarse = bits_profile(bits.rounds, 40.0).at(1.0), bits_profile(bits.rounds).at(1.0)
    assert 0.9 * coarse < fine < coarse


def divergence(shift, cut, order):
    """Rényi divergence of one bit, the larger of both directions."""
    with mpmath.workdps(50):
        p, q = (mpmath.erfc((cut - by) / mpmath.sqrt(2)) / 2 for by in (shift, 0))
        sums = (
            one**order * other ** (1 - order) + (1 - one) ** order * (1 - other) ** (1 - order)
            for one, other in ((p, q), (q, p))
        )
        return max(mpmath.log(each) for each in sums) / (order - 1)


@pytest.mark.parametrize("shift", [0.001, 0.03, 0.2, 1.0, 3.0])
@pytest.mark.parametrize("order", [1.1, 2.0, 8.0, 40.0, 300.0])
def test_no_bit_diverges_by_more_and_some_nearly_as_much(shift, order):
    cuts = np.linspace(-3, 14, 69)
    largest = max(divergence(mpmath.mpf(shift), mpmath.mpf(float(u)), order) for u in cuts)
    claimed = bit_renyi(shift, order)
    assert largest <= claimed <= order * shift**2 / 2 * (1 + 1e-12)
    assert claimed <= 1.02 * largest or order * shift > 3
    # The broken twin: cuts in the middle only.
    if order * shift > 5:
        assert divergence(mpmath.mpf(shift), mpmath.mpf(shift) / 2, order) < 0.9 * claimed


def test_divergences_of_rounds_are_recomputed():
    """Near those of weights 1/√t where a ledger asks; never above those of weights shown."""
    union = set_union(1, "1e-6", items_per_person=30)
    plain = set_union(1, "1e-6", items_per_person=30, by_bits=False)
    shown = all_rounds(union).shown
    for order in (1.5, 8.0, 32.0):
        assert SET_UNION.renyi(union, order) < SET_UNION.renyi(plain, order)
        assert shown.renyi(order) > 1.3 * SET_UNION.renyi(plain, order)
        slow = 0.0
        for each in union.rounds:
            scale = float(each.sigma) * STEPS
            slow += max(
                t * float(divergence(union.weight(t) / scale, cut, order))
                for t in (1, 5, 30)
                for cut in (0.0, 0.5, 2.0)
            )
        assert slow <= SET_UNION.renyi(union, order)
    assert SET_UNION.renyi(union, 1e6) == pytest.approx(shown.renyi(1e6))


@pytest.mark.parametrize("shift", [1e-12, 1e-8, 1e-3, 0.5, 9.0, 40.0])
def test_any_shift_has_an_answer(shift):
    """Too narrow or too wide ones are not followed: what holds for shown weights holds."""
    shown = all_rounds(set_union(1, "1e-6", items_per_person=1, by_bits=False))
    bits = Bits(shown, (((1, shift), (9, shift / 4)),))
    profile = bits_profile(bits.rounds)
    assert (profile is None) == (shift in (1e-12, 40.0))
    assert bits.log_delta(1.0) <= shown.log_delta(1.0)
    assert 0 <= bits.epsilon(math.log(1e-9)) <= shown.epsilon(math.log(1e-9))
    assert 0 <= bits.renyi(3.0) <= shown.renyi(3.0)


@pytest.mark.parametrize("order", [1e12, 1e17, 1e20])
def test_the_largest_orders_have_an_answer_without_a_warning(order):
    """What never comes out was once multiplied by infinity, which is no number."""
    for shift in (1e-6, 0.01, 10.0):
        assert bit_renyi(shift, order) == pytest.approx(order * shift**2 / 2)


def test_a_potential_charges_them_as_if_weights_were_shown():
    union = set_union("0.1", "1e-8", items_per_person=30)
    longest = max(t * union.weight(t) ** 2 for t in range(1, 31))
    shown = sum(longest / (each.sigma * STEPS) ** 2 for each in union.rounds)
    charged = potential_cost(union, Fraction(1, 100))
    assert shown <= charged <= shown * Fraction(1001, 1000)
    # The broken twin: as if weights were 1/√t.
    assert potential_cost(replace(union, weights=()), Fraction(1, 100)) < 0.75 * shown
