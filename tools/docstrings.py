"""Check the docstrings of the documented API against their signatures, by numpydoc.

Every public function says what it takes, of which type, what it returns and what it raises by
itself; so do the classes, methods and properties of `overbar`, `overbar.frames` and
`overbar.metrics`, where functions and classes also show an example. Run by ``make lint``.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from numpydoc.validate import validate

from tools.public_modules import public_objects, resolve

#: Summary, sections in order, parameters named, in order, with types and words; what comes back.
CHECKS = {
    "GL07", "GL08", "PR01", "PR02", "PR03", "PR04", "PR07", "RT01", "RT03", "SS01", "SS03", "YD01",
}  # fmt: skip
#: An example, for what one looks up first.
EXAMPLE = "EX01"
#: The modules that one looks up first: classes and methods are checked too.
FIRST = ("overbar", "overbar.frames", "overbar.metrics")


def functions() -> dict[Callable[..., Any], str]:
    """Return every public function with its full name."""
    found: dict[Callable[..., Any], str] = {}
    for module, name, value in public_objects():
        if inspect.isfunction(value):
            found.setdefault(value, f"{module}.{name}")
    return found


def names() -> Iterator[str]:
    """Yield the full name of everything that is checked, methods and properties included."""
    yield from functions().values()
    for module, name, value in public_objects():
        if module in FIRST and not inspect.ismodule(value) and not inspect.isfunction(value):
            yield f"{module}.{name}"
            if inspect.isclass(value):
                yield from _methods(f"{module}.{name}", value)


def needed(function: Callable[..., Any]) -> set[str]:
    """Return the sections that a function needs: it takes, returns, or raises something."""
    signature = inspect.signature(function)
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    raised = (isinstance(node, ast.Raise) and node.exc for node in ast.walk(ast.parse(source)))
    needs = {
        "Parameters": set(signature.parameters) - {"self"},
        "Returns": signature.return_annotation not in (None, "None"),
        "Raises": any(raised),
    }
    return {name for name, there in needs.items() if there}


def has(function: Callable[..., Any], section: str) -> bool:
    """Tell whether the docstring of a function has a section."""
    return f"\n{section}\n---" in (inspect.getdoc(function) or "")


def _methods(full: str, value: type) -> Iterator[str]:
    own = [one for one in value.__mro__ if one.__module__.startswith("overbar")]
    for name in dict.fromkeys(name for one in own for name in vars(one)):
        method = inspect.getattr_static(value, name)
        documented = callable(method) or isinstance(method, classmethod | property)
        if documented and not name.startswith("_"):
            yield f"{full}.{name}"


def wrong(full: str) -> list[str]:
    """Return what is wrong with one docstring, in words."""
    value, parts = resolve(full)
    for part in parts:
        value = getattr(value, part)
    error = inspect.isclass(value) and issubclass(value, Exception)
    first = full.rpartition(".")[0] in FIRST
    checks = {"GL08", "SS03"} if error else CHECKS | ({EXAMPLE} if first else set())
    told = [words for code, words in validate(full)["errors"] if code in checks]
    unbound = getattr(value, "__func__", value)
    if inspect.isfunction(unbound) and "Raises" in needed(unbound) and not has(unbound, "Raises"):
        told.append("No Raises section found")
    return [f"{full}: {words}" for words in told]


def main() -> int:
    """Print every fault; return how the shell wants to know."""
    told = [line for full in names() for line in wrong(full)]
    print("\n".join(told) or "docstrings: every name of the documented API is described")
    return bool(told)


if __name__ == "__main__":
    sys.exit(main())
