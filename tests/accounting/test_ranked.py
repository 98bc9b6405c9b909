"""The scales of ranked selection keep the budget exactly, and no other pair spreads less."""

from fractions import Fraction

import pytest

from overbar.accounting.ranked import least_spread, ranked_epsilon


@pytest.mark.parametrize("cutoff", [1, 2, 5, 50, 500])
@pytest.mark.parametrize("shift", [1, 2])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(7, 3)])
def test_the_best_pair_keeps_the_budget(cutoff, shift, epsilon):
    one = Fraction(1)
    scale, bar = least_spread(epsilon, cutoff=cutoff, sensitivity=one, query_shift=Fraction(shift))
    each = shift / scale
    assert ranked_epsilon(None, cutoff=cutoff, each=each, bar=1 / bar) == epsilon
    # A control: a little less noise on the scores would not keep it.
    assert ranked_epsilon(None, cutoff=cutoff, each=each * 2, bar=1 / bar) > epsilon
    free = shift * cutoff / epsilon, cutoff / epsilon  # the bar for nothing
    assert scale**2 + bar**2 <= (free[0] ** 2 + free[1] ** 2) * (1 + Fraction(1, 10**6))


def test_outcomes_cost_what_the_theorem_says():
    cost = {"cutoff": 3, "each": Fraction(1, 4), "bar": Fraction(1, 2)}
    found = [ranked_epsilon(k, **cost) for k in (0, 1, 2, 3, None)]
    assert found == [Fraction(k, 4) for k in (2, 3, 4, 3, 4)]
    assert ranked_epsilon(None, cutoff=3, each=Fraction(1, 4), bar=None) == Fraction(3, 4)
