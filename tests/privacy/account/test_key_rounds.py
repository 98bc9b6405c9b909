"""What a search for keys costs: against slow sums, binomial laws, and Gaussian noise."""

import math
import random
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy.stats

import overbar
import overbar_lab
from overbar.accuracy.detection import margin_for
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.integrations.loss_distribution import loss_distribution
from overbar.mechanisms import Composed, OneKeyPlan, Plan, Round, SetUnionPlan
from overbar.mechanisms.key_forecast import persons, surely
from overbar.mechanisms.key_values import HIDING, STEPS
from overbar.mechanisms.key_values import root_weight as weight
from overbar.mechanisms.keys import key_bits, shown_rounds, unlisted_chance
from overbar.noise import Gaussian
from overbar.planning.key_rounds import GROWTH, set_union
from overbar.planning.keys import key_plan
from overbar.privacy import guarantee, spent
from overbar.privacy.account import proofs_of
from overbar.privacy.gaussian_potential import potential_cost
from overbar.privacy.guarantees import proved_about
from overbar.privacy.histogram import Moved
from overbar.privacy.pairs import Bit, Values, bit_renyi
from overbar.privacy.steps import Worst
from tests.reference.histogram import Tails
from tests.reference.set_union import root_down

pytestmark = pytest.mark.one_in(5)

GRID = Fraction(1, STEPS)


@pytest.mark.parametrize("items", [1, 2, 3, 4, 7, 99, 100, 256, 1000])
def test_weights_are_rounded_down_so_that_one_person_moves_one_at_most(items):
    assert weight(items) == root_down(items)
    assert items * weight(items) ** 2 <= STEPS**2
    if items not in (1, 4, 100, 256):  # the control: rounded up they are too much
        assert items * (weight(items) + 1) ** 2 > STEPS**2


@pytest.mark.parametrize("items", [1, 2, 5])
@pytest.mark.parametrize("above", [0, 1, 4, 9])
def test_the_chance_of_a_lone_key_is_that_of_slow_sums(items, above):
    """Noise of two steps: what is equal to the bar weighs a lot."""
    each = Round(2 * GRID, weight(items) + above)
    tails = Tails(Gaussian(each.sigma), GRID)
    with mpmath.workdps(60):
        slow = 1 - (1 - tails(above)) ** items
    found = unlisted_chance(each, items, weight(items))
    assert slow <= found <= slow * (1 + 1e-14)
    # The controls: without what is equal to the bar, and without the other keys.
    assert 1 - (1 - tails(above + 1)) ** items < 0.95 * found
    if items > 1:
        assert tails(above) < 0.95 * found


@pytest.mark.parametrize("seed", range(12))
def test_no_budget_is_exceeded_by_a_digit(seed):
    """Scales have twelve digits, so that what they cost is not quite what was asked for."""
    draw = random.Random(seed)
    epsilon = Fraction(f"{10 ** draw.uniform(-2, 1.5):.5g}")
    delta = Fraction(f"{10 ** draw.uniform(-60, -0.5):.5g}")
    union = set_union(epsilon, delta, items_per_person=draw.choice((1, 3)), rounds=seed % 4 + 1)
    spent = Fraction(proved_about(union).delta(epsilon)) + union.lone_delta()
    assert delta * Fraction("0.999") <= spent <= delta
    assert len(union.rounds) == seed % 4 + 1


@pytest.mark.parametrize("by_bits", [False, True])
def test_bars_are_the_least(by_bits):
    union = set_union(1, "1e-6", items_per_person=30, by_bits=by_bits)
    assert bool(union.weights) == by_bits
    lower = [
        SetUnionPlan(30, tuple(Round(e.sigma, e.bar - (e is one)) for e in union.rounds))
        for one in union.rounds
    ]
    left = Fraction("1e-6") / 2
    if by_bits:
        left = Fraction("1e-6") - Fraction(proved_about(union).delta(1))
    total = Fraction(sum(GROWTH**place for place in range(3)))
    for place, (one, down) in enumerate(zip(union.rounds, lower, strict=True)):
        share = left * GROWTH**place / total
        worst = max(unlisted_chance(one, t, union.weight(t)) for t in range(1, 31))
        assert worst <= share
        assert max(
            unlisted_chance(down.rounds[place], t, union.weight(t)) for t in range(1, 31)
        ) > share * (1 - Fraction(1, 1 << 39))


