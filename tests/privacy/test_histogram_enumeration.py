"""Every outcome of small histograms: the worst loss is the claim, and broken twins exceed it."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from overbar.noise import Gaussian, Laplace
from overbar.privacy.histogram import Moved
from overbar.privacy.pairs import Values
from overbar.runs.scores import Ruler
from overbar.sampling.highest import highest
from tests.frozen.chi_square import FALSE_ALARM, p_value
from tests.reference.claims import delta_of
from tests.reference.histogram import Law, hockey_stick, moves, product_delta, worst_loss
from tests.reference.plans import any_plan
from tests.reference.sampling import seeded

pytestmark = pytest.mark.one_in(5)

ONE = Fraction(1)
#: What is left out of the tails, and floats.
SLACK = 1e-6


def histogram(noise, items):
    """A plan without a correction."""
    words = {"monotonic": True, "mechanism": "histogram", "items_per_person": items}
    return any_plan(noise, None, 0, 5, **words)


@cache
def worst(law, base, items, reach):
    """The largest log-ratio over all neighbours."""
    before = law.outcomes(base)
    afters = [
        law.outcomes([q + d for q, d in zip(base, move, strict=True)])
        for move in moves(len(base), items, reach)
    ]
    return max(
        loss for after in afters for loss in (worst_loss(before, after), worst_loss(after, before))
    )


def claim(law, items, reach):
    return float(items * reach / law.noise.scale)


@pytest.mark.parametrize("items", [1, 2])
@pytest.mark.parametrize("reach", [1, 2])
@pytest.mark.parametrize(("level", "count"), [(None, 9), (1, 9), (1, 1), (None, 1)])
def test_worst_loss_is_the_claim_for_two(items, reach, level, count):
    """Items with their values, the highest first: above a bar or not, all of them or the first."""
    law = Law(Laplace(Fraction(7, 10)), level, count)
    found = worst(law, (1, 0), items, reach)
    assert found <= claim(law, items, reach) + SLACK
    if count > 1:
        assert found == pytest.approx(claim(law, items, reach), abs=SLACK)


@pytest.mark.parametrize("items", [1, 2])
def test_worst_loss_is_the_claim_for_three(items):
    law = Law(Laplace(Fraction(2, 5)), 1, 2, steps=9)
    assert worst(law, (1, 0, 0), items, 1) == pytest.approx(claim(law, items, 1), abs=SLACK)


# Broken twins


def test_noise_for_one_item_where_two_are_moved_is_caught():
    law = Law(Laplace(ONE))
    assert worst(law, (1, 0), 1, 1) <= 1 + SLACK
    assert worst(law, (1, 0), 2, 1) > 1.9


def test_the_root_of_the_items_is_too_little_for_laplace_noise():
    """√m belongs to Gaussian noise."""
    right = Law(Laplace(ONE))
    assert worst(right, (1, 0), 2, 1) <= 2 + SLACK
    root = Law(Laplace(Fraction(math.isqrt(2 * 10**12), 10**6) / 2))
    assert worst(root, (1, 0), 2, 1) > 2.8


@dataclass(frozen=True)
class OneNoiseForTwo(Law):
    """All candidates share one noise."""

    def noises(self, count):
        for k, p in enumerate(self.masses(), -self.steps):
            yield [k] * count, p


def test_one_noise_for_two_is_caught():
    noise = Laplace(ONE)
    assert worst(OneNoiseForTwo(noise), (1, 0), 2, 1) == math.inf
    assert worst(OneNoiseForTwo(noise), (1, 0), 1, 1) == math.inf


def test_half_even_rounding_is_caught_and_ours_is_not():
    before, after = (0.5, 1.5), (1.5, 1.5)  # one item, moved by one
    law = Law(Laplace(Fraction(7, 10)))
    for rounding, broken in ((round, True), (Ruler.of(ONE).one, False)):
        steps = [tuple(map(rounding, scores)) for scores in (before, after)]
        loss = worst_loss(*map(law.outcomes, steps))
        assert (loss > claim(law, 1, 1) + 0.01) == broken


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


# What is drawn


@pytest.mark.parametrize("noise", [Laplace(Fraction(7, 10)), Gaussian(ONE)])
def test_releases_have_the_enumerated_law(noise):
    """Chance of a false alarm 1e-6. Noise of half the scale must be noticed."""
    law = Law(noise, level=1, count=1, steps=10)
    expected = law.outcomes((1, 0))
    source, half = seeded(21), type(noise)(noise.scale / 2)

    def drawn(noise):
        for _ in range(1000):
            found = highest(np.array([1, 0]), 1, count=1, noise=noise, grid=ONE, source=source)
            yield tuple((one.value, one.place) for one in found)

    assert p_value(list(drawn(noise)), expected) > FALSE_ALARM
    assert p_value(list(drawn(half)), expected) < FALSE_ALARM
