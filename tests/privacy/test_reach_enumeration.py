"""One person moves scores further up than down: every outcome of small runs, both directions.

Then claims that take the most for the width, which must be refuted.
"""

from fractions import Fraction
from itertools import product

import pytest

from overbar.mechanisms import Bar, RankedPlan, Reach, SparseVectorPlan
from overbar.noise import Exponential, Gumbel, Laplace
from tests.reference.ranked import Law as RankedLaw
from tests.reference.ranked import losses
from tests.reference.transcripts import Law, excess, worst_loss

REACHES = [Reach(-1, 2), Reach(-2, 1), Reach(-1, 3)]
#: What the tails that are left out leave uncertain, for balls and for floats.
SLACK, FLOATS = 1e-30, 1e-4
LEVEL = 2


def pairs(reach, bases):
    """All ways one more person can move the scores, and the way back."""
    steps = int(reach.low), 0, int(reach.high)
    both = [
        (scores, tuple(q + move for q, move in zip(scores, moves, strict=True)))
        for scores in bases
        for moves in product(steps, repeat=len(scores))
        if any(moves)
    ]
    return both + [(after, before) for before, after in both]


@pytest.mark.parametrize("reach", REACHES, ids=str)
@pytest.mark.parametrize("noise", [Exponential(4), Gumbel(4), Laplace(4)], ids=str)
def test_a_run_in_turn_costs_the_most_once_and_the_width_for_each(reach, noise):
    plan = SparseVectorPlan(noise, Bar(Laplace(5)), 2, reach)
    claim = reach.most / Fraction(5) + 2 * reach.width / Fraction(4)
    assert plan.pure() == claim
    worst = worst_loss(pairs(reach, [(3, 0, 1)]), Law(plan, LEVEL))
    assert excess(worst, claim) <= SLACK
    if type(noise) is Exponential:  # the twin: the most where the width is due
        narrow = reach.most / Fraction(5) + 2 * reach.most / Fraction(4)
        assert excess(worst, narrow) > 0.1


@pytest.mark.parametrize("reach", REACHES, ids=str)
@pytest.mark.parametrize(("bar", "cutoff"), [(None, 1), (None, 2), ("0.7", 1), ("0.7", 2)])
def test_the_highest_values_cost_the_width_for_each(reach, bar, cutoff):
    law = RankedLaw(1.0, bar and float(bar), cutoff, level=1)
    noise = None if bar is None else Bar(Exponential(bar))
    plan = RankedPlan(Exponential(1), noise, cutoff, reach)
    for before, after in pairs(reach, [(0, 1), (2, 0)]):
        for size, loss in losses(law, before, after).items():
            assert loss <= plan.pure(size) + FLOATS


def test_a_claim_for_one_direction_is_refuted_by_the_other():
    """The twin: as if scores moved in one direction alone, by the most."""
    reach = Reach(-1, 2)
    monotonic = RankedPlan(Exponential(1), None, 1, Reach(0, 2))
    law = RankedLaw(1.0, None, 1, level=0)
    worst = max(
        loss
        for before, after in pairs(reach, [(0, 1), (2, 0)])
        for loss in losses(law, before, after).values()
    )
    assert worst > monotonic.pure() + 0.05
