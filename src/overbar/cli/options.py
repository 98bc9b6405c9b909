"""Reading what was typed."""

from __future__ import annotations

from fractions import Fraction

from overbar import _check
from overbar.errors import ParameterError

__all__ = ["all_given", "count", "pair"]

#: What to give, for whoever did not know that it is needed.
_NEEDED = {
    "threshold": "the public level to be above",
    "cutoff": "how many to find at most",
    "epsilon": "the privacy budget, such as 1",
    "upper_bound": "a public number that no score exceeds, such as the number of people; far too "
    "high costs nothing",
    "catalogue": "a public list of the items; without one use select with a threshold",
}


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
