"""How many are found, by plain enumeration in fractions: slow and obviously right."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb


def binomial(number: int, chance):
    return [comb(number, k) * chance**k * (1 - chance) ** (number - k) for k in range(number + 1)]


def expected(
    above: int, below: int, cutoff: int, p: Fraction, q: Fraction, rounds: int
) -> tuple[Fraction, Fraction]:
    """Return expected hits and expected hits by selected, round after round.

    A candidate from above is positive with chance p each time it is asked, one from below with
    chance q. The positives of the round in which the cutoff is reached come in a random order.
    """

    @cache
    def after(hits: int, others: int, left: int) -> tuple[Fraction, Fraction]:
        found = hits + others
        if left == 0 or found == cutoff:
            return Fraction(hits), Fraction(hits, found) if found else Fraction(0)
        total = [Fraction(0), Fraction(0)]
        for x, chance_x in enumerate(binomial(above - hits, p)):
            for y, chance_y in enumerate(binomial(below - others, q)):
                chance = chance_x * chance_y
                if chance == 0:
                    continue
                room = cutoff - found
                if x + y < room:
                    reached = after(hits + x, others + y, left - 1)
                else:
                    mean = hits + (Fraction(x * room, x + y) if x + y else 0)
                    reached = mean, Fraction(mean) / cutoff
                total[0] += chance * reached[0]
                total[1] += chance * reached[1]
        return total[0], total[1]

    return after(0, 0, rounds)


def peeled(above: int, below: int, cutoff: int, odds: float) -> float:
    """Return expected hits when winners are drawn one by one; one from below with these odds."""
    chances = {0: 1.0}
    for drawn in range(min(cutoff, above + below)):
        following: dict[int, float] = {}
        for hits, chance in chances.items():
            right, wrong = float(above - hits), (below - (drawn - hits)) * odds
            for more, weight in ((1, right), (0, wrong)):
                if weight:
                    share = chance * weight / (right + wrong)
                    following[hits + more] = following.get(hits + more, 0.0) + share
        chances = following
    return sum(hits * chance for hits, chance in chances.items())


def highest(
    above: int,
    below: int,
    cutoff: int,
    come: list[tuple[float, float]],
    bar: list[float],
) -> tuple[float, float]:
    """Return expected hits and expected hits by selected when values are looked at from above.

    Level after level, down from the highest value: `bar` has the chance that the bar lies at this
    level if it has not come yet, and `come` the chances of a value from above, and from below, that
    has not come yet. Those of one level come in a random order, and behind the bar nobody does.
    """
    states = {(0, 0): 1.0}
    hits_done = precision_done = 0.0

    def stop(state: tuple[float, int], chance: float) -> None:
        nonlocal hits_done, precision_done
        hits, found = state
        hits_done += chance * hits
        precision_done += chance * hits / found if found else 0.0

    for (p, q), reached in zip(come, bar, strict=True):
        following: dict[tuple[int, int], float] = {}
        for (hits, others), before in states.items():
            stop((hits, hits + others), before * reached)
            for x, chance_x in enumerate(binomial(above - hits, p)):
                for y, chance_y in enumerate(binomial(below - others, q)):
                    chance = before * (1 - reached) * chance_x * chance_y
                    room = cutoff - hits - others
                    if chance < 1e-15:
                        continue
                    if x + y < room:
                        key = hits + x, others + y
                        following[key] = following.get(key, 0.0) + chance
                    else:
                        stop((hits + x * room / (x + y), cutoff), chance)
        states = following
    for (hits, others), chance in states.items():
        stop((hits, hits + others), chance)
    return hits_done, precision_done
