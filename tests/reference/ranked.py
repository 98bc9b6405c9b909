"""Ranked selection, slowly: all outcomes of small runs with their chances, and draws bit by bit."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import mpmath
import numpy as np

from tests.reference.sampling import DIGITS

#: Noise beyond so many steps is left out: a chance below 1e-11 for scales up to 0.7 steps.
STEPS = 18


def geometric(scale):
    """P(N = n) for n below STEPS, where P(N >= n) = e^(-n/scale)."""
    return np.exp(-np.arange(STEPS) / scale) * -np.expm1(-1 / scale)


@dataclass(frozen=True)
class Law:
    """The chances of all outcomes, for scores in grid steps. A twin overrides one part of it."""

    scale: float
    bar_scale: float | None
    cutoff: int
    level: int

    def bars(self):
        """Places of the bar with their chances; minus infinity without one."""
        if self.bar_scale is None:
            return [(-np.inf, 1.0)]
        return [(self.level + j, p) for j, p in enumerate(geometric(self.bar_scale))]

    def noise(self, count):
        """All noises of so many candidates, one row each, with their chances."""
        mass = geometric(self.scale)
        rows = np.stack(np.meshgrid(*[np.arange(STEPS)] * count, indexing="ij"), -1)
        rows = rows.reshape(-1, count)
        return rows, np.prod(mass[rows], axis=1)

    def keys(self, scores):
        """Who comes first among equals, by rank, with chances: all orders alike."""
        orders = list(itertools.permutations(range(len(scores))))
        return [(order, 1 / len(orders)) for order in orders]

    def reached(self, values):
        """Return the chance that the bar is no higher than each value."""
        places, chances = map(np.array, zip(*sorted(self.bars()), strict=True))
        below = np.searchsorted(places, values, side="right")
        return np.concatenate([[0.0], np.cumsum(chances)])[below]

    def outcomes(self, scores):
        """Return the chance of each outcome: a tuple of places in the order released."""
        rows, chances = self.noise(len(scores))
        values = np.asarray(scores) + rows
        most = min(self.cutoff, len(scores))
        found: dict[tuple[int, ...], float] = {}
        for order, share in self.keys(scores):
            ranks = np.lexsort((np.broadcast_to(order, values.shape), -values), axis=1)
            ordered = np.take_along_axis(values, ranks, axis=1)
            for size in range(most + 1):
                # So many are released if the bar lies between the last of them and the next.
                chance = self.reached(ordered[:, size - 1]) if size else np.ones(len(rows))
                if size < most:
                    chance = chance - self.reached(ordered[:, size])
                codes = ranks[:, :size] @ (len(scores) ** np.arange(size, dtype=int))
                total = np.bincount(codes, weights=chances * chance * share)
                for code in np.flatnonzero(total).tolist():
                    outcome = tuple(code // len(scores) ** at % len(scores) for at in range(size))
                    found[outcome] = found.get(outcome, 0.0) + float(total[code])
        return found


def losses(law, before, after):
    """Return the largest log-ratio by number of items released, in the direction before/after."""
    one, other = law.outcomes(before), law.outcomes(after)
    worst: dict[int, float] = {}
    for outcome, chance in one.items():
        if chance < 1e-9:
            continue
        loss = float(np.log(chance / max(other.get(outcome, 0.0), 1e-300)))
        worst[len(outcome)] = max(worst.get(len(outcome), -np.inf), loss)
    return worst


def values_of(scores, ratio, source):
    """Return for each score the least and the most that score plus floor(-ln U · ratio) can be.

    The first 8 bits of U are drawn for all, then 56 more for all; further bits are not looked at.
    """
    size = len(scores)
    glance, more = source(size), source(8 * size)
    found = []
    with mpmath.workdps(DIGITS):
        factor = mpmath.mpf(ratio.numerator) / ratio.denominator
        for at, score in enumerate(scores):
            word = glance[at] << 56 | int.from_bytes(more[8 * at : 8 * at + 8], "little") >> 8
            ends = (mpmath.mpf(word + 1) - mpmath.mpf(2) ** -150, mpmath.mpf(word))
            steps = [int(mpmath.floor(-mpmath.log(end / 2**64) * factor)) for end in ends]
            found.append((int(score) + steps[0], int(score) + steps[1]))
    return found
