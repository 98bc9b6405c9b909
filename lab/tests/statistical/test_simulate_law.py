"""Simulated runs have exactly the law of the plain loop, for every way to run and every method.

Outcomes are who was selected, in the order found. Each case has a control: the same sample must be
rejected against a law that differs in one detail.
"""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from lab.tests.reference.simulate import (
    law_of_flips,
    law_of_peeling,
    law_of_run,
    law_of_two_highest,
    plain_loop,
)
from overbar.mechanisms import Plan
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar_lab.paper.methods import OURS, PAPER, PAPER_RENYI, REFERENCES, OneShot, Setting
from overbar_lab.paper.references import PermuteAndFlip
from overbar_lab.simulation import simulate
from tests.frozen.chi_square import FALSE_ALARM, MORE, p_value
from tests.queue_plans import queue_plan
from tests.reference.plans import any_plan, other_plan, repeats_of
from tests.reference.sampling import seeded

pytestmark = pytest.mark.one_in(3)

RUNS = 2000 * MORE
SCORES = (2.0, -1.5, 0.25, -3.0)  # with the threshold noise, gaps on both sides of zero
THRESHOLD = 1
ORDERS = list(permutations(range(len(SCORES))))


def small_plan(**changes):
    wanted = {
        "query_noise": Exponential(2), "threshold_noise": Laplace(1), "correction": 1,
        "cutoff": 2, "monotonic": True, "rounds": 3,
    } | changes  # fmt: skip
    return any_plan(**wanted)


def outcomes(mechanism, runs=RUNS, scores=SCORES, **options):
    found = simulate(mechanism, scores, threshold=THRESHOLD, runs=runs, seed=11, **options)
    return [tuple(one.tolist()) for one in found.selected]


