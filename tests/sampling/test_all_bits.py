"""Whole laws: each draw is run on every way its bits can fall, and compared with enumeration."""

import sys
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import exp, prod

import numpy as np
import pytest

from overbar.noise import Exponential, Gumbel, Laplace
from overbar.sampling.highest import Further, highest
from overbar.sampling.on_grid import OnGrid
from overbar.sampling.race import race_above
from overbar.sampling.zeros import chance, passing, values_from
from tests.reference.all_bits import Tree
from tests.reference.histogram import Tails
from tests.reference.sampling import loop_law, survival

pytestmark = pytest.mark.one_in(3)

ONE, RATIO = Fraction(1), Fraction(3, 2)
FURTHEST = 12


@pytest.fixture
def tree(monkeypatch):
    return lambda depth: Tree(monkeypatch, depth)


@pytest.fixture
def sieved(monkeypatch):
    """Two bits at first, and a sieve for any number of candidates."""
    for name in ("shortlist", "highest"):
        monkeypatch.setattr(sys.modules[f"overbar.sampling.{name}"], "GLANCE_BITS", 2)
    monkeypatch.setattr(sys.modules["overbar.sampling.shortlist"], "FEW", 0)


def tail(noise, steps, *, floored=False):
    if isinstance(noise, Laplace) and not floored:
        return float(Tails(noise, ONE)(steps))
    return float(survival(noise, ONE, steps))


def masses(noise, *, floored=False):
    """The chance of each N, those beyond FURTHEST put there."""
    ends = range(-FURTHEST, FURTHEST + 1)
    tails = [1.0, *(tail(noise, k, floored=floored) for k in ends[1:]), 0.0]
    return {k: tails[at] - tails[at + 1] for at, k in enumerate(ends)}


@pytest.mark.parametrize("word_bits", [1, 3])
@pytest.mark.parametrize(
    ("kind", "floored"),
    [(Exponential, False), (Gumbel, False), (Laplace, False), (Laplace, True)],
)
def test_noise_on_the_grid(tree, kind, floored, word_bits):
    law = OnGrid(kind(RATIO), ONE, floored)

    def drawn():
        (noise,) = law.draw(1, None, word_bits).tolist()
        return max(-FURTHEST, min(FURTHEST, noise))

    expected = masses(kind(RATIO), floored=floored)
    assert tree(11).agrees(drawn, expected)
    moved = {k + 1: chance for k, chance in expected.items()}
    assert not tree(11).agrees(drawn, moved)  # control


def law_of_highest(noise, scores, bar, count):
    """Places in order; of equal values the one given first."""
    law, each = defaultdict(float), masses(noise)
    for noises in product(each, repeat=len(scores)):
        values = [score + drawn for score, drawn in zip(scores, noises, strict=True)]
        reached = [place for place, value in enumerate(values) if bar is None or value >= bar]
        found = sorted(reached, key=lambda place: -values[place])[:count]
        law[tuple(found)] += prod(each[drawn] for drawn in noises)
    return law


CASES = [((0, 0), None, 1), ((0, 1), 1, 2), ((0,), 1, 3), ((), 1, 1), ((0, 1, 0), 2, 1)]


def places(scores, bar, count, noise):
    how = {"count": count, "noise": noise, "grid": ONE, "word_bits": 3}
    return tuple(one.place for one in highest(np.array(scores, dtype=np.int64), bar, **how))


@pytest.mark.usefixtures("sieved")
@pytest.mark.parametrize("kind", [Exponential, Laplace])
@pytest.mark.parametrize(("scores", "bar", "count"), CASES)
def test_highest_values(tree, kind, scores, bar, count):
    case = scores, bar, count, kind(ONE)
    expected = law_of_highest(kind(ONE), scores, bar, count)
    assert tree(14).agrees(lambda: places(*case), expected)


@pytest.mark.usefixtures("sieved")
def test_the_order_of_gumbel_values(tree, monkeypatch):
    """With a scale in one step two values often share one, and digits below it decide."""
    monkeypatch.setattr(sys.modules["overbar.sampling.highest"], "FINE", 1)

    def first():
        return places((0, 1), None, 1, Gumbel(ONE))

    expected = {(0,): 1 / (1 + exp(1)), (1,): exp(1) / (1 + exp(1))}
    assert tree(14).agrees(first, expected)
    # Control: what is equal in whole steps comes the wrong way round.
    monkeypatch.setattr(Further, "__lt__", lambda one, two: two._below(4) > one._below(4))
    assert not tree(14).agrees(first, expected)


@pytest.mark.usefixtures("sieved")
def test_a_sieve_that_drops_a_winner_is_caught(tree, monkeypatch):
    values = sys.modules["overbar.sampling.highest"].Values
    right = values.lowest
    monkeypatch.setattr(values, "lowest", lambda *how: right(*how) + 1)
    case = (0, 1), 1, 2
    expected = law_of_highest(Laplace(ONE), *case)
    assert not tree(14).agrees(lambda: places(*case, Laplace(ONE)), expected)


@pytest.mark.usefixtures("sieved")
@pytest.mark.parametrize("rounds", [1, 2, None])
@pytest.mark.parametrize("kind", [Exponential, Laplace, Gumbel])
@pytest.mark.parametrize(("gaps", "count"), [((0, 1), 1), ((2, -1), 2), ((1,), 2), ((), 1)])
def test_the_race(tree, kind, gaps, count, rounds):
    noise, scores = kind(RATIO), -np.array(gaps, dtype=np.int64)

    def race():
        how = {"count": count, "noise": noise, "grid": ONE, "rounds": rounds, "word_bits": 3}
        return tuple(one.place for one in race_above(scores, 0, positions=np.arange(2), **how))

    chances, expected = [tail(noise, gap, floored=True) for gap in gaps], defaultdict(float)
    for found, probability in loop_law(chances, count, rounds or 60).items():
        expected[tuple(place for _, place in found)] += probability
    assert tree(14).agrees(race, expected)


def test_a_race_of_one_round_too_many_is_caught(tree):
    def race():
        how = {"count": 1, "noise": Gumbel(RATIO), "grid": ONE, "word_bits": 3}
        return bool(race_above(np.array([-1]), 0, rounds=3, positions=np.arange(1), **how))

    missed = (1 - tail(Gumbel(RATIO), 1)) ** 2
    assert not tree(14).agrees(race, {True: 1 - missed, False: missed})


@pytest.mark.parametrize(("noise", "bar"), [(Exponential(RATIO), 3), (Laplace(ONE), 1)])
def test_zeros_that_reach_a_bar(tree, noise, bar, monkeypatch):
    law, often, many = OnGrid(noise, ONE), tail(noise, bar), 2
    assert chance(law, bar) == pytest.approx(often)
    whole = tree(14)
    monkeypatch.setattr(
        sys.modules["overbar.sampling.zeros"],
        "random_words",
        lambda count, *how: whole.random_words(min(count, 2), *how),
    )
    expected = {
        found: often ** len(found) * (1 - often) ** (many - len(found))
        for size in range(many + 1)
        for found in combinations(range(many), size)
    }
    assert whole.agrees(lambda: tuple(passing(law, many, bar, None, 3)), expected)
    given = {min(k, bar + 2): tail(noise, min(k, bar + 2)) / often for k in range(bar, bar + 3)}
    given = {k: most - given.get(k + 1, 0) for k, most in given.items()}
    assert whole.agrees(lambda: min(bar + 2, int(values_from(law, bar, 1, None, 3)[0])), given)
