"""What an audit takes and gives: mechanisms, claims, pairs of inputs, and a verdict.

A mechanism under audit needs one method, ``sample(data, runs)``: what so many independent runs on
`data` release. Three lines are enough:

>>> import random
>>> class Coin:
...     def sample(self, data, runs):
...         return [random.random() < (0.7 if data else 0.3) for _ in range(runs)]

A plain function from data to one outcome will do as well; it is called in a loop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from overbar import _check
from overbar._check import Number
from overbar._numbers import people_text
from overbar.audit.binomial_bounds import detectable
from overbar.errors import ParameterError

#: What many runs released: an array with one entry or one row for each run, or any sequence of
#: hashable outcomes. Floats are binned by the auditor; everything else counts as it is.
Outcomes = NDArray[Any] | Sequence[Hashable]


@runtime_checkable
class Subject(Protocol):
    """Something that can be run many times on one input."""

    def sample(self, data: Any, runs: int, /) -> Outcomes:
        """Return what so many independent runs on one of the two inputs release."""


@dataclass(frozen=True)
class Sampler:
    """A subject made of a function from data and a number of runs to outcomes."""

    sample: Callable[[Any, int], Outcomes]


@dataclass(frozen=True)
class Claim:
    """The privacy a mechanism is said to have: (ε, δ).

    >>> Claim.of(1)
    Claim(epsilon=Fraction(1, 1), delta=Fraction(0, 1))
    """

    epsilon: Fraction
    delta: Fraction

    @classmethod
    def of(cls, epsilon: Number, delta: Number = 0) -> Claim:
        """Read the two numbers of a claim."""
        return cls(_check.non_negative("epsilon", epsilon), _check.probability("delta", delta))

    def __str__(self) -> str:
        epsilon = f"ε = {people_text(self.epsilon)}"
        return f"{epsilon}, δ = {float(self.delta):.3g}" if self.delta else epsilon


@dataclass(frozen=True)
class Pair:
    """Two inputs that differ in one person, and a word on why they were chosen."""

    first: Any
    second: Any
    why: str = ""


def as_mechanism(mechanism: object) -> Subject:
    """Return a mechanism as it is, or a plain function in a loop."""
    if isinstance(mechanism, Subject) and not isinstance(mechanism, type):
        return mechanism
    if callable(mechanism):
        return Sampler(lambda data, runs: [mechanism(data) for _ in range(runs)])
    raise ParameterError(
        "mechanism must have a method sample(data, runs), or be a function from data to one "
        f"outcome, got {type(mechanism).__name__}"
    )


def as_pairs(pairs: Iterable[Any]) -> tuple[Pair, ...]:
    """Read neighbouring inputs: pairs of two, or :class:`Pair` values."""
    read = tuple(pair if isinstance(pair, Pair) else _pair(pair) for pair in pairs)
    if not read:
        raise ParameterError("pairs must hold at least one pair of neighbouring inputs, got none")
    return read


def _pair(one: Any) -> Pair:
    if not isinstance(one, tuple | list) or len(one) != 2:
        raise ParameterError(
            "pairs must be a list of pairs (first, second) of neighbouring inputs, "
            "such as [([0, 1], [1, 0])]"
        )
    return Pair(*one)


def count_of(outcomes: Outcomes, runs: int) -> int:
    """Return how many outcomes there are; refuse a mechanism that did not run as often as asked."""
    count = len(np.atleast_1d(outcomes)) if isinstance(outcomes, np.ndarray) else len(outcomes)
    if count != runs:
        raise ParameterError(
            f"sample(data, {runs}) must return {runs} outcomes, one for each run, got {count}"
        )
    return count


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a statistical audit says about a claim.

    Not finding a violation proves nothing; `would_find` says how much an audit was worth.

    Attributes
    ----------
    claim
        What was said of the mechanism.
    found
        An ε that the mechanism exceeds at the claim's δ, with `confidence`; zero if the runs
        prove nothing.
    confidence
        The chance that a sound mechanism is not called broken, whatever it is.
    pair, inputs
        The neighbouring inputs; and the same with the one first on which the event is likelier.
    event
        Some outcomes of the event that looked worst, in words.
    hits, other_hits, runs
        How often it came up in `runs` fresh runs on the likelier input, and on the other.
    probability
        How likely it seemed on the likelier input while it was chosen.
    """

    claim: Claim
    found: float
    confidence: float
    pair: Pair
    inputs: tuple[Any, Any]
    event: str
    hits: int
    other_hits: int
    runs: int
    probability: float

    @property
    def violated(self) -> bool:
        """Whether more was found than the claim allows."""
        return self.found > float(self.claim.epsilon)

    @cached_property
    def would_find(self) -> float:
        """The smallest true ε that would have been found with a chance of nine in ten.

        For an event as likely as this one; infinite if no loss would have been found.
        """
        return detectable(
            float(self.claim.epsilon),
            runs=self.runs,
            probability=self.probability,
            level=(1 - self.confidence) / 2,
            delta=float(self.claim.delta),
        )

    @property
    def passed(self) -> bool:
        """Whether no violation was found."""
        return not self.violated

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        outcome = "VIOLATED" if self.violated else "no violation found"
        allowed = people_text(self.claim.epsilon)
        one, other = (shortened(repr(data), 60) for data in self.inputs)
        lines = [
            f"Verdict: {outcome}; claimed {self.claim}",
            f"  found       ε > {self.found:.4g} (allowed {allowed}), "
            f"confidence 1 - {1 - self.confidence:.2g}",
            f"  event       {self.event}",
            f"  came up     {self.hits:,} times on {one}",
            f"              {self.other_hits:,} times on {other}",
            f"  fresh runs  {self.runs:,} of each",
        ]
        if math.isfinite(self.would_find):
            lines.append(f"  would find  ε >= {self.would_find:.4g} nine times in ten")
        else:
            lines.append("  would find  nothing: too few runs for an event so rare")
        return "\n".join(lines)


def shortened(text: str, longest: int) -> str:
    """Cut a text off where it is too long to be shown."""
    return text if len(text) <= longest else text[: longest - 3] + "..."
