"""Every outcome of a small top with Gumbel noise: its exact δ never exceeds the guarantee."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import overbar
from overbar.noise import Gumbel
from overbar.privacy.pairs import Pick
from tests.reference.claims import delta_of, every_proof, least_delta
from tests.reference.plans import any_plan


def chances(scores, count, scale):
    """The chance of each ordered outcome: winners one by one with odds e^(score/scale)."""
    weights = np.exp((np.asarray(scores, dtype=float) - max(scores)) / scale)
    found = {}
    for outcome in itertools.permutations(range(len(scores)), count):
        left, chance = weights.sum(), 1.0
        for place in outcome:
            chance *= weights[place] / left
            left -= weights[place]
        found[outcome] = chance
    return found


def worst_delta(base, count, scale, epsilon, moves):
    """The largest hockey-stick divergence between neighbours, in both directions."""
    before = chances(base, count, scale)
    worst = 0.0
    for move in moves:
        after = chances(np.add(base, move), count, scale)
        for left, right in ((before, after), (after, before)):
            parts = (left[key] - np.exp(epsilon) * right[key] for key in left)
            worst = max(worst, sum(part for part in parts if part > 0))
    return worst


@pytest.mark.parametrize("items", [None, 1, 2])
@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_delta_is_within_the_guarantee(monotonic, count, scale, items):
    plan = any_plan(Gumbel(Fraction(scale)), None, 0, count, monotonic=monotonic, is_top=True,
                mechanism="ranked", items_per_person=items)  # fmt: skip
    proofs = every_proof(plan)
    assert len(proofs) == 2 + (items is not None and items < count)
    moves = [
        move
        for move in itertools.product((0, 1) if monotonic else (-1, 0, 1), repeat=4)
        if items is None or sum(map(bool, move)) <= items
    ]
    largest = float(overbar.guarantee(plan).at(0))
    for base in [(0, 0, 0, 0), (3, 2, 0, 0), (9, 0, 0, 0)]:
        for share in (0.1, 0.3, 0.6, 0.9, 1.0):
            epsilon = share * largest
            claimed = least_delta(proofs, epsilon)
            assert worst_delta(base, count, scale, epsilon, moves) <= claimed + 1e-12


def test_half_the_range_would_be_caught():
    """The control: as if log-odds moved within half of Δ/scale; pure ε and Rényi form."""
    moves, count, scale = list(itertools.product((0, 1), repeat=4)), 2, 1.0
    claimed = (Pick(0.5 / scale, times=count),)
    seen = worst_delta((0, 0, 0, 0), count, scale, 0.9, moves)
    assert seen > delta_of(claimed, 0.9)
    plan = any_plan(Gumbel(1), None, 0, count, monotonic=True, is_top=True, mechanism="ranked")
    assert seen <= overbar.guarantee(plan).delta(0.9)


def test_with_a_bar_the_free_shift_is_not_taken():
    """A bar that does not move with the scores takes the free shift away."""
    top = any_plan(Gumbel(20), None, 0, 50, monotonic=True, is_top=True, mechanism="ranked")
    bar = any_plan(Gumbel(20), None, 0, 50, monotonic=True, mechanism="ranked")
    assert overbar.guarantee(top).at("1e-6") < overbar.guarantee(bar).at("1e-6")
    assert overbar.guarantee(bar).pure is None
