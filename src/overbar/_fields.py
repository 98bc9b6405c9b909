"""Frozen values as fields that JSON can write, and back: what was written, exactly, or an error.

A value is a dataclass. Its type hints say what each field is, so that one writer and one reader
serve all of them. Classes that have a `kind` or a `name` are told from their sisters by it. Anyone
may have written what is read, so nothing is taken for granted: a field that is missing, that no
value has, or that is of another kind is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from overbar.errors import ParameterError

Reader = Callable[[str, object], Any]


class FieldError(ValueError):
    """What is wrong with a field."""

    def __init__(self, name: str, wrong: str) -> None:
        super().__init__(f"{name!r} {wrong}")
        self.name, self.wrong = name, wrong


@dataclass(frozen=True, eq=False)
class Form:
    """How values are written that hold no others, how they are read, and what types stand for."""

    writers: Mapping[type, Callable[[Any], object]]
    readers: Mapping[Any, Reader]
    #: The classes that are meant where a field is of a type that has none of its own.
    families: Mapping[Any, tuple[type, ...]] = field(default_factory=dict)
    _known: dict[Any, Reader] = field(default_factory=dict)

    def write(self, value: object) -> Any:
        """Return a value as what JSON can write."""
        for kind, write in self.writers.items():
            if isinstance(value, kind):
                return write(value)
        if isinstance(value, tuple):
            return list(map(self.write, value))
        if not is_dataclass(value):
            return value
        own: Any = type(value)
        tag = _tag(own)
        named = {} if tag is None else {tag: getattr(value, tag)}
        return named | {name: self.write(getattr(value, name)) for name in _hints(own)}

    def read(self, kind: Any, value: object, name: str) -> Any:
        """Return the value of a kind that was written; raise a FieldError if there is none."""
        if kind not in self._known:
            self._known[kind] = self._reader(kind)
        return self._known[kind](name, value)

    def _reader(self, kind: Any) -> Reader:
        origin, parts = get_origin(kind), get_args(kind)
        if kind in self.readers:
            return self.readers[kind]
        if origin is Literal:
            return partial(_chosen, parts)
        if origin is tuple:
            return partial(self._tuple, parts)
        several = parts if origin in (UnionType, Union) else self.families.get(kind, (kind,))
        objects, others = list[type](), list[Any]()
        for part in several:
            classes = self.families.get(part, (part,))
            (objects if is_dataclass(classes[0]) else others).extend(classes)
        if NoneType in others or len(others) + bool(objects) > 1:
            return partial(self._one_of, tuple(objects), others)
        return partial(self._object, objects)

    def _one_of(self, objects: tuple[type, ...], others: list[Any], name: str, value: Any) -> Any:
        """Read one of several kinds, of which at most one is neither fields, a list nor null."""
        if value is None and NoneType in others:
            return None
        if isinstance(value, dict) and objects:
            return self._object(objects, name, value)
        lists = [part for part in others if get_origin(part) is tuple]
        rest = lists if isinstance(value, list) else [one for one in others if one not in lists]
        for part in rest:
            if part is not NoneType:
                return self.read(part, value, name)
        raise FieldError(name, "must be fields" if objects else "must be of another kind")

    def _tuple(self, parts: tuple[Any, ...], name: str, value: object) -> tuple[Any, ...]:
        several = parts[1:] == (...,)
        if not isinstance(value, list) or not (several or len(value) == len(parts)):
            raise FieldError(name, "must be a list")
        kinds = parts[:1] * len(value) if several else parts
        return tuple(self.read(kind, part, name) for kind, part in zip(kinds, value, strict=True))

    def _object(self, classes: Sequence[type], name: str, value: object) -> Any:
        """Read a value of one of these classes, by the name that tells them apart."""
        if not isinstance(value, dict):
            raise FieldError(name, "must be fields")
        kind, own = classes[0], dict(value)
        tag = _tag(kind)
        if tag is not None:
            labels = {getattr(one, tag): one for one in classes}
            label = own.pop(tag, None)
            if not isinstance(label, str) or label not in labels:
                raise FieldError(f"{name} {tag}".strip(), f"must be one of {', '.join(labels)}")
            kind = labels[label]
        hints = _hints(kind)
        for one in sorted({*own, *hints}):
            if one not in own:
                raise FieldError(one, "is missing")
            if one not in hints:
                raise FieldError(one, "has no meaning")
        inside = {one: self.read(hint, own[one], one) for one, hint in hints.items()}
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
