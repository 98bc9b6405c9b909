"""Sound mechanisms, and the same with a given excess, vectorised and seeded."""

import math

import numpy as np

from overbar.audit.broken.factory import exponential, laplace, transcripts


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
        self.threshold, self.query, self.cutoff = threshold, query, cutoff
        self.generator = np.random.default_rng(seed)

    def sample(self, data, runs):
        return transcripts(
            np.asarray(data, dtype=float), runs, self.generator,
            threshold=self.threshold, query=self.query, cutoff=self.cutoff,
        )[0]  # fmt: skip


def sound_sparse_vector(epsilon, seed, cutoff=1):
    """Laplace noise on the threshold, exponential noise on queries, half of ε for each."""
    return SparseVector(laplace(2 / epsilon), exponential(4 * cutoff / epsilon), cutoff, seed)