def test_rounds_cost_what_gaussian_noise_costs_together():
    """δ of μ-GDP with μ² = Σ 1/σ², by the formula; and no Rényi order costs more."""
    union = set_union(1, "1e-6", by_bits=False)
    square = sum(1 / one.sigma**2 for one in union.rounds)
    mu = mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
    for epsilon in (0.5, 1.0, 2.0):
        exact = mpmath.ncdf(mu / 2 - epsilon / mu)
        exact -= mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
        assert exact <= proved_about(union).delta(epsilon) <= exact * (1 + 1e-6)
    for order in (1.5, 8.0, 100.0):
        renyi = float(order * square / 2)
        assert renyi <= proved_about(union).renyi(order) <= renyi * (1 + 1e-9)


def test_rounds_are_bits_or_as_if_weights_were_shown():
    """In each the worst of all numbers of keys."""
    union = set_union(1, "1e-6", items_per_person=20, rounds=2)
    bits, shown = (proved.every[0].steps for proved in proofs_of(union))
    assert shown == (Values(shown_rounds(union)),)
    assert isinstance(shown_rounds(union), Moved)
    assert bits == key_bits(union)
    assert [type(each) for each in bits] == [Worst, Worst]
    for each, step in zip(union.rounds, bits, strict=True):
        assert {bit.times for (bit,) in step.of} == {one.items for one in union.weights}
        for (bit,) in step.of:
            shift = union.weight(bit.times) / (float(each.sigma) * STEPS)
            assert bit == Bit(pytest.approx(shift, rel=1e-9), times=bit.times)
            assert bit.shift >= shift
    assert len(key_bits(union, every=3)[0].of) < len(bits[0].of)
    plain = set_union(1, "1e-6", items_per_person=20, by_bits=False)
    (one,) = proofs_of(plain)
    assert one.every[0].steps == (Values(shown_rounds(plain)),)


def same_cut(t, shift, epsilon):
    """δ of t keys that all others hold alike, at the best of many cuts: by binomial laws."""
    n, best = np.arange(t + 1), 0.0
    for cut in np.linspace(-4, 8, 241):
        laws = [
            scipy.stats.binom.logpmf(n, t, scipy.stats.norm.sf(cut - by)) for by in (shift, 0.0)
        ]
        for p, q in (laws, laws[::-1]):
            best = max(best, np.maximum(np.exp(p) - np.exp(epsilon + q), 0).sum())
    return best


@pytest.mark.parametrize(("epsilon", "delta"), [(1, "1e-6"), ("0.1", "1e-8"), (3, "1e-4")])
def test_one_round_is_near_what_binomial_laws_cost(epsilon, delta):
    """Whatever t; and weights 1/√t would leave most of it unused."""
    union = set_union(epsilon, delta, items_per_person=60, rounds=1)
    claimed, scale = proved_about(union).delta(epsilon), float(union.rounds[0].sigma) * STEPS
    exact = {t: same_cut(t, union.weight(t) / scale, float(epsilon)) for t in (1, 2, 7, 60)}
    assert max(exact.values()) <= claimed
    assert min(exact.values()) > 0.4 * claimed
    assert same_cut(60, weight(60) / scale, float(epsilon)) < 0.1 * claimed


