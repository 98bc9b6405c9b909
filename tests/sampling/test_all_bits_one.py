"""A runner whose bits so far are all 1: V may still be 1, so nothing is known of its round yet.

It comes once in 2^64 runners. The order is by (round, position) all the same.
"""

import math

import pytest

from overbar.noise import Exponential, Gumbel, Laplace
from tests.reference.sampling import runner_at

ONES = 2**64 - 1


def runner(gap, position, word, noise):
    """The first 64 bits are those of the word, and all that follow are 0."""
    return runner_at(gap, position, noise=noise, source=bytes, word=word, bits=64)


def word_of(target, gap, noise):
    """Return a word with which a runner at this gap has the target for its round."""
    hazard = math.exp(float(noise.log_hazard(float(gap))))
    return int(-math.expm1(-(target - 0.5) * hazard) * 2**64)


@pytest.mark.parametrize("noise", [Exponential(5), Laplace(5), Gumbel(5)])
@pytest.mark.parametrize("position", [0, 2])
@pytest.mark.parametrize("ahead", [-30, -2, -1, 0, 1, 2, 30])
def test_it_is_put_in_order_like_any_other(noise, position, ahead):
    def late():
        return runner(8, 1, ONES, noise)

    target = late().round - ahead
    word = word_of(target, 12, noise)

    def other():
        return runner(12, position, word, noise)

    assert other().round == target
    expected = (target, position) < (late().round, 1)
    assert (other() < late()) is expected
    assert (late() < other()) is not expected
