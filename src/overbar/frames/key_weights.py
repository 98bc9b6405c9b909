"""What the keys of a table weigh in one round, inside the engine, as whole numbers.

The engine counts, for each key and each t, the persons who kept t keys and this one. What they
weigh is worked out here: no float is added up, and all engines agree.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import narwhals as nw
import numpy as np

from overbar.accounting.set_union import weight
from overbar.frames.arrays import array_of
from overbar.frames.catalogue import catalogue_of
from overbar.frames.columns import plain_text
from overbar.frames.contributions import Lazy, fresh_key, masked, only_listed, totals
from overbar.frames.scoring import Scored
from overbar.frames.texts import values_of
from overbar.plans import KeyPlan
from overbar.plans.key_plans import STEPS


def weighed(pairs: Lazy, plan: KeyPlan, out: Sequence[Hashable]) -> Scored:
    """Return what the keys that are not out yet weigh, with new lots, in the order of the keys.

    Precondition: pairs as `scoring.pairs_of` gives them. Each weight is less what `at_least` asks
    for, and only weights above zero take part.
    """
    most = plan.items_per_person
    found = totals(_without(pairs, out), most, fresh_key(), "item", "kept")
    each = np.array([0, *(weight(t) for t in range(1, most + 1))], dtype=np.int64)
    kept, persons = (array_of(found[name]).astype(np.int64) for name in ("kept", "persons"))
    weights = nw.new_series("weight", each[kept] * persons, nw.Int64, backend=found.implementation)
    summed = found.select("item").with_columns(weights).group_by("item")
    weighty = summed.agg(nw.col("weight").sum()).sort("item")
    steps = array_of(weighty["weight"]).astype(np.int64) - (plan.at_least - 1) * STEPS
    part = steps > 0
    return Scored(masked(weighty.select("item"), part.tolist())["item"], steps[part])


def counted(pairs: Lazy, most: int, out: Sequence[Hashable]) -> tuple[list[int], int]:
    """Return how many persons keep each key that is out, by new lots, and all other kept pairs."""
    kept = totals(pairs, most, fresh_key(), "item")
    places = {plain_text(label): place for place, label in enumerate(out)}
    found, rest = [0] * len(out), 0
    for label, persons in zip(values_of(kept["item"]), kept["persons"].to_list(), strict=True):
        place = places.get(plain_text(label))
        if place is None:
            rest += persons
        else:
            found[place] += persons
    return found, rest


def _without(pairs: Lazy, out: Sequence[Hashable]) -> Lazy:
    """Return the pairs whose key is not out."""
    gone = catalogue_of(list(out), most=math.inf) if out else None
    return pairs if gone is None else only_listed(pairs, gone, inside=False)
