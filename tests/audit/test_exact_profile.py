"""Profiles of small runs: against sixty digits, by other routes, and within their own bounds."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.audit import between, every
from overbar.audit.between import exact_profile, law
from overbar.audit.profile import ROUNDING, Outcomes, Profile
from overbar.errors import ParameterError
from overbar.noise import NOISES, Exponential, Gaussian, Gumbel, Laplace
from tests.privacy.test_unknown_candidates import release, universes
from tests.reference.plans import any_plan, other_plan
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


def labels(plan, scores, **more):
    return law(plan, scores, release="labels", **more).chances


def disagreement(plan, scores):
    """Largest distance of a log-probability from its sixty digits, and of the interval's ends."""
    slow = distribution(scores, SlowLaw(plan, int(plan.correction / plan.grid)))
    fast = law(plan, [score * plan.grid for score in scores]).chances
    assert set(slow) >= set(fast)
    worst = 0.0
    for said, probability in slow.items():
        low, high = fast.get(said, (-math.inf, -math.inf))
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
    right = every.log_reached
    wrong = lambda noise, grid, gaps, *how: right(noise, grid, gaps + (not how[0]), *how)  # noqa: E731
    monkeypatch.setattr(every, "log_reached", wrong)
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


@pytest.mark.parametrize("rounds", [1, 2, None])
def test_what_is_left_out_of_batches_is_inside_the_bounds(rounds):
    plan = any_plan(Laplace(2), Laplace(2), 0, 2, rounds=rounds)
    for depth in (0.5, 2.0):
        for said, (low, high) in labels(plan, [0, 2, -1], depth=depth).items():
            exact = labels(plan, [0, 2, -1])[said][0]
            assert low - 1e-11 <= exact <= high + 1e-11


@pytest.mark.parametrize("resample", [True, False])
def test_what_is_left_out_of_answers_is_inside_the_bounds(resample):
    plan = any_plan(Gumbel(2), Gaussian(2), 0, 2, resample=resample)
    for depth in (0.5, 2.0):
        cut, truth = (law(plan, [0, 2, -1], **how).chances for how in ({"depth": depth}, {}))
        widths = [high - low for low, high in cut.values()]
        assert min(widths) > 1e-4
        for said, (low, high) in cut.items():
            assert low - 1e-11 <= truth[said][0] <= high + 1e-11


@pytest.mark.parametrize("noise", [Exponential(2), Laplace(2), Gaussian(2), Gumbel(2)], ids=str)
def test_what_is_left_out_of_the_highest_is_inside_the_bounds(noise):
    mechanism = "histogram" if noise.name in ("laplace", "gaussian") else "ranked"
    bar = None if mechanism == "histogram" else Laplace(2)
    plan = any_plan(noise, bar, 0, 2, mechanism=mechanism, items_per_person=1)
    truth = law(plan, [0, 2, -1]).chances
    for depth in (1.0, 3.0):
        cut = law(plan, [0, 2, -1], depth=depth).chances
        assert max(high - low for low, high in cut.values()) > 1e-2
        for said, (low, high) in cut.items():
            assert low - 1e-11 <= truth[said][0] <= high + 1e-11


@pytest.mark.parametrize("moved", [5, -5])
@pytest.mark.parametrize("noise", [Laplace(2), Gaussian(3)], ids=str)
def test_what_is_left_out_of_counts_is_inside_the_bounds(noise, moved, monkeypatch):
    monkeypatch.setattr(between, "SHALLOW", 3.0)
    between._told.cache_clear()
    plan = any_plan(
        Exponential(9), None, 0, 1, sensitivity=5, is_top=True, mechanism="ranked", counts=noise
    )
    profile = exact_profile(plan, ([0], [moved]))
    between._told.cache_clear()
    for side in (profile.one, profile.other):
        least, most = np.exp(side).sum(axis=0)
        assert 0.9 < least < 0.9999
        assert most >= 1


def test_labels_are_answers_with_the_rest_forgotten():
    plan = any_plan(Laplace(2), Laplace(1), 1, 2, rounds=3)
    scores = [0, 1, -1]
    summed = defaultdict(float)
    for said, (low, _) in law(plan, scores).chances.items():
        summed[tuple(query for query, answer in said if answer)] += math.exp(low)
    found = labels(plan, scores, public_order=True)
    assert set(found) == set(summed)
    for winners, (low, high) in found.items():
        assert math.exp(low) == pytest.approx(summed[winners], rel=1e-10)
        assert high - low < 1e-10


@pytest.mark.parametrize("rounds", [1, 2])
def test_the_order_is_by_lot(rounds):
    plan = any_plan(Laplace(2), Laplace(1), 1, 2, rounds=rounds)
    summed = defaultdict(float)
    for order in itertools.permutations(range(3)):
        scores = [(0, 1, -1)[place] for place in order]
        for said, (low, _) in labels(plan, scores, public_order=True).items():
            summed[tuple(order[place] for place in said)] += math.exp(low) / 6
    found = labels(plan, [0, 1, -1])
    assert {said: math.exp(low) for said, (low, _) in found.items()} == pytest.approx(dict(summed))


def test_an_unlimited_race_is_the_limit_of_many_rounds():
    """A bar at t is passed once in e^t rounds: R of them leave P(ρ > ln R) = R^-3 / 2 open."""
    plan = any_plan(Exponential(1), Laplace(Fraction(1, 3)), 0, 2, rounds=None, grid=Fraction(1, 2))
    found = labels(plan, [0, 1, -1], public_order=True)
    limited = labels(other_plan(plan, rounds=16), [0, 1, -1], public_order=True)
    assert sum(math.exp(low) for low, _ in found.values()) == pytest.approx(1, abs=1e-9)
    for winners, (low, _) in found.items():
        assert math.exp(low) == pytest.approx(math.exp(limited[winners][0]), abs=1.5e-4)


def with_the_list(plan, threshold, counts):
    """A broken twin: who was a candidate is told as well."""

    def told(run):
        scores = [int(count / plan.grid) for count in counts.values()]
        found = plan.run(run, scores, plan.level(threshold)).found
        return tuple(one.candidate for one in found), tuple(counts)

    return every.Every().outcomes(told)


def test_unlisted_candidates_agree_with_the_slow_reference():
    for plan, threshold, _, one, other in universes(4, 6):
        profile = exact_profile(plan, (one, other), threshold=threshold)
        slow = release(plan, threshold, one)
        for said, (low, _) in zip(profile.outcomes, profile.one, strict=True):
            assert math.exp(low) == pytest.approx(slow[said], abs=1e-9)
        # The candidates differ, so nothing that a transcript says on one side is said on the other.
        told = Profile.between(*(with_the_list(plan, threshold, side) for side in (one, other)))
        assert told.delta(0.5).low == pytest.approx(1, abs=1e-8)


def test_refusals():
    plan = any_plan(Exponential(2), Laplace(2), 0, 1, monotonic=True, rounds=None)
    with pytest.raises(ParameterError, match="rounds must be limited"):
        exact_profile(plan, ([0], [1]))
    with pytest.raises(ParameterError, match="differ by at most 1"):
        exact_profile(plan, ([0], [2]), release="labels")
    with pytest.raises(ParameterError, match="same direction"):
        exact_profile(plan, ([0, 0], [1, -1]), release="labels")
