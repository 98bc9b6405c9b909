"""Profiles of small runs: against sixty digits, by other routes, and within their own bounds."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.audit.exact import Law, exact_profile
from overbar.audit.exact import run as run_module
from overbar.audit.exact.law import law_of
from overbar.audit.exact.profile import ROUNDING, Outcomes, Profile
from overbar.audit.exact.run import DEEP, Run
from overbar.audit.exact.strategies import Node, Path, Step, Strategy, asked_in_turn
from overbar.errors import ParameterError
from overbar.noise import NOISES, Exponential, Gaussian, Gumbel, Laplace
from tests.privacy.test_unknown_candidates import release, universes
from tests.reference.plans import any_plan, other_plan
from tests.reference.runs import discrete_gaussian, discrete_laplace, tree_laws
from tests.reference.strategies import tree_strategy
from tests.reference.transcripts import Law as SlowLaw
from tests.reference.transcripts import distribution

pytestmark = pytest.mark.one_in(3)

names = st.sampled_from(["exponential", "laplace", "gumbel"])
scales = st.fractions(min_value=Fraction(1, 2), max_value=4, max_denominator=6)


@st.composite
def small_plans(draw):
    grid = draw(st.sampled_from([Fraction(1), Fraction(1, 2)]))
    threshold = draw(st.one_of(st.none(), scales))
    return any_plan(
        NOISES[draw(names)](draw(scales)),
        None if threshold is None else Laplace(threshold),
        correction=draw(st.integers(-2, 2)),
        cutoff=draw(st.integers(1, 3)),
        resample=draw(st.booleans()),
        rounds=draw(st.integers(1, 2)),
        max_queries=draw(st.one_of(st.none(), st.integers(1, 4))),
        grid=grid,
    )


def answers(law, scores):
    return law.outcomes(asked_in_turn(law, tuple(scores))).chances


def labels(law, scores, depth=DEEP):
    return law.outcomes(tuple(scores), depth).chances


def profile_at(law, asked, depth=DEEP):
    """What a path or a strategy gives away, with threshold noise out to a depth."""
    return Profile.between(*(law.outcomes(side, depth) for side in asked.asked(law)))


def disagreement(plan, scores):
    """Largest distance of a log-probability from its sixty digits, and of the interval's ends."""
    slow = distribution(scores, SlowLaw(plan, int(plan.correction / plan.grid)))
    fast = answers(law_of(plan), scores)
    assert set(slow) == set(fast)
    worst = 0.0
    for said, probability in slow.items():
        low, high = fast[said]
        if not probability > 0:
            assert low < -60  # a ball of sixty digits around zero holds this much
            continue
        truth = float(probability.log())
        if truth > -60:
            worst = max(worst, abs(low - truth), abs(high - truth))
    return worst


@settings(max_examples=25, deadline=None)
@given(small_plans(), st.lists(st.integers(-4, 4), min_size=1, max_size=3))
def test_every_transcript_agrees_with_the_slow_reference(plan, scores):
    assert disagreement(plan, tuple(scores)) < ROUNDING


def test_control_the_comparison_would_notice_a_wrong_chance(monkeypatch):
    plan = any_plan(Exponential(2), Laplace(2), 0, 2)
    assert disagreement(plan, (0, 1)) < ROUNDING
    monkeypatch.setattr(run_module, "log_negative", lambda law, gaps: law.query.logcdf(gaps + 1))
    assert disagreement(plan, (0, 1)) > 0.1


def test_randomised_response_by_hand():
    yes, no = math.log(0.8), math.log(0.2)
    told = {"a": (yes, yes), "b": (no, no)}, {"a": (no, no), "b": (yes, yes)}
    profile = Profile.between(*map(Outcomes, told))
    assert profile.loss().low == pytest.approx(math.log(4), abs=1e-8)
    assert profile.delta(0.0).low == pytest.approx(0.6, abs=1e-8)
    assert profile.delta(math.log(2)).high == pytest.approx(0.4, abs=1e-8)
    assert profile.delta(math.log(5)).high == 0
    apart = Outcomes({"a": (0.0, 0.0)}), Outcomes({"b": (0.0, 0.0)})
    assert Profile.between(*apart).loss().low == math.inf


