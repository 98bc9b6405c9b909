"""All outcomes of a search for keys in a small table: every lot, every round, every answer.

A table is a mapping from persons to their keys, each key one letter.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from overbar.audit.profile import Outcomes
from overbar.errors import ParameterError
from overbar.mechanisms import KeyPlan, OneKeyPlan, Plan, SetUnionPlan
from overbar.mechanisms.by_kind import ByKind
from overbar.mechanisms.key_values import STEPS
from overbar.mechanisms.one_key import BITS, chances
from overbar.noise.grid_tails import gaussian_tail

Held = Mapping[str, str]
#: Digits of a chance, in bits: far more than a float has.
PRECISION = 128


@dataclass(frozen=True)
class KeyLaw:
    """A search for keys, as :class:`~tests.attacks.exact.law.Law` is a comparison of queries."""

    plan: KeyPlan
    counts = None
    certified = True

    def __post_init__(self) -> None:
        if self.plan.gives_counts:
            raise ParameterError("plan must be one without counts, which are not looked at")

    def outcomes(self, data: Held) -> Outcomes:
        """Return all sets of keys that can come out of a table."""
        return Outcomes({keys: _log(chance) for keys, chance in law(self.plan, data).items()})


def law(
    plan: KeyPlan, table: Held, place: int = 0, out: frozenset[str] = frozenset()
) -> dict[frozenset[str], float]:
    """Return the chance of each set of keys."""
    summed: defaultdict[frozenset[str], float] = defaultdict(float)
    if place == max(1, len(plan.rounds)):
        return {out: 1.0}
    for weights, likely in _weights(plan, {p: set(keys) - out for p, keys in table.items()}):
        chance_of = {key: _chance(plan, place, steps) for key, steps in weights.items()}
        for passed in itertools.product((True, False), repeat=len(chance_of)):
            answers = zip(chance_of.items(), passed, strict=True)
            chance = math.prod(p if yes else 1 - p for (_, p), yes in answers)
            now = out | set(itertools.compress(chance_of, passed))
            for end, rest in law(plan, table, place + 1, now).items():
                summed[end] += likely * chance * rest
    return summed


def _weights(
    plan: KeyPlan, table: Mapping[str, set[str]]
) -> Iterator[tuple[dict[str, int], float]]:
    """Yield what keys weigh by all lots, which are equally likely."""
    lots = [
        list(itertools.combinations(sorted(keys), min(len(keys), plan.items_per_person)))
        for keys in table.values()
    ]
    for lot in itertools.product(*lots):
        total: Counter[str] = Counter()
        for keys in lot:
            total.update(dict.fromkeys(keys, plan.weight(max(1, len(keys)))))
        less = (plan.at_least - 1) * STEPS
        weights = {key: steps - less for key, steps in total.items() if steps > less}
        yield weights, 1 / math.prod(map(len, lots))


@ByKind
def _chance(plan: Plan, place: int, steps: int) -> float:  # others use it
    """Return how likely a key of a weight comes out in a round."""
    raise ParameterError(f"{plan.kind} plans are not looked at")


@_chance.of(OneKeyPlan)
def _by_chances(plan: OneKeyPlan, _: int, steps: int) -> float:
    rising = chances(plan)
    return rising[min(steps // STEPS, len(rising) - 1)] / (1 << BITS)


@_chance.of(SetUnionPlan)
def _in_round(plan: SetUnionPlan, place: int, steps: int) -> float:
    each = plan.rounds[place]
    return float(gaussian_tail((each.sigma * STEPS) ** 2, each.bar - steps, PRECISION).mid())


def _log(chance: float) -> tuple[float, float]:
    log = math.log(chance) if chance else -math.inf
    return log, log
