"""A hundred thousand odd inputs: a right answer or a clear error, and never a half-spent run.

`make campaign NAME=requests` takes all of them; a test run takes a part.
"""

import math
import os
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import polars
import pytest

import overbar
from overbar import OverbarError
from tests.planned_calls import planned_select, planned_top
from tests.queue_plans import queue_plan

REQUESTS = int(os.environ.get("OVERBAR_REQUESTS", "50"))
PLANS = [
    queue_plan(epsilon=1, cutoff=3, candidates=100, noise=noise, resample=resample)
    for noise in ("exponential", "gumbel", "laplace")
    for resample in (False, True)
]
ODD = [
    None, True, False, "", "12", "nan", b"1", 1j, object(), [], [1], (), {}, math.nan, math.inf,
    -math.inf, 0, -1, 1, 2**63, -(2**63), 2**64, 10**40, -(10**40), 10**400, 1e308, -1e308, 5e-324,
    0.5, -0.5, Fraction(1, 3), Fraction(10**50, 7), Decimal("0.1"), Decimal("NaN"), Decimal("1e99"),
    Decimal("1e99999"), np.int8(-5), np.uint64(2**64 - 1), np.float32(0.1), np.float64("nan"),
    np.bool_(True), np.datetime64("2020-01-01"), "x" * 100, range(3), np.array(3), np.array([3]),
]  # fmt: skip


def odd_number(generator):
    kind = generator.randrange(6)
    if kind == 0:
        return generator.choice(ODD)
    if kind == 1:
        return generator.randrange(-(10**6), 10**6)
    if kind == 2:
        return generator.uniform(-1e6, 1e6)
    if kind == 3:
        return generator.getrandbits(generator.randrange(1, 200)) * generator.choice([1, -1])
    if kind == 4:
        return Fraction(generator.randrange(-(10**9), 10**9), generator.randrange(1, 10**6))
    return math.ldexp(generator.random() - 0.5, generator.randrange(-1070, 1020))


def odd_scores(generator):
    size = generator.choice([0, 1, 2, 5, 17])
    kind = generator.randrange(8)
    if kind == 0:
        return generator.choice(ODD)
    if kind == 1:
        return np.array([generator.getrandbits(62) for _ in range(size)])
    if kind == 2:
        return np.array([generator.uniform(-1e19, 1e19) for _ in range(size)])
    if kind == 3:
        return [generator.randrange(100)] * size
    if kind == 4:
        return pandas.Series([generator.randrange(100) for _ in range(size)], dtype="int64")
    if kind == 5:
        return polars.Series([generator.random() for _ in range(size)], dtype=polars.Float32)
    if kind == 6:
        return {index: odd_number(generator) for index in range(size)}
    return [odd_number(generator) for _ in range(size)]


def check_run(run, before):
    """After an error nothing has changed; after an answer the counts add up."""
    assert (run.asked, run.positives) == before
    assert 0 <= run.positives <= run.plan.cutoff


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(8))
def test_ask(seed):
    generator = random.Random(seed)
    run = None
    for _ in range(10_000):
        if run is None or run.halted or generator.random() < 0.01:
            wide = generator.choice([None, None, (-(10**9), 10**9), (0, 0)])
            plan = generator.choice(PLANS)
            run = overbar.SparseVector(plan, threshold=500, score_range=wide)
        before = (run.asked, run.positives)
        score = odd_number(generator)
        threshold = odd_number(generator) if generator.random() < 0.2 else None
        try:
            answer = run.ask(score, threshold)
        except OverbarError:
            check_run(run, before)
        else:
            assert type(answer) is bool
            assert (run.asked, run.positives) == (before[0] + 1, before[1] + answer)
            exact = None if isinstance(score, type(None)) else score
            if threshold is None and run._ruler.low is None:
                # Far from the bar the answer is certain: noise beyond 10^5 scales never comes.
                assert answer or not exact > 10**7
                assert not answer or not exact < -(10**7)


def judge(found, scores, cutoff):
    count = len(scores)
    assert len(found) <= min(cutoff, count)
    assert len(set(found.indices)) == len(found)
    assert all(0 <= index < count for index in found.indices)
    assert 0 <= found.spent <= found.guarantee.at()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(8))
def test_select_and_top(seed):
    generator = random.Random(1000 + seed)
    for _ in range(5 * REQUESTS):
        scores = odd_scores(generator)
        wide = generator.choice([None, (0, 100), (-(10**40), 10**40)])
        cutoff = generator.choice([1, 2, 5, 10**6, 0, "2", None])
        sensible = isinstance(cutoff, int) and cutoff > 0
        if generator.random() < 0.5:
            rounds = generator.choice([1, 1, 2, 50, "unlimited", None])
            call, extra = planned_select, {"threshold": 500, "rounds": rounds, "candidates": 9}
        else:
            call, extra = planned_top, {"upper_bound": generator.choice([100, 10**45, "1e3"])}
        extra["noise"] = generator.choice(["exponential", "gumbel", "laplace"])
        extra["correction"] = "mean"
        if call is planned_top:
            del extra["correction"]
        try:
            found = call(scores, epsilon=1, cutoff=cutoff, score_range=wide, **extra)
        except OverbarError:
            continue
        else:
            assert sensible or cutoff == "2"
            judge(found, scores, int(cutoff))
            if call is planned_top:
                assert len(found) == min(int(cutoff), len(scores))


def test_the_count():
    assert 8 * 10_000 + 8 * 5 * 500 == 100_000
