"""Keys: the best search at an ε and a δ."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar.mechanisms import KeyPlan, OneKeyPlan
from overbar.mechanisms.key_values import LEAST_EPSILON
from overbar.planning.counts import checked_counts
from overbar.planning.key_counts import laplace_counts
from overbar.planning.key_rounds import set_union

#: Which part of the budget goes to counts where they are asked for.
COUNTS_SHARE = Fraction(1, 4)


def key_plan(
    epsilon: Number,
    delta: Number,
    *,
    items_per_person: int | None = None,
    rounds: int | None = None,
    at_least: int | None = None,
    counts: bool | Number = False,
) -> KeyPlan:
    """Return a search for keys that is (ε, δ)-DP, with its counts.

    Where one key of each person counts and nobody asks for rounds, chances do it best.

    >>> from overbar.privacy import guarantee
    >>> guarantee(key_plan(1, "1e-6", counts=True)).implies(1, "1e-6")
    True
    """
    wish = checked_counts(counts)
    share = wish if isinstance(wish, Fraction) else COUNTS_SHARE * wish
    union = set_union(
        epsilon,
        delta,
        items_per_person=items_per_person,
        rounds=rounds,
        at_least=at_least,
        counts_share=share,
    )
    level = _check.rational("epsilon", epsilon) * (1 - share)
    if union.items_per_person > 1 or rounds is not None or level < LEAST_EPSILON:
        return union
    noise = laplace_counts(_check.rational("epsilon", epsilon) * share, 1) if share else None
    return OneKeyPlan(level, _check.rational("delta", delta), union.at_least, noise)


@dataclass(frozen=True)
class KeysAsked:
    """What is asked of a search for keys beside its budget and how many of each person count."""

    rounds: int | None = None
    at_least: int | None = None
    counts: bool | Number = False

    def plan(self, epsilon: Number, delta: Number, items_per_person: int | None = None) -> KeyPlan:
        """Return the search at a budget where so many keys of each person count."""
        return key_plan(
            epsilon,
            delta,
            items_per_person=items_per_person,
            rounds=self.rounds,
            at_least=self.at_least,
            counts=self.counts,
        )
