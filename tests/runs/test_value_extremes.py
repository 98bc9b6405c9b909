"""Values of scores of any size: no error and no work that depends on how large a score is."""

from fractions import Fraction

import numpy as np
import pytest
from flint import ctx

import overbar
from overbar.noise import Gaussian, Gumbel
from overbar.noise.grid_tails import ball
from overbar.sampling.enclosure import GUARD_BITS, exponential
from overbar.sampling.entropy import random_bits
from overbar.sampling.highest import fineness, highest
from tests.reference.plans import any_plan
from tests.reference.sampling import seeded

NOISE = Gumbel(Fraction(4))
FINE = Fraction(1, 64)


def plan(is_top):
    return any_plan(
        NOISE, Gaussian(Fraction(4)), Fraction(0), 2, grid=FINE, is_top=is_top,
        mechanism="ranked", counts=NOISE,
    )  # fmt: skip


@pytest.mark.parametrize(
    "scores",
    [[], [3], [5] * 6, [-(10**400)] * 3, [10**400, 1, 2, 3], [1e300, -1e300, 0], [2**62, 2**62, 9]],
    ids=["none", "one", "equal", "all low", "one far above", "floats", "beyond words"],
)
@pytest.mark.parametrize("is_top", [True, False])
def test_no_score_raises_an_error(scores, is_top):
    """Also where NumPy was told to raise, as a caller may have."""
    with np.errstate(all="raise"):
        if is_top:
            found = overbar.top(scores, plan=plan(True))
            assert len(found) == min(2, len(scores))
        else:
            found = overbar.select(scores, plan=plan(False), threshold=0)
    assert len(found.counts) == len(found)


def value_drawn(score, source):
    (found,) = highest(
        np.array([score], dtype=object), count=1, noise=NOISE, grid=FINE, source=source
    )
    return found.value // fineness(NOISE, FINE)


def value_of_all_digits(score, source):
    """The broken twin: score and noise are rounded together, to as many bits as the score has."""
    bits, known, word = 64, 0, 0
    while True:
        word, known = word << bits - known | random_bits(bits - known, source), bits
        with ctx.workprec(bits + GUARD_BITS):
            value = score - exponential(word, bits).log() * ball(NOISE.scale / FINE)
            exact = value.floor().unique_fmpz() if value.is_finite() else None
        if exact is not None:
            return int(exact)
        bits *= 2


@pytest.mark.parametrize("seed", range(5))
def test_a_value_takes_as_many_bits_whatever_the_score(seed):
    def drawn(score, way):
        source, asked = seeded(seed), []

        def counting(size):
            asked.append(size)
            return source(size)

        return way(score, counting) - score, asked

    small, large = 7, 10**2000
    assert drawn(small, value_drawn) == drawn(large, value_drawn)
    (one, few), (other, many) = (drawn(score, value_of_all_digits) for score in (small, large))
    assert one == other
    assert sum(few) < sum(many)
