"""Whose noisy value reaches a bar: as a slow draw on the same bits says, and with the right law."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from overbar.noise import Gaussian, Laplace
from overbar.noise.grid_tails import grid_tail
from overbar.plans.key_plans import STEPS
from overbar.sampling.highest import reaching
from tests.frozen.chi_square import FALSE_ALARM
from tests.reference.histogram import Tails
from tests.reference.sampling import seeded

ONE = Fraction(1)


@pytest.mark.parametrize("noise", [Gaussian(Fraction(7, 3)), Laplace(Fraction(5, 2))])
@pytest.mark.parametrize("bar", [-3, 0, 4])
def test_it_is_the_slow_draw_on_the_same_bits(noise, bar):
    scores = np.arange(-5, 9, dtype=np.int64).repeat(60)
    found = reaching(scores, bar, noise=noise, grid=ONE, source=seeded(2))
    words = np.frombuffer(seeded(2)(8 * len(scores)), dtype=np.uint64)
    tails = Tails(noise, ONE)
    for score, word, above in zip(scores.tolist(), words.tolist(), found.tolist(), strict=True):
        low, high = (tails.noise(mpmath.mpf(w) / 2**64) for w in (word + 1, word))
        if low == high:
            assert above == (score + low >= bar)


@pytest.mark.parametrize("word_bits", [1, 3, 8, 64])
def test_few_bits_are_enough_where_more_are_drawn(word_bits):
    """The law is the same however many bits are looked at first."""
    noise, size, bar = Gaussian(Fraction(3, 2)), 4000, 2
    found = reaching(
        np.zeros(size, np.int64), bar, noise=noise, grid=ONE, source=seeded(3), word_bits=word_bits
    )
    chance = float(grid_tail(noise, ONE, bar, 64).mid())
    assert stats.binomtest(int(found.sum()), size, chance).pvalue > FALSE_ALARM
    # The control: as if what is equal to the bar did not reach it.
    less = float(grid_tail(noise, ONE, bar + 1, 64).mid())
    assert stats.binomtest(int(found.sum()), size, less).pvalue < FALSE_ALARM


def test_a_fine_grid_and_sums_that_no_word_holds():
    noise, grid = Gaussian(Fraction(9, 2)), Fraction(1, STEPS)
    far = np.array([2**62, 30 * STEPS, 10 * STEPS, -(2**62)], dtype=np.int64).repeat(3000)
    found = reaching(far, 20 * STEPS, noise=noise, grid=grid, source=seeded(4)).reshape(4, -1)
    assert found[0].all()
    assert not found[3].any()
    for row, gap in ((1, -10), (2, 10)):
        chance = float(grid_tail(noise, grid, gap * STEPS, 64).mid())
        assert stats.binomtest(int(found[row].sum()), 3000, chance).pvalue > FALSE_ALARM


def test_nobody_is_drawn_for_nothing():
    assert reaching(np.zeros(0, np.int64), 1, noise=Gaussian(ONE), grid=ONE).tolist() == []
