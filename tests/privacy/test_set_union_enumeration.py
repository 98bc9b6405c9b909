"""All outcomes of searches for keys in small tables: within the claim, and broken twins are not."""

import itertools
import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from flint import ctx

from overbar.mechanisms import Round, SetUnionPlan
from overbar.planning.key_rounds import set_union, unlisted_chance
from overbar.privacy import guarantee
from overbar.privacy.guarantees import proved_about
from tests.reference.set_union import Search, excess, root_down, tail

EPSILON, DELTA = 2, Fraction("0.2")


def search_of(union, kind=Search):
    return kind(union.rounds, union.items_per_person, union.at_least, union.weights)


def claim(union, epsilon):
    return guarantee(union).delta(epsilon)


# Tables of a few persons, with and without one of them


def neighbours():
    """Yield pairs of tables; persons are numbers and keys letters."""
    held = ["a", "b", "ab", "abc"]
    for others in itertools.combinations_with_replacement(held, 2):
        for own in ("a", "ab", "bc", "abc"):
            table = dict(enumerate(map(set, others)))
            yield table, table | {"me": set(own)}


@pytest.mark.parametrize(("items", "rounds"), [(1, 1), (2, 1), (2, 2)])
@pytest.mark.parametrize("at_least", [1, 2])
def test_no_small_table_exceeds_the_claim(items, rounds, at_least):
    union = set_union(EPSILON, DELTA, items_per_person=items, rounds=rounds, at_least=at_least)
    search = search_of(union)
    worst = 0.0
    for without, with_me in neighbours():
        laws = search.outcomes(without), search.outcomes(with_me)
        for epsilon in (0.0, 1.0, EPSILON):
            found = excess(*laws, epsilon)
            assert found <= claim(union, epsilon) * (1 + 1e-9)
            worst = max(worst, found / claim(union, epsilon))
    assert worst > (0.4 if at_least == 1 else 0.3)  # it is not idle


def lone(search, items):
    """The chance that a key comes out that one person holds alone, enclosed; all rounds."""
    with ctx.workprec(300):
        none = 1
        for each in search.rounds:
            none *= (1 - tail(each.sigma, each.bar - search.weight(items))) ** items
        return 1 - none


def worst_lone(search):
    return max((lone(search, t) for t in range(1, search.items + 1)), key=lambda x: x.mid())


@pytest.mark.parametrize(("items", "rounds"), [(1, 1), (2, 1), (30, 1), (30, 3)])
def test_lone_keys_come_out_as_often_as_claimed(items, rounds):
    union = set_union(1, "1e-6", items_per_person=items, rounds=rounds)
    chance, claimed = worst_lone(search_of(union)), float(union.lone_delta())
    assert chance <= claimed
    assert chance >= claimed * (1 - 1e-5)


def test_the_table_of_a_lone_person_shows_that_chance():
    union = set_union(EPSILON, DELTA, items_per_person=2, rounds=2)
    law = search_of(union).outcomes({"me": {"a", "b"}})
    assert excess(law, {frozenset(): 1.0}, 5.0) == pytest.approx(float(lone(search_of(union), 2)))


@pytest.mark.parametrize("at_least", [2, 3])
@pytest.mark.parametrize("own", ["a", "ab"])
def test_a_lone_key_is_one_that_needs_me(at_least, own):
    """Each of my keys is held by others too, by one too few: it comes out because of me alone.

    None of them is mine alone, and what I alone hold never takes part: a claim without δ₂ for
    `at_least` above one, or with a δ₂ for keys that I alone hold, is too small.
    """
    union = set_union(EPSILON, DELTA, items_per_person=2, rounds=1, at_least=at_least)
    search = search_of(union)
    without = {(key, n): {key} for key in own for n in range(at_least - 1)}
    assert search.outcomes(without) == {frozenset(): 1.0}
    laws = search.outcomes(without | {"me": set(own)}), search.outcomes(without)
    needs_me = float(lone(search, len(own)))
    assert excess(*laws, 9.0) == pytest.approx(needs_me)
    assert needs_me <= float(union.lone_delta())
    assert proved_about(union).delta(9) < 0.01 * needs_me  # the broken twin: no δ₂
    assert search.outcomes({"me": set("abc")}) == {frozenset(): 1.0}


