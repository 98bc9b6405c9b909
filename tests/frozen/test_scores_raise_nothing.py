"""Whether an error or a warning is raised never depends on the scores, whatever the caller set.

A program may turn warnings into errors, or tell NumPy to raise where a float overflows or
underflows. A score must not be able to trigger either.
"""

import warnings

import numpy as np
import pytest

import overbar
from tests.queue_plans import queue_plan

pytestmark = pytest.mark.one_in(3)

RANGE = (-(10**99), 10**99)
EXTREMES = [
    [0, 0, 0],
    [-(10**18), 10**18, 3],
    [-(2**63), 2**63 - 1],
    [2**64, -(10**40), 1],
    [10**400, -(10**400)],
    [-(10**299)] * 4,
    [1e308, -1e308, 5e-324, 0.3],
    [float("nan"), float("inf"), float("-inf"), None],
]
PARAMETERS = [
    {"epsilon": 1},
    {"epsilon": 1, "grid": "1/3", "sensitivity": 1},
    {"epsilon": 100, "sensitivity": "1e-30"},
    {"epsilon": "1e-9", "sensitivity": "1e20"},
]


@pytest.fixture
def strict():
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
@pytest.mark.parametrize("noise", ["exponential", "laplace", "gumbel"])
@pytest.mark.usefixtures("strict")
def test_no_score_raises(parameters, noise):
    chosen = {"cutoff": 2, "noise": noise, "correction": "mean", **parameters}
    with np.errstate(all="warn"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # public numbers may do what they like
        plans = [queue_plan(rounds=rounds, **chosen) for rounds in (1, 3, None)]
        again = queue_plan(resample=True, **chosen)
    for scores in EXTREMES:
        ranges = [RANGE] if None in scores else [None, RANGE]
        for given in ranges:
            for plan in plans:
                overbar.select(scores, threshold=5, plan=plan, score_range=given)
            for plan in (plans[0], again):
                run = overbar.SparseVector(plan, threshold=5, score_range=given)
                list(run.answers(scores))


@pytest.mark.usefixtures("strict")
def test_no_array_raises():
    plan = queue_plan(epsilon=1, cutoff=2, rounds=None, correction="mean")
    for scores in (
        np.array([1e308, -1e308, 5e-324, 0.1, 1e-310]),
        np.array([1e38, 1e-45], dtype=np.float32),
        np.array([0x7FA00000, 0xFFA00000], dtype=np.uint32).view(np.float32),  # signalling NaN
        np.array([6e4, 6e-8], dtype=np.float16),
        np.array([np.finfo(np.longdouble).max, np.finfo(np.longdouble).tiny]),
        np.array([2**64 - 1, 0], dtype=np.uint64),
    ):
        found = overbar.select(scores, threshold=5, plan=plan, score_range=RANGE)
        assert len(found) == 2
