"""Laws of small runs with continuous noise, and the plain loop over rounds: slow and obvious.

Exact laws are sums over everything that can happen, for each of many values of the threshold
noise: midpoints of slices of equal probability. Noises are written out again here.
"""

from collections import defaultdict
from itertools import pairwise, permutations

import numpy as np
from scipy import integrate, special

from tests.reference.plans import repeats_of

SLICES = 2000


def survival(noise, x):
    """P(V >= x)."""
    z = np.asarray(x, dtype=float) / float(noise.scale)
    if noise.name == "exponential":
        return np.exp(-np.maximum(z, 0))
    if noise.name == "laplace":
        return np.where(z > 0, np.exp(-np.abs(z)) / 2, 1 - np.exp(-np.abs(z)) / 2)
    if noise.name == "gumbel":
        return -np.expm1(-np.exp(-z))
    return special.ndtr(-z)


def threshold_values(noise):
    """Equally likely values of the threshold noise."""
    if noise is None:
        return np.zeros(1)
    level = (np.arange(SLICES) + 0.5) / SLICES
    if noise.name == "gaussian":
        return float(noise.scale) * special.ndtri(level)
    signs = np.sign(level - 0.5)
    return -float(noise.scale) * signs * np.log1p(-2 * np.abs(level - 0.5))


def law_of_run(plan, scores, threshold, orders=None):
    """Return {positives in the order found: probability}, averaged over public orders."""
    orders = orders or [tuple(range(len(scores)))]
    values = threshold_values(plan.threshold_noise)
    weights = np.full(len(values), 1 / len(values))
    gaps = threshold + float(plan.correction) + values[None, :] - np.array(scores, float)[:, None]
    rise = survival(plan.query_noise, gaps)
    found = defaultdict(float)
    for order in orders:
        walk = _walk_endless if repeats_of(plan).rounds is None else _walk
        for said, chance in walk(plan, list(order), rise, weights):
            found[said] += chance / len(orders)
    return dict(found)


def _after_positive(plan, terms, weights):
    return terms.sum() * weights if plan.repeats.resample else terms


def _walk(plan, queue, rise, weights):
    """Ask one by one; nobody more than `rounds` times."""
    result = []

    def go(queue, asked, said, terms):
        if not queue or len(said) == plan.cutoff:
            result.append((said, float(terms.sum())))
            return
        query, *others = queue
        yes = _after_positive(plan, terms * rise[query], weights)
        go(others, asked, (*said, query), yes)
        times = asked.get(query, 0) + 1
        back = [query] if times < repeats_of(plan).rounds else []
        no = terms * (1 - rise[query])
        go([*others, *back], {**asked, query: times}, said, no)

    go(queue, {}, (), weights)
    return result


def _walk_endless(plan, queue, rise, weights):
    """Ask without end: whoever is next in the queue wins in this round or in any later one."""
    result = []

    def go(queue, said, terms):
        if not queue or len(said) == plan.cutoff:
            result.append((said, float(terms.sum())))
            return
        with np.errstate(divide="ignore"):
            somebody = -np.expm1(sum(np.log1p(-rise[query]) for query in queue))
        before = np.ones_like(weights)
        for place, query in enumerate(queue):
            wins = terms * before * rise[query] / somebody
            rest = queue[place + 1 :] + queue[:place]
            go(rest, (*said, query), _after_positive(plan, wins, weights))
            before = before * (1 - rise[query])

    go(queue, (), weights)
    return result


def law_of_peeling(scores, scale, count):
    """Odds e^(score/scale) among those left, one after the other."""
    weights = np.exp(np.array(scores) / scale)
    result = {}
    for order in permutations(range(len(scores)), count):
        left, chance = weights.sum(), 1.0
        for index in order:
            chance *= weights[index] / left
            left -= weights[index]
        result[order] = chance
    return result


def law_of_flips(scores, scale, count):
    """Permute-and-flip among those left: every order, every coin."""
    result = defaultdict(float)

    def go(left, said, chance):
        if len(said) == count:
            result[said] += chance
            return
        best = max(scores[index] for index in left)
        orders = list(permutations(left))
        for order in orders:
            still = chance / len(orders)
            for index in order:
                success = np.exp((scores[index] - best) / scale)
                go([other for other in left if other != index], (*said, index), still * success)
                still *= 1 - success

    go(list(range(len(scores))), (), 1.0)
    return dict(result)


def law_of_two_highest(noise, scores):
    """The two highest noisy scores, by integrating over the second."""

    def density(y, score):
        step = 1e-6 * float(noise.scale)
        return (survival(noise, y - score - step) - survival(noise, y - score + step)) / (2 * step)

    result = {}
    reach = 60 * float(noise.scale)
    for first, second in permutations(range(len(scores)), 2):
        others = [s for i, s in enumerate(scores) if i not in (first, second)]

        def integrand(y, first=first, second=second, others=others):
            below = np.prod([1 - survival(noise, y - s) for s in others])
            return density(y, scores[second]) * survival(noise, y - scores[first]) * below

        ends = sorted({*scores, min(scores) - reach, max(scores) + reach})
        result[first, second] = sum(
            integrate.quad(integrand, low, high, limit=200)[0] for low, high in pairwise(ends)
        )
    return result


def plain_loop(plan, scores, threshold, generator):
    """One run, round after round, all queries of a round at once: what the race replaces."""
    scores = np.asarray(scores, dtype=float)
    queue = generator.permutation(len(scores))
    level = threshold + float(plan.correction)
    bar = level + draw(plan.threshold_noise, 1, generator)[0]
    found = []
    for _ in range(repeats_of(plan).rounds):
        passed = scores[queue] + draw(plan.query_noise, len(queue), generator) >= bar
        found.extend(queue[passed][: plan.cutoff - len(found)].tolist())
        queue = queue[~passed]
        if len(found) == plan.cutoff or not len(queue):
            break
    return found


def comparisons_in_turn(plan, scores, threshold, generator):
    """How many comparisons one run makes, one query after the other."""
    rounds = repeats_of(plan).rounds
    queue = generator.permutation(len(scores))
    queue = [(int(index), 0) for index in queue]
    level = threshold + float(plan.correction)
    bar = level + draw(plan.threshold_noise, 1, generator)[0]
    asked = positives = 0
    while queue and positives < plan.cutoff:
        index, times = queue.pop(0)
        asked += 1
        if scores[index] + draw(plan.query_noise, 1, generator)[0] >= bar:
            positives += 1
            if plan.repeats.resample:
                bar = level + draw(plan.threshold_noise, 1, generator)[0]
        elif rounds is None or times + 1 < rounds:
            queue.append((index, times + 1))
    return asked


def draw(noise, size, generator):
    if noise is None:
        return np.zeros(size)
    names = {"exponential": "exponential", "laplace": "laplace", "gumbel": "gumbel"}
    method = getattr(generator, names.get(noise.name, "normal"))
    return method(scale=float(noise.scale), size=size)
