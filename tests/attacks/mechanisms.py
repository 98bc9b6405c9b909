"""Sound mechanisms, and the same with a given excess, vectorised and seeded."""

import math

import numpy as np

from overbar.noise import Exponential, Laplace
from tests.attacks.checks import law_runs
from tests.attacks.twin_law import Law


class RandomisedResponse:
    """Tells the truth with the odds e^ε: its loss is exactly ε in both directions."""

    def __init__(self, epsilon, seed):
        self.truth = 1 / (1 + math.exp(-epsilon))
        self.generator = np.random.default_rng(seed)

    def sample(self, data, runs):
        return (self.generator.random(runs) < self.truth) == data


class SparseVector:
    """Algorithm 1 of Lyu, Su and Li with any noise: sound with the noise given here."""

    def __init__(self, threshold, query, cutoff, seed):
        self.run = law_runs(Law(query, threshold, cutoff, continuous=True))
        self.generator = np.random.default_rng(seed)

    def sample(self, data, runs):
        return self.run(data, runs, self.generator)


def sound_sparse_vector(epsilon, seed, cutoff=1):
    """Laplace noise on the threshold, exponential noise on queries, half of ε for each."""
    return SparseVector(Laplace(2 / epsilon), Exponential(4 * cutoff / epsilon), cutoff, seed)