def test_divergences_of_rounds_are_recomputed():
    """Near those of weights 1/√t where a ledger asks; never above those of weights shown."""
    union = set_union(1, "1e-6", items_per_person=30)
    plain = set_union(1, "1e-6", items_per_person=30, by_bits=False)
    shown = shown_rounds(union)
    for order in (1.5, 8.0, 32.0):
        found, other = (proved_about(one).renyi(order) for one in (union, plain))
        assert found < other
        assert shown.renyi(order) > 1.3 * other
        slow = sum(
            max(
                t * bit_renyi(union.weight(t) / (float(each.sigma) * STEPS), order) for t in (1, 30)
            )
            for each in union.rounds
        )
        assert slow * (1 - 1e-9) <= found
    assert proved_about(union).renyi(1e6) == pytest.approx(shown.renyi(1e6))


def test_a_potential_charges_them_as_if_weights_were_shown():
    union = set_union("0.1", "1e-8", items_per_person=30)
    longest = max(t * union.weight(t) ** 2 for t in range(1, 31))
    shown = sum(longest / (each.sigma * STEPS) ** 2 for each in union.rounds)
    charged = potential_cost(union, Fraction(1, 100))
    assert shown <= charged <= shown * Fraction(1001, 1000)
    # The broken twin: as if weights were 1/√t.
    assert potential_cost(replace(union, weights=()), Fraction(1, 100)) < 0.75 * shown


def test_noise_that_the_grid_would_show_through_is_refused():
    narrow = Round(Fraction(HIDING, STEPS * STEPS), STEPS)
    with pytest.raises(NoGuaranteeError, match="wider than the grid"):
        guarantee(SetUnionPlan(1, (narrow,)))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"epsilon": 1001}, "epsilon must be at most 1000"),
        ({"delta": 0}, "delta must be positive: a key that only one person holds"),
        ({"items_per_person": 0}, "items_per_person must be a positive whole number"),
        ({"items_per_person": 1001}, "items_per_person must be at most 1,000, got 1,001"),
        ({"rounds": 11}, "rounds must be at most 10"),
        ({"at_least": 0}, "at_least must be a positive whole number"),
    ],
)
def test_what_has_no_meaning_is_refused(changed, said):
    with pytest.raises(ParameterError, match=said):
        set_union(**{"epsilon": 1, "delta": "1e-6"} | changed)


def test_forecast_is_in_persons():
    union = set_union(1, "1e-6", items_per_person=4, by_bits=False)
    least = min(one.bar for one in union.rounds) / STEPS
    assert persons(union, 1) == int(least) + 1
    assert persons(union, 4) == persons(union, 9) == int(2 * least) + 1
    assert f"about {persons(union, 1)} persons" in union.expected_text
    fifty = set_union(1, "1e-6", items_per_person=4, at_least=50, by_bits=False)
    assert persons(fifty, 1) == int(least) + 50


@pytest.mark.parametrize("items", [1, 4, 10])
@pytest.mark.parametrize("least", [1, 20])
def test_a_key_that_is_said_to_come_out_does_so_95_times_in_100(items, least):
    """On exactly so many persons, in seeded draws of each round; a tenth fewer are caught."""
    union = set_union("0.1", "1e-6", at_least=least)
    rounds = [(each.bar / STEPS, float(each.sigma)) for each in union.rounds]
    noise = np.random.default_rng(16).normal(size=(2000, 1))

    def share(persons):
        """How often the best of the rounds lets it out."""
        held = persons * union.weight(items) / STEPS - (least - 1)
        return max(np.mean(held + sigma * noise >= bar) for bar, sigma in rounds)

    assert 0.93 <= share(surely(union, items)) <= 0.97
    assert share(0.9 * surely(union, items)) < 0.93
    assert f"{surely(union, 1):,} persons with no other key are enough" in union.expected_text


# Keys as plans


