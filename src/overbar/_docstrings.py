"""What one docstring says of parameters, written into the docstrings that repeat it.

A parameter of a plan is taken by nine calls. It is described once, where it is used, and
:func:`described_as` adds it to the others when they are imported.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

#: What is added where it is missing. Other sections stay where they are, below these.
ADDED = ("Parameters", "Returns", "Raises")
HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)
DEFAULT = re.compile(r", (?:optional|default .*)$")


def described_as(other: Callable[..., object]) -> Callable[[F], F]:
    """Describe as another function does what a docstring leaves out: parameters, and what comes.

    Entries stand in the order of the signature, with the defaults of the signature.
    """

    def describe(function: F) -> F:
        own, borrowed = inspect.getdoc(function), inspect.getdoc(other)
        if own is None or borrowed is None:  # python -OO
            return function
        summary, sections = _sections(own)
        told = {name: body for name, body in _sections(borrowed)[1].items() if name in ADDED}
        entries = {**_entries(told), **_entries(sections)}
        told = {**dict.fromkeys(ADDED, ""), **told, **sections}
        told["Parameters"] = "\n".join(
            f"{name} : {entries[name][0]}{_default(one)}\n{entries[name][1]}"
            for name, one in inspect.signature(function).parameters.items()
            if name in entries
        )
        parts = (f"{name}\n{'-' * len(name)}\n{body}" for name, body in told.items() if body)
        function.__doc__ = "\n\n".join([summary, *parts])
        return function

    return describe


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """Return what stands above the first heading, and what stands below each."""
    summary, *rest = HEADING.split(text)
    bodies = (body.strip("\n") for body in rest[1::2])
    return summary.strip(), dict(zip(rest[::2], bodies, strict=True))


def _entries(sections: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Return type and words of each parameter by its name."""
    entries = {}
    for entry in filter(None, ENTRY.split(sections.get("Parameters", ""))):
        head, _, words = entry.rstrip("\n").partition("\n")
        name, _, kind = head.partition(" : ")
        entries[name] = (DEFAULT.sub("", kind), words)
    return entries


def _default(parameter: inspect.Parameter) -> str:
    value = parameter.default
    if value is parameter.empty:
        return ""
    shown = f'"{value}"' if isinstance(value, str) else repr(value)
    return ", optional" if value is None else f", default {shown}"
