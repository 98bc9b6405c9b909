"""What paths and trees give away: against enumeration, and within their own bounds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.errors import ParameterError
from overbar.noise import NOISES, Exponential, Gaussian, Gumbel, Laplace
from tests.attacks.online import Game, Node, Path, Step, Strategy, profile_of
from tests.reference.plans import any_plan, other_plan
from tests.reference.runs import discrete_gaussian, discrete_laplace, tree_laws
from tests.reference.strategies import tree_strategy

pytestmark = pytest.mark.one_in(3)


def profile_at(plan, asked, depth):
    """What a path or a strategy gives away, with threshold noise out to a depth."""
    return Game(plan, plan.level(0), depth).profile(asked)


PATH = Path((Step(False, Fraction(2), Fraction(3), 3), Step(True, Fraction(-1), Fraction(-2), 2)))
RISE = Path((Step(True, Fraction(-3), Fraction(-2)),))
THRESHOLDS = [
    Laplace(2),
    Gaussian(3),
    Exponential(3),
    Gumbel(2),
]


def inside(cut, truth):
    """Whether every interval of the first holds the truth, as far as floats go."""
    return all(
        low - 1e-11 <= exact <= high + 1e-11
        for side in ("one", "other")
        for (low, high), (exact, _) in zip(getattr(cut, side), getattr(truth, side), strict=True)
    )


@pytest.mark.parametrize("threshold", THRESHOLDS, ids=str)
@pytest.mark.parametrize("resample", [True, False])
@pytest.mark.parametrize("path", [PATH, RISE], ids=str)
def test_what_is_left_out_is_inside_the_bounds(threshold, resample, path):
    """Cut the threshold noise off early: the interval grows, and keeps the truth."""
    for query in (Laplace(2), Gumbel(1), Gaussian(2)):
        plan = any_plan(query, threshold, 1, 2, resample=resample)
        points = Game(plan, 1).points
        assert np.exp(points.log_masses).sum() == pytest.approx(1, abs=1e-12)
        truth = profile_of(plan, path)
        widths = []
        for depth in (0.5, 2.0, 6.0):
            cut = profile_at(plan, path, depth)
            assert inside(cut, truth)
            assert cut.loss().low <= truth.loss().low + 1e-11 <= cut.loss().high + 2e-11
            widths.append(cut.one[0, 1] - cut.one[0, 0])
        assert widths[0] > 1e-4
        assert widths[0] >= widths[1] >= widths[2] >= 0


def random_tree(rng, plan, depth):
    values = {}

    def tree(history):
        if len(history) >= depth:
            return None
        if history not in values:
            query = int(rng.integers(-3, 4))
            values[history] = (query, query + int(rng.integers(-1, 2)))
        return values[history]

    return tree


@pytest.mark.parametrize("seed", range(6))
def test_adaptive_trees_agree_with_the_slow_reference(seed):
    rng = np.random.default_rng(seed)
    name = ("exponential", "laplace", "gumbel")[seed % 3]
    noise = [Laplace(Fraction(5, 2)), Gaussian(2)][seed % 2]
    plan = any_plan(NOISES[name](Fraction(3, 2)), noise, 0, 2)
    make = discrete_laplace if seed % 2 == 0 else discrete_gaussian
    points, masses = make(float(noise.scale))
    tree = random_tree(rng, plan, 4)
    p, q = tree_laws(name, 1.5, tree, 2, points, masses)
    profile = profile_of(plan, tree_strategy(tree, 2))
    for epsilon in (0.0, 0.3, 0.8):
        for (one, other), found in zip(((p, q), (q, p)), profile.deltas(epsilon), strict=True):
            slow = float(np.sum(np.maximum(one - math.exp(epsilon) * other, 0)))
            assert found.low - 1e-11 <= slow <= found.high + 1e-11


@pytest.mark.parametrize("resample", [True, False])
def test_a_tree_without_adaptivity_is_a_list(resample):
    plan = any_plan(Gumbel(2), Laplace(2), 0, 2, resample=resample)
    one, other = [0, 2, -1], [1, 1, -1]
    listed = profile_of(plan, (one, other))
    tree = tree_strategy(
        lambda said: (one[len(said)], other[len(said)]) if len(said) < 3 else None, 2
    )
    grown = profile_of(plan, tree)
    for side in ("one", "other"):
        told = sorted(low for low, _ in getattr(grown, side))
        assert told == pytest.approx(sorted(low for low, _ in getattr(listed, side)), abs=1e-10)
    for epsilon in (0.0, 0.2):
        for depth in (0.5, 2.0):
            cut = profile_at(plan, tree, depth).delta(epsilon)
            assert cut.low <= grown.delta(epsilon).low <= grown.delta(epsilon).high <= cut.high
            assert cut.high - cut.low > 1e-4
    # Forgetting the first answer loses something, and never gains.
    first, rest = Fraction(0), (Fraction(2), Fraction(1))
    merged = Strategy((Node(first, first + 1, 1, 2), Node(*rest), Node(*rest)))
    forgetful = Strategy((Node(first, first + 1, 1, 1), Node(*rest)))
    told = profile_of(plan, merged).delta(0.1).low
    assert profile_of(plan, forgetful).delta(0.1).high < told <= listed.delta(0.1).high
    # A link behind the last positive leads nowhere: the mechanism has halted.
    single = other_plan(plan, cutoff=1)
    assert len(profile_of(single, merged).outcomes) == 3
    with pytest.raises(ParameterError, match="must point to later nodes"):
        profile_of(plan, Strategy((Node(first, first, 0, 1), Node(*rest))))
    with pytest.raises(ParameterError, match="at most 1 comparisons"):
        profile_of(other_plan(plan, max_queries=1), merged)


def test_refusals():
    plan = any_plan(Exponential(2), Laplace(2), 0, 1, monotonic=True, rounds=None)
    with pytest.raises(ParameterError, match="halts after 1 positives"):
        profile_of(plan, Path((Step(True, Fraction(0), Fraction(0), 2),)))
    still = (Step(True, Fraction(0), Fraction(0)), Step(False, Fraction(0), Fraction(0)))
    with pytest.raises(ParameterError, match="this path goes on"):
        profile_of(plan, Path(still))
