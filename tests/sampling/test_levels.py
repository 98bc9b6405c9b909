"""The sieve's levels: nobody who may win is below its level, and few who cannot are above."""

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.noise import Exponential, Gumbel, Laplace
from overbar.sampling import bounds
from overbar.sampling.integers import BLOCK, HIGHEST, LOWEST, sieve
from tests.reference import sampling as reference
from tests.reference.sampling import race_in_order

NOISES = (Exponential, Laplace, Gumbel)
ONE = Fraction(1)
SCALE = 1000
LIMITS = [1.0, 2.0, 40.0, 1e9, bounds.LARGEST_WHOLE, 1.5 * bounds.LARGEST_WHOLE]


def lowest_ranks(kind, gaps, words, bits, grid=ONE):
    low, _ = bounds.rank_bounds(kind(SCALE * grid), grid, np.array(gaps), np.array(words), bits)
    return low


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("grid", [ONE, Fraction(1, 8)])
def test_whoever_is_below_a_level_cannot_come_in_time(kind, limit, grid):
    base = 77
    for bits in (1, 8):
        levels = bounds.levels(kind(SCALE * grid), grid, base, limit, bits)
        assert len(levels) == 1 << bits
        assert levels[0] == LOWEST  # V may be zero: then E is, and the first round comes
        words = np.arange(1, 1 << bits, dtype=np.uint64)
        below = [base - level + 1 for level in levels[1:]]
        assert np.all(lowest_ranks(kind, below, words, bits, grid) > limit)


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("limit", LIMITS)
def test_half_a_scale_above_its_level_one_may_come_in_time(kind, limit):
    """Exponential noise lets all up to one scale pass, and Laplace noise is loose below zero."""
    base, bits = -12, 8
    levels = bounds.levels(kind(SCALE), ONE, base, limit, bits)
    gaps = np.array([base - level for level in levels[1:]]) - SCALE // 2
    words = np.arange(1, 1 << bits, dtype=np.uint64)
    tight = gaps > {Exponential: SCALE // 2 + 1, Laplace: 0, Gumbel: -(10**9)}[kind]
    assert np.any(tight)
    assert np.all(lowest_ranks(kind, gaps[tight], words[tight], bits) <= limit)
    if kind is Exponential:
        assert np.all(gaps >= SCALE // 2)


@pytest.mark.parametrize("kind", NOISES)
def test_without_a_limit_all_pass_and_without_a_round_nobody_does(kind):
    for bits in (1, 8):
        everyone = bounds.levels(kind(3), ONE, 0, math.inf, bits)
        assert everyone == [LOWEST] * 2**bits
        assert bounds.levels(kind(3), ONE, 0, 0.0, bits) == [HIGHEST] * 2**bits


@pytest.mark.parametrize("kind", NOISES)
def test_more_places_than_candidates(kind):
    scores = np.array([5, 900, -40])
    found = race_in_order(scores, 0, count=7, noise=kind(9), grid=ONE, source=reference.seeded(1))
    assert sorted(one.place for one in found) == [0, 1, 2]


def test_the_sieve_sorts_scores_by_their_levels():
    generator = np.random.default_rng(11)
    scores = generator.integers(-50, 50, 2 * BLOCK + 17)
    words = generator.integers(0, 4, len(scores)).astype(np.uint8)
    low, high = np.array([-20, 0, 10, LOWEST]), np.array([20, 0, 9, -30])
    between, above = sieve(scores, words, low, high)
    assert between.tolist() == [
        i for i, s in enumerate(scores.tolist()) if low[words[i]] <= s <= high[words[i]]
    ]
    assert above.tolist() == [
        i for i, s in enumerate(scores.tolist()) if s >= low[words[i]] and s > high[words[i]]
    ]


def test_ranks_are_rounds_as_long_as_these_can_tie():
    """Up to e^25 a rank is the round itself, from there on it grows like the logarithm."""
    small = np.array([-math.inf, -50.0, 0.0, 1e-9, 0.5, 3.0, 24.9])
    expected = [1, 1, 1, 2, 2, 21, math.ceil(math.exp(24.9))]
    assert bounds.rank(small).tolist() == expected
    assert bounds.rank(np.array([25.0])).tolist() == [bounds.LARGEST_WHOLE]
    assert bounds.rank(np.array([27.5])).tolist() == [3.5 * bounds.LARGEST_WHOLE]
    assert bounds.rank(np.array([math.inf])).tolist() == [math.inf]
    steps = np.sort(np.concatenate([np.linspace(-1, 60, 5001), 25 + np.linspace(-1e-9, 1e-9, 99)]))
    assert np.all(np.diff(bounds.rank(steps)) >= 0)


def test_limits_have_the_ranks_of_their_rounds():
    edge = int(bounds.LARGEST_WHOLE)
    for rounds in (edge - 1, edge, edge + 1, 3 * edge, 2**62):
        whole = rounds < edge
        assert bounds.rank_of(rounds) == (
            rounds if whole else bounds.rank(np.array([math.log(rounds)]))[0]
        )


@pytest.mark.parametrize("kind", NOISES)
def test_the_bar_may_be_put_nearer_only_beyond_a_thousand_scales(kind):
    scores = np.array([10, -500, 3])
    for grid, ratio in ((ONE, 7), (Fraction(1, 4), 28)):
        edge = 10 + bounds.FAR * ratio
        noise = kind(7)
        assert bounds.slack(scores, edge + 5, 1, noise, grid) == 5
        assert bounds.slack(scores, edge + 1, 1, noise, grid) == 1
        assert bounds.slack(scores, edge, 1, noise, grid) == 0
        assert bounds.slack(scores, edge - 5, 1, noise, grid) == 0
        assert bounds.slack(scores[:0], 10**9, 1, noise, grid) == 0
    third = kind(Fraction(7, 3))  # a thousand scales are 2333 steps and a third
    assert bounds.slack(scores, 10 + 2334 + 5, 1, third, ONE) == 5


@pytest.mark.parametrize("kind", NOISES)
def test_the_bar_is_put_for_those_who_decide_who_wins(kind):
    """One score far above all others is not what the bar is put for, unless it alone wins."""
    far = 10**13
    scores, noise = np.array([5, far, 7, 6]), kind(1)
    distance = bounds.distance(noise, ONE)
    for count, seen in ((1, far), (2, 7), (3, 6), (4, far), (5, far)):
        assert bounds.slack(scores, 10**14, count, noise, ONE) == 10**14 - seen - distance
    near = np.array([5, bounds.NEAR, 7, 6])
    assert bounds.slack(near, 10**14, 2, noise, ONE) == 10**14 - bounds.NEAR - distance


def test_at_the_edge_of_a_round_floats_do_not_decide():
    """E = H = 1: whether G is one or two lies in the last bits of V, far inside the margin."""
    edge = int((1 - 1 / math.e) * 2**64)
    words = np.array([edge + 2**20 * step for step in range(-4, 5)], dtype=np.uint64)
    gaps = np.zeros(len(words), dtype=np.int64)
    low, high = bounds.rank_bounds(Gumbel(3), ONE, gaps, words, 64)
    assert low.tolist() == [1] * len(words)
    assert high.tolist() == [2] * len(words)


def test_a_full_first_round_may_be_filled_by_those_who_come_last():
    """The first of two blocks has nobody for it."""
    scores = np.full(BLOCK + 8000, -100)
    scores[-200:] = 5
    rest = reference.seeded(6)

    def source(count):  # all first bits are zero: everyone may still win
        return bytes(count) if count == len(scores) else rest(count)

    found = race_in_order(scores, 0, count=5, noise=Exponential(1), grid=ONE, source=source)
    first = len(scores) - 200
    assert [(one.round, one.place) for one in found] == [(1, first + i) for i in range(5)]


def test_bounds_keep_their_digits_where_v_is_almost_one():
    """E = -ln(1 - V) is about 43 there, though in floats V is one."""
    words = np.array([2**64 - 2, 2**64 - 3, 2**64 - 10, 2**63, 2**63 - 1], dtype=np.uint64)
    low, high = bounds.rank_bounds(Gumbel(1), ONE, np.zeros(5, dtype=np.int64), words, 64)
    for place, word in enumerate(words.tolist()):
        ends = [64 * math.log(2) - math.log(2**64 - v) for v in (word, word + 1)]
        assert math.ceil(ends[0] - 1e-6) <= low[place] <= math.ceil(ends[0])
        assert math.ceil(ends[1]) <= high[place] <= math.ceil(ends[1] + 1e-6)
    low, high = bounds.rank_bounds(
        Gumbel(1), ONE, np.zeros(1, dtype=np.int64), np.array([2**64 - 1], dtype=np.uint64), 64
    )
    assert (low[0], high[0]) == (45, math.inf)


def test_exponential_noise_is_certain_up_to_gap_zero_and_not_beyond():
    gaps = np.array([-5, -1, 0, 1, 2])
    words = np.full(5, 2**64 - 2**50, dtype=np.uint64)  # E is about ten
    low, high = bounds.rank_bounds(Exponential(3), ONE, gaps, words, 64)
    assert high[:3].tolist() == [1, 1, 1]
    for place in (3, 4):
        exact = math.ceil(14 * math.log(2) / -math.log1p(-math.exp(-gaps[place] / 3)))
        assert low[place] == high[place] == exact > 1


def test_few_bits_bound_a_round_by_both_ends_of_what_v_may_be():
    """Three bits: E lies between -ln(1 - w/8) and -ln(1 - (w + 1)/8), and k is eight above ln E."""
    words = np.arange(8, dtype=np.uint64)
    low, high = bounds.rank_bounds(Gumbel(1), ONE, np.full(8, 8), words, 3)
    with np.errstate(divide="ignore"):
        ends = np.exp(8) * -np.log1p(-np.arange(9) / 8)
    assert low.tolist() == [max(1, math.ceil(end - 1e-5)) for end in ends[:8]]
    assert high[:7].tolist() == [math.ceil(end + 1e-5) for end in ends[1:8]]
    assert high[7] == math.inf


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("word_bits", [1, 3, 8])
def test_a_limit_is_decided_by_further_bits_where_the_first_leave_it_open(kind, word_bits):
    """Half of those asked twice are positive, however few bits are looked at first."""
    chance = 1 - math.sqrt(0.5)
    z = {Exponential: -math.log(chance), Laplace: -math.log(2 * chance)}.get(
        kind, -math.log(-math.log1p(-chance))
    )
    gaps, found = np.full(50, round(1000 * z)), 0
    for seed in range(40):
        found += len(
            race_in_order(
                -gaps, 0, count=50, noise=kind(1000), grid=ONE, rounds=2, word_bits=word_bits,
                source=reference.seeded(seed),
            )
        )  # fmt: skip
    assert abs(found - 1000) < 5 * math.sqrt(500)


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("rounds", [1, 2, 7, 60])
def test_a_limit_on_a_coarse_grid_is_kept_exactly(kind, rounds):
    """A step of the grid is as wide as the noise: bounds taken one step off would be wrong."""
    gaps = np.arange(-3, 9).repeat(4)
    for seed in range(12):
        slow = reference.rounds_of(gaps.tolist(), kind(1), ONE, reference.seeded(seed))
        expected = sorted((g, i) for i, g in enumerate(slow) if g <= rounds)
        found = race_in_order(
            -gaps.astype(object), 0, count=99, noise=kind(1), grid=ONE, rounds=rounds,
            source=reference.seeded(seed),
        )  # fmt: skip
        assert [(one.round, one.position) for one in found] == expected


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("z", [40, 10**4, 10**7])
def test_margins_grow_with_what_they_are_a_margin_of(kind, z):
    """A float of size z is off by 1e-16·z: a bound on k leaves more than that on each side."""
    word = np.array([2**63], dtype=np.uint64)
    low, high = bounds.rank_bounds(kind(1), ONE, np.array([z]), word, 64)
    log_hazard = -z - (math.log(2) if kind is Laplace else 0)  # to fifteen digits from here on
    k = math.log(math.log(2)) - log_hazard
    ends = [bounds.WHOLE + float(rank[0]) / bounds.LARGEST_WHOLE - 1 for rank in (low, high)]
    for margin in (k - ends[0], ends[1] - k):
        assert 0.9e-9 * z < margin < 1.2e-9 * (z + 5)


@pytest.mark.parametrize("last", [30.0, 10.0**4])
def test_the_margin_of_a_level_grows_with_its_limit(last):
    limit, scale, bits = bounds.LARGEST_WHOLE * (last - 24), 10**15, 8
    levels = bounds.levels(Gumbel(scale), ONE, 0, limit, bits)
    for word in (3, 100, 200):
        lowest = math.log(-math.log1p(-word / 2**bits))
        exact = (last - lowest) * scale
        margin = (-levels[word] - exact) / scale
        assert 0.9e-9 * last < margin < 1.2e-9 * (last + 5)
