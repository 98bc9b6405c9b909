"""On the same plan, the seeded simulation and the exact release engine have the same law.

The release draws on a grid and the simulation in the continuum, so the plan has a fine grid. Two
samples of what was selected, in the order found, are compared by chi-square; against a plan that
differs in one detail the same test must reject.
"""

import numpy as np
import pytest

import overbar
import overbar_lab
from tests.frozen import seam
from tests.frozen.chi_square import FALSE_ALARM, MORE, two_samples
from tests.frozen.draws import draws

pytestmark = pytest.mark.one_in(3)

RUNS = 1500 * MORE
SCORES = (2, -1, 0, -3)
THRESHOLD = 1


def small_plan(**changes):
    wanted = {
        "epsilon": 2, "cutoff": 2, "monotonic": True, "rounds": 3, "correction": 1,
        "allocation": 1, "grid": "1/256", "mechanism": "sparse-vector",
        "threshold_noise": "laplace",
    } | changes  # fmt: skip
    return overbar.plan(**wanted)


def simulated(plan):
    found = overbar_lab.simulate(plan, np.array(SCORES), threshold=THRESHOLD, runs=RUNS, seed=9)
    return [tuple(run.tolist()) for run in found.selected]


@pytest.mark.parametrize(
    ("parameters", "change"),
    [
        ({"rounds": 1}, {"rounds": 2}),
        ({}, {"rounds": 1}),
        ({"noise": "gumbel"}, {"noise": "laplace"}),
        ({"allocation": 5}, {"allocation": 1}),
    ],
)
def test_the_two_sides_agree(parameters, change):
    plan = small_plan(**parameters)
    with seam.drawn_from(8):
        sample = draws(plan, SCORES, THRESHOLD, RUNS)
    assert two_samples(sample, simulated(plan)) > FALSE_ALARM
    assert two_samples(sample, simulated(small_plan(**change))) < FALSE_ALARM
