"""Batches have exactly the law of the plain loop, in a random order.

Outcomes are which candidates were positive, in the order found. Expected probabilities come from
the slow reference: every transcript, round by round, with its probability to sixty digits. Each
case has a control: the same sample must be rejected against a law that differs in one detail.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import overbar
from overbar.runs.batch_run import BatchRun
from overbar.runs.positives import Batch
from tests.frozen.chi_square import FALSE_ALARM, MORE, p_value
from tests.queue_plans import queue_plan
from tests.reference.sampling import seeded
from tests.reference.transcripts import Law, distribution

pytestmark = pytest.mark.one_in(3)

RUNS = 1500 * MORE
LEVEL = 2
SCORES = (2, -1, 0, -3)  # with the threshold noise, gaps on both sides of zero


def small_plan(**changes):
    wanted = {
        "epsilon": 2, "cutoff": 2, "monotonic": True, "rounds": 3, "correction": 1,
        "allocation": 1, "grid": 1,
    } | changes  # fmt: skip
    return queue_plan(**wanted)


AS_GIVEN = [tuple(range(len(SCORES)))]
ALL_ORDERS = list(permutations(range(len(SCORES))))


def exact_outcomes(plan, scores=SCORES, orders=ALL_ORDERS):
    """Return {positives in order found: probability}, averaged over the given public orders."""
    result = defaultdict(float)
    for order in orders:
        law = distribution(tuple(scores[i] for i in order), Law(plan, LEVEL))
        for said, probability in law.items():
            found = tuple(order[query] for query, answer in said if answer)
            result[found] += float(probability) / len(orders)
    return dict(result)


def sample(plan, seed, batches=1, scores=SCORES, runs=RUNS):
    source = seeded(seed)
    steps = np.array(scores, dtype=np.int64)
    pieces = [Batch(piece, None) for piece in np.array_split(steps, batches)]
    contest = BatchRun(plan, LEVEL)
    return [contest.run(pieces, source).indices for _ in range(runs)]


CASES = {
    "one round": ({"rounds": 1}, {"rounds": 2}),
    "three rounds": ({}, {"rounds": 2}),
    "gumbel": ({"noise": "gumbel"}, {"noise": "laplace"}),
    "laplace": ({"noise": "laplace"}, {"noise": "gumbel"}),
    "cutoff one": ({"cutoff": 1, "rounds": 2}, {"cutoff": 1, "rounds": 1}),
    "everyone may pass": ({"cutoff": 4, "rounds": 2}, {"cutoff": 4, "rounds": 1}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_batch_is_asked_in_a_random_order(name):
    parameters, change = CASES[name]
    plan = small_plan(**parameters)
    # Of one positive each outcome says little.
    outcomes = sample(plan, seed=1, runs=RUNS * (1 + (plan.cutoff == 1)))
    assert p_value(outcomes, exact_outcomes(plan)) > FALSE_ALARM
    assert p_value(outcomes, exact_outcomes(small_plan(**change))) < FALSE_ALARM


@pytest.mark.parametrize("name", ["one round", "three rounds"])
def test_control_another_order_is_noticed(name):
    plan = small_plan(**CASES[name][0])
    outcomes = sample(plan, seed=2)
    assert p_value(outcomes, exact_outcomes(plan)) > FALSE_ALARM
    assert p_value(outcomes, exact_outcomes(plan, orders=AS_GIVEN)) < FALSE_ALARM


@pytest.mark.one_in(4)
@pytest.mark.parametrize("rounds", [1, 3])
def test_batches_are_merged_exactly(rounds):
    plan = small_plan(rounds=rounds)
    outcomes = sample(plan, seed=3, batches=3)
    assert p_value(outcomes, exact_outcomes(plan)) > FALSE_ALARM
    # A control: batches that each draw their own threshold noise.
    alone = small_plan(rounds=rounds, cutoff=1)
    fresh = [
        tuple(
            start + index
            for start, scores in ((0, SCORES[:2]), (2, SCORES[2:]))
            for index in outcome(alone, scores, seed)
        )
        for seed in range(1000)
    ]
    assert p_value(fresh, exact_outcomes(plan)) < FALSE_ALARM


def outcome(plan, scores, seed):
    contest = BatchRun(plan, LEVEL)
    return contest.run([Batch(np.array(scores), None)], seeded(seed * 7919 + len(scores))).indices


def test_the_spent_share_of_the_lifted_plan_is_ninety_nine_percent():
    asked = {"epsilon": 1, "cutoff": 50, "monotonic": True, "mechanism": "sparse-vector"}
    plan = overbar.plan(**asked, top=True)
    assert plan.query_noise.scale == 50 / Fraction(99, 100)
