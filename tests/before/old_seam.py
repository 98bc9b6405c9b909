"""How the house as it was is asked for scores: the seam of that day, which stays as it is.

It imports the commit of `tools/before.py` and no other: see `tables.py`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from typing import Any, NamedTuple
from unittest import mock

from overbar.accounting.key_rounds import set_union
from overbar.cli.tables import NamedColumns, Source, start_engine
from overbar.frames import key_search, narwhals_table, postgres_table, question_plan, scoring
from overbar.frames.catalogue import OUTSIDE
from overbar.frames.discretion import discreetly
from overbar.frames.measure import measure_of
from overbar.plans.key_plans import STEPS

#: Lots are drawn by a secret key; with this one, a plain loop draws the same.
KEY = "0" * 32
ASKED = ("value", "score", "sensitivity", "groups", "groups_per_person", "catalogue")


@contextmanager
def _lots(key: str) -> Iterator[None]:
    with ExitStack() as stack:
        for module in (narwhals_table, postgres_table, key_search):
            stack.enter_context(mock.patch.object(module, "fresh_key", return_value=key))
        yield


def scores(table: Any, *, grid: Any = 1, key: str = KEY, **asked: Any) -> dict[Any, int]:
    """Return the score of each label before noise, in whole steps of the grid, sorted by label.

    Any engine's table, and the words of `frames.select`; of a list, what is on it.
    """
    told = {"item": "what", "person": "who", "items_per_person": None, **dict.fromkeys(ASKED)}
    what, listed = question_plan.measured(**told | asked)
    with _lots(key):
        found = scoring.scored(table, what, Fraction(grid), listed)
    with discreetly():
        inside = [True] * len(found.steps)
        if listed is not None:
            inside = (listed.places(found.items) != OUTSIDE).tolist()
        each = zip(found.items.to_list(), found.steps.tolist(), inside, strict=True)
        return {label: steps for label, steps, known in each if known}


class Weighed(NamedTuple):
    """Of a round of a search for keys: what they weigh, what is counted, what is allowed."""

    weights: dict[Any, int]
    #: Persons who keep each key that is out, and all other kept pairs.
    counts: list[int]
    #: What who keeps 1, 2, … keys may add to each of them.
    allowed: list[int]


def weighed(table: Any, *, most: int, by_bits: bool, out: Sequence[Any]) -> Weighed:
    """Return what the keys weigh that are not out, where everybody keeps so many."""
    union = set_union(1, "0.01", items_per_person=most, rounds=1, by_bits=by_bits)
    allowed = [math.isqrt(STEPS**2 // kept) for kept in range(1, most + 1)]
    for one in reversed(union.weights):
        allowed[: one.items] = [one.steps] * min(one.items, most)
    with discreetly(), _lots(KEY):
        pairs = scoring.pairs_of(table, measure_of(item="what", person="who"))
        found = key_search.weighed(pairs, union, out)
        each, rest = key_search.counted(pairs, most, out)
        weights = dict(zip(found.items.to_list(), found.steps.tolist(), strict=True))
    return Weighed(weights, [*each, rest], allowed)


@functools.cache
def _reader() -> Any:
    return start_engine("1GB", 1)  # one for all files: to start one takes longer than to ask it


@contextmanager
def opened(files: Any, *named: Any, others: Any = (), **reading: Any) -> Iterator[Any]:
    """Open files, or a table of a server, with item, person and value, as commands read them."""
    wanted = NamedColumns(*named, others=others)
    try:
        yield Source.of(list(files), **reading).opened(_reader(), wanted)[0]
    finally:
        for kept in ("kept_rows", "standard_input"):
            _reader().execute(f"drop table if exists {kept}")


def file_rows(files: Any, *named: Any, **reading: Any) -> list[tuple[Any, ...]]:
    """Return the rows of files: labels as they are counted, values as numbers."""
    with opened(files, *named, **reading) as table:
        return list(table.fetchall())