CASES = {
    "one round": ({"rounds": 1}, {"rounds": 2}),
    "three rounds": ({}, {"rounds": 2}),
    "without end": ({"rounds": None}, {"rounds": 3}),
    "laplace": ({"query_noise": Laplace(2)}, {"query_noise": Exponential(2)}),
    "gumbel": ({"query_noise": Gumbel(2)}, {"query_noise": Laplace(2)}),
    "gaussian": (
        {"query_noise": Gaussian(2), "threshold_noise": Gaussian(2)},
        {"query_noise": Gaussian(2), "threshold_noise": Gaussian(1)},
    ),
    "gumbel without end": ({"query_noise": Gumbel(2), "rounds": None}, {"rounds": None}),
    "bare threshold": ({"threshold_noise": None}, {}),
    "cutoff one": ({"cutoff": 1}, {"cutoff": 1, "rounds": 2}),
    "everyone may pass": ({"cutoff": 9, "rounds": 2}, {"cutoff": 9, "rounds": 1}),
    "resampled": (
        {"resample": True, "threshold_noise": Laplace(3)},
        {"resample": False, "threshold_noise": Laplace(3)},
    ),
    "resampled, one round": (
        {"resample": True, "rounds": 1, "threshold_noise": Laplace(3)},
        {"rounds": 1, "threshold_noise": Laplace(3)},
    ),
    "resampled without end": (
        {"resample": True, "rounds": None, "cutoff": 3, "threshold_noise": Laplace(3)},
        {"resample": False, "rounds": None, "cutoff": 3, "threshold_noise": Laplace(3)},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_run_is_asked_in_a_random_order(name):
    parameters, change = CASES[name]
    plan = small_plan(**parameters)
    # Of one positive each outcome says little.
    found = outcomes(plan, runs=3 * RUNS // 2 * (1 + (plan.cutoff == 1)))
    assert p_value(found, law_of_run(plan, SCORES, THRESHOLD, ORDERS)) > FALSE_ALARM
    broken = law_of_run(small_plan(**change), SCORES, THRESHOLD, ORDERS)
    assert p_value(found, broken) < FALSE_ALARM


@pytest.mark.parametrize("name", ["one round", "three rounds", "resampled", "without end"])
def test_control_another_order_is_noticed(name):
    plan = small_plan(**CASES[name][0])
    found = outcomes(plan, runs=3 * RUNS // 2)
    assert p_value(found, law_of_run(plan, SCORES, THRESHOLD)) < FALSE_ALARM


def test_equal_scores_in_blocks():
    """Blocks of one candidate, and ties that a random order must break."""
    scores = (5.0, 5.0, -1.0, -1.0)
    plan = small_plan(rounds=2)
    found = outcomes(plan, scores=scores, memory=1)
    assert p_value(found, law_of_run(plan, scores, THRESHOLD, ORDERS)) > FALSE_ALARM
    assert p_value(found, law_of_run(plan, scores, THRESHOLD)) < FALSE_ALARM


def two_samples(first, second):
    """Return the p-value that two samples of small whole numbers have one law."""
    size = max(*first, *second) + 1
    table = np.array([np.bincount(sample, minlength=size) for sample in (first, second)])
    common = table.sum(axis=0) >= 100
    pooled = np.column_stack([table[:, common], table[:, ~common].sum(axis=1)])
    return stats.chi2_contingency(pooled[:, pooled.sum(axis=0) > 0]).pvalue


@pytest.mark.parametrize("rounds", [1, 2, 40])
def test_the_plain_loop_over_hundreds_of_queries(rounds):
    """Here stretches of hazards are at work."""
    scores = 40 / np.arange(1, 301)
    plan = small_plan(query_noise=Laplace(3), rounds=rounds, cutoff=4, correction=12)
    generator = np.random.default_rng(5)
    loop = [plain_loop(plan, scores, THRESHOLD, generator) for _ in range(RUNS)]

    def raced(plan):
        found = simulate(plan, scores, threshold=THRESHOLD, runs=RUNS, seed=1)
        return [one.tolist() for one in found.selected]

    def first_found(sample):
        return [1 + found[0] // 12 if found else 0 for found in sample]

    sound = raced(plan)
    for outcome in (
        first_found,
        lambda sample: [len(found) for found in sample],
        lambda sample: [sum(index < 4 for index in found) for found in sample],
        lambda sample: [sum(found) // 90 for found in sample],
    ):
        assert two_samples(outcome(loop), outcome(sound)) > FALSE_ALARM
    wrong = raced(other_plan(plan, correction=8))
    assert two_samples(first_found(loop), first_found(wrong)) < FALSE_ALARM


SMALL = Setting(
    epsilon=4, cutoff=2, candidates=4, threshold=THRESHOLD, delta="0.01", rounds=3, upper_bound=2
)
#: The law of "select" is compared elsewhere: lab/tests/simulation.
METHODS = tuple(one for one in (*PAPER, *PAPER_RENYI, *OURS, *REFERENCES) if one.name != "select")


def law_of(mechanism):
    if isinstance(mechanism, Plan) and mechanism.labels.kind == "ranked":
        return law_of(OneShot(mechanism.query_noise, 2))  # without a bar
    if isinstance(mechanism, Plan) and repeats_of(mechanism).rounds is None:
        # The bar lies above all scores: peeling with the exponential mechanism.
        return law_of_peeling(SCORES, float(mechanism.query_noise.scale), 2)
    if isinstance(mechanism, Plan):
        return law_of_run(mechanism, SCORES, THRESHOLD, ORDERS)
    if isinstance(mechanism, PermuteAndFlip):
        return law_of_flips(SCORES, mechanism.scale, 2)
    if isinstance(mechanism.noise, Gumbel):
        return law_of_peeling(SCORES, float(mechanism.noise.scale), 2)
    return law_of_two_highest(mechanism.noise, SCORES)


def spoiled(mechanism):
    """The same with half as much noise again."""
    if isinstance(mechanism, PermuteAndFlip):
        return replace(mechanism, scale=1.5 * mechanism.scale)
    field = "query_noise" if isinstance(mechanism, Plan) else "noise"
    noise = getattr(mechanism, field)
    return replace(mechanism, **{field: type(noise)(noise.scale * 3 / 2)})


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method(method):
    mechanism = method(SMALL)
    found = outcomes(mechanism)
    assert p_value(found, law_of(mechanism)) > FALSE_ALARM
    assert p_value(found, law_of(spoiled(mechanism))) < FALSE_ALARM


@pytest.mark.parametrize("noise", [Exponential(1), Laplace(1), Gumbel(1), Gaussian(1)])
def test_one_shot_noise(noise):
    found = outcomes(OneShot(noise, 2))
    assert p_value(found, law_of_two_highest(noise, SCORES)) > FALSE_ALARM
    wider = type(noise)(noise.scale * 3 / 2)
    assert p_value(found, law_of_two_highest(wider, SCORES)) < FALSE_ALARM


def test_permute_and_flip_is_the_highest_of_exponential_noise():
    """Ding et al. 2021, arXiv:2105.07260: for one selection the two are the same."""
    found = outcomes(PermuteAndFlip(1.5, 1))
    pairs = law_of_two_highest(Exponential("1.5"), SCORES)
    law = {(i,): sum(p for pair, p in pairs.items() if pair[0] == i) for i in range(4)}
    assert p_value(found, law) > FALSE_ALARM
    peeled = law_of_peeling(SCORES, 1.5, 1)
    assert p_value(found, peeled) < FALSE_ALARM


@pytest.mark.parametrize("changes", [{}, {"rounds": 1}])
def test_the_release_engine_on_the_same_plan(changes):
    """The release draws on a grid of a hundredth of a scale, which nobody can tell from none."""
    from overbar.runs.batch_run import BatchRun
    from overbar.runs.positives import Batch

    wanted = {
        "epsilon": 2, "cutoff": 2, "monotonic": True, "rounds": 3, "correction": 1,
        "allocation": 1, "grid": "1/64",
    } | changes  # fmt: skip
    plan = queue_plan(**wanted)
    contest = BatchRun(plan, 64 * (THRESHOLD + 1))
    steps = [Batch(np.array([int(64 * score) for score in SCORES]), None)]
    source = seeded(6)
    released = [contest.run(steps, source).indices for _ in range(1200)]
    law = law_of_run(plan, SCORES, THRESHOLD, ORDERS)
    other = law_of_run(other_plan(plan, correction=2), SCORES, THRESHOLD, ORDERS)
    for found in (released, outcomes(plan)):
        assert p_value(found, law) > FALSE_ALARM
        assert p_value(found, other) < FALSE_ALARM
