"""Compute one score for each item that occurs, inside the engine, as whole numbers of grid steps.

No float is ever added: a row of a sum becomes a whole number of fine steps by itself, a person's
total is clamped and rounded to whole grid steps, and these are added up. So a score depends on what
the rows are and not on their order, on threads or on the engine. They become batches of all that
take part.

Theory: :doc:`/theory/tables`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, overload

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from overbar.errors import ParameterError, named
from overbar.frames.catalogue import OUTSIDE, Catalogue
from overbar.frames.columns import array_of, read
from overbar.frames.discretion import discreetly
from overbar.frames.measure import RANGE, Measure
from overbar.frames.narwhals_table import NarwhalsTable
from overbar.frames.postgres_table import DatabaseTable, PostgresEngine
from overbar.runs.positives import Batch
from overbar.runs.scores import Ruler, Steps

#: A person's share of a sum has at most this many steps, so that the shares of 2^40 persons fit
#: in 61 bits.
MOST_STEPS = 2**21

Lazy = nw.LazyFrame[Any]


class Scored(NamedTuple):
    """Items, each once and in the order of their labels, and the score of each.

    Where several columns name an item, it is one text, and `kinds` has the kinds of the columns.
    """

    items: nw.Series[Any]
    steps: Steps
    kinds: tuple[str, ...] = ()


class Engine(Protocol):
    """All that is asked of whatever holds the rows. The tests compare each with a plain loop."""

    def check(self, measure: Measure, grid: Fraction) -> None:
        """Refuse columns that cannot be scored, by their types alone."""

    def scores(
        self, measure: Measure, grid: Fraction, catalogue: Catalogue | None
    ) -> tuple[nw.DataFrame[Any], tuple[str, ...]]:
        """Return columns item and score, and of which kinds the columns are that name an item."""

    def pairs(self, measure: Measure) -> Lazy:
        """Return columns item and person: who has what."""


def engine_of(frame: Any) -> Engine:
    """Return who answers for a table."""
    return PostgresEngine(frame) if isinstance(frame, DatabaseTable) else NarwhalsTable(frame)


def scored(frame: Any, measure: Measure, grid: Fraction, catalogue: Catalogue | None) -> Scored:
    """Ask the engine for the score of every item that occurs.

    Precondition: `check_steps`. Whatever an engine raises may quote rows, so only the name of its
    error is passed on.
    """
    with discreetly():
        table, kinds = engine_of(frame).scores(measure, grid, catalogue)
        table = table.sort("item")
        several = kinds if len(kinds) > 1 else ()
        return Scored(table["item"], _steps(table["score"], measure, grid), several)


def check_columns(frame: Any, measure: Measure, grid: Fraction) -> None:
    """Refuse columns that cannot be scored, by the schema alone."""
    with discreetly():
        engine_of(frame).check(measure, grid)


def pairs_of(frame: Any, measure: Measure) -> Lazy:
    """Return who has what: columns item and person, as `contributions.totals` wants them."""
    return engine_of(frame).pairs(measure)


def count_items(frame: Any, measure: Measure) -> int:
    """Return how many items a column of scores has. Only where labels are public."""
    return len(scored(frame, measure, Fraction(1), None).items)


def check_steps(measure: Measure, grid: Fraction) -> None:
    """Refuse a range so wide on its grid that sums could leave a 64-bit word: public numbers."""
    if measure.kind == "sum" and measure.reach.most / grid > MOST_STEPS:
        raise ParameterError(
            f"{RANGE} must be at most {MOST_STEPS:,} grid steps wide; give a "
            f"coarser {named('grid')}"
        )


def _steps(scores: nw.Series[Any], measure: Measure, grid: Fraction) -> Steps:
    if measure.kind == "score":
        ruler = Ruler.of(grid, measure.value_range)
        if scores.dtype.is_decimal():
            return ruler.many([s if isinstance(s, Decimal) else 0 for s in scores.to_list()])
        return ruler.many(array_of(scores))
    totals = array_of(scores).astype(np.int64, copy=False)
    return totals if measure.kind == "sum" else Ruler.of(grid).many(totals)


#: Candidates asked together.
BATCH = 1 << 20


class Labels(Sequence[Hashable]):
    """A column as plain Python labels, each made when it is asked for: only winners' are."""

    def __init__(self, column: nw.Series[Any], kinds: tuple[str, ...] = ()) -> None:
        self._column = column
        self._kinds = kinds  # of several columns

    def __len__(self) -> int:
        return len(self._column)

    @overload
    def __getitem__(self, place: int) -> Hashable: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hashable]: ...
    def __getitem__(self, place: int | slice) -> Hashable | Sequence[Hashable]:
        if isinstance(place, slice):
            return Labels(self._column[place], self._kinds)
        label: Hashable = self._column[place : place + 1].to_list()[0]
        return read(str(label), self._kinds) if self._kinds else label


def unlisted_batches(found: Scored) -> Iterator[Batch]:
    """Yield the items that occur, in the order of their labels."""
    for start in range(0, len(found.steps), BATCH):
        piece = slice(start, start + BATCH)
        yield Batch(found.steps[piece], Labels(found.items[piece], found.kinds))


def listed_batches(found: Scored, catalogue: Catalogue, size: int = BATCH) -> Iterator[Batch]:
    """Return the items of a catalogue in its order, with a score of zero where none was found.

    Items are looked up at once and not with the first batch: by then a ledger has paid.
    """
    with discreetly():
        places = catalogue.places(found.items)
    inside = places != OUTSIDE
    order = np.argsort(places[inside], kind="stable")
    placed = places[inside][order], found.steps[inside][order]
    return _filled(*placed, catalogue, size)


def _filled(
    places: NDArray[np.intp], steps: Steps, catalogue: Catalogue, size: int
) -> Iterator[Batch]:
    """Yield batches of a catalogue; scores come with their places, which are sorted."""
    for start in range(0, len(catalogue), size):
        stop = min(start + size, len(catalogue))
        first, last = np.searchsorted(places, [start, stop])
        scores = np.zeros(stop - start, dtype=steps.dtype)
        scores[places[first:last] - start] = steps[first:last]
        yield Batch(scores, catalogue.labels[start:stop])
