"""Everything that overbar raises on purpose.

The errors::

    OverbarError
    ├── ParameterError (ValueError)   a public parameter is wrong; the message says what to write
    │   └── NoGuaranteeError          the combination has no privacy proof; the message says why
    ├── ScoreError (ValueError)       scores of a wrong type or shape, or outside a declared range
    ├── HaltedError (RuntimeError)    the run has stopped and will not answer again
    ├── SecrecyError (TypeError)      a live run was about to be pickled, copied or forked
    ├── LedgerError (RuntimeError)    a ledger or a store cannot be read, written or trusted
    │   └── BudgetError               not enough budget is left; says how much was asked and remains
    └── MissingExtraError (ImportError)  an optional package is not installed

A message names public numbers only. Scores, gaps and the noisy threshold appear in none of them,
and whether an error is raised never depends on them.
"""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

__all__ = [
    "BudgetError",
    "HaltedError",
    "LedgerError",
    "MissingExtraError",
    "NoGuaranteeError",
    "OverbarError",
    "ParameterError",
    "ScoreError",
    "SecrecyError",
]


#: Characters of nobody's alphabet around what Python and the command line write differently.
_OPEN, _OR, _CLOSE = "\ue0f0", "\ue0f1", "\ue0f2"
_EITHER = re.compile(f"{_OPEN}([^{_OR}{_CLOSE}]*){_OR}([^{_CLOSE}]*){_CLOSE}")


def either(python: str, typed: str) -> str:
    """Mark what a message says to Python, and what it says to the command line instead."""
    return f"{_OPEN}{python}{_OR}{typed}{_CLOSE}"


def named(name: str, value: object = None) -> str:
    """Mark a parameter that a message names, with a value to write if there is one.

    >>> error = ParameterError(f"write {named('noise', 'gumbel')} or {named('max_queries')}")
    >>> str(error), error.as_typed()
    ("write noise='gumbel' or max_queries", 'write --noise gumbel or --max-queries')
    >>> ParameterError(f"write {named('resample', True)}").as_typed()
    'write --resample'
    """
    if name.startswith("-"):  # the command line names its own options
        return name
    option = f"--{name.replace('_', '-')}"
    if value is None:
        return either(name, option)
    if value is True:
        typed = option
    elif value is False:
        typed = f"leave out {option}"
    else:
        typed = f"{option} {value}"
    return either(f"{name}={value!r}", typed)


def quoted(*words: str) -> str:
    """Mark words to choose from: in quotes for Python, as they are for the command line."""
    return either(", ".join(map(repr, words)), ", ".join(words))


class OverbarError(Exception):
    """The root of every error overbar raises on purpose."""

    def __init__(self, *args: object) -> None:
        self._marked = args
        super().__init__(*(_EITHER.sub(r"\1", x) if isinstance(x, str) else x for x in args))

    def as_typed(self) -> str:
        """Return the message with parameters as one types them: ``--max-queries 100``.

        Returns
        -------
        str
            The message for the command line.
        """
        if len(self._marked) == 1 and isinstance(self._marked[0], str):
            return _EITHER.sub(r"\2", self._marked[0])
        return str(self)


class ParameterError(OverbarError, ValueError):
    """A public parameter is wrong."""


class NoGuaranteeError(ParameterError):
    """The parameters are fine one by one, but nothing is proved about them together."""


class ScoreError(OverbarError, ValueError):
    """The scores cannot be used; nothing was drawn and nothing was spent.

    Attributes
    ----------
    raised
        The type of the error of a table's engine, if that is why; its message may quote rows.
    """

    raised: type[BaseException] | None = None


class HaltedError(OverbarError, RuntimeError):
    """The run has stopped: its positives or its comparisons are used up."""


class SecrecyError(OverbarError, TypeError):
    """A run holds a secret threshold, so it is not pickled, copied or carried over a fork."""


class LedgerError(OverbarError, RuntimeError):
    """The ledger cannot be read, written or trusted; nothing was released."""


class BudgetError(LedgerError):
    """Not enough budget is left for what was asked; nothing was reserved and nothing drawn.

    Attributes
    ----------
    unit
        What is short: "epsilon", "epsilon at delta …", "delta", or a divergence.
    requested, remaining
        How much of it was asked for, and how much is left; exact.
    advice
        What to do about it.
    """

    def __init__(
        self, unit: str, requested: Fraction, remaining: Fraction, advice: str = ""
    ) -> None:
        super().__init__(unit, requested, remaining, advice)
        self.unit, self.requested, self.remaining, self.advice = unit, requested, remaining, advice

    def __str__(self) -> str:
        left = _short(max(self.remaining, Fraction(0)), ROUND_FLOOR)
        asked = _short(self.requested, ROUND_CEILING)
        sentence = f"{self.unit} must be at most {left}, what is left of the budget, got {asked}"
        return sentence + (self.advice and f"; {self.advice}")


def _short(value: Fraction, rounding: str) -> str:
    """Write a number for people: exactly if it is a short decimal, else to three digits."""
    decimal = f"{float(value):.4g}"
    if Fraction(decimal) == value:
        return decimal
    context = Context(prec=3, rounding=rounding)
    return f"{context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize():f}"


class MissingExtraError(OverbarError, ImportError):
    """An optional package is needed; the message says how to install it."""
