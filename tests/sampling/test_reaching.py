"""Whose noisy value reaches a bar: as a slow draw on the same bits says, and with the right law."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from overbar.mechanisms.key_values import STEPS
from overbar.noise import Gaussian, Laplace
from overbar.noise.grid_tails import grid_tail
from overbar.sampling.bernoulli import is_positive, noise_table, positives_above
from overbar.sampling.entropy import system
from tests.frozen.chi_square import FALSE_ALARM
from tests.reference.histogram import Tails
from tests.reference.sampling import seeded

ONE = Fraction(1)


def reaching(scores, bar, *, noise, grid, source=system, word_bits=16):
    """Whether each score with noise on the grid is at least the bar."""
    table = noise_table(noise, grid, word_bits, floored=False)
    found = np.zeros(len(scores), dtype=bool)
    found[positives_above(scores, bar, table, source)] = True
    return found


@pytest.mark.parametrize("noise", [Gaussian(Fraction(7, 3)), Laplace(Fraction(5, 2))])
@pytest.mark.parametrize("bar", [-3, 0, 4])
def test_it_is_the_slow_draw_on_the_same_bits(noise, bar):
    tails, table, sure = Tails(noise, ONE), noise_table(noise, ONE, 12, floored=False), 0
    for word in range(0, 1 << 12, 7):
        low, high = (tails.noise(mpmath.mpf(w) / 2**12) for w in (word + 1, word))
        for score in range(-5, 9) if low == high else ():
            above = is_positive(bar - score, word, table, None)  # not a bit more is needed
            assert above == (score + low >= bar)
            sure += 1
    assert sure > 5000


@pytest.mark.parametrize("word_bits", [1, 3, 8, 16])
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
