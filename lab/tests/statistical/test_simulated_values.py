"""Where the highest values win, simulation, release and the law by enumeration are the same.

Outcomes are who was selected, in the order given. The release draws on a grid, here so fine that
nobody can tell it from the continuum. Each sample must be rejected against a law that differs in
one detail.
"""

import numpy as np
import pytest

from lab.tests.reference.simulate import draw
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.runs.batch_run import BatchRun
from overbar.runs.positives import Batch
from overbar_lab.simulation import simulate
from tests.frozen.chi_square import FALSE_ALARM, MORE, p_value, two_samples
from tests.reference.plans import any_plan
from tests.reference.ranked import Law
from tests.reference.sampling import seeded

pytestmark = pytest.mark.one_in(3)

RUNS = 2000 * MORE
#: Releases are exact and slow.
RELEASES = 800 * MORE
SCORES = (2, -1, 0, -3)
THRESHOLD = 1


def ranked(query, bar, **more):
    return any_plan(query, bar, 1, 2, grid="1/256", mechanism="ranked", **more)


def simulated(plan, runs=RUNS, seed=9):
    found = simulate(plan, np.array(SCORES), threshold=THRESHOLD, runs=runs, seed=seed, workers=1)
    return [tuple(run.tolist()) for run in found.selected]


def released(plan, cuts, runs=RELEASES):
    level = None if plan.for_top else plan.level(THRESHOLD)
    steps = np.array([int(score / plan.grid) for score in SCORES])
    contest, source = BatchRun(plan, level), seeded(8)
    batches = [Batch(part, None) for part in np.split(steps, cuts)]
    return [contest.run(batches, source).indices for _ in range(runs)]


CASES = {
    "free bar": (ranked(Exponential(2), Exponential(2)), ranked(Exponential(2), Exponential(1))),
    "two-sided bar": (ranked(Exponential(2), Laplace(2)), ranked(Exponential(2), Exponential(2))),
    "gumbel": (ranked(Gumbel(2), Laplace(1)), ranked(Exponential(2), Laplace(1))),
    "bare bar": (ranked(Gumbel(2), None), ranked(Gumbel(2), Gaussian(3))),
    "gaussian bar": (ranked(Gumbel(2), Gaussian(2)), ranked(Gumbel(2), None)),
    "top": (ranked(Exponential(2), None, is_top=True), ranked(Gumbel(2), None, is_top=True)),
    "gumbel top": (ranked(Gumbel(2), None, is_top=True), ranked(Gumbel(3), None, is_top=True)),
}


@pytest.mark.parametrize("name", CASES)
def test_simulation_and_release_agree(name):
    """The release in three batches, which merge."""
    plan, other = CASES[name]
    sample = released(plan, cuts=[1, 3])
    assert two_samples(sample, simulated(plan)) > FALSE_ALARM
    assert two_samples(sample, simulated(other)) < FALSE_ALARM


@pytest.mark.parametrize("shared", [True, False])
def test_a_bar_of_its_own_for_each_batch_would_be_noticed(shared):
    """The control for merging: values by hand, against one bar or against one for each batch."""
    plan = ranked(Exponential(2), Exponential(3))
    generator = np.random.default_rng(5)

    def by_hand():
        values = np.array(SCORES) + draw(plan.query_noise, len(SCORES), generator)
        bars = THRESHOLD + 1 + draw(plan.threshold_noise, 3, generator)[[0, 1, 1, 2]]
        passing = values >= (bars[0] if shared else bars)
        return tuple(at for at in np.argsort(-values).tolist() if passing[at])[:2]

    sample = [by_hand() for _ in range(2 * RUNS)]
    assert (two_samples(released(plan, [1, 3], 3 * RELEASES), sample) > FALSE_ALARM) == shared
    assert (two_samples(simulated(plan, 2 * RUNS), sample) > FALSE_ALARM) == shared


class Bare(Law):
    """A bar without noise."""

    def bars(self):
        return [(self.level, 1.0)]


@pytest.mark.parametrize("is_top", [False, True])
def test_simulated_runs_have_the_law_that_enumeration_gives(is_top):
    """With whole scores, floors of exponential values rank like the values, and what is left of
    them, which has nothing to do with the floors, decides between equals like a random key."""
    plan = any_plan(Exponential("0.6"), None, 1, 2, is_top=is_top, mechanism="ranked")
    scores = (1, 0, 1)
    found = simulate(plan, scores, threshold=0, runs=2 * RUNS, seed=9, workers=1).selected
    sample = [tuple(one.tolist()) for one in found]
    kind = Law if is_top else Bare
    assert p_value(sample, kind(0.6, None, 2, 1).outcomes(scores)) > FALSE_ALARM
    assert p_value(sample, kind(0.7, None, 2, 1).outcomes(scores)) < FALSE_ALARM


@pytest.mark.parametrize(
    ("query", "correction", "more"),
    [
        (Laplace(2), 1, {}),
        (Gaussian(2), 1, {}),
        (Laplace(2), 0, {"is_top": True}),
    ],
)
def test_a_simulated_histogram_is_the_plain_one(query, correction, more):
    """Noise on each score, the highest of those that pass: written out with other draws."""
    few = {"mechanism": "histogram", "items_per_person": 1} | more
    generator = np.random.default_rng(3)
    bar = -np.inf if more else THRESHOLD + correction

    def plain():
        values = np.array(SCORES) + draw(query, len(SCORES), generator)
        passing = [at for at in np.argsort(-values).tolist() if values[at] >= bar]
        return tuple(passing[:2])

    sample = [plain() for _ in range(RUNS)]
    plan, wider = (
        any_plan(type(query)(n), None, correction, 2, grid="1/256", **few) for n in (2, 4)
    )
    right, wrong = simulated(plan), simulated(wider)
    for other in (sample, released(plan, cuts=[1, 3])):
        assert two_samples(other, right) > FALSE_ALARM
        assert two_samples(other, wrong) < FALSE_ALARM
