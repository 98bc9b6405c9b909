"""A search for keys, slowly: all lots, all rounds and all outcomes of small tables."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from overbar.mechanisms import CountNoise
from overbar.mechanisms.key_values import STEPS
from overbar.noise.grid_tails import gaussian_tail, grid_tail


@cache
def tail(sigma, steps):
    """P(N >= steps), to many more digits than a float has."""
    return gaussian_tail((sigma * STEPS) ** 2, steps, 300)


@cache
def rounded_tail(noise, grid, persons):
    """The chance that noise, rounded to whole persons, is at least so many."""
    return float(grid_tail(noise, grid, math.ceil((persons - Fraction(1, 2)) / grid), 100).mid())


def root_down(items):
    """The whole steps in 1/√t, by counting up from a float."""
    found = int(STEPS / math.sqrt(items)) - 3
    while items * (found + 1) ** 2 <= STEPS**2:
        found += 1
    return found


@dataclass(frozen=True)
class Search:
    """The mechanism as it should be. Twins that are broken change one method."""

    rounds: tuple
    items: int
    at_least: int = 1
    #: What persons add by how many keys they keep, if it is not 1/√t.
    larger: tuple = ()

    def weight(self, items):
        steps = [one.steps for one in self.larger if one.items >= items]
        return steps[0] if steps else root_down(items)

    def lots(self, table):
        """Yield what everybody may keep, all equally likely: {person: keys}."""
        choices = [
            list(itertools.combinations(sorted(keys), min(len(keys), self.items)))
            for keys in table.values()
        ]
        everything = list(itertools.product(*choices))
        for kept in everything:
            yield dict(zip(table, kept, strict=True)), 1 / len(everything)

    def weights(self, kept):
        total = defaultdict(int)
        for keys in kept.values():
            for key in keys:
                total[key] += self.weight(len(keys))
        less = (self.at_least - 1) * STEPS
        return {key: weight - less for key, weight in total.items() if weight > less}

    def chance(self, place, weight):
        each = self.rounds[place]
        return float(tail(each.sigma, each.bar - weight).mid())

    def outcomes(self, table, place=0, out=frozenset()):
        """Return {keys that come out: probability}."""
        if place == len(self.rounds):
            return {out: 1.0}
        left = {person: set(keys) - out for person, keys in table.items()}
        law = defaultdict(float)
        for kept, likely in self.lots(left):
            chances = {k: self.chance(place, w) for k, w in self.weights(kept).items()}
            for which in itertools.product((True, False), repeat=len(chances)):
                probability, found = likely, set(out)
                for (key, chance), passed in zip(chances.items(), which, strict=True):
                    probability *= chance if passed else 1 - chance
                    if passed:
                        found.add(key)
                law[frozenset(found)] += probability
        total = defaultdict(float)
        for found, probability in law.items():
            for end, rest in self.outcomes(table, place + 1, found).items():
                total[end] += probability * rest
        return total


def excess(first, second, epsilon):
    """Return the least δ at ε between two laws, in both directions."""
    factor = math.exp(epsilon)
    both = set(first) | set(second)
    return max(
        sum(max(0.0, p.get(one, 0.0) - factor * q.get(one, 0.0)) for one in both)
        for p, q in ((first, second), (second, first))
    )


def laplace_keys(held, items, epsilon, delta, generator):
    """Return the keys that pass by Laplace thresholding: so many of each person count for one."""
    counts = Counter(
        key
        for keys in held.values()
        for key in generator.permutation(sorted(keys))[:items].tolist()
    )
    scale = items / epsilon
    alone = -math.expm1(math.log1p(-delta) / items)  # for each of a person's keys
    bar = 1 + scale * math.log(1 / (2 * alone))
    return {key for key, count in counts.items() if count + generator.laplace(0, scale) >= bar}


@dataclass(frozen=True)
class CountedSearch(Search):
    """Keys, then counts of them and of everything else, in whole persons."""

    noise: CountNoise | None = None
    #: Noisy counts outside are left out; a bound on their chance is all that this costs.
    reach: int = 40

    def pairs(self, table, out):
        """Yield how many persons keep each key that is out, and all other kept pairs."""
        for kept, likely in self.lots(table):
            every = Counter(key for keys in kept.values() for key in keys)
            inside = tuple(every.pop(key, 0) for key in sorted(out))
            yield inside, sum(every.values()), likely

    def told(self, noise, mean):
        """The chances of whole numbers of persons up to the reach, for a count of so many."""
        values = range(-self.reach - mean, self.reach + 2 - mean)
        return -np.diff([rounded_tail(noise, self.noise.grid, value) for value in values])

    def counted_outcomes(self, table):
        """Return {keys that come out: chances of (count, …, everything else)}."""
        law = {}
        for out, chance in self.outcomes(table).items():
            total = 0.0
            for inside, rest, likely in self.pairs(table, out):
                joint = chance * likely * self.told(self.noise.rest, rest)
                for mean in inside:
                    joint = np.multiply.outer(self.told(self.noise.each, mean), joint)
                total = total + joint
            law[out] = total
        return law


def counted_excess(first, second, epsilon, only=None):
    """Return the least δ at ε between two laws, in both directions; or a bound from below on it."""
    factor = math.exp(epsilon)
    both = (set(first) | set(second)) if only is None else {only}
    return max(
        sum(np.clip(p.get(one, 0.0) - factor * q.get(one, 0.0), 0, None).sum() for one in both)
        for p, q in ((first, second), (second, first))
    )


def best_guess(rounds, level):
    """Return the largest δ at a level of who may choose, after all that came out, the next bit.

    Each round is {t: bits}: t bits are seen in it, with chances (p, q) that may be chosen anew each
    time. Both directions.
    """

    def ahead(odds, left):
        """E[(1 - odds·q/p)₊] at best, with (bits, how many) still to come in this round."""
        if not left:
            return max(0.0, 1 - odds)
        (bits, times), later = left[0], left[1:]
        if times == 0:
            if not later:
                return max(0.0, 1 - odds)
            return max(ahead(odds, ((b, t), *later[1:])) for t, b in later[0].items())
        after = ((bits, times - 1), *later)
        return max(
            sum(p * ahead(odds * q / p, after) for p, q in ((a, b), (1 - a, 1 - b)) if p > 0)
            for a, b in bits
        )

    turned = [{t: [(q, p) for p, q in bits] for t, bits in each.items()} for each in rounds]
    return max(ahead(math.exp(level), (((), 0), *way)) for way in (rounds, turned))
