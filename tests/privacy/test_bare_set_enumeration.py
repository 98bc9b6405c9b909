"""A bare set: all outcomes of small runs are within the claim, and broken twins are not."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

import overbar
from overbar.errors import NoGuaranteeError
from overbar.mechanisms import Bar, RankedPlan, Reach, Repeats, SparseVectorPlan
from overbar.noise import Gaussian, Laplace
from overbar.privacy.gaussian_potential import potential_cost
from overbar.privacy.orders import composed_log_delta, pure_renyi
from overbar.privacy.pairs import Bit
from overbar.privacy.reading import depth_of, profile_of
from tests.attacks.worst_case import audit_plan
from tests.reference.bare_set import hockey_stick, in_order, sets
from tests.reference.claims import delta_of, every_proof, proofs_with
from tests.reference.profiles import exact_profile, gaussian_bits, odds_above

SIGMA = Fraction(2)
LEVELS = (0.0, 0.1, 0.4, 0.8, 1.2)
CUTS = [-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0]


def bare_set(items, sigma=SIGMA, reach=None, **more):
    return SparseVectorPlan(
        Gaussian(Fraction(sigma)),
        Bar(None),
        9,
        reach or Reach(-1, 1),
        items_per_person=items,
        **more,
    )


def claim(plan, level):
    """The δ at a level: there is one proof."""
    (proof,) = every_proof(plan)
    return delta_of(proof, level)


def shown_total(plan):
    """The square of how far all values together are moved, in deviations."""
    return plan.items_per_person * (plan.reach.most / plan.query_noise.scale) ** 2


def worst(scores, moves, level, law=sets):
    """The largest δ over all ways to move scores, in both directions."""
    one = law(scores, float(SIGMA))
    reached = 0.0
    for move in moves:
        other = law([score + d for score, d in zip(scores, move, strict=True)], float(SIGMA))
        reached = max(reached, hockey_stick(one, other, level), hockey_stick(other, one, level))
    return reached


def moves(length, items):
    steps = itertools.product((-1, -0.5, 0, 1), repeat=length)
    return [move for move in steps if sum(map(bool, move)) <= items]


@pytest.mark.parametrize("items", [1, 2, 3])
def test_no_set_of_three_is_above_the_claim_and_the_best_is_near(items):
    plan = bare_set(items)
    lists = list(itertools.combinations_with_replacement((-4, -2, -0.5, 0.5, 3), 3))
    for level in LEVELS[:: 1 if items == 3 else 2]:
        claimed = claim(plan, level)
        reached = max(worst(scores, moves(3, items), level) for scores in lists)
        assert reached <= claimed
        assert reached > 0.8 * claimed or level > 1  # of few scores none is just the best


@pytest.mark.parametrize(("items", "levels"), [(1, LEVELS), (2, LEVELS), (3, (0.4,))])
def test_the_claim_is_at_least_the_exact_reference_and_near_it(items, levels):
    """All strategies that choose where each score lies after what came before, in rationals."""
    cuts = [0.25 * n for n in range(-4, 13)] if items < 3 else CUTS
    profile = exact_profile(gaussian_bits(0.5, cuts), items)
    for level in levels:
        exact = float(profile(odds_above(level)))
        assert exact <= claim(bare_set(items), level) <= 1.1 * exact


def test_one_bit_too_many_is_caught():
    scores, level = (-1, -1, -1), 0.4
    for items in (1, 2):
        claimed = claim(bare_set(items), level)
        assert worst(scores, moves(3, items), level) <= claimed
        assert worst(scores, moves(3, items + 1), level) > 1.2 * claimed


def test_the_order_of_values_is_caught():
    """Two scores far above the threshold, one of which rises while the other falls.

    Who of them is first is one bit about a difference that is moved by two, under noise wider by √2
    only: as much as both values say. The same bit comes out if the cutoff keeps the higher one.
    """
    level = 1.2
    claimed, shown = claim(bare_set(2), level), gaussian_delta(math.sqrt(2) / 2, level)
    reached = max(
        hockey_stick(in_order((1.0, gap - 1), 2.0, -60.0), in_order((0.0, gap), 2.0, -60.0), level)
        for gap in (5.5, 5.8, 6.1)
    )
    assert 1.05 * claimed < reached <= shown * (1 + 1e-6)
    assert worst((-1, -1), moves(2, 2), level) <= claimed


def test_nothing_is_claimed_of_the_highest_values():
    """The order of values again: of two candidates the one wins that is moved up, or the other."""
    ranked = RankedPlan(Gaussian(SIGMA), None, 1, Reach(-1, 1), Fraction(1), 2)
    chances = [stats.norm.cdf((-1 + moved) / 2 / math.sqrt(2)) for moved in (2, 0)]
    assert chances[0] - chances[1] > 1.05 * claim(bare_set(2), 0.0)
    assert not every_proof(ranked)
    with pytest.raises(NoGuaranteeError, match="exponential and gumbel noise alone"):
        overbar.guarantee(ranked)


def gaussian_delta(mu, epsilon):
    """δ of one value moved by μ deviations, by the formula."""
    return float(
        mpmath.ncdf(mu / 2 - epsilon / mu)
        - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
    )


@pytest.mark.parametrize(("items", "ratio"), [(2, 1.3), (10, 4), (100, 10)])
def test_values_beside_the_set_would_break_the_claim(items, ratio):
    plan = overbar.plan(
        epsilon=1,
        delta="1e-6",
        cutoff=9,
        candidates=9,
        items_per_person=items,
        mechanism="bare-set",
    )
    assert 0.99e-6 < overbar.guarantee(plan).delta(1) <= 1e-6
    assert gaussian_delta(math.sqrt(shown_total(plan)), 1) > ratio * 1e-6


def test_the_divergence_of_small_sets_is_below_the_claim():
    plan, scores, order = bare_set(3), (-1, 0, 2), 6.0
    claimed = overbar.guarantee(plan).renyi(order)
    one = sets(scores, 2.0)
    for move in moves(3, 3):
        other = sets([s + d for s, d in zip(scores, move, strict=True)], 2.0)
        for p, q in ((one, other), (other, one)):
            moment = math.fsum(p[key] ** order * q[key] ** (1 - order) for key in p)
            assert math.log(moment) / (order - 1) <= claimed
    assert claimed < order * shown_total(plan) / 2


def test_the_exact_audit_looks_at_it():
    plan = overbar.plan(epsilon=2, delta="0.02", cutoff=2, items_per_person=2, correction=0, grid=1,
                        mechanism="bare-set")  # fmt: skip
    rows = audit_plan(plan)
    assert all(row.worst <= row.allowed for row in rows)
    assert rows[0].worst > 0.85 * rows[0].allowed


def test_a_release_has_the_noise_of_the_plan_and_halts_by_lot():
    plan = bare_set(2, sigma=4)
    many = np.full(4000, 3)
    passed = len(overbar.select(many, threshold=0, plan=other_cutoff(plan, 4000)))
    chance = stats.norm.sf(-3 / 4)
    assert stats.binomtest(passed, 4000, chance).pvalue > 1e-9
    assert stats.binomtest(passed, 4000, stats.norm.sf(-3 / 2)).pvalue < 1e-9
    # Of 4,000 far above the threshold the higher half has no more of the places than the other.
    far = np.repeat([10**6, 10**9], 2000)
    places = overbar.select(far, threshold=0, plan=other_cutoff(plan, 1000)).indices
    higher = sum(place >= 2000 for place in places)
    assert stats.hypergeom(4000, 2000, 1000).sf(higher - 1) > 1e-9
    assert stats.hypergeom(4000, 2000, 1000).cdf(higher) > 1e-9


def other_cutoff(plan, cutoff):
    return SparseVectorPlan(**(vars(plan) | {"cutoff": cutoff}))


@pytest.mark.parametrize(
    "changes",
    [
        {"query_noise": Laplace(2)},
        {"bar": Bar(Gaussian(2))},
        {"repeats": Repeats(rounds=2)},
        {"items_per_person": None},
    ],
    ids=str,
)
def test_nothing_is_claimed_of_other_runs(changes):
    plan = SparseVectorPlan(**(vars(bare_set(2)) | changes))
    assert not proofs_with(plan, Bit)
    if type(plan.query_noise) is Gaussian:
        with pytest.raises(
            NoGuaranteeError, match=r"(gaussian|without) noise .* no pure guarantee"
        ):
            overbar.guarantee(plan)


def test_more_bits_than_are_followed_cost_what_their_divergences_say():
    """No less than bits whose bar is in the middle, each of which is a randomised response."""
    plan, shift = bare_set(20_000, sigma=600), 1 / 600
    assert profile_of((Bit(shift, times=20_000),), depth_of(13.8)) is None
    proved, mu = overbar.guarantee(plan), math.sqrt(20_000) * shift
    middle = math.log(stats.norm.cdf(shift / 2) / stats.norm.sf(shift / 2))
    for level in (0.5, 1.0, 1.5):
        reached = math.exp(composed_log_delta(middle * (1 - 1e-9), 20_000, level))
        assert reached <= proved.delta(level) <= 10 * reached
        assert proved.delta(level) < gaussian_delta(mu, level)
    assert 20_000 * pure_renyi(middle, 5.0) <= proved.renyi(5.0) < 5 * mu**2 / 2


# How it is asked for, and paid

ASKED = {"epsilon": 1, "delta": "1e-6", "items_per_person": 30, "monotonic": True}


def asks_bare(plan):
    return any(type(proved.every[0].steps[0]) is Bit for proved in plan.labels.proofs())


def test_it_is_chosen_only_where_the_cutoff_leaves_nobody_out():
    """Of Gaussian noise alone; `python -m benchmarks rate` has all that are compared."""
    asked = ASKED | {"cutoff": 40, "candidates": 40, "noise": "gaussian"}
    assert asks_bare(overbar.plan(**asked))
    for changes in (
        {"candidates": 41},
        {"items_per_person": 1},
        {"counts": True},
        {"mechanism": "histogram"},
        {"top": True, "candidates": None},
    ):
        assert not asks_bare(overbar.plan(**asked | changes))
    plan = overbar.plan(**asked)
    answer = overbar.select([0, 9000, 5000] * 9, threshold=2500, plan=plan)
    assert sorted(answer.indices) == [place for place in range(27) if place % 3]


@pytest.mark.parametrize(
    "changes",
    [{"delta": 0}, {"top": True}, {"noise": "laplace"}, {"threshold_noise": "laplace"}],
    ids=str,
)
def test_what_has_no_proof_is_refused_by_name(changes):
    with pytest.raises(NoGuaranteeError, match="is for a threshold, with gaussian noise"):
        overbar.plan(**ASKED | {"cutoff": 9, "mechanism": "bare-set"} | changes)


def test_groups_and_counts_are_paid_for():
    asked = ASKED | {"cutoff": 9, "candidates": 9, "mechanism": "bare-set"}
    grouped = overbar.plan(**asked, groups=7, groups_per_person=3)
    counted = overbar.plan(**asked, counts=True)
    for plan in (grouped, counted):
        assert overbar.guarantee(plan).implies(1, "1e-6")
        assert plan.query_noise.scale > overbar.plan(**asked).query_noise.scale
    (paid,) = grouped.paid()
    assert (paid.items_per_person, paid.cutoff) == (90, 27)
    assert "30 scores" in grouped.method_text()


def test_a_ledger_books_what_it_costs(tmp_path):
    plan = overbar.plan(**ASKED, cutoff=9, candidates=9, mechanism="bare-set")
    assert overbar.Plan.from_json(plan.to_json()) == plan
    assert 0 <= potential_cost(plan, Fraction(1, 100)) - shown_total(plan) <= Fraction(1, 10**15)
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("all at once", epsilon=1, delta="1e-6")
    ledger.open("some", epsilon=9, delta="1e-6")
    for name in ("all at once", "some"):
        overbar.select([9000, 0], threshold=3000, plan=plan, booking=ledger.booking(name))
    ledger.verify()
    with pytest.raises(overbar.BudgetError):
        overbar.select([9000, 0], threshold=3000, plan=plan, booking=ledger.booking("all at once"))
