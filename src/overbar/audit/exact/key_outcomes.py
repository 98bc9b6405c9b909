"""All outcomes of a search for keys in a small table: every lot, every round, every answer.

A table is a mapping from persons to their keys, each key one letter.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from overbar.accounting.one_key import BITS, OneKey
from overbar.accounting.set_union import STEPS, SetUnion, weight
from overbar.audit.exact.profile import Profile
from overbar.errors import ParameterError
from overbar.noise.grid_tails import gaussian_tail

Held = Mapping[str, str]
#: Digits of a chance, in bits: far more than a float has.
PRECISION = 128


def key_profile(union: SetUnion | OneKey, one: Held, other: Held) -> Profile:
    """Compute what a search for keys gives away between two tables.

    Parameters
    ----------
    union : SetUnion or OneKey
        The rounds and their noise.
    one, other : mapping
        The keys that each person holds, in two neighbouring tables.

    Returns
    -------
    Profile
        δ by ε, of all sets of keys that can come out.

    Raises
    ------
    ParameterError
        If counts come out beside the keys.

    Examples
    --------
    >>> from overbar.accounting.set_union import set_union  # internal
    >>> union = set_union(1, "0.01", items_per_person=1, rounds=1)
    >>> found = key_profile(union, {"me": "a"}, {}).delta(1)
    >>> 0 < float(union.unlisted_delta) - found.low < 1e-9
    True
    """
    if union.counts is not None:
        raise ParameterError("union must be one without counts, which are not looked at")
    first, second = ({k: _log(p) for k, p in law(union, t).items()} for t in (one, other))
    return Profile.between(first, second)


def law(
    union: SetUnion | OneKey, table: Held, place: int = 0, out: frozenset[str] = frozenset()
) -> dict[frozenset[str], float]:
    """Return the chance of each set of keys."""
    found: defaultdict[frozenset[str], float] = defaultdict(float)
    if place == (1 if isinstance(union, OneKey) else len(union.rounds)):
        return {out: 1.0}
    for weights, likely in _weights(union, {p: set(keys) - out for p, keys in table.items()}):
        chances = {key: _chance(union, place, steps) for key, steps in weights.items()}
        for passed in itertools.product((True, False), repeat=len(chances)):
            told = zip(chances.items(), passed, strict=True)
            chance = math.prod(p if yes else 1 - p for (_, p), yes in told)
            now = out | set(itertools.compress(chances, passed))
            for end, rest in law(union, table, place + 1, now).items():
                found[end] += likely * chance * rest
    return found


def _weights(
    union: SetUnion | OneKey, table: Mapping[str, set[str]]
) -> Iterator[tuple[dict[str, int], float]]:
    """Yield what keys weigh by all lots, which are equally likely."""
    lots = [
        list(itertools.combinations(sorted(keys), min(len(keys), union.items_per_person)))
        for keys in table.values()
    ]
    for kept in itertools.product(*lots):
        total: Counter[str] = Counter()
        for keys in kept:
            total.update(dict.fromkeys(keys, weight(max(1, len(keys)))))
        less = (union.at_least - 1) * STEPS
        weights = {key: steps - less for key, steps in total.items() if steps > less}
        yield weights, 1 / math.prod(map(len, lots))


def _chance(union: SetUnion | OneKey, place: int, steps: int) -> float:
    if isinstance(union, OneKey):
        return union.chances[min(steps // STEPS, len(union.chances) - 1)] / (1 << BITS)
    sigma, bar = union.rounds[place]
    return float(gaussian_tail((sigma * STEPS) ** 2, bar - steps, PRECISION).mid())


def _log(chance: float) -> tuple[float, float]:
    log = math.log(chance) if chance else -math.inf
    return log, log
