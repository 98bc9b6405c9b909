"""From scores of the items that occur to batches of all that take part."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, overload

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from overbar.frames.catalogue import OUTSIDE, Catalogue
from overbar.frames.discretion import discreetly
from overbar.frames.joined_items import read
from overbar.frames.scoring import Scored
from overbar.mechanism.positives import Batch
from overbar.mechanism.scores import Steps

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


def unlisted_batches(found: Scored, *, at_once: bool) -> Iterator[Batch]:
    """Yield the items that occur, in the order of their labels."""
    size = max(1, len(found.steps)) if at_once else BATCH
    for start in range(0, len(found.steps), size):
        piece = slice(start, start + size)
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
