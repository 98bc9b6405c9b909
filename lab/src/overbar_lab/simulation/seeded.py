"""A study runs the mechanism itself: whoever it asks draws floats from a seed. Nothing is secret.

:class:`Seeded` has the verbs of :class:`overbar.mechanisms.run.Run`. Like those it speaks of grid
steps, but its noise is real instead of whole: a study has no grid.

**The highest.** One draw per candidate. The highest of a union are among the highest of its parts,
so a block of candidates is held at a time, and of its values only those that reach the bar and the
best of the blocks before.

**Passing.** Asked once or again and again: :mod:`overbar_lab.simulation.seeded_race`.

Theory: :doc:`/theory/appending`, :doc:`/theory/ranked`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from overbar.mechanisms import ScorePlan
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise
from overbar_lab.simulation.candidates import Candidates
from overbar_lab.simulation.seeded_race import (
    SMALLEST,
    comparisons_made,
    first_in_queue,
    first_of,
    first_to_pass,
    log_exponential,
    log_limit,
    rounds_of,
)

#: The grid of what is in units of scores.
UNITS = Fraction(1)


@dataclass(frozen=True)
class Chosen(Sequence["Chosen"]):
    """One who came out, or a row of them: places among all, scores, and values if asked for."""

    candidate: Any
    score: Any
    value: Any = None

    def __len__(self) -> int:
        return len(self.candidate)

    def __getitem__(self, at: Any) -> Any:
        value = None if self.value is None else self.value[at]
        return Chosen(self.candidate[at], self.score[at], value)


class Seeded:
    """Runs a mechanism by a seeded generator, and says how many comparisons it made."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator
        #: So far; beyond 2^53 their exact number is of no interest to a study.
        self.comparisons = 0.0

    def draw(self, noise: Noise | None, grid: Fraction) -> float:
        """Draw noise; without any it is zero."""
        return 0.0 if noise is None else float(self.draws(noise, grid, 1)[0])

    def draws(self, noise: Noise, grid: Fraction, count: int) -> Any:
        """Draw so many, independently."""
        scale, generator = float(noise.scale) / float(grid), self.generator
        if isinstance(noise, Laplace):
            return generator.laplace(scale=scale, size=count)
        if isinstance(noise, Gaussian):
            return generator.normal(scale=scale, size=count)
        if isinstance(noise, Exponential):
            return scale * generator.standard_exponential(count)
        if isinstance(noise, Gumbel):
            return -scale * log_exponential(count, generator)
        return noise.quantile(np.maximum(generator.random(count), SMALLEST)) / float(grid)

    def passing(
        self,
        scores: Any,
        noise: Noise,
        grid: Fraction,
        bar: float,
        *,
        most: int,
        rounds: int | None = 1,
        on_grid: bool = False,  # noqa: ARG002  # noise is real here
    ) -> Chosen:
        """Return the first so many that reach the bar; candidates of a study in a random order.

        Only the order among those who tie matters, so only those who may come out get a place: as a
        share of the queue, since how many of the others stand before it is all that is asked for.
        """
        candidates = _candidates(scores)
        ranks, times = first_to_pass(
            in_steps(noise, grid),
            candidates,
            bar,
            count=most,
            limit=log_limit(rounds),
            generator=self.generator,
        )
        passed = candidates.ranking[ranks]
        if rounds == 1 or scores is candidates:
            shares = self.generator.random(len(passed))
        else:  # in the order given
            shares = passed / len(candidates)
        first = first_of(times, shares, most)
        before = np.searchsorted(np.sort(shares), shares[first])
        places = shares[first] * (len(candidates) - len(passed)) + before
        last = rounds_of(times[first])
        self.comparisons += comparisons_made(last, places, len(candidates), most, rounds)
        chosen = passed[first]
        return Chosen(chosen, candidates.scores[chosen])

    def passes(self, score: float, noise: Noise, grid: Fraction, bar: float) -> bool:
        """Tell whether one score plus noise reaches the bar."""
        self.comparisons += 1
        return score + self.draw(noise, grid) >= bar

    def highest(
        self,
        scores: Any,
        noise: Noise,
        grid: Fraction,
        bar: float | None,
        *,
        most: int,
        values: bool = False,  # noqa: ARG002  # all may be told
    ) -> Chosen:
        """Return those with the highest score plus noise that reach the bar, in order."""
        candidates = _candidates(scores)
        least = -math.inf if bar is None else bar
        leaders, best = np.empty(0, dtype=np.int64), np.empty(0)
        for start in range(0, len(candidates), candidates.block):
            block = candidates.scores[start : start + candidates.block]
            noisy = self.draws(noise, grid, len(block))
            noisy += block
            places = np.flatnonzero(noisy >= least)
            leaders = np.concatenate([leaders, places + start])
            best = np.concatenate([best, noisy[places]])
            if len(best) > most:
                top = np.argpartition(best, -most)[-most:]
                leaders, best = leaders[top], best[top]
                least = float(best.min())
        self.comparisons += len(candidates)
        order = np.argsort(-best, kind="stable")
        chosen = leaders[order]
        return Chosen(chosen, candidates.scores[chosen], best[order])

    def choose(self, counts: Sequence[int], chances: Sequence[int], bits: int) -> Sequence[int]:
        """Return the places that come out: a count n with chances[n]/2^bits, from the last on 1."""
        known = np.array([chance / (1 << bits) for chance in chances])
        wanted = known[np.minimum(counts, len(known) - 1)]
        places: list[int] = np.flatnonzero(self.generator.random(len(wanted)) < wanted).tolist()
        return places

    def lot(self, things: Sequence[Hashable], most: int) -> Sequence[Hashable]:
        """Return so many of the things, each as likely as another, in their order."""
        if len(things) <= most:
            return things
        chosen = self.generator.choice(len(things), size=most, replace=False)
        return [things[place] for place in np.sort(chosen)]

    def tell(self, number: float) -> int:
        """Return a number that may be known, on the grid."""
        return round(number)


