"""One candidate: its round, what it reaches, who comes first, and what it keeps to itself."""

import copy
import itertools
import math
import pickle
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.errors import SecrecyError
from overbar.noise import Exponential, Gumbel, Laplace
from tests.reference import sampling as reference
from tests.reference.sampling import runner_at

pytestmark = pytest.mark.one_in(3)

NOISES = (Exponential, Laplace, Gumbel)
ONE = Fraction(1)


def runner(gap, position=0, noise=None, seed=0, **known):
    source = reference.seeded(seed)
    return runner_at(gap, position, noise=noise or Gumbel(5), grid=ONE, source=source, **known)


@settings(max_examples=100, deadline=None)
@given(
    kind=st.sampled_from(NOISES),
    gap=st.integers(-60, 150),
    word=st.integers(0, 2**64 - 2),
)
def test_round_equals_the_slow_one(kind, gap, word):
    noise = kind(5)
    bits = word.to_bytes(8, "big")
    low = [(word & (1 << 56) - 1) << 8]
    script = [bits[:1], low[0].to_bytes(8, "little")]
    try:
        (expected,) = reference.rounds_of([gap], noise, ONE, lambda count: script.pop(0))
    except AssertionError:
        return  # 64 bits leave it open
    found = runner(gap, noise=noise, word=word, bits=64)
    assert found.round == expected
    assert found.reaches(expected)
    assert not found.reaches(expected - 1)


@pytest.mark.parametrize("kind", NOISES)
def test_order_is_by_round_and_then_by_position(kind):
    noise = kind(4)
    gaps = [-30, -2, 0, 1, 3, 8, 8, 8, 20, 40, 90, 90, 400]
    positions = [5, 3, 9, 1, 0, 12, 2, 7, 4, 11, 6, 10, 8]
    ties = 0
    for seed in range(40):
        source = reference.seeded(seed)
        field = [
            runner_at(gap, position, noise=noise, grid=ONE, source=source)
            for gap, position in zip(gaps, positions, strict=True)
        ]
        order = sorted(field)
        pairs = [(one.round, one.position) for one in order]
        assert pairs == sorted(pairs)
        ties += len(pairs) - len({round_ for round_, _ in pairs})
        for one, other in itertools.pairwise(order):
            assert one < other
            assert not other < one
    assert ties > 40  # the rule for ties was at work


def test_order_of_rounds_too_long_to_write_down():
    """Gaps of 10^300: the rounds have more digits than there are atoms, yet have an order."""
    for noise in (Exponential(3), Laplace(3), Gumbel(3)):
        near, far = runner(10**300, 1, noise), runner(10**300 + 200, 0, noise, 1)
        assert near < far  # e^66 times sooner, on average
        assert not far < near
        assert not near.reaches(10**1000)
        sure, also = runner(-(10**300), 2, noise), runner(-(10**299), 3, noise)
        assert sure.reaches(1)
        assert sure < also
        assert not also < sure
        assert also < near
        assert also.round == 1


@pytest.mark.parametrize("kind", NOISES)
def test_rounds_of_a_hundred_thousand_bits(kind):
    """A chance of e^-100000: rounds of 144,000 bits, exact to the last."""
    one, two = runner(100_000, 0, kind(1), 4), runner(100_000, 1, kind(1), 5)
    first = one < two
    assert 144_200 < one.round.bit_length() < 144_300
    assert (one.round < two.round) == first
    assert one.reaches(one.round)
    assert not one.reaches(one.round - 1)


def test_equal_leading_bits_are_told_apart_by_later_ones():
    """The same 64 bits of V at the same gap: only further bits can order the two."""
    word = 0x0123456789ABCDEF
    for gap in (400, 10_000):
        one = runner(gap, 0, seed=1, word=word, bits=64)
        two = runner(gap, 1, seed=2, word=word, bits=64)
        assert (one < two) == ((one.round, 0) < (two.round, 1))
        assert (two < one) == ((two.round, 1) < (one.round, 0))
        assert one.round != two.round


@pytest.mark.parametrize("gap", [0, -1, -(10**30)])
def test_exponential_noise_is_positive_in_round_one_up_to_gap_zero(gap):
    one = runner_at(gap, 0, noise=Exponential(3), grid=ONE, source=None)  # not a bit is needed
    assert one.round == 1
    assert one.reaches(1)
    assert not one.reaches(0)


@pytest.mark.parametrize("kind", NOISES)
def test_bits_are_revealed_only_on_demand(kind):
    """What the first 64 bits of V decide is decided without asking for more."""
    word = 0x9123456789ABCDEF
    one = runner_at(40, 0, noise=kind(5), grid=ONE, source=None, word=word, bits=64)
    assert one.reaches(10**9)
    assert not one.reaches(1)
    other = runner_at(90, 1, noise=kind(5), grid=ONE, source=None, word=word, bits=64)
    assert one < other
    assert not other < one


@pytest.mark.parametrize(("word", "bits"), [(0, 3), (5, 3), (7, 3), (200, 8), (2**64 - 2, 64)])
def test_what_is_unknown_of_the_number_stays_open(word, bits):
    """Known to lie in [word, word + 1) of 2^bits: every such V is inside, and no other."""
    one = runner_at(4, 0, noise=Gumbel(5), grid=ONE, source=None, word=word, bits=bits)
    with ctx.workprec(400):
        ball = one._exponential(bits)

        def inside(part):
            uniform = (arb(word) + part) * arb(2) ** -bits
            return ball.overlaps(-(-uniform).log1p())

        assert all(inside(arb(part) / 1000) for part in (1, 500, 999))
        if 0 < word < 2**bits - 2:
            assert not inside(arb(-50) / 1000)


def test_bounds_that_meet_do_not_decide_for_the_earlier_position():
    """A runner in round two is behind one in round one, though both bounds include round one."""
    word = int((1 - math.exp(-1.5)) * 2**64)  # E is 1.5, and H is 1 at gap zero
    later = runner_at(0, 0, noise=Gumbel(5), grid=ONE, source=None, word=word, bits=64, high=2.0)
    sooner = runner_at(
        -30, 1, noise=Gumbel(5), grid=ONE, source=None, word=1 << 40, bits=64, high=1.0
    )
    open_one = runner_at(-30, 2, noise=Gumbel(5), grid=ONE, source=None, word=1 << 40, bits=64)
    assert (later.round, sooner.round, open_one.round) == (2, 1, 1)
    assert sorted([later, sooner, open_one]) == [sooner, open_one, later]
    for first in (sooner, open_one):
        assert first < later
        assert not later < first


@pytest.mark.parametrize("word", [0xC123456789ABCDEF, 0x4123456789ABCDEF, 3])
def test_without_known_bits_every_bit_comes_from_the_source(word):
    script = [word.to_bytes(8, "little")]
    drawn = runner_at(0, 0, noise=Gumbel(5), grid=ONE, source=lambda count: script.pop(0))
    known = runner_at(0, 0, noise=Gumbel(5), grid=ONE, source=None, word=word, bits=64)
    for rounds in (1, 2):
        assert drawn.reaches(rounds) == known.reaches(rounds)
    assert script == []


def test_a_runner_keeps_its_secret():
    one = runner(77, 17)
    assert one.round > 0
    assert repr(one) == str(one) == "Runner at position 17"
    for leak in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(SecrecyError, match="holds a secret"):
            leak(one)
    assert not hasattr(one, "__dict__")
