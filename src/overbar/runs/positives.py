"""What a release holds of those who come out: hidden numbers, and columns that show nothing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, NoReturn, overload

from overbar.errors import SecrecyError
from overbar.runs.scores import Steps
from overbar.runs.secrecy import Unshareable


class Hidden(Unshareable):
    """A whole number that nobody is told. It can be added up and handed on, and nothing else.

    It lives in a closure and nowhere else: no attribute holds it, so no repr, pickle or traceback
    that walks attributes prints it by accident.
    """

    __slots__ = ("_opened",)

    _opened: Callable[[], int]

    def __init__(self, number: int) -> None:
        self._opened = lambda: number

    def __add__(self, other: Hidden | int) -> Hidden:
        return Hidden(opened(self) + opened(other))

    __radd__ = __add__

    def __sub__(self, other: Hidden | int) -> Hidden:
        return Hidden(opened(self) - opened(other))

    def __repr__(self) -> str:
        return "a hidden number"

    def _kept(self, *_: object) -> NoReturn:
        raise SecrecyError("a hidden number cannot be compared, converted or told")

    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __int__ = __index__ = _kept
    __float__ = __hash__ = _kept


def opened(number: Hidden | int) -> int:
    """Return the number itself, for a draw or a comparison."""
    return number._opened() if isinstance(number, Hidden) else number


class Batch(NamedTuple):
    """Some of the candidates, as grid steps."""

    steps: Steps
    labels: Sequence[Hashable] | None


class Positive(NamedTuple):
    """A candidate that came out: see :class:`overbar.mechanisms.run.Found`."""

    candidate: int
    label: Hashable
    score: Hidden
    value: Hidden | None

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError("who came out has a secret score: it cannot be pickled or copied")


class Positives(Unshareable, Sequence[Positive]):
    """Those who came out, the first first: columns of sort keys, candidates, labels and steps.

    The first and the last are private. By `fine` times values are finer than the grid; it is zero
    where none may be told.
    """

    __slots__ = ("_columns", "_fine")

    def __init__(self, columns: Iterable[list[Any]] = ([],) * 4, fine: int = 0) -> None:
        self._columns, self._fine = tuple(columns), fine

    @classmethod
    def of(
        cls, batch: Batch, before: int, keys: list[Any], places: list[int], fine: int = 0
    ) -> Positives:
        """Return those in these places of a batch that has so many before it."""
        candidates = [before + place for place in places]
        named = batch.labels
        labels = candidates if named is None else [named[place] for place in places]
        return cls((keys, candidates, labels, batch.steps[places].tolist()), fine)

    def first(self, most: int, other: Positives) -> Positives:
        """Return the first so many of both; of equal keys those given first."""
        both = [one + two for one, two in zip(self._columns, other._columns, strict=True)]
        order = sorted(range(len(both[0])), key=both[0].__getitem__)[:most]
        return Positives(([column[place] for place in order] for column in both), other._fine)

    @property
    def candidates(self) -> list[int]:
        """Their places among all."""
        return self._columns[1]

    @property
    def labels(self) -> list[Hashable]:
        """Their labels."""
        return self._columns[2]

    def __len__(self) -> int:
        return len(self.candidates)

    @overload
    def __getitem__(self, place: int) -> Positive: ...
    @overload
    def __getitem__(self, place: slice) -> Positives: ...
    def __getitem__(self, place: int | slice) -> Positive | Positives:
        if isinstance(place, slice):
            return Positives((column[place] for column in self._columns), self._fine)
        key, candidate, label, steps = (column[place] for column in self._columns)
        value = Hidden(key.value // self._fine) if self._fine else None
        return Positive(candidate, label, Hidden(steps), value)

    def __repr__(self) -> str:
        return "Positives (hidden)"
