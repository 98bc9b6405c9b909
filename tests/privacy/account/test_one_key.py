"""The best chances for keys where one of each person counts: exact bounds, and none is idle."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from overbar import frames
from overbar.mechanisms import OneKeyPlan
from overbar.mechanisms.key_forecast import persons
from overbar.mechanisms.one_key import BITS
from overbar.mechanisms.one_key import chances as exact_chances
from overbar.sampling.coin import by_count
from tests.frozen.chi_square import FALSE_ALARM
from tests.reference.sampling import seeded

CASES = [(1, "1e-6"), ("0.1", "1e-3"), (5, "1e-30"), (100, "0.5"), ("0.01", "1e-9"), (1, "1e-100")]
ASK = {"item": "what", "person": "who"}


def chances_of(epsilon, delta):
    plan = OneKeyPlan(Fraction(epsilon), Fraction(delta))
    return [Fraction(chance, 1 << BITS) for chance in exact_chances(plan)]


def worst(chances, epsilon, delta):
    """By how much the worst pair of neighbours exceeds δ at ε; all four events."""
    with mpmath.workdps(120):
        grown = mpmath.exp(mpmath.mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator)
        exact = [mpmath.mpf(p.numerator) / p.denominator for p in chances]
        limit = mpmath.mpf(Fraction(delta).numerator) / Fraction(delta).denominator
        return max(
            first - grown * second - limit
            for p, q in itertools.pairwise(exact)
            for first, second in ((q, p), (p, q), (1 - p, 1 - q), (1 - q, 1 - p))
        )


@pytest.mark.parametrize(("epsilon", "delta"), CASES)
def test_no_pair_of_neighbours_exceeds_delta_and_one_attains_it(epsilon, delta):
    chances = chances_of(epsilon, delta)
    assert chances[0] == 0
    assert chances[-1] == 1
    assert chances == sorted(chances)
    found = worst(chances, epsilon, delta)
    assert found <= 0
    assert found > -(mpmath.mpf(10) ** -60)
    # The control: a hair more for the key that one person alone holds.
    raised = [chances[0], chances[1] + Fraction(1, 1 << 200), *chances[2:]]
    assert worst(raised, epsilon, delta) > 0


def test_chances_are_those_of_the_recursion():
    grown, delta, slow = mpmath.exp(1), mpmath.mpf("1e-6"), [mpmath.mpf(0)]
    while slow[-1] < 1:
        slow.append(min(grown * slow[-1] + delta, 1 - (1 - slow[-1] - delta) / grown, 1))
    found = chances_of(1, "1e-6")
    assert len(found) == len(slow)
    assert [float(p) for p in found] == pytest.approx([float(p) for p in slow])


def test_counts_are_drawn_with_their_chances():
    chances = exact_chances(OneKeyPlan(Fraction(1), Fraction(1, 100)))
    counts = np.arange(len(chances) + 3, dtype=np.int64).repeat(3000)
    found = by_count(counts, chances, BITS, source=seeded(1)).reshape(-1, 3000).sum(axis=1)
    for count, often in enumerate(found.tolist()):
        chance = chances[min(count, len(chances) - 1)] / (1 << BITS)
        assert stats.binomtest(often, 3000, chance).pvalue > FALSE_ALARM
    # The control: as if each had one person more.
    middle = len(chances) // 2
    wrong = chances[middle + 1] / (1 << BITS)
    assert stats.binomtest(int(found[middle]), 3000, wrong).pvalue < FALSE_ALARM


def test_a_word_that_is_equal_is_settled_by_further_bits():
    middle = (1 << BITS) // 3
    ends = {"low": b"\x00", "high": b"\xff"}

    def source(end):
        first = (middle >> (BITS - 64)).to_bytes(8, "little")
        return lambda count: first if count == 8 else ends[end] * count

    one = np.array([1], dtype=np.int64)
    chances = [0, middle, 1 << BITS]
    assert by_count(one, chances, BITS, source=source("low")).tolist() == [True]
    assert by_count(one, chances, BITS, source=source("high")).tolist() == [False]


def test_it_is_taken_where_one_key_of_each_person_counts():
    asked = {**ASK, "epsilon": 1, "delta": "1e-6"}
    best = frames.Question.keys(**asked, items_per_person=1)
    assert isinstance(best.plan, OneKeyPlan)
    assert best.plan.expected_text == (
        "Keys held by about 14 persons or more come out, and from 28 on always; of each person "
        "one key counts."
    )
    rounds = frames.Question.keys(**asked, items_per_person=1, rounds=1)
    assert persons(rounds.plan, 1) > 14
    small = frames.Question.keys(**ASK, epsilon="1e-5", delta="1e-6", items_per_person=1)
    assert not isinstance(small.plan, OneKeyPlan)
