"""One run by a seeded generator: the highest noisy values, or a race. Floats, and nothing secret.

**The highest.** One draw per candidate. The highest of a union are among the highest of its parts,
so a block of candidates is held at a time, and of its values only those that reach the bar and the
best of the blocks before.

**A run with appending is a race**: one draw per candidate, whatever the number of rounds. With the
noisy threshold fixed, a candidate at gap x is negative in each round with chance F(x),
independently, so it turns positive in round G with P(G > g) = F(x)^g. With E standard exponential
and H = -ln F(x), G = ⌈E/H⌉ has that law exactly. The run is: sort by (G, place in the queue), take
the first c. Everything is done with ln(E/H), so a chance of e^-1000 a round is as good as any.

Hazards fall with the gap. So, with candidates in order of their scores, the hazards at the ends of
a short stretch enclose all in between, and only candidates that can still be among the first are
looked at closely.

A negative query goes back to the end of the queue, in the same relative order. So when the query
in place i turns positive in round G, every query before it has been asked G times and every query
behind it G - 1 times, but for those that turned positive before.

Theory: :doc:`/theory/appending`, :doc:`/theory/ranked`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from overbar.mechanisms import Plan
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace, Noise
from overbar_lab.simulation.candidates import Array, Candidates, Indices, Outcome

#: Keeps a logarithm finite in the one draw of 2^53 or so that comes out as zero.
SMALLEST = float(np.finfo(np.float64).tiny)


def values_run(plan: Plan, candidates: Candidates, generator: np.random.Generator) -> Outcome:
    """Draw the threshold noise and one value for each; return the highest that reach it."""
    bar = -math.inf
    if plan.bar is not None:
        level = candidates.threshold + float(plan.correction)
        bar = level + draw_threshold_noise(plan.threshold_noise, generator)
    best = highest(plan.query_noise, candidates, bar, count=plan.cutoff, generator=generator)
    return Outcome(best, len(candidates))


def highest(
    noise: Noise,
    candidates: Candidates,
    bar: float,
    *,
    count: int,
    generator: np.random.Generator,
) -> Indices:
    """Return the candidates with the `count` highest values among those that reach the bar."""
    leaders, best = np.empty(0, dtype=np.int64), np.empty(0)
    for start in range(0, len(candidates), candidates.block):
        scores = candidates.scores[start : start + candidates.block]
        values = draw_noise(noise, len(scores), generator)
        values += scores
        places = np.flatnonzero(values >= bar)
        leaders = np.concatenate([leaders, places + start])
        best = np.concatenate([best, values[places]])
        if len(best) > count:
            top = np.argpartition(best, -count)[-count:]
            leaders, best = leaders[top], best[top]
            bar = float(best.min())
    return leaders[np.argsort(-best, kind="stable")]


def draw_noise(noise: Noise, size: int, generator: np.random.Generator) -> Array:
    """Draw independent values of a noise."""
    scale = float(noise.scale)
    if isinstance(noise, Laplace):
        return generator.laplace(scale=scale, size=size)
    if isinstance(noise, Gaussian):
        return generator.normal(scale=scale, size=size)
    if isinstance(noise, Exponential):
        return scale * generator.standard_exponential(size)
    if isinstance(noise, Gumbel):
        return -scale * log_exponential(size, generator)
    return noise.quantile(np.maximum(generator.random(size), SMALLEST))


def draw_threshold_noise(noise: Noise | None, generator: np.random.Generator) -> float:
    """Draw the noise of the threshold; None stands for a bare threshold."""
    return 0.0 if noise is None else float(draw_noise(noise, 1, generator)[0])


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


def race_run(plan: Plan, candidates: Candidates, generator: np.random.Generator) -> Outcome:
    """Draw the threshold noise, ask everyone, and return who was positive."""
    level = candidates.threshold + float(plan.correction)
    if plan.repeats.resample:
        return resampled_race(plan, candidates, level, log_rounds, generator)
    bar = level + draw_threshold_noise(plan.threshold_noise, generator)
    rounds = plan.repeats.rounds
    ranks, times = first_to_pass(
        plan.query_noise,
        candidates,
        bar,
        count=plan.cutoff,
        limit=math.inf if rounds is None else math.log(rounds) + ROUNDING,
        generator=generator,
    )
    passed = candidates.ranking[ranks]
    # Only the order among those who may tie matters, so only they are shuffled. Of the others
    # a share stands before a place, and that share is all that is asked for below.
    shares = generator.random(len(passed))
    first = _first_of(times, shares, plan.cutoff)
    before = np.searchsorted(np.sort(shares), shares[first])
    places = shares[first] * (len(candidates) - len(passed)) + before
    with np.errstate(over="ignore"):
        last = np.rint(np.exp(times[first]))
    spent = comparisons_made(last, places, len(candidates), plan.cutoff, rounds)
    return Outcome(passed[first], spent)


def _first_of(times: Array, places: Array, count: int) -> Indices:
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


LogRounds = Callable[[Noise, Array, np.random.Generator], Array]


def resampled_race(
    plan: Plan,
    candidates: Candidates,
    level: float,
    log_rounds: LogRounds,
    generator: np.random.Generator,
) -> Outcome:
    """Return who turns positive, in the order found, with fresh threshold noise after each.

    The geometric law has no memory: after a positive everyone left starts a new race against the
    new threshold, from where the queue stands. Whoever was behind the winner is asked first.
    """
    size = len(candidates)
    left = generator.permutation(size)
    used = np.zeros(size, dtype=np.int64)
    winners: list[int] = []
    rounds = plan.repeats.rounds
    comparisons = 0.0  # beyond 2^53 their exact number is of no interest to a study
    while len(left) and len(winners) < plan.cutoff:
        bar = level + draw_threshold_noise(plan.threshold_noise, generator)
        times = log_rounds(plan.query_noise, bar - candidates.scores[left], generator)
        if rounds is not None:
            times[times > np.log(rounds - used) + ROUNDING] = np.inf
        place = int(np.argmin(times))  # the first in the queue of those who tie
        if not times[place] < np.inf:
            comparisons += math.inf if rounds is None else float(np.sum(rounds - used))
            break
        if rounds is None:
            turn = float(np.rint(np.exp(min(times[place], math.log(ENDLESS)))))
            comparisons += turn * len(left) - (len(left) - place - 1)
        else:
            turns = _turns(rounds, used, float(times[place]), place)
            comparisons += float(turns.sum(dtype=np.float64))
            used = used + turns
        winners.append(int(left[place]))
        left = np.concatenate([left[place + 1 :], left[:place]])
        used = np.concatenate([used[place + 1 :], used[:place]])
        if rounds is not None:
            left, used = left[used < rounds], used[used < rounds]
    return Outcome(np.array(winners, dtype=np.int64), comparisons)


def _turns(rounds: int, used: Indices, time: float, place: int) -> Indices:
    """Return how often each in the queue was asked until the one in `place` turned positive."""
    turns = np.full(len(used), round(math.exp(time)), dtype=np.int64)
    turns[place + 1 :] -= 1
    # Someone whose rounds were used up was not in the queue any more.
    return np.minimum(turns, rounds - used)
