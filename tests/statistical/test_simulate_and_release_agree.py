"""On the same plan, the seeded simulation and the exact release engine have the same law.

The release draws on a grid and the simulation in the continuum, so the plan has a fine grid. Two
samples of what was selected, in the order found, are compared by chi-square; against a plan that
differs in one detail the same test must reject.
"""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from overbar.mechanism.batch_run import BatchRun
from overbar.mechanism.finders import Batch
from overbar.mechanism.scores import Ruler
from overbar.simulation import simulate
from tests.queue_plans import queue_plan
from tests.reference.sampling import seeded
from tests.statistical.chi_square import FALSE_ALARM, MORE

pytestmark = pytest.mark.one_in(3)

RUNS = 1500 * MORE
SCORES = (2, -1, 0, -3)
THRESHOLD = 1


def small_plan(**changes):
    wanted = {
        "epsilon": 2, "cutoff": 2, "monotonic": True, "rounds": 3, "correction": 1,
        "allocation": 1, "grid": "1/256",
    } | changes  # fmt: skip
    return queue_plan(**wanted)


def released(plan):
    level = int((THRESHOLD + plan.correction) / plan.grid)
    batch = [Batch(Ruler.of(plan.grid).many(SCORES), None)]
    contest, source = BatchRun(plan, level), seeded(8)
    return [contest.run(batch, source).indices for _ in range(RUNS)]


def simulated(plan):
    found = simulate(plan, np.array(SCORES), threshold=THRESHOLD, runs=RUNS, seed=9)
    return [tuple(run.tolist()) for run in found.selected]


def p_value(first, second):
    """Return the p-value of two samples having one law; rare outcomes are pooled."""
    counts = [Counter(sample) for sample in (first, second)]
    common = [key for key in counts[0] | counts[1] if sum(count[key] for count in counts) >= 10]
    table = [[count[key] for key in common] for count in counts]
    rest = [len(first) - sum(table[0]), len(second) - sum(table[1])]
    if sum(rest) >= 10:
        table = [[*row, other] for row, other in zip(table, rest, strict=True)]
    return stats.chi2_contingency(table).pvalue


@pytest.mark.parametrize(
    ("parameters", "change"),
    [
        ({"rounds": 1}, {"rounds": 2}),
        ({}, {"rounds": 1}),
        ({"noise": "gumbel"}, {"noise": "laplace"}),
    ],
)
def test_the_two_sides_agree(parameters, change):
    plan = small_plan(**parameters)
    sample = released(plan)
    assert p_value(sample, simulated(plan)) > FALSE_ALARM
    assert p_value(sample, simulated(small_plan(**change))) < FALSE_ALARM