def keys_of(rounds=3, counts=False):
    return key_plan(1, "1e-6", items_per_person=4, rounds=rounds, counts=counts)


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("items", [1, 4])
def test_a_search_is_a_plan_and_its_guarantee_has_the_delta_of_lone_keys(items, counts):
    plan = key_plan(1, "1e-6", items_per_person=items, counts=counts)
    assert isinstance(plan, OneKeyPlan if items == 1 else SetUnionPlan)
    assert Plan.from_json(plan.to_json()) == plan
    proved = guarantee(plan)
    assert proved.implies(1, "1e-6")
    assert not proved.implies(1)
    assert proved.unlisted_delta == plan.lone_delta() > Fraction("4e-7")
    assert proved.renyi(2) == math.inf > proved_about(plan).renyi(2)
    # The broken twin: what the theorems prove beside it claims more than is true.
    assert not proved.implies(1, plan.lone_delta() / 2)
    assert proved_about(plan).delta(1) + float(plan.lone_delta()) <= 1e-6
    whole = pytest.approx(proved_about(plan).renyi(2), rel=1e-11)
    assert spent(plan) == 1 if items == 1 else spent(plan).renyi(2) == whole


@pytest.mark.parametrize("plan", [keys_of(), key_plan(1, "1e-6", items_per_person=1)])
def test_losses_of_a_search_are_unbounded_as_often_as_a_lone_key_comes_out(plan):
    losses = loss_distribution(plan)
    assert losses.infinite >= float(plan.lone_delta())
    for epsilon in (0.3, 1.0, 2.0):
        claimed = guarantee(plan).delta(epsilon)
        assert claimed * (1 - 1e-9) <= losses.delta(epsilon) <= 1.01 * claimed


def test_no_delta_is_above_one():
    """Where noise hides nothing, lone keys on top once made it more than a probability."""
    bare = SetUnionPlan(1, (Round(Fraction(1, 128), 10**9),))
    assert guarantee(bare).delta(1) == 1
    assert guarantee(replace(bare, rounds=(Round(1, 0),))).delta(0) == 1


def test_searches_add_up_with_their_lone_keys():
    own = overbar.plan(top=True, epsilon=1, cutoff=2)
    both = Composed(own, first=keys_of())
    assert both.lone_delta() == keys_of().lone_delta()
    assert guarantee(both).unlisted_delta == both.lone_delta()
    assert own.lone_delta() == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"rounds": ()}, "rounds must be a positive whole number"),
        ({"rounds": (Round(1, 5),) * 11}, "rounds must be at most 10"),
        ({"rounds": 3}, "rounds must be Rounds"),
        ({"items_per_person": 1001}, "items_per_person must be at most 1,000"),
        ({"at_least": 0}, "at_least must be a positive whole number"),
        ({"count_noise": Gaussian(3)}, "count_noise must be CountNoise"),
    ],
)
def test_plans_of_keys_that_have_no_meaning_are_refused(changed, said):
    with pytest.raises(ParameterError, match=said):
        replace(keys_of(), **changed)
    with pytest.raises(ParameterError, match="sigma must be positive"):
        Round(0, 5)
    with pytest.raises(ParameterError, match="bar must be a whole number"):
        Round(1, -5)


def test_a_search_is_not_a_plan_of_scores():
    asked = ("query_noise", "bar", "cutoff", "reach", "level", "correction")
    assert all(hasattr(overbar.plan(epsilon=1, cutoff=2, candidates=9), name) for name in asked)
    assert not any(hasattr(keys_of(), name) for name in asked)
    with pytest.raises(ParameterError, match="a search for keys is the first"):
        Composed(keys_of(), first=keys_of())
    for ask in (
        lambda: overbar.top([1, 2], plan=keys_of()),
        lambda: overbar.select([1, 2], threshold=1, plan=keys_of()),
        lambda: overbar.SparseVector(keys_of(), threshold=1),
        lambda: overbar_lab.simulate(keys_of(), [1, 2], threshold=1, runs=1, seed=1),
        lambda: margin_for(keys_of(), 0.5),
    ):
        with pytest.raises(ParameterError, match=r"plan must be (one|a Plan of)|has no noise"):
            ask()
