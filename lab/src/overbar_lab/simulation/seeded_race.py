"""Many are asked in turn, again and again: one draw for each says when it turns positive.

**A run with appending is a race**: with the noisy threshold fixed, a candidate at gap x is negative
in each round with chance F(x), independently, so it turns positive in round G with
P(G > g) = F(x)^g. With E standard exponential and H = -ln F(x), G = ⌈E/H⌉ has that law exactly. The
run is: sort by (G, place in the queue), take the first c. Everything is done with ln(E/H), so a
chance of e^-1000 a round is as good as any.

Hazards fall with the gap. So, with candidates in order of their scores, the hazards at the ends of
a short stretch enclose all in between, and only candidates that can still be among the first are
looked at closely.

A negative query goes back to the end of the queue, in the same relative order. So when the query
in place i turns positive in round G, every query before it has been asked G times and every query
behind it G - 1 times, but for those that turned positive before.

Theory: :doc:`/theory/appending`.
"""

from __future__ import annotations

import math

import numpy as np

from overbar.noise import Noise
from overbar_lab.simulation.candidates import Array, Candidates, Indices

#: Keeps a logarithm finite in the one draw of 2^53 or so that comes out as zero.
SMALLEST = float(np.finfo(np.float64).tiny)


def log_exponential(size: int, generator: np.random.Generator) -> Array:
    """Draw logarithms of standard exponential values."""
    values = generator.standard_exponential(size)
    np.maximum(values, SMALLEST, out=values)
    return np.log(values, out=values)


#: Candidates enclosed by one pair of hazards.
STRETCH = 32
#: Above e^36 > 2^51 every float is a whole number of rounds, or so nearly that no tie is missed.
WHOLE = 36.0
#: Room for rounding between a bound and the number it bounds.
SLACK = 1e-6
#: So many rounds are as good as no end.
ENDLESS = 1e200
#: Two ways to the logarithm of one whole number may differ in the last digit.
ROUNDING = 1e-12


def first_of(times: Array, places: Array, count: int) -> Indices:
    """Return the first so many by time, and by place where times tie, in that order."""
    chosen = np.arange(len(times))
    if len(times) > count:
        last = np.partition(times, count - 1)[count - 1]
        sooner, tied = np.flatnonzero(times < last), np.flatnonzero(times == last)
        wanted = count - len(sooner)
        front = np.argpartition(places[tied], wanted - 1)[:wanted]
        chosen = np.concatenate([sooner, tied[front]])
    return chosen[np.lexsort((places[chosen], times[chosen]))]


def comparisons_made(
    rounds: Array, places: Array, total: int, cutoff: int, last_round: int | None
) -> float:
    """Return how many comparisons a run makes whose winners are these, in the order found.

    It ends with its last positive, or after the last round, or, where neither comes, never.
    """
    if len(rounds) == min(cutoff, total):
        if not total:
            return 0.0
        end, place = rounds[-1], places[-1]
        if end > ENDLESS:
            return math.inf
        saved = np.sum(end - rounds[:-1]) - np.count_nonzero(places[:-1] > place)
        return float((end - 1) * total + place + 1 - saved)
    if last_round is None:
        return math.inf
    return float(last_round * total - np.sum(last_round - rounds))


def first_to_pass(
    noise: Noise,
    candidates: Candidates,
    bar: float,
    *,
    count: int,
    limit: float,
    generator: np.random.Generator,
) -> tuple[Indices, Array]:
    """Return who turns positive no later than the `count`-th, ties included.

    Gives ranks (places in ``candidates.falling``) and the logarithm of the round in which each
    turns positive; nobody whose logarithm exceeds `limit`.
    """
    ranks, times = np.empty(0, dtype=np.int64), np.empty(0)
    for start in range(0, len(candidates), candidates.block):
        gaps = bar - candidates.falling[start : start + candidates.block]
        waits = log_exponential(len(gaps), generator)
        close = _close(noise, gaps, waits, count, limit)
        ranks = np.concatenate([ranks, close + start])
        times = np.concatenate([times, whole(waits[close] - noise.log_hazard(gaps[close]))])
        if len(times) > count:
            limit = min(limit, float(np.partition(times, count - 1)[count - 1]))
        # A chance so small that its logarithm is minus infinity never comes up.
        early = (times <= limit) & (times < np.inf)
        ranks, times = ranks[early], times[early]
    return ranks, times


def _close(noise: Noise, gaps: Array, waits: Array, count: int, limit: float) -> Indices:
    """Return the places of all that may be among the first; gaps rise."""
    size = len(gaps)
    if size <= 4 * STRETCH:
        return np.arange(size)
    starts = np.arange(0, size, STRETCH)
    most = noise.log_hazard(gaps[starts])
    width = size // STRETCH
    if size > count:
        least = noise.log_hazard(gaps[np.minimum(starts + STRETCH, size) - 1])
        latest = waits - np.repeat(least, STRETCH)[:size]
        if width > count:
            # The first of each of many teams: the count-th of those is no earlier than the
            # count-th of all, and much sooner found. Teams are mixed, strong with weak.
            latest = latest[: width * STRETCH].reshape(STRETCH, width).min(axis=0)
        latest.partition(count - 1)
        limit = min(limit, float(whole(latest[count - 1 : count])[0]))
    soonest = waits - np.repeat(most, STRETCH)[:size]
    return np.flatnonzero(soonest <= limit + SLACK)


def log_rounds(noise: Noise, gaps: Array, generator: np.random.Generator) -> Array:
    """Draw the logarithm of the round in which each turns positive, at any gaps."""
    return whole(log_exponential(len(gaps), generator) - noise.log_hazard(gaps))


def whole(times: Array) -> Array:
    """Round times up to whole rounds, in logarithms: so that ties are ties."""
    rounds = np.maximum(np.ceil(np.exp(np.minimum(times, WHOLE))), 1)
    return np.where(times < WHOLE, np.log(rounds), times)


def first_in_queue(
    noise: Noise, gaps: Array, most: Array, generator: np.random.Generator
) -> tuple[int, float]:
    """Return the place of who is positive first, and in which round; infinity for nobody.

    Each is asked so often at most. Of those in one round it is the first in the queue.
    """
    times = log_rounds(noise, gaps, generator)
    if most[-1:] < math.inf:  # all of them have an end, or none
        times[times > np.log(most) + ROUNDING] = math.inf
    place = int(np.argmin(times))
    turn = min(float(rounds_of(times[place])), ENDLESS)
    return place, turn if times[place] < math.inf else math.inf


def log_limit(rounds: int | None) -> float:
    """Return the logarithm of a number of rounds, and room for rounding."""
    return math.inf if rounds is None else math.log(rounds) + ROUNDING


def rounds_of(times: Array) -> Array:
    """Return rounds from their logarithms; far above `ENDLESS` it may be infinity."""
    with np.errstate(over="ignore"):
        return np.rint(np.exp(times))
