"""Every outcome of small histograms: the worst loss is the claim, and broken twins exceed it."""

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.mechanisms import Bar, HistogramPlan, Reach
from overbar.noise import Gaussian, Laplace
from overbar.privacy.histogram import Moved
from overbar.privacy.pairs import Values
from tests.attacks.twins import law_of
from tests.attacks.worst_case import search
from tests.reference.claims import delta_of
from tests.reference.histogram import Law, hockey_stick, moves, product_delta

pytestmark = pytest.mark.one_in(5)

ONE = Fraction(1)


def histogram(noise, items, sensitivity=1, bar=0, cutoff=5):
    """A plan without a correction."""
    over = None if bar is None else Bar(None, Fraction(bar))
    return HistogramPlan(noise, over, cutoff, Reach(0, sensitivity), ONE, items)


@pytest.mark.parametrize("items", [1, 2])
@pytest.mark.parametrize("sensitivity", [1, 2])
@pytest.mark.parametrize(("bar", "cutoff"), [(None, 9), (1, 9), (1, 1), (None, 1)])
def test_worst_loss_is_the_claim(items, sensitivity, bar, cutoff):
    """Items with their values, the highest first: above a bar or not, all of them or the first."""
    plan = histogram(Laplace(Fraction(7, 10)), items, sensitivity, bar, cutoff)
    found = search(plan).worst
    assert found <= plan.pure()
    assert found == pytest.approx(float(plan.pure()), abs=1e-3)


def test_noise_for_one_item_where_two_are_moved_is_caught():
    noise = Laplace(ONE)
    assert search(histogram(noise, items=1)).worst <= 1
    assert search(histogram(noise, items=2)).worst > 1.9


def test_the_root_of_the_items_is_too_little_for_laplace_noise():
    """√m belongs to Gaussian noise."""
    right = Laplace(ONE)
    assert search(histogram(right, items=2)).worst <= 2
    root = Laplace(Fraction(math.isqrt(2 * 10**12), 10**6) / 2)
    assert search(histogram(root, items=2)).worst > 2.8


def test_one_noise_for_two_is_caught():
    def says(run, scores):
        noise = run.draw(Laplace(1), ONE)
        return tuple(run.tell(score + noise) for score in scores)

    one, other = (law_of(says, scores) for scores in ((1, 0), (2, 0)))
    assert one.chances.keys().isdisjoint(other.chances.keys())


# Gaussian noise


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(7, 5), Fraction(5, 2)])
@pytest.mark.parametrize("items", [1, 2])
@pytest.mark.parametrize("reach", [1, 2])
def test_no_move_exceeds_the_curve_and_the_full_one_attains_it(scale, items, reach):
    masses = Law(Gaussian(scale), steps=30).masses()
    for epsilon in (0.0, 0.3, 1.0, 2.5):
        bound = delta_of((Values(Moved(items, reach, scale**2)),), epsilon)
        found = {move: product_delta(masses, move, epsilon) for move in moves(3, items, reach)}
        assert max(found.values()) <= bound * (1 + 1e-9) + 1e-14
        full = found[(reach,) * items + (0,) * (3 - items)]
        # At t = 1 the sum of two noises is known up to a factor e^0.0002.
        assert full == pytest.approx(bound, rel=1e-9 if items == 1 or scale > 2 else 0.01)
    if scale > 1:  # at one step δ at a fixed ε is not even monotonic in the noise
        more = Moved(items, reach, scale**2 * Fraction(6, 5))
        assert full > delta_of((Values(more),), 2.5)  # a little less noise than claimed is caught


def test_without_log_concavity_a_smaller_move_may_tell_more():
    """Why the lemma asks for it: noise on even numbers gives a move by one away for certain."""
    even = np.zeros(41)
    even[::2] = Law(Gaussian(Fraction(3)), steps=10).masses()
    assert product_delta(even, (1,), 1.0) > 0.99 > product_delta(even, (2,), 1.0)


# Items read off the data


def unlisted_pair(law, held_alone):
    """One person who holds so many items alone, and nobody; outcomes name items and values."""
    return law.outcomes([1] * held_alone, range(held_alone)), law.outcomes([])


@pytest.mark.parametrize("noise", [Laplace(Fraction(7, 10)), Gaussian(Fraction(3, 2))])
@pytest.mark.parametrize("items", [1, 2])
def test_items_held_alone_are_worth_the_unlisted_delta(noise, items):
    """With `>` for `>=` at the threshold the chance would be too small, and this notices."""
    law = Law(noise, level=4)
    plan = histogram(noise, items)
    needed = max(
        hockey_stick(a, b, 1.0)
        for a, b in (unlisted_pair(law, items), unlisted_pair(law, items)[::-1])
    )
    claimed = plan.unlisted_delta(4, items)
    assert needed == pytest.approx(claimed, rel=1e-7)
    assert needed <= claimed * (1 + 1e-7)
    assert needed > 1.5 * plan.unlisted_delta(5, items)  # what `>` would have claimed


@pytest.mark.parametrize("items", [1, 2])
def test_unlisted_items_among_others(items):
    """Some items are shared, some held alone: ε and δ′ together cover both directions."""
    noise = Laplace(Fraction(7, 10))
    law = Law(noise, level=3)
    plan = histogram(noise, items)
    with_person = law.outcomes([2, 1][:items] if items == 2 else [1], ["shared", "own"][-items:])
    without = law.outcomes([1], ["shared"]) if items == 2 else law.outcomes([])
    epsilon = float(plan.pure())
    for pair in ((with_person, without), (without, with_person)):
        assert hockey_stick(*pair, epsilon) <= plan.unlisted_delta(3, items) + 1e-12
