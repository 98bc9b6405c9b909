"""What a race does by floats: bounds hold, and no error of a float decides who wins."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overbar.noise import Exponential, Gumbel, Laplace
from overbar.sampling import bounds
from overbar.sampling.integers import HIGHEST
from tests.reference import sampling as reference
from tests.reference.sampling import race_in_order, runner_at

NOISES = (Exponential, Laplace, Gumbel)
ONE = Fraction(1)


def test_levels_pass_all_that_may_win():
    """The inequality behind the sieve, ln H <= -z + excess, at 80 digits."""

    for kind, excess, start in (
        (Exponential, "0.25", 100),
        (Laplace, "-0.3", -900),
        (Gumbel, 0, -900),
    ):
        for gap in range(start, 900, 7):
            log_hazard = mpmath.log(reference.hazard(kind(100), ONE, gap))
            assert log_hazard <= -mpmath.mpf(gap) / 100 + mpmath.mpf(excess) + mpmath.mpf(10) ** -14


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(NOISES),
    ratio=st.sampled_from([Fraction(1, 1000), Fraction(3), Fraction(10) ** 5, Fraction(10) ** 20]),
    z=st.floats(-30, 200),
    bits=st.sampled_from([1, 3, 8, 64]),
    word=st.integers(0, 2**64 - 1),
    seed=st.integers(0, 2**32),
)
def test_bounds_hold(kind, ratio, z, bits, word, seed):
    """G lies between its bounds by floats, whatever the bits still to come."""
    gap = round(Fraction(z) * ratio)
    noise, word = kind(ratio), word >> (64 - bits)
    gaps = np.array([gap], dtype=np.int64 if abs(gap) < HIGHEST else object)
    words = np.array([word], dtype=np.uint64)
    low, high = bounds.rank_bounds(noise, ONE, gaps, words, bits)
    one = bounds_runner(gap, noise, word, bits, seed)
    assert low[0] >= 1
    if high[0] < bounds.LARGEST_WHOLE:
        assert one.reaches(int(high[0]))
    elif high[0] < 600 * bounds.LARGEST_WHOLE:
        log_round = bounds.WHOLE + (high[0] / bounds.LARGEST_WHOLE - 1)
        assert one.reaches(int(np.ceil(np.exp(log_round))))
    if low[0] < bounds.LARGEST_WHOLE:
        assert not one.reaches(int(low[0]) - 1)
    elif low[0] < 600 * bounds.LARGEST_WHOLE:
        log_round = bounds.WHOLE + (low[0] / bounds.LARGEST_WHOLE - 1)
        assert not one.reaches(int(np.floor(np.exp(log_round))) - 1)


def test_ranks_of_limits():
    small = [0, 1, 2, 10**9, 7 * 10**10]
    assert [bounds.rank_of(limit) for limit in small] == small
    large = [int(bounds.LARGEST_WHOLE) + 1, 10**12, 10**15, 2**62]
    assert np.all(np.diff([bounds.rank_of(limit) for limit in large]) > 0)
    assert float(bounds.rank_of(10**1000)) == pytest.approx(
        bounds.LARGEST_WHOLE * (1000 * np.log(10) - 24)
    )
    assert bounds.rank_of(None) == np.inf


def bounds_runner(gap, noise, word, bits, seed):
    source = reference.seeded(seed)
    return runner_at(gap, 0, noise=noise, grid=ONE, source=source, word=word, bits=bits)


@pytest.mark.parametrize("kind", NOISES)
def test_floats_may_be_wrong_by_a_tenth_of_a_billionth(kind, monkeypatch):
    """The same bits give the same race: the margin is ten times wider than this error."""
    noise = kind(9)
    scores = np.random.default_rng(8).integers(-60, 60, 5000)

    def outcomes():
        return [
            [
                (one.round, one.position)
                for one in race_in_order(
                    scores,
                    base,
                    count=15,
                    noise=noise,
                    grid=ONE,
                    rounds=rounds,
                    source=reference.seeded(seed),
                )
            ]
            for seed in range(8)
            for base in (0, 300)
            for rounds in (None, 3)
        ]

    before = outcomes()
    true = kind.log_hazard
    for error in (1e-10, -1e-10):
        poisoned = lambda self, x, error=error: true(self, x) * (1 + error)  # noqa: E731
        monkeypatch.setattr(kind, "log_hazard", poisoned)
        assert outcomes() == before
    # Control: a gross error does change what comes out.
    monkeypatch.setattr(kind, "log_hazard", lambda self, x: true(self, x) * 2)
    assert outcomes() != before


def orders_far_below(kind, digits):
    """The orders in which two equal scores far below a third are found."""
    scores = np.array([0, -(10**digits), -(10**digits)], dtype=object)
    found = (
        race_in_order(scores, 0, count=3, noise=kind(1), grid=ONE, source=reference.seeded(seed))
        for seed in range(30)
    )
    return {tuple(runner.place for runner in runners) for runners in found}


@pytest.mark.parametrize("kind", NOISES)
def test_floats_that_overflow_do_not_decide(kind, monkeypatch):
    """The draws say who is first, and not who stands first."""
    for digits in (290, 297, 298, 299, 300, 305):
        assert orders_far_below(kind, digits) == {(0, 1, 2), (0, 2, 1)}
    monkeypatch.setattr(bounds, "LARGEST_FLOAT", float("inf"))
    assert orders_far_below(kind, 299) == {(0, 1, 2)}  # as it was
