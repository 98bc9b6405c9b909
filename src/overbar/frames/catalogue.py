"""The public list of items that take part, whether anyone holds them or not.

**A list that is the table's own column** is refused. What is compared is whose memory it is, never
what is in it. A copy, such as a list of distinct values, cannot be seen. A query holds no memory to
look at, so none is taken for a list, whatever it asks. Of a column of Polars only the words count
that are there for each row: what they point to, text and categories, may have come into the table
by a join with the list itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import repeat
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from overbar.errors import ParameterError, named
from overbar.frames.columns import array_of, known_days, written
from overbar.frames.texts import is_known, object_text, plain_labels, values_of

#: Whole numbers of a catalogue stay this far inside int64, so that differences do too.
LARGEST = 2**62
OUTSIDE = -1
#: So many pairs of a group and an item take a few gigabytes.
MOST_PAIRS = 5_000_000


@dataclass(frozen=True, repr=False, eq=False)
class Catalogue:
    """Items in a public order, and where each of them stands in it.

    A range is never written out; whole numbers are looked up by bisection, all else in a dict.
    What it was made of is kept, to be compared with the table it is put to.
    """

    labels: Sequence[Hashable]
    kind: str
    given: Any = field(default=None)
    groups: Any = field(default=None)
    _ordered: tuple[NDArray[np.int64], NDArray[np.intp]] | None = field(default=None)
    _places: Mapping[Hashable, int] | None = field(default=None)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"Catalogue of {len(self):,} items ({self.kind})"

    @property
    def digest(self) -> str:
        """A short name of exactly these items in this order."""
        items = repr(self.labels) if isinstance(self.labels, range) else map(repr, self.labels)
        text = "\n".join([items] if isinstance(items, str) else items)
        return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]

    @property
    def written(self) -> Iterable[Hashable]:
        """The items as a column has them: one text where several columns name them."""
        return self.labels if self.kind != "text" or self._places is None else self._places

    @property
    def kinds(self) -> tuple[str, ...]:
        """What each of the columns that name an item holds."""
        first = self.labels[0]
        return tuple(_kind([x]) for x in first) if isinstance(first, tuple) else (self.kind,)

    @property
    def ends(self) -> tuple[int, int] | None:
        """The smallest and the largest item, if items are whole numbers."""
        if isinstance(self.labels, range):
            low, high = self.labels[0], self.labels[-1]
            return min(low, high), max(low, high)
        if self._ordered is not None:
            return int(self._ordered[0][0]), int(self._ordered[0][-1])
        return None

    @property
    def contiguous(self) -> bool:
        """Whether every whole number between the ends is an item."""
        return self.ends is not None and self.ends[1] - self.ends[0] == len(self) - 1

    def places(self, items: Any) -> NDArray[np.intp]:
        """Return where items (a Series) stand; OUTSIDE for those that do not."""
        if self._places is not None:
            found = map(self._places.get, values_of(items), repeat(OUTSIDE))
            return np.fromiter(found, dtype=np.intp, count=len(items))
        values = array_of(items)
        assert self.ends is not None
        inside = (values >= self.ends[0]) & (values <= self.ends[1])
        values = np.where(inside, values, 0).astype(np.int64)  # what is outside may not fit
        if isinstance(self.labels, range):
            offset = values - self.labels.start
            inside &= offset % self.labels.step == 0
            return np.where(inside, offset // self.labels.step, OUTSIDE)
        assert self._ordered is not None
        ordered, where = self._ordered
        at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
        inside &= ordered[at] == values
        return np.where(inside, where[at], OUTSIDE)


def catalogue_of(
    given: Any, columns: Sequence[str] = (), *, most: float = LARGEST, name: str = "catalogue"
) -> Catalogue | None:
    """Read a public list of items: a list, range, array, Series or a frame of one column; or none.

    Where several columns name an item: a list of tuples, or a frame with these columns. Objects and
    categories become text, as they do in the columns of a table. Whole numbers above `most` are
    refused; where larger ones are allowed, they are looked up in a dict.
    """
    if given is None or isinstance(given, Catalogue):
        return given
    if len(columns) > 1:
        return _of_tuples(given, columns)
    labels = given if isinstance(given, range) else _listed(given, name)
    if not labels:
        raise ParameterError(f"{named(name)} must have at least one item")
    kind = _kind(labels, most, name)
    if isinstance(labels, range):
        return Catalogue(labels, kind)
    if kind == "whole" and max(map(abs, labels)) <= LARGEST:
        values = np.array(labels, dtype=np.int64)
        where = np.argsort(values, kind="stable")
        ordered = values[where]
        again = ordered[1:] == ordered[:-1]
        if np.any(again):
            raise _twice(int(where[1:][again].min()), name)
        return Catalogue(labels, kind, given, _ordered=(ordered, where))
    places = {label: place for place, label in enumerate(labels)}
    if len(places) < len(labels):
        first: dict[Hashable, int] = {}
        raise _twice(next(n for n, x in enumerate(labels) if first.setdefault(x, n) != n), name)
    if kind != "text":  # their text stands for them where a column of pandas had to become text
        places |= {object_text(label): place for label, place in places.items()}
    return Catalogue(labels, kind, given, _places=places)


def in_groups(groups: Any, items: Any, columns: Sequence[str]) -> Catalogue:
    """Return all pairs of a public group and a public item, group after group."""
    named_groups, listed = catalogue_of(groups, name="groups"), catalogue_of(items, columns[1:])
    if named_groups is None or listed is None:
        raise ParameterError(
            f"{named('catalogue')} must be given with {named('groups')}: the public list of items "
            "that every group is asked about"
        )
    many = len(named_groups) * len(listed)
    if many > MOST_PAIRS:
        raise ParameterError(
            f"{named('groups')} and {named('catalogue')} must have at most {MOST_PAIRS:,} pairs "
            f"together, got {many:,}"
        )
    parts = [label if isinstance(label, tuple) else (label,) for label in listed.labels]
    pairs = [(group, *part) for group in named_groups.labels for part in parts]
    return replace(_of_tuples(pairs, columns), given=listed.given, groups=named_groups.given)


def _of_tuples(given: Any, columns: Sequence[str]) -> Catalogue:
    wish = f"{named('catalogue')} must list tuples of {' and '.join(columns)}"
    table = _opened(given, wish)
    if isinstance(table, nw.DataFrame) and is_known(table):
        missing = [name for name in columns if name not in table.columns]
        if missing:
            raise ParameterError(f"{wish}; the table given has no column {missing[0]!r}")
        listed = plain_labels(table.select(*columns), list(columns)).lazy().collect()
        labels = list(zip(*(listed[name].to_list() for name in columns), strict=True))
    else:
        labels = [
            tuple(_listed(label)) if isinstance(label, tuple | list) else ()
            for label in _listed(given)
        ]
    if not labels:
        raise ParameterError(f"{named('catalogue')} must have at least one item")
    if any(len(label) != len(columns) for label in labels):
        raise ParameterError(f"{wish}, each with {len(columns)} parts")
    for part in zip(*labels, strict=True):
        _kind(list(part))
    places: dict[Hashable, int] = {}
    for place, label in enumerate(labels):
        if places.setdefault(written(label), place) != place:
            raise _twice(place)
    return Catalogue(labels, "text", given, _places=places)


def _twice(place: int, name: str = "catalogue") -> ParameterError:
    """Say where: what is listed by mistake may not be public."""
    return ParameterError(
        f"{named(name)} must not list an item twice: number {place + 1:,} stands there before"
    )


def _listed(given: Any, name: str = "catalogue") -> list[Any]:
    """Return the items as plain Python values."""
    wish = f"{name} must be a list, a range, a Series or a frame of one column"
    if isinstance(given, str | bytes | Mapping | set | frozenset):
        raise ParameterError(f"{wish}: items in an order")
    table = _opened(given, wish)
    if isinstance(table, nw.LazyFrame):
        raise ParameterError(
            f"{wish}, got a query ({type(nw.to_native(table)).__name__}); collect it, and only if "
            "what it gives is public: what is taken from the data is not public"
        )
    if isinstance(table, nw.Series):
        table = table.alias("item").to_frame()
    if isinstance(table, nw.DataFrame) and is_known(table):
        names = table.collect_schema().names()
        if len(names) != 1:
            raise ParameterError(f"{wish}, got {len(names)} columns")
        readable = known_days(plain_labels(table, names), names)
        return list(readable.lazy().collect()[names[0]].to_list())
    if hasattr(given, "to_pylist"):
        return list(given.to_pylist())
    if isinstance(given, np.ndarray) and given.ndim == 1:
        values = list(given.tolist())
        return [object_text(value) for value in values] if given.dtype == object else values
    try:
        values = iter(given)
    except TypeError:  # also of a column of Ibis, which looks as if it could be gone through
        raise ParameterError(wish) from None
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _opened(given: Any, wish: str) -> Any:
    try:
        return nw.from_native(given, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise ParameterError(f"{wish}, got several columns of one name") from None


def _kind(labels: list[Any] | range, most: float = LARGEST, name: str = "catalogue") -> str:
    """Return what all items are; refuse a mixture."""
    kinds = {int} if isinstance(labels, range) else set(map(type, labels))
    if kinds == {str}:
        try:
            "".join(map(str, labels)).encode()
        except UnicodeEncodeError:
            raise ParameterError(
                f"{named(name)} must hold text that UTF-8 can write; it has a lone surrogate"
            ) from None
        return "text"
    if kinds == {int}:
        ends = (labels[0], labels[-1]) if isinstance(labels, range) else (min(labels), max(labels))
        if max(map(abs, ends)) > most:
            raise ParameterError(f"{named(name)} must hold whole numbers between -2**62 and 2**62")
        return "whole"
    if kinds == {bool}:
        return "boolean"
    if all(issubclass(kind, date) and not issubclass(kind, datetime) for kind in kinds):
        return "date"
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise ParameterError(
        f"{named(name)} must hold items of one kind (text, whole numbers, dates or "
        f"booleans) and nothing missing, got {names}"
    )


Span = tuple[int, int]


def refuse_own_column(frame: Any, catalogue: Any, name: str = "catalogue") -> None:
    """Refuse a catalogue that is the table, one of its columns, or a part of one."""
    if catalogue is None or type(catalogue) in (list, tuple, range):  # they hold copies
        return
    given, table = (nw.to_native(one, pass_through=True) for one in (catalogue, frame))
    if given is table or _shared(given, table):
        raise ParameterError(
            f"{name} must be a public list, but this one is part of the table itself, and what "
            "is taken from the data is not public; give a list made without looking at the data, "
            f"or leave {name} out"
        )


def _shared(given: Any, table: Any) -> bool:
    listed = list(_spans(given))
    return bool(listed) and any(
        start < other_end and other < end
        for start, end in _spans(table)
        for other, other_end in listed
    )


def _spans(native: Any) -> Iterator[Span]:
    """Yield where in memory a table, a column or an array is, as far as it tells."""
    if isinstance(native, memoryview):
        native = np.asarray(native)
    if isinstance(native, np.ndarray):
        yield from _array(native)
    elif hasattr(native, "buffers"):  # an array of Arrow
        yield from _arrow(native)
    elif _is_pandas_array(native):
        yield from _pandas_array(native)
    elif _is_pandas_array(getattr(native, "array", None)):  # a Series, or an Index, which is none
        yield from _pandas_array(native.array)
    else:
        yield from _columns(native)


def _columns(native: Any) -> Iterator[Span]:
    try:
        known = nw.from_native(native, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError:  # refused in its place, by the names alone
        return
    columns = known.iter_columns() if isinstance(known, nw.DataFrame) else [known]
    for column in columns:
        if not isinstance(column, nw.Series):
            return
        if column.implementation.is_polars():
            yield from _polars(column.to_native())
        elif column.implementation.is_pyarrow():
            for chunk in column.to_native().chunks:
                yield from _arrow(chunk)
        else:
            yield from _pandas_array(column.to_native().array)


def _is_pandas_array(native: Any) -> bool:
    return hasattr(native, "dtype") and hasattr(native, "_from_sequence")


def _pandas_array(inside: Any) -> Iterator[Span]:
    """Yield what is behind an array of pandas: Arrow, codes and categories, or plain values."""
    if hasattr(inside, "_pa_array"):
        for chunk in inside._pa_array.chunks:
            yield from _arrow(chunk)
    elif hasattr(inside, "codes"):
        yield from _array(inside.codes)
        yield from _pandas_array(inside.categories.array)
    else:
        for name in ("_ndarray", "_data", "sp_values"):  # plain, nullable, sparse
            if isinstance(values := getattr(inside, name, None), np.ndarray):
                yield from _array(values)


def _polars(series: Any) -> Iterator[Span]:
    """Yield where the numbers, or the views of text, are: Arrow sees them without a copy."""
    import polars

    newest = polars.CompatLevel.newest()
    for chunk in series.to_physical().get_chunks():
        try:
            values = chunk.to_arrow(compat_level=newest).buffers()[1]
        except ImportError:  # without PyArrow it cannot be told
            return
        if values is not None and values.size:
            yield values.address, values.address + values.size


def _arrow(array: Any) -> Iterator[Span]:
    if hasattr(array, "dictionary"):
        yield from _arrow(array.dictionary)
    for buffer in array.buffers():
        if buffer is not None and buffer.size:
            yield buffer.address, buffer.address + buffer.size


def _array(values: np.ndarray[Any, Any]) -> Iterator[Span]:
    if values.size:
        yield np.lib.array_utils.byte_bounds(values)
