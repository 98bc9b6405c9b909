"""From rows to every outcome: sums whose range crosses zero, on neighbouring small tables.

The question makes the plan, the engine the scores, and an enumeration the chances. Then a plan as
if sums only grew, which must be refuted.
"""

from __future__ import annotations

from itertools import product
from unittest import mock

import pytest

from overbar.frames import Question, measure, question_plan
from overbar.mechanisms import Reach
from tests.frames.engines import scores_of, table_of
from tests.reference.ranked import Law, losses

ITEMS = ["a", "b"]
#: Others have these rows. One more person has one row of each item, far outside of every range.
OTHERS = [("a", 1, 2.0), ("b", 1, -9.0), ("b", 2, 9.0), ("b", 3, 0.4)]
EXTREMES = (None, 9.0, -9.0)
FLOATS = 1e-4


def asked(ends, barred):
    """Return the question, with noise on scores of scale one if it is charged with the width.

    The correction is taken off the threshold again: the bar is at zero.
    """
    sums = {"item": "what", "person": "who", "value": {"much": ends}}
    sums |= {"catalogue": ITEMS, "cutoff": 1, "epsilon": 3}
    with mock.patch.object(
        question_plan, "SUM_STEPS", 2
    ):  # all ranges here have ends of two at most
        asked = Question.select(**sums, threshold=0) if barred else Question.top(**sums)
    assert asked.plan.grid == 1
    return asked


def worst_loss(ends, barred):
    """Return the largest loss over all neighbours and outcomes, by what is claimed."""
    plan = asked(ends, barred).plan
    bar = plan.bar and float(plan.bar.noise.scale)
    law = Law(float(plan.query_noise.scale), bar, plan.cutoff, level=0)
    worst = 0.0
    for extremes in product(EXTREMES, repeat=len(ITEMS)):
        own = [(item, 9, much) for item, much in zip(ITEMS, extremes, strict=True) if much]
        tables = [table_of(OTHERS), table_of([*OTHERS, *own])]
        both = [
            scores_of(table, grid=plan.grid, value="much", value_range=ends) for table in tables
        ]
        one, other = ([steps[item] for item in ITEMS] for steps in both)
        for pair in ((one, other), (other, one)):
            worst = max(worst, *losses(law, *pair).values())
    return worst - float(asked(ends, barred).guarantee.at())


@pytest.mark.parametrize("barred", [False, True], ids=["top", "select"])
@pytest.mark.parametrize("ends", [(-1, 2), (-2, 1), ("-0.7", 2)], ids=str)
def test_no_outcome_costs_more_than_the_question_says(ends, barred):
    assert -0.5 < worst_loss(ends, barred) <= FLOATS


def test_control_a_plan_as_if_sums_only_grew_is_refuted():
    def growing(_, high):
        return Reach(0, high)

    with mock.patch.object(measure, "reach_of_sums", growing):
        assert worst_loss((-1, 2), barred=False) > 0.5
