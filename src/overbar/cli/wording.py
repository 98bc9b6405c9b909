"""Between what is typed and what the library says."""

from __future__ import annotations

import re
from fractions import Fraction

from overbar import _check
from overbar.errors import ParameterError

__all__ = ["OUT_OF_MEMORY", "count", "in_options", "pair"]

#: Parameters whose Python name is not what one types.
_NAMES = re.compile(
    r"(?<![\w'-])(items_per_person|value_range|upper_bound|threshold_noise|max_queries)(?![\w'])"
)
_VALUES = re.compile(r"\b(noise|threshold_noise|correction|allocation|order)='([\w-]+)'")
OUT_OF_MEMORY = (
    "the table needs more memory than --memory allows, and nothing was drawn; give more, such as "
    "--memory 8GB, or name a folder with --temp-folder for what does not fit (it then holds "
    "private data while this runs)"
)
_FLAG = re.compile(r"\bmonotonic=(True|False)\b")


def in_options(message: str) -> str:
    """Turn names of parameters into options.

    >>> in_options("items_per_person must be given; or write correction='mean'")
    '--items-per-person must be given; or write --correction mean'
    """
    if "OutOfMemoryException" in message:
        return OUT_OF_MEMORY
    message = _VALUES.sub(lambda m: f"--{m[1].replace('_', '-')} {m[2]}", message)
    message = _FLAG.sub(lambda m: "--monotonic" if m[1] == "True" else "--general", message)
    return _NAMES.sub(lambda m: "--" + m[1].replace("_", "-"), message)


def pair(name: str, written: str | None) -> tuple[Fraction, Fraction] | None:
    """Read two numbers with a comma between them.

    >>> pair("value-range", "0,1/2")
    (Fraction(0, 1), Fraction(1, 2))
    """
    if written is None:
        return None
    low, comma, high = written.partition(",")
    if not comma:
        raise ParameterError(f"--{name} must be two numbers such as 0,100, got {written!r}")
    return _check.rational(f"--{name}", low), _check.rational(f"--{name}", high)


def count(name: str, written: str | None) -> int | None:
    """Read a positive whole number, if one was given."""
    return None if written is None else _check.whole(f"--{name}", written)
