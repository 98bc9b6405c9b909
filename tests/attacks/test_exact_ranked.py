"""Where the highest values win, all outcomes are enumerated: tight, never above, and not blind."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import overbar
from overbar.errors import ParameterError
from overbar.noise import Gaussian, Gumbel, Laplace
from tests.attacks.broken_rankings import RANKED, RANKINGS
from tests.attacks.checks import law_runs
from tests.attacks.neighbours import ScorePair, exact_profile
from tests.attacks.twin_law import RankedLaw, law_of
from tests.attacks.worst_case import audit_plan, search
from tests.frozen.chi_square import FALSE_ALARM, p_value
from tests.privacy.test_ranked_enumeration import TiesToTheHigherScore
from tests.privacy.test_top_enumeration import chances as peeled
from tests.reference import histogram, ranked
from tests.reference.sampling import seed_releases

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


def chances(law, scores):
    return {said: math.exp(low) for said, (low, _) in law.outcomes(scores).chances.items()}


def with_less_noise(law, share):
    return replace(law, query=type(law.query)(law.query.scale * Fraction(share)))


@pytest.mark.parametrize("name", PURE)
def test_the_largest_loss_is_epsilon_and_a_little_less_noise_is_caught(name):
    subject = plan(**PURE[name])
    found, allowed = search(subject), overbar.guarantee(subject).at(0)
    assert 0.99 * allowed < found.worst <= allowed
    assert exact_profile(subject, found.witness).loss().low == found.worst  # for anyone to see
    assert search(with_less_noise(law_of(subject), "0.99")).worst > allowed


@pytest.mark.parametrize("name", CURVED)
def test_delta_comes_close_to_what_is_allowed_and_a_fifth_less_noise_is_caught(name):
    subject = plan(delta=DELTA, **CURVED[name])
    found = search(subject, epsilon=2)
    assert 0.8 < found.worst / overbar.guarantee(subject).delta(2) <= 1
    assert search(with_less_noise(law_of(subject), "0.8"), epsilon=2).worst > float(DELTA)


def test_a_plan_is_held_against_its_own_guarantee():
    rows = audit_plan(plan(monotonic=True))
    assert [row.verdict for row in rows] == ["holds"] * 3
    assert rows[0].closeness > 0.99


# The enumeration against slower ones


@pytest.mark.parametrize(("cutoff", "ties"), [(1, False), (2, False), (1, True)])
@pytest.mark.parametrize("bar", [0.5, None])
def test_it_has_the_chances_of_the_reference(cutoff, ties, bar):
    slow = (TiesToTheHigherScore if ties else ranked.Law)(0.7, bar, cutoff, 1)
    fast = RankedLaw(
        overbar.noise.Exponential(Fraction(7, 10)),
        bar and law_of(plan(epsilon=1 / bar, cutoff=1, monotonic=True)).threshold,
        cutoff, level=1, has_bar=bar is not None, ties_by_score=ties,
    )  # fmt: skip
    for scores in [(1, 0), (2, 0, 1)]:
        found = fast.outcomes(scores).chances
        for outcome, chance in slow.outcomes(scores).items():
            low, high = map(math.exp, found[outcome])
            assert low == pytest.approx(chance, abs=1e-9)
            assert low <= high <= low + 1e-12


@pytest.mark.parametrize("noise", [Laplace(Fraction(7, 10)), Gaussian(Fraction(7, 5))])
def test_a_histogram_has_the_chances_of_the_reference(noise):
    law = RankedLaw(noise, None, 2, level=1, releases_value=True)
    found = law.outcomes((1, 0)).chances
    slow = histogram.Law(noise, level=1, count=2).outcomes((1, 0))
    for outcome, chance in slow.items():
        if chance > 1e-12:
            said = tuple((place, value) for value, place in outcome)
            assert math.exp(found[said][0]) == pytest.approx(chance, rel=1e-6)


def test_gumbel_values_without_a_bar_are_peeling():
    law = RankedLaw(Gumbel(Fraction(3, 2)), None, 2, has_bar=False)
    assert chances(law, (2, 0, 1, 1)) == pytest.approx(peeled((2, 0, 1, 1), 2, 1.5), rel=1e-9)


@pytest.mark.parametrize("threshold", ["none", "laplace"])
def test_gumbel_values_against_a_bar_have_the_law_that_is_drawn(threshold, monkeypatch):
    seed_releases(monkeypatch, 1)
    subject = plan(delta=DELTA, noise="gumbel", threshold_noise=threshold)
    scores, law = (1, 0, -1), law_of(subject)
    expected = chances(law, scores)
    assert sum(expected.values()) == pytest.approx(1, abs=1e-9)
    drawn = [overbar.select(scores, threshold=0, plan=subject).indices for _ in range(1500)]
    assert p_value(drawn, expected) > FALSE_ALARM
    assert p_value(drawn, chances(with_less_noise(law, "0.5"), scores)) < FALSE_ALARM


DRAWN = [
    one
    for one in RANKINGS
    if isinstance(one.law, RankedLaw) and not (one.law.releases_value or one.law.counts)
]


@pytest.mark.parametrize("one", DRAWN, ids=lambda one: one.name)
def test_controls_are_drawn_from_the_law_that_is_enumerated(one):
    """But for values that are released: they are floored here, not on a grid from the start."""
    scores = one.pairs[0].second
    rows = law_runs(one.law)(scores, 4000, np.random.default_rng(5)).tolist()
    drawn = [tuple(place for place in row if place >= 0) for row in rows]
    assert p_value(drawn, chances(one.law, scores)) > FALSE_ALARM


def test_the_sound_twin_of_the_controls_passes():
    assert search(RANKED).worst <= 1
    for one in RANKINGS:
        allowed = one.claim.delta or one.claim.epsilon
        assert one.exact(False)[0] > 1.5 * allowed


def test_what_is_not_enumerated_is_refused():
    fine = plan(grid="1/64")
    with pytest.raises(ParameterError, match="grid must be so coarse"):
        search(fine)
    few = plan(**FEW, noise="laplace")
    with pytest.raises(ParameterError, match="differ in 2 places at most"):
        exact_profile(few, ((0, 0, 0), (1, 1, 1)))
    with pytest.raises(ParameterError, match="same direction"):
        exact_profile(plan(monotonic=True), ((0, 0), (1, -1)))


def test_what_is_left_out_is_not_taken_for_impossible():
    """Noise beyond the last step could be any outcome: no loss above the claim comes of it."""
    for scores in itertools.product((0, 1), repeat=2):
        profile = exact_profile(plan(**PURE["histogram"]), ((0, 0), scores))
        assert profile.loss().low <= 2


def test_a_witness_can_be_read():
    half, one = Fraction(1, 2), Fraction(1)
    assert str(ScorePair((one, one), (half, one))) == "1, 1 | 0.5, 1"
