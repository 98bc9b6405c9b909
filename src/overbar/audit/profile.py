"""A privacy profile between two runs, as intervals that hold the truth.

Every outcome has a lower and an upper log-probability on each data set. Then for every ε

    Σ (p_low - e^ε·q_high)₊  <=  δ(ε)  <=  Σ (p_high - e^ε·q_low)₊,

and the largest loss lies between the largest ln p_low - ln q_high and the largest
ln p_high - ln q_low. Logs are carried through sums of at most a few hundred terms; ``ROUNDING``
is more than they can be off by, and every lower end is lowered and every upper end raised by it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: More than rounding can move the logarithm of a probability by.
ROUNDING = 2.5e-10


@dataclass(frozen=True)
class Interval:
    """Two numbers with the truth in between."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"[{self.low:.9g}, {self.high:.9g}]"


@dataclass(frozen=True)
class Outcomes:
    """What one run can say: lower and upper log-probabilities, by outcome.

    Attributes
    ----------
    chances
        The bounds. An outcome that is missing is impossible, but for what was left out.
    left_out
        More than the log-probability of any outcome that is missing.
    complete
        Whether every outcome is there, however rare.
    """

    chances: dict[Hashable, tuple[float, float]]
    left_out: float = -math.inf
    complete: bool = True

    @classmethod
    def within(cls, chances: dict[Hashable, float], off: float, complete: bool) -> Outcomes:
        """Return bounds around logs of chances that are off by so much at most."""
        around = {
            key: (_log_moved(log_chance, -off), _log_moved(log_chance, off))
            for key, log_chance in chances.items()
        }
        return cls(around, math.log(off) if off else -math.inf, complete)

    def bounds(self, outcomes: Iterable[Hashable]) -> Array:
        """Return the bounds of these outcomes, a row for each."""
        never = (-math.inf, self.left_out)
        return np.array([self.chances.get(key, never) for key in outcomes], dtype=np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Profile:
    """What tells two runs apart: all outcomes with their probabilities on both data sets.

    ``certified`` is False where rare outcomes are missing, so that only lower ends hold.
    """

    outcomes: tuple[Hashable, ...]
    one: Array
    other: Array
    certified: bool = True

    @classmethod
    def between(cls, one: Outcomes, other: Outcomes) -> Profile:
        """Put all outcomes of two runs side by side."""
        outcomes = tuple(dict.fromkeys([*one.chances, *other.chances]))
        certified = one.complete and other.complete
        return cls(outcomes, one.bounds(outcomes), other.bounds(outcomes), certified)

    def __repr__(self) -> str:
        return f"Profile({len(self.outcomes):,} outcomes, loss {self.loss()})"

    def delta(self, epsilon: float) -> Interval:
        """Return δ at ε: the larger of both directions."""
        forward, backward = self.deltas(epsilon)
        return Interval(max(forward.low, backward.low), max(forward.high, backward.high))

    def deltas(self, epsilon: float) -> tuple[Interval, Interval]:
        """Return δ at ε from the first run to the second, and back."""
        return (
            _hockey_stick(self.one, self.other, float(epsilon)),
            _hockey_stick(self.other, self.one, float(epsilon)),
        )

    def loss(self) -> Interval:
        """Return the largest privacy loss of any outcome: the smallest pure ε of this pair."""
        low, high = self._losses()
        return Interval(float(np.max(low)), float(np.max(high)))

    def worst(self) -> Hashable:
        """Return the outcome whose loss is proved to be the largest."""
        return self.outcomes[int(np.argmax(self._losses()[0]))]

    def _losses(self) -> tuple[Array, Array]:
        """Return lower and upper ends of the loss of each outcome, in the worse direction."""
        low, high = (
            np.maximum(
                _log_ratio(self.one[:, above], self.other[:, below]),
                _log_ratio(self.other[:, above], self.one[:, below]),
            )
            for above, below in ((0, 1), (1, 0))
        )
        return low - 2 * ROUNDING, high + 2 * ROUNDING


def _log_moved(log_chance: float, by: float) -> float:
    """Return the log of a chance that is moved by so much; of none, if it is below zero."""
    chance = math.exp(log_chance)
    if abs(by) < chance * math.ulp(1.0):
        return log_chance
    return math.log(chance + by) if chance + by > 0 else -math.inf


def _log_ratio(above: Array, below: Array) -> Array:
    """Return the difference of two logs; minus infinity where the first is."""
    possible = above > -math.inf
    return np.where(possible, np.where(possible, above, 0.0) - below, -math.inf)


def _hockey_stick(p: Array, q: Array, epsilon: float) -> Interval:
    low = _excess(p[:, 0] - ROUNDING, q[:, 1] + ROUNDING + epsilon)
    high = _excess(p[:, 1] + ROUNDING, q[:, 0] - ROUNDING + epsilon)
    return Interval(low, min(1.0, high))


def _excess(log_p: Array, log_q: Array) -> float:
    """Sum of (e^log_p - e^log_q)₊, by the ratio so that close numbers keep their digits."""
    larger = log_p > log_q
    p, q = log_p[larger], log_q[larger]
    return math.fsum((np.exp(p) * -np.expm1(q - p)).tolist())
