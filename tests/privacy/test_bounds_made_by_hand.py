"""Bounds by plans that nobody makes for you: odd shares and scales, and where they must not run."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars
import pytest

import overbar
from overbar.accounting.pure import pure_epsilon
from overbar.errors import ParameterError
from overbar.frames import select
from overbar.mechanism.guess_and_check import found_bounds
from overbar.noise import Exponential, Laplace
from overbar.plans import Bar, Composed
from overbar.plans.bounds_plan import BoundsPlan
from overbar.plans.composed_plan import Groups
from overbar.sampling.entropy import system
from tests.privacy.test_bounds_enumeration import losses, one_side

ROWS = polars.DataFrame({"item": ["a"], "person": ["one"]})
PLAN = one_side(1, 1, Fraction(1), None)


@pytest.mark.parametrize("most", [None, Fraction(2, 5), Fraction(2)])
@pytest.mark.parametrize(("bar", "scale"), [(1, 3), (3, Fraction(1, 2))])
def test_few_inside_and_scales_far_apart(bar, scale, most):
    plan = one_side(bar, scale, Fraction(2, 5), most, enough=0)
    least, largest = losses(plan)
    claimed = float(pure_epsilon(plan))
    assert 0.7 * claimed < max(-least, largest) <= claimed * (1 + 1e-9)


def test_no_number_of_grid_steps_wraps():
    """In words of 64 bits ten persons of 10^18 steps each would be fewer than nine."""
    noise = Exponential(Fraction(1, 100))
    plan = BoundsPlan(noise, Bar(noise, Fraction(5)), 1 - Fraction(1, 10**18))
    for persons in (9, 10, 18, 19, 28):  # all outside: enough, but for a chance below e^-300
        assert found_bounds(plan, [np.array([0, 0, persons])], system) == [2]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: overbar.select([5, 0], threshold=1, plan=PLAN),
        lambda: overbar.SparseVector(PLAN, threshold=1),
        lambda: overbar.SparseVectors(PLAN, threshold=1, runs=2),
        lambda: overbar.simulate(PLAN, [5, 0], threshold=1, runs=1, seed=1),
        lambda: select(ROWS, item="item", person="person", catalogue=["a"], threshold=1, plan=PLAN),
        lambda: Composed(PLAN, counts=Laplace(1)),
        lambda: Composed(PLAN, groups=Groups(2, 1)),
        lambda: Composed(PLAN, bounds=PLAN),
    ],
)
def test_scores_are_not_asked_by_a_plan_of_bounds(ask):
    """Any other scores would cost the sum of both costs, and not the larger."""
    with pytest.raises(ParameterError):
        ask()
