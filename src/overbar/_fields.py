"""Frozen values as fields that JSON can write, and back: what was written, exactly, or an error.

A value is a dataclass. Its type hints say what each field is, so that one writer and one reader
serve all of them. Classes that have a `kind` or a `name` are told from their sisters by it. Anyone
may have written what is read, so nothing is taken for granted: a field that is missing, that no
value has, or that is of another kind is refused.

Columns become a data frame, for those who have one of the two libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from overbar.errors import MissingExtraError, ParameterError

Reader = Callable[[str, object], Any]
Writer = Callable[[Any], object]


class FieldError(ValueError):
    """What is wrong with a field."""

    def __init__(self, name: str, wrong: str) -> None:
        super().__init__(f"{name!r} {wrong}")
        self.name, self.wrong = name, wrong


@dataclass(frozen=True, eq=False)
class Form:
    """How values are written that hold no others, how they are read, and what types stand for."""

    writers: Mapping[type, Writer]
    readers: Mapping[Any, Reader]
    #: The classes that are meant where a field is of a type that has none of its own.
    families: Mapping[Any, Sequence[type]] = field(default_factory=dict)

    def write(self, value: object) -> Any:
        """Return a value as what JSON can write."""
        kind: Any = type(value)
        write = _writer(self, kind)
        return value if write is None else write(value)

    def read(self, kind: Any, value: object, name: str) -> Any:
        """Return the value of a kind that was written; raise a FieldError if there is none."""
        return _reader(self, kind)(name, value)


@cache
def _writer(form: Form, kind: type) -> Writer | None:
    """Return what writes values of a class; None where they are written as they are."""
    for known, write in form.writers.items():
        if issubclass(kind, known):
            return write
    if issubclass(kind, tuple):
        return lambda values: [*map(form.write, values)]
    return partial(_written, form, _tag(kind), _hints(kind)) if is_dataclass(kind) else None


def _written(form: Form, tag: str | None, names: Iterable[str], value: object) -> dict[str, Any]:
    """Return the fields of a value, and what tells its class from its sisters."""
    result = {} if tag is None else {tag: getattr(value, tag)}
    for name in names:
        inside = getattr(value, name)
        kind: Any = type(inside)
        write = _writer(form, kind)
        result[name] = inside if write is None else write(inside)
    return result


@cache
def _reader(form: Form, kind: Any) -> Reader:
    """Return what reads values of a kind; fields of a class are looked at when one is read."""
    origin, parts = get_origin(kind), get_args(kind)
    if kind in form.readers:
        return form.readers[kind]
    if origin is Literal:
        return partial(_chosen, parts)
    if origin is tuple:
        several = parts[1:] == (...,)
        own = parts[: 1 if several else None]
        return partial(_tuple, [_reader(form, part) for part in own], several)
    objects = list[type]()
    lists: Reader | None = None
    other: Reader | None = None
    for part in parts if origin in (UnionType, Union) else (kind,):
        classes = form.families.get(part, (part,))
        if is_dataclass(classes[0]):
            objects += classes
        elif get_origin(part) is tuple:
            lists = _reader(form, part)
        elif part is kind:
            raise TypeError(f"nothing says how to read {kind}")
        elif part is not NoneType:
            other = _reader(form, part)
    read = partial(_object, form, objects) if objects else None
    if read is not None and not (lists or other or NoneType in parts):
        return read
    return partial(_one_of, NoneType in parts, read, lists, other)


@cache
def _readers(form: Form, kind: type) -> dict[str, Reader]:
    """Return what reads each field of a class."""
    return {name: _reader(form, hint) for name, hint in _hints(kind).items()}


def _object(form: Form, classes: Sequence[type], name: str, value: object) -> Any:
    """Read a value of one of these classes, by the name that tells them apart."""
    if not isinstance(value, dict):
        raise FieldError(name, "must be fields")
    kind, own = classes[0], dict(value)
    tag = _tag(kind)
    if tag is not None:
        labels = {getattr(each, tag): each for each in classes}
        label = own.pop(tag, None)
        if not isinstance(label, str) or label not in labels:
            raise FieldError(f"{name} {tag}".strip(), f"must be one of {', '.join(labels)}")
        kind = labels[label]
    readers = _readers(form, kind)
    for other in sorted(own.keys() ^ readers.keys()):
        raise FieldError(other, "is missing" if other in readers else "has no meaning")
    inside = {each: read(each, own[each]) for each, read in readers.items()}
    try:
        result = kind(**inside)
    except ParameterError as error:
        if not name:
            raise
        raise FieldError(name, f"is wrong: {error}") from None
    if not getattr(result, "is_possible", True):
        raise FieldError(name, "cannot be what it says")
    return result


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Return the type of each field."""
    hints = get_type_hints(kind, include_extras=True)
    return {one.name: hints[one.name] for one in fields(kind)}


@cache
def _tag(kind: type) -> str | None:
    """Return the name of what tells a class from its sisters, which is no field."""
    tags = (tag for tag in ("kind", "name") if tag not in _hints(kind))
    return next((tag for tag in tags if isinstance(getattr(kind, tag, None), str)), None)


def _chosen(choices: tuple[object, ...], name: str, value: object) -> object:
    if type(value) is not str or value not in choices:
        raise FieldError(name, "must be one of " + ", ".join(map(str, choices)))
    return value


def _one_of(
    nullable: bool,
    objects: Reader | None,
    lists: Reader | None,
    other: Reader | None,
    name: str,
    value: object,
) -> Any:
    """Read one of several kinds, of which at most one is neither fields, a list nor null."""
    if value is None and nullable:
        return None
    read = lists if isinstance(value, list) else other
    if isinstance(value, dict) and objects is not None:
        read = objects
    if read is None:
        raise FieldError(name, "must be fields" if objects else "must be of another kind")
    return read(name, value)


def _tuple(readers: list[Reader], several: bool, name: str, value: object) -> tuple[Any, ...]:
    if not isinstance(value, list) or not (several or len(value) == len(readers)):
        raise FieldError(name, "must be a list")
    each = readers * len(value) if several else readers
    return tuple(read(name, part) for read, part in zip(each, value, strict=True))


def data_frame(columns: dict[str, Any]) -> Any:
    """Return a data frame of pandas, or of Polars without it."""
    try:
        import pandas
    except ImportError:
        pass
    else:
        return pandas.DataFrame(columns)
    try:
        import polars
    except ImportError:
        raise MissingExtraError(
            "to_frame needs pandas or polars; install one: pip install pandas"
        ) from None
    return polars.DataFrame(columns)
