"""Where one person moves m scores, a batch race over a bare threshold costs as m positives do.

All outcomes of small races with their rounds, against the bare theorems with min(c, m) for c. Twins
count one moved score too few, or ask a query again after it was positive.
"""

import math
from fractions import Fraction

import pytest

from overbar.noise import Gumbel, Laplace
from tests.reference.claims import delta_of, race_proofs
from tests.reference.histogram import hockey_stick, moves
from tests.reference.plans import any_plan, other_plan
from tests.reference.race_outcomes import asked_forever, race_outcomes
from tests.reference.runs import log_distribution

LEVELS = (0.0, 0.1, 0.3, 0.6, 1.0, 1.5)


def hazards(noise, gaps):
    return [-float(log_distribution(noise.name, gap / float(noise.scale))) for gap in gaps]


def claim(plan, level):
    """The δ of the one race of a bare plan."""
    (proof,) = race_proofs(plan)
    return delta_of(proof, level)


def excess(noise, gaps, cutoff, rounds, moved, counted, monotonic):
    """The largest δ over its claim, over all ways to move so many scores by one."""
    plan = any_plan(noise, None, 0, cutoff, monotonic=monotonic, rounds=None)
    claimed = other_plan(plan, cutoff=min(cutoff, counted))
    before = race_outcomes(hazards(noise, gaps), cutoff, rounds)
    worst = 0.0
    for move in moves(len(gaps), moved, 1):
        if monotonic and min(move) < 0 < max(move):
            continue
        after = race_outcomes(
            hazards(noise, [gap + d for gap, d in zip(gaps, move, strict=True)]), cutoff, rounds
        )
        for level in LEVELS:
            bound = claim(claimed, level)
            for pair in ((before, after), (after, before)):
                if bound > 1e-9:
                    worst = max(worst, hockey_stick(*pair, level) / bound)
    return worst


@pytest.mark.parametrize("monotonic", [True, False])
@pytest.mark.parametrize("noise", [Gumbel(Fraction(3, 2)), Laplace(Fraction(2))], ids=str)
@pytest.mark.parametrize("moved", [1, 2])
@pytest.mark.parametrize("cutoff", [1, 2])
def test_the_bare_theorems_hold_with_the_fewer_of_both(noise, moved, cutoff, monotonic):
    far = 5 if noise.name == "gumbel" else 4
    assert excess(noise, (far, far + 1), cutoff, 24, moved, moved, monotonic) <= 1 + 1e-9
    assert excess(noise, (0, 2, 1), cutoff, 7, moved, moved, monotonic) <= 1 + 1e-9


def test_the_bound_for_one_moved_score_is_nearly_attained():
    """One query that moves and nothing else: many rounds of a tiny hazard."""
    noise = Gumbel(Fraction(3, 2))
    assert 0.9 < excess(noise, (5,), 2, 400, 1, 1, True) <= 1


def test_two_moved_scores_counted_as_one_are_caught():
    noise = Gumbel(Fraction(3, 2))
    assert excess(noise, (5, 5), 2, 60, 1, 1, True) <= 1
    assert excess(noise, (5, 5), 2, 60, 2, 1, True) > 1.1


def test_a_query_that_is_asked_again_after_a_positive_is_caught():
    """Online, one moved score can pay for every positive: there c counts and m does not."""
    noise = Gumbel(Fraction(3, 2))
    plan = any_plan(noise, None, 0, 2, monotonic=True, rounds=None)
    before, after = (asked_forever(h, 2, 60) for h in hazards(noise, (5, 4)))
    worst = {
        counted: max(
            hockey_stick(*pair, level) / claim(other_plan(plan, cutoff=counted), level)
            for level in LEVELS
            for pair in ((before, after), (after, before))
        )
        for counted in (1, 2)
    }
    assert worst[2] <= 1
    assert worst[1] > 1.1
    assert math.isfinite(worst[1])
