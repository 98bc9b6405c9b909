"""The race at its extremes, and against the numbers it is made of."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from lab.tests.reference.simulate import comparisons_in_turn
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise
from overbar_lab.simulation import simulate
from overbar_lab.simulation.candidates import Candidates
from overbar_lab.simulation.seeded import UNITS, Seeded
from overbar_lab.simulation.seeded_race import first_to_pass, log_rounds, whole
from tests.reference.plans import any_plan, other_plan

pytestmark = pytest.mark.one_in(5)

NOISES = [Exponential(1), Laplace(1), Gumbel(1), Gaussian(1)]


def plan(noise=NOISES[0], **changes):
    fixed = {"threshold_noise": None, "correction": 0, "cutoff": 3, "rounds": None}
    return any_plan(noise, **(fixed | changes))


def run(plan, scores, threshold=0, runs=20, **options):
    return simulate(plan, scores, threshold=threshold, runs=runs, seed=1, **options).selected


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("rounds", [1, 1000, None])
def test_all_gaps_at_or_below_zero(rounds, resample):
    """Exponential noise never falls below zero: all pass at once, and the order decides."""
    everyone = plan(rounds=rounds, resample=resample)
    scores = np.full(1000, 5.0)
    shuffled = np.concatenate(run(everyone, scores))
    assert len(shuffled) == 60
    assert len(set(shuffled.tolist())) > 50


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.name)
def test_chances_of_e_to_the_minus_a_thousand(noise, resample):
    """Nobody passes in any number of rounds that can be written down, but without end all do."""
    gap = 44.0 if noise.name == "gaussian" else 1000.0  # e^-968 for the normal law
    scores = np.zeros(200)
    scores[7] = 20.0 if noise.name != "gaussian" else 1.0
    endless = plan(noise, resample=resample)
    found = run(endless, scores, threshold=gap)
    assert all(len(one) == 3 and one[0] == 7 for one in found)
    limited = other_plan(endless, rounds=10**18)
    assert all(len(one) == 0 for one in run(limited, scores, threshold=gap))


def test_a_chance_that_no_float_can_hold_never_comes_up():
    narrow = plan(Gaussian(Fraction(1, 10**90)))
    assert all(len(one) == 0 for one in run(narrow, [0.0, 1.0], threshold=10**90))


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.name)
@pytest.mark.parametrize("scores", [[], [3.0], [1.0, 2.0]])
def test_few_candidates(noise, resample, scores):
    found = run(plan(noise, resample=resample, threshold_noise=Laplace(1)), scores, threshold=2)
    assert all(sorted(one.tolist()) == list(range(len(scores))) for one in found)
    changed = plan(noise, resample=resample, threshold_noise=Laplace(1), rounds=2)
    assert all(set(one.tolist()) <= set(range(len(scores))) for one in run(changed, scores, 2))


def test_the_highest_noise_decides_nothing_when_gaps_are_huge():
    """Scores ten thousand scales apart are found from the highest down."""
    scores = np.arange(100.0) * 1e4
    for noise in NOISES[:3]:
        assert all(one.tolist() == [99, 98, 97] for one in run(plan(noise), scores, 1e6))


def test_a_flat_cost_in_rounds_is_possible_because_results_agree():
    """If everyone passes in the first thousand rounds, more rounds change nothing."""
    some = plan(Laplace(1), rounds=1000, threshold_noise=Laplace(1))
    scores = np.linspace(-4, 4, 500)
    first = run(some, scores)
    for rounds in (10**6, 10**12, None):
        assert all(map(np.array_equal, first, run(other_plan(some, rounds=rounds), scores)))


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.name)
@pytest.mark.parametrize("bar", [-3.0, 0.0, 4.0, 30.0])
def test_looking_closely_at_few_misses_nobody(noise, bar):
    """The shortlist against the same draws looked at one by one."""
    scores = np.sort(np.random.default_rng(0).normal(size=1000) * 3)[::-1]
    for block, count in ((1000, 1), (1000, 20), (77, 20), (1, 5), (1000, 2000)):
        candidates = Candidates(scores, 0.0, block)
        ranks, times = first_to_pass(
            noise, candidates, bar, count=count, limit=np.inf, generator=np.random.default_rng(2)
        )
        everyone = log_rounds(noise, bar - scores, np.random.default_rng(2))
        last = np.sort(everyone)[min(count, 1000) - 1]
        np.testing.assert_array_equal(ranks, np.flatnonzero(everyone <= last))
        np.testing.assert_array_equal(times, everyone[ranks])


def test_times_are_rounded_up_to_whole_rounds():
    times = np.array([-np.inf, -5.0, 0.0, 0.5, np.log(7.5), 35.9, 40.0, 800.0, np.inf])
    rounds = np.exp(whole(times)[:5])
    np.testing.assert_allclose(rounds, [1, 1, 1, 2, 8], rtol=1e-15)
    assert (np.diff(whole(times)) >= 0).all()
    np.testing.assert_array_equal(whole(times)[6:], times[6:])


@pytest.mark.parametrize(
    "limits",
    [
        {"rounds": 1},
        {"rounds": 3},
        {"rounds": None},
        {"rounds": 3, "resample": True},
        {"rounds": None, "resample": True},
    ],
    ids=str,
)
def test_as_many_comparisons_as_a_plain_queue(limits):
    """Twelve candidates, four wanted; the mean over runs, with a control that is off by one."""
    some = plan(Laplace(2), threshold_noise=Laplace(1), cutoff=4, **limits)
    scores = np.array([3.0, 2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8])
    fast = simulate(some, scores, threshold=2, runs=1500, seed=5).comparisons
    generator = np.random.default_rng(6)
    slow = np.array([comparisons_in_turn(some, scores, 2, generator) for _ in range(600)], float)
    apart = fast.mean() - slow.mean()
    error = np.hypot(fast.std() / np.sqrt(len(fast)), slow.std() / np.sqrt(len(slow)))
    assert abs(apart) < 4.5 * error
    assert abs(apart + 0.5 * slow.std()) > 4.5 * error


def test_where_nothing_is_compared_nothing_is_counted():
    assert (simulate(plan(), [], threshold=0, runs=2, seed=1).comparisons == 0).all()
    narrow = plan(Gaussian(Fraction(1, 10**90)))
    endless = simulate(narrow, [0.0, 1.0], threshold=10**90, runs=2, seed=1)
    assert np.isinf(endless.comparisons).all()


@dataclass(frozen=True, repr=False)
class Logistic(Noise):
    """A noise that the draws do not know by name."""

    scale: Fraction
    name = "logistic"

    def unit_logpdf(self, z):
        return -np.abs(z) - 2 * np.log1p(np.exp(-np.abs(z)))

    def unit_logcdf(self, z):
        return -np.logaddexp(0, -z)

    def unit_logsf(self, z):
        return -np.logaddexp(0, z)


@pytest.mark.parametrize("noise", [*NOISES, Logistic(1)], ids=lambda noise: noise.name)
def test_draws_have_their_law(noise):
    sample = Seeded(np.random.default_rng(1)).draws(type(noise)(2), UNITS, 4000)
    assert stats.kstest(sample, type(noise)(2).cdf).pvalue > 1e-6
    assert stats.kstest(sample, type(noise)(3).cdf).pvalue < 1e-6