# Broken twins


@dataclass(frozen=True)
class RoundedUp(Search):
    """Weights rounded up: one person moves more than one."""

    def weight(self, items):
        return super().weight(items) + 1


def test_weights_rounded_up_are_caught():
    union = set_union(1, "1e-6", items_per_person=30, rounds=1)
    assert worst_lone(search_of(union)) <= float(union.lone_delta())
    assert worst_lone(search_of(union, RoundedUp)) > float(union.lone_delta())


def test_a_bar_that_is_to_be_exceeded_is_caught():
    """Who computes a bar for > and compares by >= has a bar that is one step too low."""
    union = set_union(1, "1e-6", items_per_person=30, rounds=1)
    (right,) = union.rounds
    wrong = search_of(replace(union, rounds=(Round(right.sigma, right.bar - 1),)))
    assert worst_lone(wrong) > float(union.lone_delta())


def test_a_bar_for_one_key_of_each_person_is_caught():
    """The chance of a lone key, not of one of t lone keys."""
    single = set_union(1, "1e-6", items_per_person=1, rounds=1)
    assert worst_lone(Search(single.rounds, 1)) <= float(single.lone_delta())
    assert worst_lone(Search(single.rounds, 100)) > 1.5 * float(single.lone_delta())


def test_all_of_delta_in_each_round_is_caught():
    union = set_union(1, "1e-6", items_per_person=5, rounds=2)
    (whole,) = set_union(1, "1e-6", items_per_person=5, rounds=1).rounds
    assert worst_lone(search_of(union)) <= float(union.lone_delta())
    assert worst_lone(search_of(replace(union, rounds=(whole, whole)))) > 1.9 * float(
        union.lone_delta()
    )


@dataclass(frozen=True)
class Looked(Search):
    """Lots are drawn until nobody keeps a key that fewer hold: they depend on others' rows."""

    def lots(self, table):
        held = Counter(key for keys in table.values() for key in keys)
        kept = {
            person: tuple(sorted(keys, key=lambda key: (-held[key], key))[: self.items])
            for person, keys in table.items()
        }
        yield kept, 1.0


def test_lots_drawn_again_after_a_look_are_caught():
    union = set_union(EPSILON, DELTA, items_per_person=1, rounds=1)
    without = {person: {"a", "b"} for person in range(6)}
    with_me = without | {"me": {"b"}}
    for kind, caught in ((Search, False), (Looked, True)):
        search = search_of(union, kind)
        found = excess(search.outcomes(without), search.outcomes(with_me), EPSILON)
        assert (found > claim(union, EPSILON)) == caught


@dataclass(frozen=True)
class Unweighted(Search):
    """Everybody adds one to each key, as if they had no others."""

    def weight(self, items):
        return super().weight(1)


@pytest.mark.parametrize(("kind", "caught"), [(Search, False), (Unweighted, True)])
def test_one_for_each_key_is_caught(kind, caught):
    """Nine keys that all hold, near the bar: one more person moves all of them."""
    union = set_union(1, "1e-3", items_per_person=9, rounds=1)
    search = search_of(union, kind)
    near = round(union.rounds[0].bar / search.weight(9))
    p, q = (search.chance(0, persons * search.weight(9)) for persons in (near, near + 1))

    def law(chance):
        return {n: math.comb(9, n) * chance**n * (1 - chance) ** (9 - n) for n in range(10)}

    assert (excess(law(p), law(q), 1.0) > claim(union, 1.0)) == caught


def test_the_claim_takes_the_worst_number_of_keys():
    (each,) = set_union(1, "1e-6", items_per_person=30, rounds=1, by_bits=False).rounds
    by_count = [unlisted_chance(each, t, root_down(t)) for t in range(1, 31)]
    assert float(SetUnionPlan(30, (each,)).lone_delta()) >= max(by_count) > 1.1 * by_count[0]
