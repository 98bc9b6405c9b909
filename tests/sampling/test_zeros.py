"""Zeros of which few reach a bar are skipped: what comes out has the law of all drawn."""

import sys
from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import mpmath
import numpy as np
import pytest

from overbar.noise import Exponential, Gaussian, Laplace
from overbar.sampling import zeros
from overbar.sampling.entropy import system
from overbar.sampling.highest import highest
from overbar.sampling.on_grid import OnGrid
from tests.frozen.chi_square import FALSE_ALARM, p_value
from tests.reference.histogram import Tails
from tests.reference.sampling import seeded

pytestmark = pytest.mark.one_in(5)

ONE = Fraction(1)
NOISES = [Exponential(ONE), Laplace(ONE), Gaussian(ONE)]
module = sys.modules["overbar.sampling.highest"]


class Geometric:
    """P(N >= k) = e^(-k/scale)."""

    def __init__(self, noise):
        self.scale = noise.scale

    def __call__(self, k):
        return mpmath.exp(-mpmath.mpf(max(0, k)) * self.scale.denominator / self.scale.numerator)


def tails_of(noise):
    return Geometric(noise) if isinstance(noise, Exponential) else Tails(noise, ONE)


def noisy_zeros(noise, many, bar, source=system):
    """Places and values of those that reach the bar."""
    law = OnGrid(noise, ONE)
    places = zeros.passing(law, many, bar, source, 64)
    values = zeros.values_from(law, bar, len(places), source, 64)
    return list(zip(places, values.tolist(), strict=True))


HOW_MANY = 4


def law_of_zeros(noise, bar):
    """The chance of each set of places with values cut to bar, bar + 1 and more."""
    tails = tails_of(noise)
    one = {None: 1 - tails(bar), 0: tails(bar) - tails(bar + 1), 1: tails(bar + 1)}
    return {
        tuple((place, kind) for place, kind in enumerate(kinds) if kind is not None): float(
            prod(one[kind] for kind in kinds)
        )
        for kinds in product(one, repeat=HOW_MANY)
    }


def drawn_zeros(noise, bar, runs, seed):
    source = seeded(seed)
    for _ in range(runs):
        found = noisy_zeros(noise, HOW_MANY, bar, source)
        yield tuple((place, min(1, value - bar)) for place, value in found)


@pytest.mark.parametrize(
    ("noise", "bar"),
    [
        (Laplace(Fraction(6)), 10),
        (Exponential(Fraction(5)), 7),
        (Gaussian(Fraction(5, 2)), 4),
        (Gaussian(Fraction(60)), 75),
    ],
)
def test_zeros_have_the_law_of_values_drawn_one_by_one(noise, bar):
    seen = list(drawn_zeros(noise, bar, 1500, 11))
    assert p_value(seen, law_of_zeros(noise, bar)) > FALSE_ALARM


def test_zeros_skipped_with_a_wrong_chance_are_caught(monkeypatch):
    """A twin with P(N > bar) for P(N >= bar)."""
    noise, bar = Laplace(Fraction(2)), 4
    right = OnGrid.tail
    with monkeypatch.context() as patch:
        patch.setattr(OnGrid, "tail", lambda law, k, p: right(law, k + 1, p))
        zeros.chance.cache_clear()
        seen = list(drawn_zeros(noise, bar, 1500, 12))
        zeros.chance.cache_clear()
    assert p_value(seen, law_of_zeros(noise, bar)) < FALSE_ALARM
    right_again = list(drawn_zeros(noise, bar, 1500, 12))
    assert p_value(right_again, law_of_zeros(noise, bar)) > FALSE_ALARM


def test_zeros_beyond_reach():
    for noise in NOISES:
        assert noisy_zeros(noise, 10**12, 10**9) == []
        assert noisy_zeros(noise, 0, 1) == []
    assert [place for place, _ in noisy_zeros(Exponential(ONE), 3, 1)] != list(range(3))


def test_as_many_zeros_pass_as_should():
    """10^7 of them, of which a hundred thousandth pass: their number is Poisson, nearly."""
    noise, bar = Gaussian(Fraction(60)), 256
    chance = float(tails_of(noise)(bar))
    assert 0.5e-5 < chance < 2e-5
    counts = [len(noisy_zeros(noise, 10**7, bar, seeded(seed))) for seed in range(20)]
    mean = 10**7 * chance
    assert abs(sum(counts) - 20 * mean) < 6 * (20 * mean) ** 0.5
    places = [place for place, _ in noisy_zeros(noise, 10**7, bar, seeded(1))]
    assert len(set(places)) == len(places)
    assert max(places) < 10**7
    assert Counter(place * 2 // 10**7 for place in places)[1] > 0


# Zeros among other scores -------------------------------------------------------------------------


def test_zeros_go_back_to_their_places():
    """Every pattern of six scores, zero or not."""
    for scores in product([0, 1], repeat=6):
        held, zero = np.flatnonzero(scores), np.flatnonzero(np.array(scores) == 0)
        assert module._places_of_zeros(held, np.arange(len(zero))).tolist() == zero.tolist()


MIXED = (0, 3, 0, 0)


def law_of_mixed(noise, bar):
    """As `law_of_zeros`, for scores of which some are zero."""
    tails, law = tails_of(noise), {}
    for kinds in product((None, 0, 1), repeat=len(MIXED)):
        chance = 1
        for kind, score in zip(kinds, MIXED, strict=True):
            low, high = tails(bar - score), tails(bar - score + 1)
            chance *= {None: 1 - low, 0: low - high, 1: high}[kind]
        found = tuple((place, kind) for place, kind in enumerate(kinds) if kind is not None)
        law[found] = float(chance)
    return law


def drawn_mixed(noise, bar, seed, runs=1500):
    source = seeded(seed)
    for _ in range(runs):
        found = highest(
            np.array(MIXED), bar, count=9, noise=noise, grid=ONE, source=source, public_bar=True
        )
        yield tuple(sorted((one.place, min(1, one.value - bar)) for one in found))


@pytest.mark.parametrize(
    ("noise", "bar"), [(Laplace(Fraction(6)), 10), (Gaussian(Fraction(5, 2)), 4)]
)
def test_zeros_drawn_by_themselves_have_the_law_of_all_drawn(noise, bar, monkeypatch):
    monkeypatch.setattr(module, "MANY_ZEROS", 1)
    monkeypatch.setattr(module, "SELDOM", 1)
    law = law_of_mixed(noise, bar)
    assert p_value(list(drawn_mixed(noise, bar, 13)), law) > FALSE_ALARM
    # Control: zeros that are given the first places.
    monkeypatch.setattr(module, "_places_of_zeros", lambda held, zeros: zeros)
    assert p_value(list(drawn_mixed(noise, bar, 13)), law) < FALSE_ALARM
