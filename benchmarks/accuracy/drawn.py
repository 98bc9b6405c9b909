"""Many runs of a plan with floats: the highest values win, or candidates are asked in turn.

Where the highest win, a bar only cuts off the end of a list. So the first c values and the noise of
the bar are drawn once, and every correction is tried on the same draws. Asked in turn in a random
order, those that pass are a random few of all that do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from overbar import Plan
from overbar.noise import Exponential, Gumbel, Laplace, Noise
from overbar_lab.metrics import truth_of

Floats = NDArray[np.float64]


class Quality(NamedTuple):
    """Means over runs."""

    f1: float
    ncr: float


@dataclass(frozen=True)
class Crowd:
    """Candidates by what they are worth: scores above the threshold, in groups of equals.

    `certain` says who is right whoever else is found; of those in `group` only `places` are.
    """

    scores: Floats
    sizes: NDArray[np.int64]
    certain: NDArray[np.bool_]
    group: NDArray[np.bool_]
    places: int
    points: Floats
    wanted: int
    cutoff: int

    @classmethod
    def of(cls, scores: Floats, *, threshold: float, cutoff: int) -> Crowd:
        """Take every candidate for itself."""
        truth = truth_of(scores, cutoff, threshold, "top")
        ones = np.ones(len(scores), dtype=np.int64)
        return cls(
            scores - threshold, ones, truth.certain, truth.group, truth.places, truth.points,
            truth.size, cutoff,
        )  # fmt: skip

    @classmethod
    def two_points(cls, *, above: int, candidates: int, margin: float, cutoff: int) -> Crowd:
        """So many a margin above the threshold, the rest a margin below it."""
        wanted = min(above, cutoff)
        worth = sum(range(cutoff, cutoff - wanted, -1)) / wanted
        tied = above > cutoff
        return cls(
            np.array([margin, -margin]),
            np.array([above, candidates - above]),
            np.array([not tied, False]),
            np.array([tied, False]),
            cutoff if tied else 0,
            np.array([worth, 0.0]),
            wanted,
            cutoff,
        )

    def quality(self, kinds: NDArray[np.int64], taken: NDArray[np.bool_]) -> Quality:
        """Measure runs: `kinds` says who was found, `taken` whether anybody was."""
        tied = np.minimum((self.group[kinds] & taken).sum(1), self.places)
        hits = (self.certain[kinds] & taken).sum(1) + tied
        own = np.where(self.group, 0.0, self.points)
        worth = float(self.points[self.group].max(initial=0.0))
        points = (own[kinds] * taken).sum(1) + worth * tied
        best = self.cutoff * (self.cutoff + 1) / 2
        return Quality(
            float(np.mean(2 * hits / (taken.sum(1) + self.wanted))), float(points.mean() / best)
        )


@dataclass(frozen=True)
class Ranking:
    """The highest values of each run, in order, whom they belong to, and the noise of the bar."""

    crowd: Crowd
    values: Floats
    kinds: NDArray[np.int64]
    bar: Floats

    def at(self, correction: float) -> Quality:
        """Return the quality with this correction."""
        taken = self.values >= (self.bar + correction)[:, None] - 1e-9
        return self.crowd.quality(self.kinds, taken)

    def best(self, corrections: Floats) -> tuple[float, Quality]:
        """Return the correction with the highest F1, and its quality."""
        return max(((float(r), self.at(float(r))) for r in corrections), key=lambda one: one[1].f1)


def ranked(plan: Plan, crowd: Crowd, runs: int, generator: np.random.Generator) -> Ranking:
    """Draw the highest values of many runs."""
    noise, grid, count = plan.query_noise, float(plan.grid), plan.cutoff
    values, kinds = [], []
    if len(crowd.scores) > 2:  # one by one
        for _ in range(runs):
            value = crowd.scores + _noise(noise, grid, generator.random(len(crowd.scores)))
            first = np.argpartition(-value, count - 1)[:count]
            first = first[np.argsort(-value[first])]
            values.append(value[first])
            kinds.append(first)
        return Ranking(
            crowd, np.array(values), np.array(kinds), threshold_noise(plan, runs, generator)
        )
    for kind, (score, size) in enumerate(zip(crowd.scores, crowd.sizes, strict=True)):
        drawn = score + _noise(noise, grid, lowest(int(size), count, runs, generator))
        values.append(drawn)
        kinds.append(np.full(drawn.shape, kind))
    value, kind = np.hstack(values), np.hstack(kinds)
    order = np.argsort(-value - 1e-6 * grid * generator.random(value.shape), axis=1)[:, :count]
    return Ranking(
        crowd,
        np.take_along_axis(value, order, 1),
        np.take_along_axis(kind, order, 1),
        threshold_noise(plan, runs, generator),
    )


def in_turn(
    plan: Plan, crowd: Crowd, correction: float, runs: int, generator: np.random.Generator
) -> Quality:
    """Return the quality of runs that ask each candidate once, in a random order."""
    bar = threshold_noise(plan, runs, generator) + correction
    if len(crowd.scores) == 2:
        chances = _survival(plan, bar[:, None] - crowd.scores)
        high, low = generator.binomial(crowd.sizes, chances).T
        found = np.minimum(high + low, plan.cutoff)
        right = generator.hypergeometric(high, low, found)
        kinds = (np.arange(plan.cutoff) >= right[:, None]).astype(np.int64)
        return crowd.quality(kinds, np.arange(plan.cutoff) < found[:, None])
    kinds = np.zeros((runs, plan.cutoff), dtype=np.int64)
    taken = np.zeros((runs, plan.cutoff), dtype=np.bool_)
    for run in range(runs):
        passing = np.flatnonzero(
            generator.random(len(crowd.scores)) < _survival(plan, bar[run] - crowd.scores)
        )
        first = generator.permutation(passing)[: plan.cutoff]
        kinds[run, : len(first)] = first
        taken[run, : len(first)] = True
    return crowd.quality(kinds, taken)


def threshold_noise(plan: Plan, runs: int, generator: np.random.Generator) -> Floats:
    """Draw the noise of the bar."""
    noise, grid = plan.threshold_noise, float(plan.grid)
    if noise is None:
        return np.zeros(runs)
    steps = [
        np.floor(generator.exponential(float(noise.scale) / grid, runs)) * grid for _ in range(2)
    ]
    if isinstance(noise, Exponential):
        return steps[0]
    assert isinstance(noise, Laplace)
    return steps[0] - steps[1]


def lowest(size: int, count: int, runs: int, generator: np.random.Generator) -> Floats:
    """Return the lowest `count` of `size` uniform numbers, in order, without drawing the others."""
    if size <= count:
        return np.sort(generator.random((runs, size)), axis=1)
    sums = np.cumsum(generator.exponential(size=(runs, count)), axis=1)
    return sums / (sums[:, -1:] + generator.gamma(size + 1 - count, size=(runs, 1)))


def _noise(noise: Noise, grid: float, tail: Floats) -> Floats:
    """Return noise whose survival function is `tail`; exponential noise is floored to the grid."""
    scale = float(noise.scale)
    if isinstance(noise, Gumbel):
        return -scale * np.log(-np.log1p(-tail))
    assert isinstance(noise, Exponential)
    return np.floor(-np.log(tail) * scale / grid) * grid


def _survival(plan: Plan, gaps: Floats) -> Floats:
    if isinstance(plan.query_noise, Exponential):
        return np.exp(-np.maximum(gaps, 0) / float(plan.query_noise.scale))
    return np.asarray(plan.query_noise.sf(gaps))