def test_intervals_by_hand():
    wide = {"a": (math.log(0.5), math.log(0.6))}, {"a": (math.log(0.1), math.log(0.3))}
    profile = Profile.between(*map(Outcomes, wide))
    forward, backward = profile.deltas(0.0)
    assert (forward.low, forward.high) == pytest.approx((0.2, 0.5), abs=1e-8)
    assert (backward.low, backward.high) == (0, 0)
    assert profile.loss().low == pytest.approx(math.log(5 / 3), abs=1e-8)
    assert profile.loss().high == pytest.approx(math.log(6), abs=1e-8)


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
@pytest.mark.parametrize("mirrored", [True, False])
@pytest.mark.parametrize("resample", [True, False])
@pytest.mark.parametrize("path", [PATH, RISE], ids=str)
def test_what_is_left_out_is_inside_the_bounds(threshold, mirrored, resample, path):
    """Cut the threshold noise off early: the interval grows, and keeps the truth."""
    for query in (Laplace(2), Gumbel(1), Gaussian(2)):
        law = Law(query, threshold, 2, level=1, resample=resample, mirrored=mirrored)
        points = Run(law, (0,), DEEP).points
        assert np.exp(points.log_masses).sum() == pytest.approx(1, abs=1e-12)
        truth = profile_at(law, path)
        widths = []
        for depth in (0.5, 2.0, 6.0):
            cut = profile_at(law, path, depth)
            assert inside(cut, truth)
            assert cut.loss().low <= truth.loss().low + 1e-11 <= cut.loss().high + 2e-11
            widths.append(cut.one[0, 1] - cut.one[0, 0])
        assert widths[0] > 1e-4
        assert widths[0] >= widths[1] >= widths[2] >= 0


@pytest.mark.parametrize("resample", [True, False])
@pytest.mark.parametrize("rounds", [2, None])
def test_what_is_left_out_of_batches_and_values_is_inside_the_bounds(resample, rounds):
    law = Law(Laplace(2), Laplace(2), 2, resample=resample, rounds=rounds)
    valued = replace(law, rounds=1, releases_value=True)
    for depth in (0.5, 2.0):
        for said, (low, high) in labels(law, [0, 2, -1], depth).items():
            exact = labels(law, [0, 2, -1])[said][0]
            assert low - 1e-11 <= exact <= high + 1e-11
        for value in (-5, 0, 4):
            path = Path((Step(True, Fraction(0), Fraction(1), value=value),))
            assert inside(profile_at(valued, path, depth), profile_at(valued, path))


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
    profile = exact_profile(plan, tree_strategy(tree, 2))
    for epsilon in (0.0, 0.3, 0.8):
        for (one, other), found in zip(((p, q), (q, p)), profile.deltas(epsilon), strict=True):
            slow = float(np.sum(np.maximum(one - math.exp(epsilon) * other, 0)))
            assert found.low - 1e-11 <= slow <= found.high + 1e-11


@pytest.mark.parametrize("resample", [True, False])
def test_a_tree_without_adaptivity_is_a_list(resample):
    plan = any_plan(Gumbel(2), Laplace(2), 0, 2, resample=resample)
    one, other = [0, 2, -1], [1, 1, -1]
    listed = exact_profile(plan, (one, other))
    tree = tree_strategy(
        lambda said: (one[len(said)], other[len(said)]) if len(said) < 3 else None, 2
    )
    grown = exact_profile(plan, tree)
    for side in ("one", "other"):
        told = sorted(low for low, _ in getattr(grown, side))
        assert told == pytest.approx(sorted(low for low, _ in getattr(listed, side)), abs=1e-10)
    for epsilon in (0.0, 0.2):
        for depth in (0.5, 2.0):
            cut = profile_at(law_of(plan), tree, depth).delta(epsilon)
            assert cut.low <= grown.delta(epsilon).low <= grown.delta(epsilon).high <= cut.high
            assert cut.high - cut.low > 1e-4
    # Forgetting the first answer loses something, and never gains.
    first, rest = Fraction(0), (Fraction(2), Fraction(1))
    merged = Strategy((Node(first, first + 1, 1, 2), Node(*rest), Node(*rest)))
    forgetful = Strategy((Node(first, first + 1, 1, 1), Node(*rest)))
    told = exact_profile(plan, merged).delta(0.1).low
    assert exact_profile(plan, forgetful).delta(0.1).high < told <= listed.delta(0.1).high
    # A link behind the last positive leads nowhere: the mechanism has halted.
    single = replace(law_of(plan), cutoff=1)
    assert len(exact_profile(single, merged).outcomes) == 3
    with pytest.raises(ParameterError, match="must point to later nodes"):
        exact_profile(plan, Strategy((Node(first, first, 0, 1), Node(*rest))))
    with pytest.raises(ParameterError, match="at most 1 comparisons"):
        exact_profile(replace(law_of(plan), max_queries=1), merged)


