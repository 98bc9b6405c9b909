"""Bounds of noise hold and are tight, and every draw equals the slow one on the same bits."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.errors import ScoreError
from overbar.noise import Exponential, Gumbel, Laplace
from overbar.sampling import bernoulli
from overbar.sampling.bernoulli import draw_positive, noise_table, positive_drawer, positives_above
from overbar.sampling.integers import HIGHEST, LOWEST
from overbar.sampling.on_grid import OnGrid, word_bounds
from tests.reference import sampling as reference
from tests.reference.sampling import positives_at

pytestmark = pytest.mark.one_in(5)

NOISES = (Exponential, Laplace, Gumbel)
ONE = Fraction(1)

ratios = st.builds(
    lambda digits, exponent: Fraction(digits, 1000) * Fraction(10) ** exponent,
    st.integers(1000, 9999),
    st.integers(-6, 15),
)


cut = cache(reference.cut)


def bounds_hold(table, word, noise, grid):
    """Whether a word's bounds hold the noise; and by how many steps each is wider than need be."""
    size = 1 << table.word_bits
    least = cut(noise, grid, Fraction(word + 1, size)) if word + 1 < size else None
    most = cut(noise, grid, Fraction(word, size)) if word else None
    if isinstance(noise, Laplace) and 2 * word == size:
        most = -1  # N >= 0 iff U < 1/2, so that U = 1/2 is not enough
    low = 0 if least is None else least - table.low[word]
    high = 0 if most is None else table.high[word] - most
    return min(low, high) >= 0, low + high


@settings(max_examples=60, deadline=None)
@given(kind=st.sampled_from(NOISES), ratio=ratios, grid=st.fractions(Fraction(1, 50), 50))
def test_bounds_hold_the_slow_ones_and_are_tight(kind, ratio, grid):
    noise = kind(ratio * grid)
    table = noise_table(noise, grid, 4)
    assert table.high[0] == math.inf
    assert table.low[-1] == (0 if kind is Exponential else -math.inf)
    for word in range(16):
        held, wider = bounds_hold(table, word, noise, grid)
        assert held
        assert wider <= 2 * (1 + math.ceil(ratio / 10**8))


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("ratio", [Fraction(1, 10**6), Fraction(7, 3), Fraction(5000), 10**13])
def test_bounds_of_full_words(kind, ratio):
    noise, loose = kind(ratio), 0
    table = noise_table(noise, ONE)
    assert len(table.low) == len(table.high) == 65536
    assert all(table.high[t] >= table.high[t + 1] for t in range(65535))
    assert all(table.high[t] >= table.low[t] >= table.low[t + 1] for t in range(65535))
    for word in [1, 2, 3, 77, 255, 256, 32766, 32767, 32768, 50001, 65279, 65280, 65534]:
        held, wider = bounds_hold(table, word, noise, ONE)
        assert held
        loose += wider > 0
    assert loose == 0 or ratio > 10**6


def test_bounds_beyond_int64_stay_exact_and_are_clipped():
    noise = Laplace(10**20)
    table = noise_table(noise, ONE, 6)
    assert abs(table.high[1] - reference.cut(noise, ONE, Fraction(1, 64))) <= 1
    assert table.high[1] > HIGHEST
    assert table.highs[1] == HIGHEST
    assert table.low[62] < LOWEST
    assert table.lows[62] == LOWEST
    assert not table.lows.flags.writeable


@pytest.mark.parametrize("word_bits", [3, 16])
@pytest.mark.parametrize("kind", NOISES)
def test_scalar_draws_equal_the_slow_ones(kind, word_bits):
    noise, grid = kind(Fraction(11, 2)), Fraction(1, 2)
    table = noise_table(noise, grid, word_bits)
    fast, slow = reference.seeded(word_bits), reference.seeded(word_bits)
    gaps = [*np.random.default_rng(0).integers(-40, 120, 600).tolist(), -(10**30), 10**30, 0]
    for gap in gaps:
        answer = reference.positive(gap, noise, grid, slow, first=word_bits)
        assert draw_positive(gap, table, fast) == answer
    assert fast(8) == slow(8)  # not a bit more was taken


