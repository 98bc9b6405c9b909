"""The histogram, slowly: tails by adding up, draws bit by bit, and all outcomes of small runs."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass

import mpmath
import numpy as np

from overbar.noise import Laplace
from tests.reference.sampling import DIGITS


class Tails:
    """P(N >= k) for noise on the grid, by adding up its masses from far outside."""

    def __init__(self, noise, grid):
        with mpmath.workdps(DIGITS):
            ratio = noise.scale / grid
            ratio = mpmath.mpf(ratio.numerator) / ratio.denominator
            laplace = isinstance(noise, Laplace)
            self.reach = math.ceil((70 if laplace else 12) * ratio) + 12
            weights = [
                mpmath.exp(-k / ratio if laplace else -mpmath.mpf(k) * k / (2 * ratio**2))
                for k in range(self.reach + 1)
            ]
            total = weights[0] + 2 * mpmath.fsum(weights[1:])
            self.rising = []  # P(N >= reach), P(N >= reach - 1), …
            so_far = mpmath.mpf(0)
            for k in range(self.reach, -self.reach - 1, -1):
                so_far += weights[abs(k)] / total
                self.rising.append(so_far)

    def __call__(self, k):
        return self.rising[self.reach - k]

    def noise(self, uniform):
        """The last k with P(N >= k) > uniform."""
        return self.reach - bisect_left(self.rising, uniform * (1 + mpmath.mpf(10) ** -60))


def values_of(scores, tails, source):
    """Return for each score the least and the most that score plus noise can be.

    The first 8 bits of V are drawn for all, then 56 more for all; further bits are not looked at.
    """
    size = len(scores)
    glance, more = source(size), source(8 * size)
    found = []
    with mpmath.workdps(DIGITS):
        for at, score in enumerate(scores):
            word = glance[at] << 56 | int.from_bytes(more[8 * at : 8 * at + 8], "little") >> 8
            ends = (mpmath.mpf(word + 1) / 2**64, mpmath.mpf(word) / 2**64)
            low, high = (int(score) + tails.noise(end) for end in ends)
            found.append((low, high))
    return found


@dataclass(frozen=True)
class Law:
    """The chances of all outcomes, for scores in grid steps. A twin overrides one part of it.

    An outcome is what is released: items with their values, the highest first.
    """

    noise: object
    level: int | None = None
    count: int = 9
    #: Noise beyond so many steps is left out.
    steps: int = 26

    def masses(self):
        """P(N = k) for k from -steps to steps, in floats."""
        k = np.arange(-self.steps, self.steps + 1)
        scale = float(self.noise.scale)
        power = -np.abs(k) / scale if isinstance(self.noise, Laplace) else -(k**2) / scale**2 / 2
        return np.exp(power) / np.exp(power).sum()

    def noises(self, count):
        """All noises of so many candidates with their chances."""
        each = list(enumerate(self.masses(), -self.steps))
        for drawn in itertools.product(each, repeat=count):
            yield [k for k, _ in drawn], math.prod(p for _, p in drawn)

    def passes(self, value):
        return self.level is None or value >= self.level

    def outcomes(self, scores, items=None):
        """Return the chance of each outcome; keys of equal values come in all orders alike."""
        names = range(len(scores)) if items is None else items
        found = Counter()
        for drawn, chance in self.noises(len(scores)):
            values = [(q + k, name) for q, k, name in zip(scores, drawn, names, strict=True)]
            passing = [pair for pair in values if self.passes(pair[0])]
            orders = list(ordered(passing))
            for order in orders:
                found[tuple(order[: self.count])] += chance / len(orders)
        return found


def ordered(pairs):
    """All ways to sort pairs by value, the highest first."""
    levels = sorted({value for value, _ in pairs}, reverse=True)
    groups = [itertools.permutations([pair for pair in pairs if pair[0] == v]) for v in levels]
    for choice in itertools.product(*groups):
        yield [pair for group in choice for pair in group]


def moves(count, items, reach):
    """All ways one person can move scores: so many of them, by whole steps up to the reach."""
    for move in itertools.product(range(-reach, reach + 1), repeat=count):
        if 0 < sum(map(bool, move)) <= items:
            yield move


def worst_loss(before, after, floor=1e-8):
    """The largest log-ratio of two laws, over outcomes that are not lost in what was left out."""
    return max(
        (math.log(p / after[outcome]) if after[outcome] else math.inf)
        for outcome, p in before.items()
        if p > floor
    )


def hockey_stick(before, after, epsilon):
    """Σ (p - e^ε·q)₊ over all outcomes."""
    factor = math.exp(epsilon)
    return math.fsum(
        max(0.0, p - factor * after.get(outcome, 0.0)) for outcome, p in before.items()
    )


def product_delta(masses, move, epsilon):
    """The hockey-stick of a vector of noises moved by whole steps, over all of its values.

    The masses are of -steps … steps; a coordinate that is not moved tells nothing and is left out.
    """
    pairs = []
    for step in (abs(step) for step in move if step):
        pairs.append((np.concatenate([np.zeros(step), masses]),  # moved up by so many steps
                      np.concatenate([masses, np.zeros(step)])))  # fmt: skip
    first, second = pairs[0]
    for p, q in pairs[1:]:
        first, second = np.outer(first, p).ravel(), np.outer(second, q).ravel()
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())