def redrawn(plan: ScorePlan, run: Seeded, candidates: Candidates, level: float) -> Chosen:
    """Run the paper's Algorithm 2 with RESAMPLE: fresh noise on the threshold after each positive.

    The geometric law has no memory: after a positive everyone left starts a new race against the
    new threshold, from where the queue stands. Whoever was behind the winner is asked first.
    """
    queue = run.generator.permutation(len(candidates))
    rounds = plan.repeats.rounds
    left = np.full(len(queue), math.inf if rounds is None else float(rounds))
    noise, found = in_steps(plan.query_noise, plan.grid), list[int]()
    while len(queue) and len(found) < plan.cutoff:
        bar = level + run.draw(plan.threshold_noise, plan.grid)
        place, turn = first_in_queue(noise, bar - candidates.scores[queue], left, run.generator)
        asked = np.minimum(turn, left)  # nobody more often than they may be
        asked[place + 1 :] = np.minimum(turn - 1, left[place + 1 :])
        run.comparisons += float(asked.sum())
        if turn == math.inf:
            break
        found.append(int(queue[place]))
        left -= asked
        queue, left = (np.concatenate([of[place + 1 :], of[:place]]) for of in (queue, left))
        if rounds is not None:
            queue, left = queue[left > 0], left[left > 0]
    chosen = np.array(found, dtype=np.int64)
    return Chosen(chosen, candidates.scores[chosen])


@lru_cache(maxsize=64)
def in_steps(noise: Noise, grid: Fraction) -> Noise:
    """Return a noise whose scale is in grid steps."""
    return noise if grid == 1 else replace(noise, scale=noise.scale / grid)  # type: ignore[type-var]  # a dataclass


def _candidates(scores: Any) -> Candidates:
    """Return scores as candidates; those of a study are."""
    return scores if isinstance(scores, Candidates) else Candidates(np.asarray(scores, float), 0.0)
