"""Larger weights where only bits come out: small games within the claim, broken twins are not.

Whoever guesses may choose what others add to each key, after all that came out before. That is more
than neighbouring tables can do, and still not above the claim.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import mpmath
import pytest

from overbar.errors import ParameterError
from overbar.mechanisms import Plan, Round
from overbar.mechanisms.key_values import STEPS, Weight, root_weight
from overbar.mechanisms.keys import shown_rounds
from overbar.planning.key_rounds import set_union
from overbar.planning.keys import key_plan
from overbar.privacy import guarantee
from overbar.privacy.guarantees import proved_about
from overbar.privacy.reading import depth_of, profile_of
from tests.reference.claims import delta_of, every_proof, least_delta
from tests.reference.set_union import Search, best_guess, excess, tail

EPSILON, DELTA = 1, "1e-3"
CUTS = [-3, -2, -1, -0.5, 0, 0.5, 1, 2, 3]


@lru_cache
def union_of(items=3, rounds=1, delta=DELTA, **more):
    union = set_union(EPSILON, delta, items_per_person=items, rounds=rounds, **more)
    assert bool(union.weights) == more.get("by_bits", True)
    return union


def claim(union, epsilon):
    """The least that is claimed of rounds without δ₂: as bits, or as weights that are shown."""
    return least_delta(every_proof(union), epsilon)


def menus(union, weight=None):
    """What may be guessed in each round: {t: bits of one key}, on the grid, at some weights."""
    weight = weight or union.weight
    return [
        {
            t: [
                tuple(
                    float(tail(each.sigma, int(cut * each.sigma * STEPS) - moved).mid())
                    for moved in (weight(t), 0)
                )
                for cut in CUTS
            ]
            for t in range(1, union.items_per_person + 1)
        }
        for each in union.rounds
    ]


def guess(union, rounds=None, weight=None, epsilon=EPSILON):
    return best_guess(menus(replace(union, rounds=rounds or union.rounds), weight), epsilon)


@pytest.mark.parametrize(("items", "rounds"), [(2, 1), (3, 1), (1, 2), (2, 2), (1, 3)])
def test_no_guess_at_bits_is_above_the_claim_and_the_best_is_near(items, rounds):
    union = union_of(items, rounds)
    for epsilon in (0.2, 1.0, 1.5):
        exact = guess(union, epsilon=epsilon)
        assert len(every_proof(union)) == 2
        assert exact <= claim(union, epsilon)
        assert exact > 0.35 * claim(union, epsilon) or epsilon > 1  # with so few cuts
    assert proved_about(union).delta(EPSILON) <= float(DELTA)


def test_a_round_left_out_is_caught():
    union = union_of(2, 2)
    for left in union.rounds:
        fewer = replace(union, rounds=(left,))
        assert guess(union) > claim(fewer, EPSILON)


def test_weights_of_another_number_of_keys_are_caught():
    """Who keeps three adds what who keeps one does."""
    union = union_of(3)
    assert guess(union) <= claim(union, EPSILON)
    assert guess(union, weight=lambda _: STEPS) > claim(union, EPSILON)


def test_a_bar_for_other_weights_is_caught():
    """Lone keys reach the bar of 1/√t too often with the larger weights."""
    union = union_of(30, 1, "1e-6")
    (each,) = union.rounds
    plain = replace(union, weights=(), rounds=(Round(each.sigma, 0),))
    bar = _least_bar(plain, Fraction(union.lone_delta()))
    broken = replace(union, rounds=(Round(each.sigma, bar),))
    assert union.lone_delta() <= Fraction("0.6e-6")
    assert broken.lone_delta() > 1.01 * union.lone_delta()
    search = Search(broken.rounds, 30, larger=union.weights)
    reached = max(
        1 - (1 - float(tail(each.sigma, bar - search.weight(t)).mid())) ** t for t in range(1, 31)
    )
    assert reached == pytest.approx(float(broken.lone_delta()))


def _least_bar(plan, allowed):
    (each,) = plan.rounds
    low, high = 0, STEPS << 10
    while high - low > 1:
        bar = (low + high) // 2
        fits = replace(plan, rounds=(Round(each.sigma, bar),)).lone_delta() <= allowed
        low, high = (low, bar) if fits else (bar, high)
    return high


# Noisy weights that are shown


def gaussian_delta(mu, epsilon):
    """δ of one value moved by μ deviations, by the formula."""
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(
        -mu / 2 - epsilon / mu
    )


@pytest.mark.parametrize("rounds", [1, 3])
def test_these_weights_would_break_the_claim_if_noisy_weights_were_shown(rounds):
    union = union_of(30, rounds, "1e-6")
    length = max(t * union.weight(t) ** 2 for t in range(1, 31)) / STEPS**2
    mu = mpmath.sqrt(length * sum(float(1 / each.sigma**2) for each in union.rounds))
    exact = gaussian_delta(mu, EPSILON)
    assert exact > 5e-6 > 5 * guarantee(union).delta(EPSILON) * (1 - 1e-9)
    # What is said of weights that are shown holds, also of these; and weights 1/√t may be shown.
    assert exact <= math.exp(shown_rounds(union).log_delta(EPSILON)) <= exact * (1 + 1e-6)
    plain = union_of(30, rounds, "1e-6", by_bits=False)
    assert claim(plain, EPSILON) <= 1e-6


def test_they_are_refused_beside_counts():
    counted = key_plan(EPSILON, "1e-6", items_per_person=30, counts=True)
    assert counted.weights == ()
    assert [counted.weight(t) for t in (1, 7, 30)] == [root_weight(t) for t in (1, 7, 30)]
    with pytest.raises(ParameterError, match="weights must be left out where counts come out"):
        replace(counted, weights=union_of(30, 3, "1e-6").weights)


# Plans by hand


def test_weights_by_hand_are_evaluated():
    union = union_of(30, 3, "1e-6")
    assert Plan.from_json(union.to_json()) == union
    assert guarantee(union).implies(EPSILON, "1e-6")
    (*others, last) = union.weights
    greedy = replace(union, weights=(*others, replace(last, steps=last.steps * 6 // 5)))
    assert not guarantee(greedy).implies(EPSILON, "1e-6")
    whole = replace(union, weights=(Weight(30, STEPS),))
    assert not guarantee(whole).implies(EPSILON, "0.01")


def test_more_bits_than_are_followed_cost_what_their_divergences_say():
    """No less than what a single key gives away, and less than weights that are shown."""
    union = union_of(30, 3, "1e-6")
    many = tuple(Weight(t, root_weight(t)) for t in range(1, 131))
    long = replace(union, items_per_person=130, weights=many)
    bits, shown = every_proof(long)
    assert profile_of(bits.steps, depth_of(-math.log(1e-6))) is None
    single = replace(union, items_per_person=1, weights=(Weight(1, STEPS),))
    exact = guess(single)
    assert 0.01 * delta_of(bits, EPSILON) < exact <= delta_of(bits, EPSILON)
    assert delta_of(bits, EPSILON) < delta_of(shown, EPSILON)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (3, "weights must be Weights"),
        ((3,), "weights must be Weights"),
        ((Weight(2, 5), Weight(2, 4), Weight(3, 4)), "weights must be for rising items"),
        ((Weight(2, 5),), "weights must be for rising items, up to items_per_person"),
    ],
)
def test_weights_that_have_no_meaning_are_refused(weights, message):
    with pytest.raises(ParameterError, match=message):
        replace(union_of(3), weights=weights)
    with pytest.raises(ParameterError, match="steps must be at most"):
        Weight(1, STEPS + 1)
    with pytest.raises(ParameterError, match="steps must be a positive"):
        Weight(1, 0)


# Tables of a few persons, many of whom hold the same


@pytest.mark.parametrize("crowd", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("at_least", [1, 2])
def test_no_crowd_exceeds_the_claim(crowd, at_least):
    union = set_union(2, "0.1", items_per_person=3, rounds=2, at_least=at_least)
    assert union.weights
    search = Search(union.rounds, 3, at_least, union.weights)
    for own, held in itertools.product(("a", "ab", "abc"), repeat=2):
        others = {n: set(held) for n in range(crowd)}
        laws = search.outcomes(others), search.outcomes(others | {"me": set(own)})
        for epsilon in (0.0, 1.0, 2.0):
            assert excess(*laws, epsilon) <= guarantee(union).delta(epsilon)
