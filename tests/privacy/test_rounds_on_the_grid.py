"""Rounds on a coarse grid, composed exactly: never above the one value they are booked as."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from overbar.mechanisms import Round, SetUnionPlan, keys
from overbar.mechanisms.key_values import Weight
from overbar.privacy.guarantees import proved_about
from tests.reference.set_union import best_guess

STEPS = 4
LEVELS = (0.0, 0.2, 0.5, 1.0, 2.0, 3.0)
#: What a grid costs that is hidden by a variance of one step²: e^(-2π²) is 3e-9.
GRID_COST = 1e-6


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    monkeypatch.setattr(keys, "STEPS", STEPS)
    monkeypatch.setattr(keys, "HIDING", 1)


def moved(variance, shift):
    """Return the laws of discrete Gaussian noise and of the same, moved."""
    reach = math.ceil(9 * math.sqrt(variance)) + shift
    steps = np.arange(-reach, reach + 1)
    laws = [np.exp(-((steps - by) ** 2) / (2 * variance)) for by in (0, shift)]
    return [law / law.sum() for law in laws]


def composed(rounds):
    """Return both laws of all noises; what has the same loss is put together."""
    laws = [np.ones(1), np.ones(1)]
    for variance, shifts in rounds:
        for shift in shifts:
            pair = zip(laws, moved(variance, shift), strict=True)
            laws = [np.outer(one, other).ravel() for one, other in pair]
            _, place = np.unique(np.round(np.log(laws[0] / laws[1]), 9), return_inverse=True)
            laws = [np.bincount(place, law) for law in laws]
    return laws


def largest_excess(claimed, variances):
    """By how much exact curves exceed the claim, whatever t is in each round."""
    found = -1.0
    for shifts in itertools.product(([4], [2, 2], [2, 3], [2, 2, 2]), repeat=len(variances)):
        first, second = composed(zip(variances, shifts, strict=True))
        for level in LEVELS:
            for p, q in ((first, second), (second, first)):
                exact = np.maximum(p - math.exp(level) * q, 0).sum()
                found = max(found, exact - proved_about(claimed).delta(level))
    return found


def union_of(variances):
    sigmas = [math.isqrt(variance * 10**24) for variance in variances]
    return SetUnionPlan(3, tuple(Round(Fraction(sigma, STEPS * 10**12), 9) for sigma in sigmas))


@pytest.mark.parametrize("variances", [(30,), (12, 20), (5, 25)])
def test_rounds_are_no_worse_than_the_one_value_they_are_booked_as(variances):
    assert largest_excess(union_of(variances), variances) <= GRID_COST
    # The control: as if the first round cost nothing.
    if len(variances) > 1:
        assert largest_excess(union_of(variances[1:]), variances) > 0.01


WEIGHTS = (Weight(1, 4), Weight(2, 3), Weight(3, 3))


def grid_bits(variance):
    """{t: chances of "at least so much" with and without the weight}, at every whole cut."""
    law, _ = moved(variance, 0)
    middle, tails = law.size // 2, np.append(np.cumsum(law[::-1])[::-1], 0.0)
    return {
        one.items: [(tails[middle + cut - one.steps], tails[middle + cut]) for cut in range(-7, 8)]
        for one in WEIGHTS
    }


@pytest.mark.parametrize("variances", [(30,), (12,), (5,)])
def test_bits_on_the_grid_are_no_worse_than_those_about_normal_noise(variances):
    """The control: as if who keeps three keys kept one."""
    union = replace(union_of(variances), weights=WEIGHTS)
    single = replace(union, items_per_person=1, weights=WEIGHTS[:1])
    menus = [grid_bits(variance) for variance in variances]
    for level in LEVELS:
        exact, claimed = best_guess(menus, level), proved_about(union).delta(level)
        assert exact <= claimed + GRID_COST
        assert exact > 0.7 * claimed or claimed < 1e-3
    assert best_guess(menus, 0.5) > proved_about(single).delta(0.5) + GRID_COST
