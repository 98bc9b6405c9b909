"""Check the docstrings of the documented API against their signatures, by numpydoc.

Every function, class, method and property that the reference promises says what it takes, of which
type, what it returns and, for functions and classes, shows an example. Run by ``make lint``.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

from numpydoc.validate import validate

import overbar
from overbar import frames, metrics

#: Summary, sections in order, parameters named, in order, with types and words; what comes back.
CHECKS = {
    "GL07", "GL08", "PR01", "PR02", "PR03", "PR04", "PR07", "RT01", "RT03", "SS01", "SS03", "YD01",
}  # fmt: skip
#: An example, for what one looks up first.
EXAMPLE = "EX01"


def names() -> Iterator[str]:
    """Yield the full name of everything public, methods and properties included."""
    for module in (overbar, frames, metrics):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.ismodule(value):
                continue
            yield f"{module.__name__}.{name}"
            if inspect.isclass(value):
                yield from _methods(f"{module.__name__}.{name}", value)


def _methods(full: str, value: type) -> Iterator[str]:
    for name, method in vars(value).items():
        documented = callable(method) or isinstance(method, classmethod | property)
        if documented and not name.startswith("_"):
            yield f"{full}.{name}"


def wrong(full: str) -> list[str]:
    """Return what is wrong with one docstring, in words."""
    found = validate(full)
    value = overbar
    for part in full.split(".")[1:]:
        value = getattr(value, part)
    error = inspect.isclass(value) and issubclass(value, Exception)
    method = full.split(".")[-2][0].isupper()
    checks = {"GL08", "SS03"} if error else CHECKS | (set() if method else {EXAMPLE})
    return [f"{full}: {words}" for code, words in found["errors"] if code in checks]


def main() -> int:
    """Print every fault; return how the shell wants to know."""
    told = [line for full in names() for line in wrong(full)]
    print("\n".join(told) or "docstrings: every name of the documented API is described")
    return bool(told)


if __name__ == "__main__":
    sys.exit(main())
