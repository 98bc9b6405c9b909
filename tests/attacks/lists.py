"""The search among small lists of scores, for mechanisms that take a whole list.

Where the highest values win, and where a sparse vector run is a batch, with counts beside the
labels or with few items of a person.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from overbar._numbers import number_text
from overbar.audit.between import law, side_by_side
from overbar.audit.profile import Outcomes, Profile
from overbar.mechanisms import HistogramPlan, Plan, SparseVectorPlan
from overbar.noise import Gumbel
from tests.attacks.online import directions

#: Lists of a sparse vector run, and of Gumbel values, have at most so many scores.
LONGEST = 4
#: Scales of the bar's noise above which it matters no more.
FAR = 12


#: Of the mass of noise about e^-DEPTH is left out: what is found may be a little less, never more.
DEPTH = 24.0


class ScorePair(NamedTuple):
    """Two neighbouring lists of scores. It reads: scores on one data set | on its neighbour."""

    one: tuple[Fraction, ...]
    other: tuple[Fraction, ...]

    def __str__(self) -> str:
        return " | ".join(", ".join(map(number_text, side)) for side in self)


def telling(plan: Plan) -> Plan:
    """Return a plan that tells all that it may: the values of a histogram."""
    if isinstance(plan, HistogramPlan):
        return replace(plan, values=True)
    return plan


def list_size(plan: Plan) -> int:
    """Return how many scores are looked at: enough for a full answer and, if cheap, one more."""
    if isinstance(plan.labels, SparseVectorPlan):
        return min(LONGEST, plan.cutoff + 1)
    if type(plan.query_noise) is Gumbel:
        return LONGEST
    return 2 if plan.gives_values else max(2, min(3, plan.cutoff + (plan.bar is None)))


def unseen(plan: Plan) -> str:
    """Return what short lists do not show; nothing where they show all that can be told.

    Of a histogram a person moves so many values, whatever else comes out. Elsewhere it is a full
    answer that costs most; one score more is beaten, moves the other way, or tells where the bar
    is, unless a bar decides about each value and all scores move in one direction.
    """
    plan = telling(plan)
    size, items = list_size(plan), plan.items_per_person
    if plan.gives_values and items is not None:
        return f"more than {size} items of one person" if items > size else ""
    barred = (
        not isinstance(plan.labels, SparseVectorPlan)
        and plan.bar is not None
        and plan.reach.one_way
    )
    longest = size if barred else size - 1
    return f"answers of more than {longest}" if plan.cutoff > longest else ""


@lru_cache(maxsize=2)  # asked for at several ε
def list_pairs(plan: Plan, level: int) -> list[tuple[ScorePair, Profile]]:
    """Return small neighbouring lists of scores, each with its profile."""
    plan, threshold = telling(plan), level * plan.grid - plan.correction

    @cache
    def outcomes(scores: tuple[Fraction, ...]) -> Outcomes:
        return law(plan, scores, threshold=threshold, release="labels", depth=DEPTH)

    size, pairs = list_size(plan), []
    for base, move in itertools.product(_bases(plan, size), _moves(plan, size)):
        one = tuple(level * plan.grid + score for score in base)
        other = tuple(score + change for score, change in zip(one, move, strict=True))
        pairs.append((ScorePair(one, other), side_by_side(outcomes(one), outcomes(other))))
    return pairs


def _bases(plan: Plan, size: int) -> Iterator[tuple[Fraction, ...]]:
    """Yield scores from the highest down, as distances from the bar.

    Around the bar, and so far above it that only the others stand in one's way. A run that asks one
    by one has both in one list, and scores as far below: negatives tell where the bar is.
    """
    bar, query, most = plan.threshold_noise, plan.query_noise, plan.reach.most
    far = Fraction(math.ceil(FAR * (bar or query).scale))
    if isinstance(plan.labels, SparseVectorPlan):
        places = {far, -far, *(step * most for step in range(-1, 2))}
        yield from itertools.combinations_with_replacement(sorted(places, reverse=True), size)
        return
    # Gumbel noise has no end, so that a noisy bar is known only from scores far on either side.
    gumbel = type(query) is Gumbel and bar is not None
    reach = range(-3, 4, 3) if gumbel else range(-1, 2)
    lifts = [Fraction(0)] if bar is None or gumbel else [Fraction(0), far]
    bases = itertools.combinations_with_replacement(sorted(reach, reverse=True), size)
    for base, lift in itertools.product(bases, lifts):
        if plan.bar is not None or base[0] == reach[-1]:  # else all that move alike are the same
            yield tuple(lift + step * most for step in base)


def _moves(plan: Plan, size: int) -> list[tuple[Fraction, ...]]:
    most = plan.items_per_person or size
    ways = {move for moved in directions(plan) for move in itertools.product(moved, repeat=size)}
    return sorted(move for move in ways if 0 < sum(map(bool, move)) <= most)
