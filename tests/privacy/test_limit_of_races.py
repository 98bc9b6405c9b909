"""Ranked selection with Gumbel noise is the limit of races, as `docs/theory/ranked.md` proves."""

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.noise import Gumbel

SCALE = Fraction(4)
NOISE = Gumbel(SCALE)
#: Bar less score of two candidates.
GAPS = (3.0, -1.0)


def ranked(gaps):
    """The law of the labels in order of two candidates, from their exponential moments."""
    first, second = (math.exp(-gap / float(SCALE)) for gap in gaps)
    total = first + second
    early = -math.expm1(-total)

    def before(one, other):  # one comes first, and both in time
        return one / total * early - math.exp(-other) * -math.expm1(-one)

    return {
        (): math.exp(-total),
        (0,): -math.expm1(-first) * math.exp(-second),
        (1,): -math.expm1(-second) * math.exp(-first),
        (0, 1): before(first, second),
        (1, 0): before(second, first),
    }


def raced(gaps, rounds, lift=1.0):
    """The same of a run that asks so many rounds at a bar higher by lift·s·ln R."""
    raised = np.array(gaps) + lift * float(SCALE) * math.log(rounds)
    missed = np.exp(np.multiply.outer(NOISE.logcdf(raised), np.arange(rounds + 1)))
    first, second = -np.diff(missed)
    later = np.cumsum(second[::-1])[::-1]  # in this round or after it: place decides in one round
    both = float(first @ later)
    ends = missed[:, -1]
    return {
        (): ends[0] * ends[1],
        (0,): (1 - ends[0]) * ends[1],
        (1,): (1 - ends[1]) * ends[0],
        (0, 1): both,
        (1, 0): (1 - ends[0]) * (1 - ends[1]) - both,
    }


def distance(rounds, lift=1.0):
    one, other = ranked(GAPS), raced(GAPS, rounds, lift)
    assert sum(one.values()) == pytest.approx(1)
    return sum(abs(one[labels] - other[labels]) for labels in one) / 2


@pytest.mark.parametrize("rounds", [1, 7, 1000])
def test_the_round_is_the_moment_rounded_up(rounds):
    """P(found by round n) = P(t <= n/R): of a query at any gap, with no limit taken."""
    for gap in (-9.0, 0.0, 2.5, 40.0):
        raised = np.array(gap + float(SCALE) * math.log(rounds))
        moment = math.exp(-gap / float(SCALE))
        for asked in (1, 3, rounds):
            still_negative = math.exp(asked * float(NOISE.logcdf(raised)))
            assert still_negative == pytest.approx(math.exp(-moment * asked / rounds), rel=1e-9)


def test_labels_tend_to_those_of_ranked_selection():
    far, near = distance(10), distance(10_000)
    assert far > 0.01
    assert near < 1e-4
    assert near == pytest.approx(far / 1000, rel=0.2)  # ties in one round are all that differs


def test_a_bar_that_is_raised_by_less_has_another_limit():
    assert distance(10_000, lift=0.9) > 0.1