@pytest.mark.parametrize("kind", NOISES)
def test_each_word_drawn_ahead_decides_once(kind):
    """All words of three bits come once: so many answers are sure as there are sure words."""
    table = noise_table(kind(Fraction(11, 2)), ONE, 3)
    words = bytes(word << 5 for word in range(8))
    refined = iter([bytes([255] * 8), bytes(8)] * 80)
    for gap in (-3, 0, 2, 9):
        requests = []

        def source(count, requests=requests):
            requests.append(count)
            return words if count == 8 and len(requests) == 1 else next(refined)

        draw = positive_drawer(table, source, ahead=8)
        answers = [draw(gap) for _ in range(8)]
        sure = [gap <= table.low[word] for word in range(8)]
        open_ = [not yes and gap <= table.high[word] for word, yes in enumerate(sure)]
        assert len(requests) == 1 + sum(open_)
        assert sum(sure) <= sum(answers) <= sum(sure) + sum(open_)


def test_an_interrupted_draw_loses_its_word_and_uses_none_twice(monkeypatch):
    table = noise_table(Laplace(5), ONE, 3)
    drawn = positive_drawer(table, lambda count: bytes([0, 32, 64, 96])[:count], ahead=4)
    strikes = iter([KeyboardInterrupt])

    def struck(gap, word, *_):
        words.append(word)
        raise next(strikes, ValueError)

    words = []
    monkeypatch.setattr(bernoulli, "_refine", struck)
    undecided = [table.low[word] + 1 for word in (3, 2)]
    with pytest.raises(KeyboardInterrupt):
        drawn(undecided[0])
    with pytest.raises(ValueError):
        drawn(undecided[1])
    assert words == [3, 2]


@pytest.mark.parametrize("word_bits", [1, 2, 3, 16])
@pytest.mark.parametrize("kind", NOISES)
def test_vector_draws_equal_the_slow_ones(kind, word_bits):
    noise, grid = kind(Fraction(11, 2)), Fraction(1, 2)
    table = noise_table(noise, grid, word_bits)
    fast, slow, third = (reference.seeded(word_bits) for _ in range(3))
    gaps = np.random.default_rng(1).integers(-40, 120, 700)
    expected = reference.positives(gaps.tolist(), noise, grid, slow, word_bits)
    assert positives_at(gaps, table, fast).tolist() == expected
    assert positives_above(1000 - gaps, 1000, table, third).tolist() == expected
    assert fast(8) == slow(8) == third(8)


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(NOISES),
    scores=st.lists(
        st.integers(-5, 5) | st.sampled_from([LOWEST + 1, LOWEST + 2, HIGHEST - 2, HIGHEST - 1]),
        min_size=1,
        max_size=30,
    ),
    offset=st.integers(-60, 60),
    centre=st.sampled_from([0, LOWEST, HIGHEST, 1 << 62, -(1 << 62), 10**25]),
    ratio=st.sampled_from([Fraction(10), Fraction(10) ** 18, Fraction(10) ** 20]),
    seed=st.integers(0, 2**32),
)
def test_no_wrap_around(kind, scores, offset, centre, ratio, seed):
    """Scores and thresholds at the ends of int64 and beyond, against Python ints."""
    noise, base = kind(ratio), centre + offset
    table = noise_table(noise, ONE, 6)
    expected = reference.positives(
        [base - score for score in scores], noise, ONE, reference.seeded(seed), 6
    )
    found = positives_above(np.array(scores), base, table, reference.seeded(seed))
    assert found.tolist() == expected


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("base", [LOWEST, 0, HIGHEST, 10**19])
@pytest.mark.parametrize("score", [LOWEST, HIGHEST])
def test_the_ends_of_the_scores(kind, base, score):
    """Where a level does not fit in int64 these two may draw bits that they do not need."""
    noise = kind(10**20)
    table = noise_table(noise, ONE, 6)
    for seed in range(100):
        source = reference.seeded(seed)
        expected = reference.positives([base - score], noise, ONE, source, 6)
        found = positives_above(np.array([score]), base, table, reference.seeded(seed))
        assert found.tolist() == expected


