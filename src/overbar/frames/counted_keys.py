"""Counts of keys that are out: which part of the budget they get, their noise, and back again."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

from overbar.accounting.key_counts import total_margin
from overbar.errors import LedgerError
from overbar.ledger.answers import StoredAnswer
from overbar.mechanism.counting import Count, KnownScores, counted
from overbar.noise import Gaussian, Laplace
from overbar.plans import CountNoise
from overbar.sampling.entropy import Source
from overbar.sampling.histogram_draw import noisy_values

#: Persons are whole, and not fewer than none.
PERSONS = KnownScores(Fraction(0), whole=True)


class KeyCounts(NamedTuple):
    """Counts of the keys that are out, of everything else, and of all together."""

    counts: tuple[Count, ...]
    everything_else: Count
    total: Count


def noisy_counts(each: list[int], rest: int, noise: CountNoise, source: Source) -> KeyCounts:
    """Return counts with noise, in whole persons, and their sum before any is moved up to zero."""
    grid, persons = noise.grid, int(1 / noise.grid)

    def drawn(numbers: list[int], law: Gaussian | Laplace) -> list[int]:
        steps = [number * persons for number in numbers]
        return noisy_values(steps, noise=law, grid=grid, source=source)

    values, (other,) = drawn(each, noise.each), drawn([rest], noise.rest)
    total, margin = (sum(values) + other) * grid, total_margin(noise, len(values))
    around = Count(total, Fraction(math.floor(total) - margin), Fraction(math.ceil(total) + margin))
    return KeyCounts(
        counted(values, PERSONS, noise=noise.each, grid=grid),
        counted([other], PERSONS, noise=noise.rest, grid=grid)[0],
        PERSONS.fitted(around),
    )


def as_stored(found: KeyCounts | None) -> dict[str, Any]:
    """Return counts as parts of an answer: nothing where there are none."""
    if found is None:
        return {}
    return {"counts": found.counts, "rest": (found.everything_else, found.total)}


def from_stored(answer: StoredAnswer, asked: bool) -> KeyCounts | None:
    """Return the counts of a stored answer."""
    each, rest = answer.counts, answer.rest
    if (each is None) != (rest is None) or (each is not None) != asked:
        raise LedgerError("a stored answer has other counts than were asked for; it was edited")
    if each is None or rest is None:
        return None
    return KeyCounts(tuple(Count(*one) for one in each), *(Count(*one) for one in rest))
