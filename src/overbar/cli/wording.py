"""Between what is typed and what the library says."""

from __future__ import annotations

import re
from fractions import Fraction

from overbar import _check
from overbar.errors import ParameterError

__all__ = ["OUT_OF_MEMORY", "all_given", "count", "in_options", "pair"]

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
#: Where a message begins with a parameter that must be given, or asks for one.
_ASKED = re.compile(r"(^|\bGive )(candidates|delta|sensitivity|value)\b(?= must|,| and)")
#: What to give, for whoever did not know that it is needed.
_NEEDED = {
    "threshold": "the public level to be above",
    "cutoff": "how many to find at most",
    "epsilon": "the privacy budget, such as 1",
    "upper_bound": "a public number that no score exceeds, such as the number of people; far too "
    "high costs nothing",
    "catalogue": "a public list of the items; without one use select with a threshold",
}


def in_options(message: str) -> str:
    """Turn names of parameters into options.

    >>> in_options("items_per_person must be given; or write correction='mean'")
    '--items-per-person must be given; or write --correction mean'
    """
    if "OutOfMemoryException" in message:
        return OUT_OF_MEMORY
    message = _VALUES.sub(lambda m: f"--{m[1].replace('_', '-')} {m[2]}", message)
    message = _FLAG.sub(lambda m: "--monotonic" if m[1] == "True" else "--general", message)
    message = message.replace("value_range=(low, high)", "--value-range LOW,HIGH")
    message = _ASKED.sub(r"\1--\2", message)
    return _NAMES.sub(lambda m: "--" + m[1].replace("_", "-"), message)


def all_given(**options: str | None) -> None:
    """Refuse a command that lacks something, with all it lacks: nobody should find out one by one.

    >>> all_given(cutoff="3", epsilon=None)
    Traceback (most recent call last):
    overbar.errors.ParameterError: --epsilon must be given: the privacy budget, such as 1
    """
    lacking = [name for name, written in options.items() if written is None]
    said = [(f"--{name.replace('_', '-')}", _NEEDED[name]) for name in lacking]
    if len(said) == 1:
        raise ParameterError(f"{said[0][0]} must be given: {said[0][1]}")
    if said:
        listed = ", ".join(f"{option} ({what})" for option, what in said)
        raise ParameterError(f"these must be given: {listed}")


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
