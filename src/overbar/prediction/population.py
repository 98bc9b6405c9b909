"""How many of a population are found, given the chance of each kind.

There are a candidates above the threshold and b below, in a random order, and the run halts after
c positives. Once the noisy threshold is fixed, everyone is asked independently: in one round,
a candidate stays negative with chance F_a or F_b, known here by the logarithms of their
hazards -ln F, which keep their digits at any distance from the threshold.

**Time.** Give everyone a uniform place in each round, and let time τ run through the rounds: by
τ = g + t a candidate has turned positive unless it was negative g times and then, with place below
t, once more, so it is still negative with chance

    F^g·(1 - t·(1 - F)),

whatever the others do. A run finds the first c in this time.

**Recall.** One candidate from above is found at time τ iff at most c - 1 of the others came before:
with X(τ) the chance to have turned positive, and K(τ) = Bin(a-1, X_a(τ)) + Bin(b, X_b(τ)),

    E[hits] = a · ∫ P(K(τ) <= c - 1) dX_a(τ).

**Precision** is hits by selected, and zero if nothing is selected. Fewer than c are selected iff
fewer than c turn positive at all, and then everybody who does is, so with K at the end of time

    E[hits/selected] = E[hits]/c + a·X_a·Σ_{j < c} (1/(j+1) - 1/c)·P(K = j).

In one round both integrals have a closed form; see :func:`one_round`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from overbar.noise.noise import Array

#: e^this is zero for any float; a logarithm below it says no more.
LEAST_LOG = -1e5
#: Numbers held at once while integrating.
MOST_NUMBERS = 1 << 22
#: Beyond this cutoff counts are taken at their means, and shares are then off by less than 0.001.
MANY = 2500
#: The same where several rounds make counting slow: many rows, asked again. Off by less than 0.02.
MANY_AGAIN = 75
#: Halvings of a logarithmic bracket of time.
HALVINGS = 60
#: Halvings where a place only has to be about right.
ROUGH_HALVINGS = 12
#: A rate of one in e^30 a round makes two in one round rarer than anything asked for here.
SLOW = -30.0

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(10)
#: Places and weights in a piece of time, by Gauss and Legendre.
_PIECE = ((0.5 - math.sqrt(0.15), 5 / 18), (0.5, 8 / 18), (0.5 + math.sqrt(0.15), 5 / 18))
#: Where to cut when few are left.
_FEWER = np.array([0.05, 0.02, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8])
#: Log-odds at which to cut a falling chance.
_ODDS = np.array([-24.0, -12, -7, -4.5, -3, -2, -1, 0, 1, 2, 3, 4.5, 7, 12, 24])


class Found(NamedTuple):
    """Expected hits, and expected hits by selected; one for each row of chances."""

    hits: Array
    precision: Array


@dataclass(frozen=True)
class Population:
    """So many above, so many below, and so many found at most."""

    above: int
    below: int
    cutoff: int

    def found(self, hazard_above: Array, hazard_below: Array, rounds: int | None) -> Found:
        """Return what is found, from the logarithms of the hazards of one asking."""
        # As often as it takes: nothing but the ratio counts once ties are that rare.
        lift = 0.0 if rounds is not None else np.maximum(SLOW - hazard_above, 0.0)
        with np.errstate(over="ignore"):
            logs = (
                np.maximum(-np.exp(hazard_above + lift), LEAST_LOG),
                np.maximum(-np.exp(hazard_below + lift), LEAST_LOG),
            )
        quick = rounds == 1 or len(hazard_above) == 1
        if self.cutoff > (MANY if quick else MANY_AGAIN):
            return many(self, *logs, rounds)
        if rounds == 1:
            return one_round(self, *logs)
        return race(self, *logs, rounds)

    def mean(self, log_above: Array, log_below: Array) -> Array:
        """Return how many others turn positive on average, from the chances to stay negative."""
        rise = -(self.above - 1) * np.expm1(log_above) - self.below * np.expm1(log_below)
        return np.asarray(rise)

    def counts(self, log_above: Array, log_below: Array) -> Array:
        """Return P(K = j) for j < c, K counting the others that turn positive."""
        size = 1 << self.cutoff.bit_length() + 1  # no count wraps around
        first = np.fft.rfft(_binomial(self.above - 1, self.cutoff, log_above), size)
        second = np.fft.rfft(_binomial(self.below, self.cutoff, log_below), size)
        both = np.fft.irfft(first * second, size)[..., : self.cutoff]
        return np.asarray(np.maximum(both, 0.0))

    def at_most(self, log_above: Array, log_below: Array) -> Array:
        """Return P(K <= c - 1)."""
        first = _binomial(self.above - 1, min(self.cutoff, self.above), log_above)
        second = np.cumsum(_binomial(self.below, self.cutoff, log_below), axis=-1)
        return np.asarray(np.sum(first * second[..., ::-1][..., : first.shape[-1]], axis=-1))

    def mean_inverse(self, log_above: Array, log_below: Array) -> Array:
        """Return E[1/(1+K)] = ∫ (1 - u·p)^(a-1)·(1 - u·q)^b du, u from 0 to 1.

        The integrand falls from one at least as fast as e^(-u·E[K]).
        """
        mean = np.maximum(self.mean(log_above, log_below), 1e-9)[:, None]
        steps = np.array([0.0, 0.5, 1.5, 3.0, 6.0, 12.0, 24.0, 48.0])
        edges = np.minimum(np.concatenate([steps / mean, np.ones_like(mean)], axis=1), 1.0)
        half = np.diff(edges, axis=1)[..., None] / 2
        u = (edges[:, :-1, None] + half) + half * _POINTS
        above, below = (np.expm1(log)[:, None, None] for log in (log_above, log_below))
        # A chance of one has no logarithm at u = 1, and there may be nobody to have it.
        logs = scipy.special.xlog1py(self.above - 1, np.maximum(u * above, -1 + 1e-16))
        logs = logs + scipy.special.xlog1py(self.below, np.maximum(u * below, -1 + 1e-16))
        return np.asarray(np.sum(half * _WEIGHTS * np.exp(logs), axis=(1, 2)))


def one_round(population: Population, log_above: Array, log_below: Array) -> Found:
    """Return what one round finds.

    All positives are equally likely to be among the first c, so E[hits] = a·p·E[min(1, c/(1+K))]
    and E[hits/selected] = a·p·E[1/(1+K)], where E[1/(1+K)] = ∫ E[t^K] dt over the unit interval.
    """
    counts = population.counts(log_above, log_below)
    places = np.arange(1, population.cutoff + 1)
    low, low_inverse = counts.sum(axis=-1), (counts / places).sum(axis=-1)
    inverse = population.mean_inverse(log_above, log_below)
    share = low + population.cutoff * np.maximum(inverse - low_inverse, 0.0)
    positive = -population.above * np.expm1(log_above)
    return Found(positive * np.minimum(share, 1.0), positive * inverse)


def race(population: Population, log_above: Array, log_below: Array, rounds: int | None) -> Found:
    """Return what several rounds find, or as many as it takes if `rounds` is None."""
    rows = max(1, MOST_NUMBERS // (40 * population.cutoff))
    parts = [
        _race(population, log_above[i : i + rows], log_below[i : i + rows], rounds)
        for i in range(0, len(log_above), rows)
    ]
    return Found(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def many(population: Population, log_above: Array, log_below: Array, rounds: int | None) -> Found:
    """Return what a population so large finds that every count is at its mean."""
    end = _until(population, log_above, log_below, rounds, float(population.cutoff))
    hits = -population.above * np.expm1(_negative(log_above, end))
    others = -population.below * np.expm1(_negative(log_below, end))
    selected = hits + others
    if rounds is None:
        selected = np.full(
            len(hits), float(min(population.cutoff, population.above + population.below))
        )
    return Found(hits, np.divide(hits, selected, out=np.zeros_like(hits), where=selected > 0))


def _race(population: Population, log_above: Array, log_below: Array, rounds: int | None) -> Found:
    """Integrate over the stretch of time in which the cutoff is reached.

    The share of those above that is still negative serves as clock: it falls from one.
    """
    edges = _pieces(population, log_above, log_below, rounds)
    hits = 1 - edges[:, 0]
    for share, weight in _PIECE:
        left = edges[:, :-1] + share * np.diff(edges, axis=1)
        log_left = np.maximum(np.log(np.maximum(left, 1e-300)), LEAST_LOG)
        times = _when(log_above[:, None], log_left)
        early = population.at_most(log_left, _negative(log_below[:, None], times))
        hits = hits - weight * np.sum(early * np.diff(edges, axis=1), axis=1)
    hits = hits * population.above
    last = np.full(len(log_above), math.inf if rounds is None else float(rounds))
    above, below = _negative(log_above, last), _negative(log_below, last)
    places = np.arange(1, population.cutoff + 1)
    extra = population.counts(above, below) @ (1 / places - 1 / population.cutoff)
    return Found(hits, hits / population.cutoff - population.above * np.expm1(above) * extra)


def _pieces(
    population: Population, log_above: Array, log_below: Array, rounds: int | None
) -> Array:
    """Cut the time in which the cutoff is reached into pieces; return who is left at each cut.

    The chance that few enough came before falls about as for Poisson counts, which spread out
    farther: so cut where that falls by equal odds. Chances bend where one round ends and the next
    begins: cut there too, if that is not too often. And no piece may hold much of those above, or
    of those of them who are left.
    """
    levels = scipy.special.gammainccinv(population.cutoff, 1 / (1 + np.exp(_ODDS)))
    start = _until(population, log_above, log_below, rounds, float(levels[0]))[:, None]
    end = _until(population, log_above, log_below, rounds, float(levels[-1]))[:, None]
    low, high = np.broadcast_arrays(start, end, levels)[:2]
    for _ in range(ROUGH_HALVINGS):
        middle = (low + high) / 2
        above, below = (_negative(log[:, None], middle) for log in (log_above, log_below))
        reached = population.mean(above, below) >= levels
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    turns = np.ceil(start) + np.arange(8.0)
    times = np.concatenate([start, end, high, np.clip(turns, start, end)], axis=1)
    left = np.exp(_negative(log_above[:, None], times))
    first, last = left[:, :1], left[:, 1:2]
    even = first + (last - first) * np.linspace(0.1, 0.9, 9)
    fewer = np.clip(first * _FEWER, last, first)
    return -np.sort(-np.concatenate([left, even, fewer], axis=1), axis=1)


def _when(log: Array, log_left: Array) -> Array:
    """Return the time at which so many are left: the inverse of :func:`_negative`."""
    rate = np.minimum(log, -1e-290)
    asked = np.floor(log_left / rate)
    rest = np.expm1(np.minimum(log_left - asked * rate, 0.0)) / np.expm1(rate)
    return np.asarray(asked + np.minimum(rest, 1.0))


def _negative(log: Array, time: Array) -> Array:
    """Return ln(F^g·(1 - t·(1 - F))) at time g + t."""
    with np.errstate(invalid="ignore"):
        turn = np.where(np.isinf(time), 0.0, time - np.floor(time))
        asked = np.where(log == 0, 0.0, np.floor(time) * log)
    partly = np.log1p(np.maximum(turn * np.expm1(log), -1 + 1e-300))
    return np.asarray(np.maximum(asked + partly, LEAST_LOG))


def _until(
    population: Population, log_above: Array, log_below: Array, rounds: int | None, level: float
) -> Array:
    """Return when the mean number of positives reaches a level, or the end of time."""
    if level <= 0:
        return np.zeros(len(log_above))
    # All hits are made by the time when e^-40 of those above are left.
    enough = np.maximum(1.0, 40 / np.maximum(-log_above, 1e-290))
    last = enough if rounds is None else np.minimum(float(rounds), np.ceil(enough))
    low = np.full(len(log_above), math.log(1e-12))
    high = np.log(last)
    top = high.copy()
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        time = np.exp(middle)
        reached = population.mean(_negative(log_above, time), _negative(log_below, time)) >= level
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return np.where(high == top, last, np.exp(high))


def _binomial(number: int, size: int, log_negative: Array) -> Array:
    """Return P(Bin = j) for j < size, from the log of the chance of a failure; j runs last."""
    j = np.arange(size, dtype=np.float64)
    if number < size:
        j = j[: number + 1]
    steps = np.log((number - j[:-1]) / (j[:-1] + 1))
    ways = np.concatenate([[0.0], np.cumsum(steps)])
    log_positive = scipy.special.xlogy(1.0, -np.expm1(log_negative))[..., None]
    with np.errstate(invalid="ignore"):
        rise = np.where(j == 0, 0.0, j * log_positive)
    mass = np.exp(ways + rise + (number - j) * log_negative[..., None])
    if len(j) < size:
        mass = np.concatenate([mass, np.zeros((*mass.shape[:-1], size - len(j)))], axis=-1)
    return np.asarray(mass)