def test_gaps_beyond_int64_come_as_ints():
    noise = Gumbel(10**20)
    table = noise_table(noise, ONE)
    gaps = np.array([10**20 * k // 4 for k in range(-20, 60)], dtype=object)
    fast, slow = reference.seeded(9), reference.seeded(9)
    expected = [i for i, gap in enumerate(gaps) if reference.positive(gap, noise, ONE, slow)]
    assert positives_at(gaps, table, fast).tolist() == expected
    large = np.array([2**64 - 1, 0], dtype=np.uint64)
    assert positives_at(large, noise_table(Exponential(1), ONE)).tolist() == [1]


def all_hold(noise, wrong, monkeypatch):
    """Whether all bounds of 8 bits hold where the real number that floats find is wrong so."""
    true = OnGrid._size
    with monkeypatch.context() as patch:
        patch.setattr(
            OnGrid, "_size", lambda law, end: (wrong(true(law, end)[0]), true(law, end)[1])
        )
        word_bounds.cache_clear()
        table = noise_table.__wrapped__(noise, ONE, 8)
        held = all(bounds_hold(table, word, noise, ONE)[0] for word in range(0, 256, 5))
    word_bounds.cache_clear()
    return held


@pytest.mark.parametrize("kind", NOISES)
def test_floats_may_be_wrong_by_a_tenth_of_a_billionth(kind, monkeypatch):
    """The margin is ten times wider than this error, relative or of a scale."""
    for ratio in (Fraction(1, 3), ONE, Fraction(50), Fraction(10**7), Fraction(10) ** 10):
        for error in (1e-10, -1e-10):
            for wrong in (lambda x: x * (1 + error), lambda x: x + error * float(ratio)):  # noqa: B023
                assert all_hold(kind(ratio), wrong, monkeypatch)
        # Control: an error beyond the margin is not absorbed, so the bounds do rest on the floats.
        assert not all_hold(kind(ratio), lambda x: x * 1.01, monkeypatch) or ratio <= 1


@pytest.mark.parametrize("gap", [0, -1, -1000, -(10**30)])
def test_exponential_noise_is_positive_up_to_gap_zero(gap):
    table = noise_table(Exponential(3), ONE)
    for source in (bytes, lambda count: b"\xff" * count):
        assert draw_positive(gap, table, source)
        assert positives_at(np.array([gap] * 3), table, source).tolist() == [0, 1, 2]


def test_a_table_is_made_once_and_shows_public_numbers_only():
    assert noise_table(Gumbel(3), ONE) is noise_table(Gumbel("3"), Fraction(1))
    with pytest.raises(AttributeError):
        noise_table(Gumbel(3), ONE).word_bits = 3
    assert repr(noise_table(Gumbel(3), ONE)) == "NoiseTable(Gumbel(scale='3'), grid='1')"


def test_scores_must_be_whole_numbers():
    table = noise_table(Gumbel(3), ONE)
    for wrong in (np.array([1.0]), np.array([[1]]), np.array([True]), np.array(["1"])):
        with pytest.raises(ScoreError, match="one-dimensional array of ints"):
            positives_at(wrong, table)
    assert positives_at(np.array([], dtype=np.int64), table).tolist() == []
    assert positives_at(np.array([-100], dtype=np.int8), table, bytes).tolist() == [0]


def test_undecided_words_are_refined(monkeypatch):
    """A word whose bounds leave it open is looked at with more bits, and only then."""
    asked = []
    true = bernoulli.settle

    def watched(word, bits, probability, source):
        asked.append(word)
        return true(word, bits, probability, source)

    monkeypatch.setattr(bernoulli, "settle", watched)
    table = noise_table(Laplace(4), ONE, 3)
    level = float(reference.survival(Laplace(4), ONE, 2)) * 8  # 2.43: word 2 is undecided
    for word in range(8):
        draw_positive(2, table, lambda count, word=word: bytes([word << 5] * count))
    assert asked == [2] == [int(level)]


@pytest.mark.parametrize("word_bits", [1, 7, 8, 9, 12])
def test_words_of_any_length_take_whole_bytes(word_bits):
    table = noise_table(Laplace(4), ONE, word_bits)
    fast, slow = reference.seeded(word_bits), reference.seeded(word_bits)
    for gap in range(-9, 20):
        answer = reference.positive(gap, Laplace(4), ONE, slow, first=word_bits)
        assert draw_positive(gap, table, fast) == answer