@pytest.mark.parametrize("resample", [True, False])
@pytest.mark.parametrize("max_queries", [None, 4])
def test_labels_are_answers_with_the_rest_forgotten(resample, max_queries):
    plan = any_plan(
        Laplace(2), Laplace(1), 1, 2, rounds=3, resample=resample, max_queries=max_queries
    )
    scores = [0, 1, -1]
    summed = defaultdict(float)
    for said, (low, _) in answers(law_of(plan), scores).items():
        summed[tuple(query for query, answer in said if answer)] += math.exp(low)
    found = labels(law_of(plan), scores)
    assert set(found) == set(summed)
    for winners, (low, high) in found.items():
        assert math.exp(low) == pytest.approx(summed[winners], rel=1e-10)
        assert high - low < 1e-10


@pytest.mark.parametrize("resample", [True, False])
def test_an_unlimited_race_is_the_limit_of_many_rounds(resample):
    """A bar at t is passed once in e^t rounds: R of them leave P(ρ > ln R) = R^-3 / 2 open."""
    plan = any_plan(
        Exponential(1), Laplace(Fraction(1, 3)), 0, 2,
        rounds=None, resample=resample, grid=Fraction(1, 2),
    )  # fmt: skip
    found = labels(law_of(plan), [0, 1, -1])
    limited = labels(law_of(other_plan(plan, rounds=60)), [0, 1, -1])
    assert sum(math.exp(low) for low, _ in found.values()) == pytest.approx(1, abs=1e-9)
    for winners, (low, _) in found.items():
        assert math.exp(low) == pytest.approx(math.exp(limited[winners][0]), abs=1e-5)


def with_the_list(plan, threshold, counts):
    """A broken twin: who was a candidate is told as well, in the order asked."""
    law, log_order = law_of(plan, threshold), -math.lgamma(len(counts) + 1)
    return Outcomes(
        {
            (tuple(order[place] for place in places), order): (low + log_order, high + log_order)
            for order in itertools.permutations(counts)
            for places, (low, high) in labels(law, [law.steps(counts[i]) for i in order]).items()
        }
    )


def test_unlisted_candidates_agree_with_the_slow_reference():
    for plan, threshold, _, one, other in universes(4, 6):
        profile = exact_profile(plan, (one, other), threshold=threshold)
        slow = release(plan, threshold, one)
        for said, (low, _) in zip(profile.outcomes, profile.one, strict=True):
            assert math.exp(low) == pytest.approx(slow[said], abs=1e-9)
        # The candidates differ, so nothing that a transcript says on one side is said on the other.
        told = Profile.between(*(with_the_list(plan, threshold, side) for side in (one, other)))
        assert told.delta(0.5).low == pytest.approx(1, abs=1e-8)


def test_continuous_noise_is_the_limit_of_fine_grids():
    coarse = Law(Laplace(2), Laplace(2), 2, continuous=True)
    fine = Law(Laplace(2), Laplace(2), 2, grid=Fraction(1, 64))
    for path in (PATH, Path((Step(False, Fraction(0), Fraction(1)),))):
        exact, near = exact_profile(coarse, path), exact_profile(fine, path)
        assert exact.loss().low == pytest.approx(near.loss().low, abs=1e-3)
        assert not exact.certified
        assert near.certified


def test_released_values_add_up_to_the_positive():
    for continuous in (False, True):
        law = Law(Laplace(1), Laplace(1), 1, releases_value=True, continuous=continuous)
        step = Step(True, Fraction(1), Fraction(1))
        paths = [Path((replace(step, value=value),)) for value in range(-40, 60)]
        together = sum(math.exp(exact_profile(law, path).one[0, 0]) for path in paths)
        whole = exact_profile(replace(law, releases_value=False), Path((step,))).one[0, 0]
        assert together == pytest.approx(math.exp(whole), abs=1e-9)


def test_refusals():
    plan = any_plan(Exponential(2), Laplace(2), 0, 1, monotonic=True, rounds=None)
    with pytest.raises(ParameterError, match="rounds must be limited"):
        exact_profile(plan, ([0], [1]))
    with pytest.raises(ParameterError, match="differ by at most 1"):
        exact_profile(plan, ([0], [2]), release="labels")
    with pytest.raises(ParameterError, match="same direction"):
        exact_profile(plan, ([0, 0], [1, -1]), release="labels")
    with pytest.raises(ParameterError, match="halts after 1 positives"):
        exact_profile(plan, Path((Step(True, Fraction(0), Fraction(0), 2),)))
    still = (Step(True, Fraction(0), Fraction(0)), Step(False, Fraction(0), Fraction(0)))
    with pytest.raises(ParameterError, match="this path goes on"):
        exact_profile(plan, Path(still))
