"""What an outcome of ranked selection costs."""

from fractions import Fraction

from overbar.accounting.pure import ranked_epsilon


def test_outcomes_cost_what_the_theorem_says():
    cost = {"cutoff": 3, "each": Fraction(1, 4), "bar": Fraction(1, 2)}
    found = [ranked_epsilon(k, **cost) for k in (0, 1, 2, 3, None)]
    assert found == [Fraction(k, 4) for k in (2, 3, 4, 3, 4)]
    assert ranked_epsilon(None, cutoff=3, each=Fraction(1, 4), bar=None) == Fraction(3, 4)
