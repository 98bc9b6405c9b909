"""Labels with fresh counts beside them, slowly: an array over all values for each answer."""

from itertools import permutations

import numpy as np

from overbar.noise import Laplace

#: Counts are enumerated this far around zero.
REACH = 40
VALUES = np.arange(-REACH, REACH + 1)


def masses(noise, score):
    """P(score + N = v) for all values v, on a grid of one."""
    scale = float(noise.scale)
    power = np.abs if isinstance(noise, Laplace) else lambda k: k**2 / (2 * scale)
    weights = np.exp(-power(VALUES - score) / scale)
    far = np.arange(-30 * REACH, 30 * REACH + 1)
    return weights / np.exp(-power(far) / scale).sum()


def beside(chance, labels, noise, scores):
    """Return the chance of these labels with each value of their counts."""
    table = np.array(chance)
    for label in labels:
        table = np.multiply.outer(table, masses(noise, scores[label]))
    return table


def peeled(plan, scores, noise):
    """Labels one by one with odds e^(score/scale), and their counts."""
    odds = np.exp(np.array(scores) / float(plan.query_noise.scale))
    found = {}
    for labels in permutations(range(len(scores)), plan.cutoff):
        chance, left = 1.0, odds.sum()
        for label in labels:
            chance, left = chance * odds[label] / left, left - odds[label]
        found[labels] = beside(chance, labels, noise, scores)
    return found
