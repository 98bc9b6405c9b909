"""From scores of the items that occur to batches of all that take part."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, overload

import narwhals as nw
import numpy as np

from overbar.integrations.frames.catalogue import OUTSIDE, Catalogue
from overbar.integrations.frames.scoring import Scored
from overbar.mechanism.contest import Batch

#: Candidates asked together.
BATCH = 1 << 20


class Labels(Sequence[Hashable]):
    """A column as plain Python labels, each made when it is asked for: only winners' are."""

    def __init__(self, column: nw.Series[Any]) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    @overload
    def __getitem__(self, place: int) -> Hashable: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hashable]: ...
    def __getitem__(self, place: int | slice) -> Hashable | Sequence[Hashable]:
        if isinstance(place, slice):
            return Labels(self._column[place])
        label: Hashable = self._column[place : place + 1].to_list()[0]
        return label


def unlisted_batches(found: Scored, *, at_once: bool) -> Iterator[Batch]:
    """Yield the items that occur, in the order of their labels."""
    size = max(1, len(found.steps)) if at_once else BATCH
    for start in range(0, len(found.steps), size):
        piece = slice(start, start + size)
        yield Batch(found.steps[piece], Labels(found.items[piece]))


def listed_batches(found: Scored, catalogue: Catalogue, *, at_once: bool) -> Iterator[Batch]:
    """Yield the items of a catalogue in its order, with a score of zero where none was found."""
    places = catalogue.places(found.items)
    inside = places != OUTSIDE
    order = np.argsort(places[inside], kind="stable")
    places, steps = places[inside][order], found.steps[inside][order]
    size = len(catalogue) if at_once else BATCH
    for start in range(0, len(catalogue), size):
        stop = min(start + size, len(catalogue))
        first, last = np.searchsorted(places, [start, stop])
        scores = np.zeros(stop - start, dtype=found.steps.dtype)
        scores[places[first:last] - start] = steps[first:last]
        yield Batch(scores, catalogue.labels[start:stop])
