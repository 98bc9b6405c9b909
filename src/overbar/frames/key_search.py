"""Which keys a table has, where nobody has a list of them: by weight in rounds, or by chances.

What the keys weigh in a round is worked out inside the engine, as whole numbers. It counts, for
each key and each t, the persons who kept t keys and this one. What they weigh is worked out here:
no float is added up, and all engines agree.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import narwhals as nw
import numpy as np

from overbar.errors import ScoreError
from overbar.frames.catalogue import catalogue_of
from overbar.frames.columns import array_of, plain_text
from overbar.frames.contributions import Lazy, fresh_key, masked, only_listed, totals
from overbar.frames.discretion import discreetly
from overbar.frames.measure import Measure, measure_of
from overbar.frames.scoring import Labels, Scored, listed_batches, pairs_of, scored
from overbar.frames.texts import values_of
from overbar.mechanisms import KeyPlan
from overbar.mechanisms.key_values import STEPS
from overbar.privacy import spent
from overbar.runs.counting import counted_keys
from overbar.runs.exact import Exact
from overbar.runs.positives import Batch
from overbar.runs.scores import Steps
from overbar.runs.selection import Selection
from overbar.sampling.entropy import system


class KeySearch:
    """A table that was read for the first round. What is wrong with it comes to light here.

    It holds what is private, and shows nothing of it.
    """

    __slots__ = ("_pairs", "_plan", "_weights")

    def __init__(self, plan: KeyPlan, frame: Any, measure: Measure) -> None:
        assert isinstance(measure.item, str)  # a question about keys has one column
        assert measure.person is not None  # and persons hold them
        persons = measure_of(
            item=measure.item, person=measure.person, items_per_person=plan.items_per_person
        )
        with discreetly():
            self._plan, self._pairs = plan, pairs_of(frame, persons)
            self._weights: Scored | None = weighed(self._pairs, plan, ())

    def labels(self) -> tuple[Hashable, ...]:
        """Draw all rounds. It costs what the plan says, so whoever calls this has paid."""
        return tuple(self._plan.run(Exact(system), self).found)

    def weighed(self, plan: KeyPlan, out: Sequence[Hashable]) -> tuple[Labels, Steps]:
        """Return what keys weigh: read before for the first round, and now for one after it."""
        weights, self._weights = self._weights, None
        if weights is None:
            with underway():
                weights = weighed(self._pairs, plan, out)
        return Labels(weights.items), weights.steps

    def batches(self, frame: Any, measure: Measure, grid: Fraction) -> Iterator[Batch]:
        """Yield the keys that come out, with their scores. A ledger has paid when it begins."""
        labels = self.labels()
        if labels:
            catalogue = catalogue_of(list(labels), most=math.inf)
            assert catalogue is not None  # there are labels
            with underway():
                scores = scored(frame, measure, grid, catalogue)
                batches = listed_batches(scores, catalogue)
            yield from batches

    def selection(self) -> Selection:
        """Draw the keys, and count them if that was asked for: all of it is spent."""
        plan, labels = self._plan, self.labels()
        cost = spent(plan, len(labels))
        if plan.count_noise is None:
            return Selection(None, labels, plan, cost)
        with underway():
            each, others = counted(self._pairs, plan.items_per_person, labels)
        counts, rest = counted_keys(each, others, plan.count_noise, system)
        return Selection(None, labels, plan, cost, counts=counts, rest=rest)


def weighed(pairs: Lazy, plan: KeyPlan, out: Sequence[Hashable]) -> Scored:
    """Return what the keys that are not out yet weigh, with new lots, in the order of the keys.

    Precondition: pairs as `scoring.pairs_of` gives them. Each weight is less what `at_least` asks
    for, and only weights above zero take part.
    """
    most = plan.items_per_person
    found = totals(_without(pairs, out), most, fresh_key(), "item", "kept")
    each = np.array([0, *(plan.weight(t) for t in range(1, most + 1))], dtype=np.int64)
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


@contextmanager
def underway() -> Iterator[None]:
    """Let an engine read the table again, when a round was drawn already."""
    try:
        with discreetly():
            yield
    except ScoreError:
        raise ScoreError(
            "the table could not be read again for the next round. What was drawn so far is not "
            "given out, and a ledger counts the run as spent"
        ) from None
