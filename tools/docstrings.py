"""Check the docstrings of the documented API against their signatures, by numpydoc.

Every public function, and every method of a public class that takes and returns something, says
what it takes, of which type, what it returns and what it raises by itself. Other methods and
properties have a summary; so has a method that a public base class describes. In `overbar`,
`overbar.frames` and `overbar_lab.metrics` classes say it of themselves, and functions and classes
show an example. Run by ``make lint``.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

import overbar
from tools.public_modules import MODULES, public_objects

#: Summary, sections in order, parameters named, in order, with types and words; what comes back.
CHECKS = {
    "GL07", "GL08", "PR01", "PR02", "PR03", "PR04", "PR07", "RT01", "RT03", "SS01", "SS03", "YD01",
}  # fmt: skip
#: What a property, a trivial method or an error says of itself.
SUMMARY = {"GL08", "SS03"}
#: An example, for what one looks up first.
EXAMPLE = "EX01"
#: How a docstring says that another one describes what it takes, and perhaps what comes back.
OTHER = re.compile(
    r"(?:The parameters|Parameters (?P<result>and result)) are those of :\w+:`(?P<name>[\w.]+)`"
)
#: What users call of a plan.
FILES = ("to_json", "from_json", "level")
#: The complaints of numpydoc about each section.
COMPLAINTS = {"Parameters": "PR01", "Returns": "RT01"}
#: The modules that one looks up first.
FIRST = ("overbar", "overbar.frames", "overbar_lab.metrics")


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
        "Parameters": set(signature.parameters) - {"self", "cls"},
        "Returns": signature.return_annotation not in (None, "None"),
        "Raises": any(raised),
    }
    return {name for name, there in needs.items() if there}


def has(function: Callable[..., Any], section: str) -> bool:
    """Tell whether the docstring of a function has a section, or says whose it is."""
    text = inspect.getdoc(function) or ""
    return f"\n{section}\n---" in text or section in borrowed(text)


def borrowed(text: str) -> set[str]:
    """Return the sections that a docstring leaves to another one, which it names.

    >>> sorted(borrowed("The parameters are those of :func:`overbar.select`."))
    ['Parameters', 'Raises']
    """
    said = OTHER.search(" ".join(text.split()))
    if said is None:
        return set()
    return {"Parameters", "Raises"} | ({"Returns"} if said["result"] else set())


def borrowed_wrong(text: str, owner: Any, function: Callable[..., Any]) -> list[str]:
    """Return what is wrong with the call that a docstring names: it must take the same."""
    said = OTHER.search(" ".join(text.split()))
    if said is None:
        return []
    try:
        other = _called(said["name"], owner)
        others = inspect.signature(other).parameters
    except (AttributeError, ImportError, ValueError):
        return [f"It names {said['name']}, which there is not"]
    missing = set(inspect.signature(function).parameters) - set(others) - {"self", "cls"}
    return [f"{said['name']} does not take {', '.join(sorted(missing))}"] if missing else []


def _called(name: str, owner: Any) -> Any:
    """Return what a docstring calls by its full name, or by that of a method beside it."""
    if "." not in name:
        return _unbound(inspect.getattr_static(owner, name))
    module = max((one for one in MODULES if name.startswith(f"{one}.")), key=len)
    parts = name.removeprefix(f"{module}.").split(".")
    *_, found = accumulate(parts, getattr, initial=importlib.import_module(module))
    return _unbound(found)


def _methods(full: str, value: type) -> Iterator[str]:
    fields = getattr(value, "__dataclass_fields__", ())
    own = [one for one in value.__mro__ if one.__module__.startswith("overbar")]
    for name in dict.fromkeys(name for one in own for name in vars(one)):
        method = inspect.getattr_static(value, name)
        documented = callable(method) or isinstance(method, classmethod | property)
        if documented and not name.startswith("_") and name not in fields:
            yield f"{full}.{name}"


def _checks(owner: object, name: str, value: Any, *, first: bool) -> set[str]:
    """Return what is checked: everything, or that there is a summary."""
    if not isinstance(owner, type):
        is_error = isinstance(value, type) and issubclass(value, Exception)
        return SUMMARY if is_error else CHECKS | ({EXAMPLE} if first else set())
    public = [one for _, _, one in public_objects()]
    if name not in FILES and issubclass(owner, overbar.Plan):
        return SUMMARY  # what a mechanism tells the rooms, which hand it what they say
    if issubclass(owner, Exception) or any(
        name in vars(base) for base in owner.__mro__[1:] if base in public
    ):
        return SUMMARY
    if first:
        return CHECKS
    takes_and_returns = callable(value) and {"Parameters", "Returns"} <= needed(_unbound(value))
    return CHECKS if takes_and_returns else SUMMARY


def _unbound(value: Any) -> Any:
    return getattr(value, "__func__", value)


def wrong(full: str) -> list[str]:
    """Return what is wrong with one docstring, in words."""
    module = max((one for one in MODULES if full.startswith(f"{one}.")), key=len)
    parts = full.removeprefix(f"{module}.").split(".")  # a function may be called as its file is
    *_, owner, value = accumulate(parts, getattr, initial=importlib.import_module(module))
    checks = _checks(owner, parts[-1], value, first=module in FIRST)
    text = inspect.getdoc(value) or ""
    left = {COMPLAINTS[section] for section in borrowed(text) & set(COMPLAINTS)}
    errors = validate(get_doc_object(value))["errors"]
    told = [words for code, words in errors if code in checks - left]
    if inspect.isfunction(_unbound(value)):
        told += borrowed_wrong(text, owner, _unbound(value))
    if checks != SUMMARY and inspect.isfunction(_unbound(value)):
        missing = needed(_unbound(value)) - {"Parameters"}  # which numpydoc compares one by one
        words = (f"No {one} section found" for one in sorted(missing) if not has(value, one))
        told += [one for one in words if one not in told]
    return [f"{full}: {words}" for words in told]


def main() -> int:
    """Print every fault; return how the shell wants to know."""
    told = [line for full in names() for line in wrong(full)]
    print("\n".join(told) or "docstrings: every name of the documented API is described")
    return bool(told)


if __name__ == "__main__":
    sys.exit(main())
