"""Sound mechanisms, seeded."""

import math

import numpy as np

from overbar.noise import Exponential, Laplace
from tests.attacks.twins import Enumerated, online, queue


class RandomisedResponse:
    """Tells the truth with the odds e^ε: its loss is exactly ε in both directions."""

    def __init__(self, epsilon, seed):
        self.truth = 1 / (1 + math.exp(-epsilon))
        self.generator = np.random.default_rng(seed)

    def sample(self, data, runs):
        return (self.generator.random(runs) < self.truth) == data


def sparse_vector(threshold, query, cutoff, seed):
    """Algorithm 1 of Lyu, Su and Li with any noise: sound with the noise given here."""
    return Enumerated(online(queue(query, threshold, cutoff)), seed)


def sound_sparse_vector(epsilon, seed, cutoff=1):
    """Laplace noise on the threshold, exponential noise on queries, half of ε for each."""
    return sparse_vector(Laplace(2 / epsilon), Exponential(4 * cutoff / epsilon), cutoff, seed)
