"""Where the highest values win, all outcomes are enumerated: tight, never above, and not blind."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest

import overbar
from overbar.audit.between import exact_profile, law
from overbar.errors import ParameterError
from overbar.mechanisms import Bar, HistogramPlan, RankedPlan, Reach
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from tests.attacks.broken_rankings import RANKED
from tests.attacks.lists import ScorePair, telling
from tests.attacks.worst_case import audit_plan, search
from tests.privacy.test_top_enumeration import chances as peeled
from tests.reference import histogram, ranked

pytestmark = pytest.mark.one_in(5)

DELTA = "0.02"


def plan(top=False, **changes):
    asked = {"epsilon": 2, "cutoff": 2, "grid": 1, "mechanism": "ranked"} | changes
    if top:
        return overbar.plan(top=True, **asked)
    return overbar.plan(correction=0, **asked)


FEW = {"mechanism": "histogram", "items_per_person": 2}
PURE = {
    "one": {"cutoff": 1},
    "counts": {"monotonic": True},
    "top one": {"cutoff": 1, "top": True},
    "histogram": FEW | {"noise": "laplace"},
}
CURVED = {
    "gumbel, bare": {"noise": "gumbel", "threshold_noise": "none", "monotonic": True},
    "gumbel, top": {"noise": "gumbel", "top": True},
    "gaussian histogram": FEW | {"noise": "gaussian"},
}


def chances(plan, scores):
    return {said: math.exp(low) for said, (low, _) in law(plan, scores).chances.items()}


def with_less_noise(plan, share):
    noise = plan.query_noise
    return replace(plan, query_noise=type(noise)(noise.scale * Fraction(share)))


@pytest.mark.parametrize("name", PURE)
def test_the_largest_loss_is_epsilon_and_a_little_less_noise_is_caught(name):
    subject = plan(**PURE[name])
    found, allowed = search(subject), overbar.guarantee(subject).at(0)
    assert 0.99 * allowed < found.worst <= allowed
    shown = exact_profile(telling(subject), found.witness)  # for anyone to see
    assert found.worst <= shown.loss().low + 1e-9 <= allowed + 2e-9
    assert search(with_less_noise(subject, "0.99")).worst > allowed


@pytest.mark.parametrize("name", CURVED)
def test_delta_comes_close_to_what_is_allowed_and_a_fifth_less_noise_is_caught(name):
    subject = plan(delta=DELTA, **CURVED[name])
    found = search(subject, epsilon=2)
    assert 0.8 < found.worst / overbar.guarantee(subject).delta(2) <= 1
    assert search(with_less_noise(subject, "0.8"), epsilon=2).worst > float(DELTA)


def test_a_plan_is_held_against_its_own_guarantee():
    rows = audit_plan(plan(monotonic=True))
    assert [row.verdict for row in rows] == ["holds"] * 3
    assert rows[0].closeness > 0.99


# The enumeration against slower ones


@pytest.mark.parametrize("cutoff", [1, 2])
@pytest.mark.parametrize("bar", [0.5, None])
def test_it_has_the_chances_of_the_reference(cutoff, bar):
    slow = ranked.Law(0.7, bar, cutoff, 1)
    over = bar and Bar(Exponential(Fraction(bar)), Fraction(1))
    fast = RankedPlan(Exponential(Fraction(7, 10)), over, cutoff, Reach(0, 1))
    for scores in [(1, 0), (2, 0, 1)]:
        found = law(fast, scores).chances
        for outcome, chance in slow.outcomes(scores).items():
            low, high = map(math.exp, found[outcome])
            assert low == pytest.approx(chance, abs=1e-9)
            assert low <= high <= low + 1e-12


@pytest.mark.parametrize("noise", [Laplace(Fraction(7, 10)), Gaussian(Fraction(7, 5))])
def test_a_histogram_has_the_chances_of_the_reference(noise):
    bar = Bar(None, Fraction(1))
    found = law(HistogramPlan(noise, bar, 2, Reach(0, 1), Fraction(1), 2, values=True), (1, 0))
    slow = histogram.Law(noise, level=1, count=2).outcomes((1, 0))
    for outcome, chance in slow.items():
        if chance > 1e-12:
            said = tuple(place for _, place in outcome), tuple(value for value, _ in outcome)
            assert math.exp(found.chances[said][0]) == pytest.approx(chance, rel=1e-3, abs=1e-12)


def test_gumbel_values_without_a_bar_are_peeling():
    top = RankedPlan(Gumbel(Fraction(3, 2)), None, 2, Reach(-1, 1))
    assert chances(top, (2, 0, 1, 1)) == pytest.approx(peeled((2, 0, 1, 1), 2, 1.5), rel=1e-9)


def test_the_sound_twin_of_the_controls_passes():
    assert search(RANKED).worst <= 1


def test_what_is_not_enumerated_is_refused():
    few = plan(**FEW, noise="laplace")
    with pytest.raises(ParameterError, match="differ in 2 places at most"):
        exact_profile(few, ((0, 0, 0), (1, 1, 1)))
    with pytest.raises(ParameterError, match="same direction"):
        exact_profile(plan(monotonic=True), ((0, 0), (1, -1)))
    wide = telling(plan(**FEW, noise="laplace", grid="1/64"))
    with pytest.raises(ParameterError, match="scores must be so few"):
        exact_profile(wide, ((0, 0), (1, 1)))


def test_what_is_left_out_is_not_taken_for_impossible():
    """Noise beyond the last step could be any outcome: no loss above the claim comes of it."""
    for scores in itertools.product((0, 1), repeat=2):
        profile = exact_profile(plan(**PURE["histogram"]), ((0, 0), scores))
        assert profile.loss().low <= 2


def test_a_witness_can_be_read():
    half, one = Fraction(1, 2), Fraction(1)
    assert str(ScorePair((one, one), (half, one))) == "1, 1 | 0.5, 1"
