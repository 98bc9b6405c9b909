"""Two hundred audits: how many raise an alarm over a sound mechanism, and over one 1.3 times over.

Level and power are stated in advance, and both are checked with controls that must fail.
"""

import numpy as np
import pytest
from scipy import stats

from overbar.audit import audit
from overbar.audit.binomial_bounds import power, proved_epsilon
from tests.attacks.mechanisms import RandomisedResponse, sound_sparse_vector

AUDITS = 200
LEVEL = 0.1


def alarms(make, pairs, epsilon, runs):
    return sum(
        audit(make(seed), pairs, epsilon=epsilon, runs=runs, confidence=1 - LEVEL).violated
        for seed in range(AUDITS)
    )


@pytest.mark.parametrize(
    ("make", "pairs", "epsilon"),
    [
        (lambda seed: RandomisedResponse(1.0, seed), [(0, 1)], 1),
        (lambda seed: sound_sparse_vector(2, seed), [((0, 1), (1, 0)), ((1, 1), (0, 0))], 2),
    ],
    ids=["randomised response", "sparse vector"],
)
def test_false_alarms_stay_below_the_stated_level(make, pairs, epsilon):
    assert alarms(make, pairs, epsilon, runs=1500) / AUDITS < LEVEL
    # A control: the same audits of a claim that is not kept.
    assert alarms(make, pairs, epsilon / 2, runs=1500) / AUDITS > 0.9


def test_testing_on_the_runs_that_chose_the_event_would_raise_false_alarms():
    """What keeping search and test apart is for: many events, the best taken, on the same runs."""
    generator, runs, cheated = np.random.default_rng(1), 400, 0
    for _ in range(AUDITS):
        counts = generator.multinomial(runs, [1 / 200] * 200, size=2)
        order = np.argsort(-(counts[0] + 0.5) / (counts[1] + 0.5))
        hits, others = np.cumsum(counts[0][order]), np.cumsum(counts[1][order])
        proved = proved_epsilon(hits, others, runs=runs, delta=0, level=LEVEL)
        cheated += proved.max() > 0.1
    assert cheated / AUDITS > 0.9

    class Many:
        def __init__(self, seed):
            self.generator = np.random.default_rng(seed)

        def sample(self, data, runs):
            return self.generator.integers(200, size=runs).astype("U3")

    assert alarms(Many, [(0, 1)], "0.1", runs=400) / AUDITS < LEVEL


def test_a_mechanism_over_by_a_third_is_found_with_the_stated_power():
    runs, epsilon = 300, 1.3
    event = 1 / (1 + np.exp(-epsilon))  # randomised response that tells the truth
    stated = power(epsilon, 1.0, runs=runs, probability=event, level=LEVEL / 2)
    assert 0.3 < stated < 0.95  # a number that a test can tell from zero and from one
    found = alarms(lambda seed: RandomisedResponse(epsilon, seed), [(0, 1)], 1, runs=runs)
    # The other direction is tested too, and adds to what one direction finds.
    assert found >= stats.binom.ppf(1e-6, AUDITS, stated)
    assert found <= stats.binom.ppf(1 - 1e-6, AUDITS, min(1.0, 2 * stated))
