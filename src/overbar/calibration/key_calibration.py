"""The best search for keys at an ε and a δ."""

from __future__ import annotations

from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar.accounting.key_counts import laplace_counts
from overbar.accounting.set_union import set_union
from overbar.calibration.counts_noise import checked_counts
from overbar.plans import KeyPlan, OneKeyPlan
from overbar.plans.key_plans import LEAST_EPSILON

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
    by_bits: bool = True,
) -> KeyPlan:
    """Return a search for keys that is (ε, δ)-DP, with its counts.

    Where one key of each person counts and nobody asks for rounds, chances do it best.

    >>> from overbar.accounting import guarantee
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
        by_bits=by_bits,
    )
    level = _check.rational("epsilon", epsilon) * (1 - share)
    if union.items_per_person > 1 or rounds is not None or level < LEAST_EPSILON:
        return union
    noise = laplace_counts(_check.rational("epsilon", epsilon) * share, 1) if share else None
    return OneKeyPlan(level, _check.rational("delta", delta), union.at_least, noise)
