"""Plain loops over the comparisons of a run: how often is every label right?"""

from __future__ import annotations

import numpy as np

from overbar.noise import Noise

DRAWS = {
    "laplace": lambda rng, scale: rng.laplace(0, scale),
    "exponential": lambda rng, scale: rng.exponential(scale),
    "gumbel": lambda rng, scale: rng.gumbel(0, scale),
    "gaussian": lambda rng, scale: rng.normal(0, scale),
}


def count_successes(
    query: Noise,
    threshold: Noise,
    *,
    correction: float,
    negatives: int,
    tolerance: float,
    rounds: int,
    fresh: str,
    runs: int,
    seed: int,
) -> int:
    """Count the runs in which no false query ever turns positive and the true one does.

    ``fresh`` says when the threshold noise is drawn: once a "run", a "query" or an "asking".
    """
    rng = np.random.default_rng(seed)
    draw_query, draw_threshold = DRAWS[query.name], DRAWS[threshold.name]
    s, b = float(query.scale), float(threshold.scale)
    answers = [-tolerance] * negatives + [tolerance]
    successes = 0
    for _ in range(runs):
        rho = draw_threshold(rng, b)
        labels = []
        for answer in answers:
            if fresh == "query":
                rho = draw_threshold(rng, b)
            label = False
            for _ in range(rounds):
                if fresh == "asking":
                    rho = draw_threshold(rng, b)
                if answer + draw_query(rng, s) >= correction + rho:
                    label = True
                    break
            labels.append(label)
        successes += labels == [False] * negatives + [True]
    return successes


def first_positive_is_true(
    query: Noise,
    threshold: Noise,
    *,
    correction: float,
    negatives: int,
    rounds: int,
    runs: int,
    seed: int,
) -> int:
    """Count the runs, halting at the first positive, whose positive is the true query."""
    rng = np.random.default_rng(seed)
    draw_query, draw_threshold = DRAWS[query.name], DRAWS[threshold.name]
    s, b = float(query.scale), float(threshold.scale)
    successes = 0
    for _ in range(runs):
        rho = draw_threshold(rng, b)
        for comparison in range(rounds * (negatives + 1)):
            if draw_query(rng, s) >= correction + rho:
                successes += comparison % (negatives + 1) == negatives
                break
    return successes
