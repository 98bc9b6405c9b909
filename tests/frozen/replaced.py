"""The exact laws of small runs, written plainly: chances of all answers, for two scores.

Scores are grid steps of one. Noise is that of a plan: one geometric number, or the difference of
two. Tails beyond `FAR` steps are left out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import overbar

FAR = 120
#: How far a score can lie from the level.
SPREAD = 12
#: What is less likely may be off by the tails.
SURELY = 1e-7
Answers = dict[object, float]


def noise_of(noise: Any) -> list[tuple[int, float]]:
    """Return the places of a noise on a grid of one, with their chances."""
    if noise is None:
        return [(0, 1.0)]
    ratio = math.exp(-1 / float(noise.scale))
    if noise.name == "exponential":
        return [(n, (1 - ratio) * ratio**n) for n in range(FAR)]
    assert noise.name == "laplace"
    whole = (1 - ratio) / (1 + ratio)
    return [(n, whole * ratio ** abs(n)) for n in range(-FAR, FAR + 1)]


def at_least(noise: list[tuple[int, float]]) -> Callable[[int], float]:
    """Return the chance that a noise is so much or more."""
    first, chances = noise[0][0], np.array([chance for _, chance in noise])
    tail = np.append(np.cumsum(chances[::-1])[::-1], 0.0)
    return lambda place: float(tail[min(max(place - first, 0), len(chances))])


def one_by_one(plan: overbar.Plan, scores: Sequence[int], level: int) -> Answers:
    """A sparse vector run that is asked in this order, and ends with its first positive."""
    passes = at_least(noise_of(plan.query_noise))
    found: Answers = dict.fromkeys((0, 1, None), 0.0)
    for bar, chance in noise_of(plan.bar.noise):
        left = chance
        for place, score in enumerate(scores):
            positive = passes(level + bar - score)
            found[place] += left * positive
            left *= 1 - positive
        found[None] += left
    return found


def highest(plan: overbar.Plan, scores: Sequence[int], level: int) -> Answers:
    """The highest of the values that reach the bar; of equal ones either."""
    places, chances = map(np.array, zip(*noise_of(plan.query_noise), strict=True))
    first, second = scores[0] + places[:, None], scores[1] + places[None, :]
    missed = at_least(noise_of(plan.bar.noise))
    reached = np.vectorize(lambda value: 1 - missed(value - level + 1))(np.maximum(first, second))
    come = chances[:, None] * chances[None, :] * reached
    even = come[first == second].sum() / 2
    found = {0: come[first > second].sum() + even, 1: come[first < second].sum() + even}
    return found | {None: 1 - come.sum()}


def all_that_pass(plan: overbar.Plan, scores: Sequence[int], level: int) -> Answers:
    """The set of those whose noisy value reaches the threshold."""
    passes = at_least(noise_of(plan.query_noise))
    chances = [passes(level - score) for score in scores]
    return {
        which: math.prod(p if passed else 1 - p for p, passed in zip(chances, which, strict=True))
        for which in itertools.product((True, False), repeat=len(scores))
    }


def worst_loss(law: Callable[..., Answers], plan: overbar.Plan, level: int, most: int = 1) -> float:
    """Return the largest log-ratio of an answer, if one who is replaced moves scores by `most`."""
    worst = 0.0
    moves = [one for one in itertools.product(range(-most, most + 1), repeat=2) if any(one)]
    for base in itertools.product((level - SPREAD, level, level + SPREAD), repeat=2):
        before = law(plan, base, level)
        for move in moves:
            after = law(plan, [score + by for score, by in zip(base, move, strict=True)], level)
            chances = ((before[one], after[one]) for one in before)
            likely = (pair for pair in chances if min(pair) > SURELY)
            worst = max(worst, *(math.log(one / other) for one, other in likely))
    return worst
