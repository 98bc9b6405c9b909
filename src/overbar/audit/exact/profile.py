"""A privacy profile between two runs, as intervals that hold the truth.

Every outcome has a lower and an upper log-probability on each data set. Then for every ε

    Σ (p_low - e^ε·q_high)₊  <=  δ(ε)  <=  Σ (p_high - e^ε·q_low)₊,

and the largest loss lies between the largest ln p_low - ln q_high and the largest
ln p_high - ln q_low. Logs are carried through sums of at most a few hundred terms; ``ROUNDING``
is more than they can be off by, and every lower end is lowered and every upper end raised by it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from overbar._docstrings import described_as
from overbar.audit.exact.threshold_points import Array

#: More than rounding can move the logarithm of a probability by.
ROUNDING = 2.5e-10


@dataclass(frozen=True)
class Interval:
    """Two numbers with the truth in between."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"[{self.low:.9g}, {self.high:.9g}]"


@dataclass(frozen=True, eq=False, repr=False)
class Profile:
    """What tells two runs apart: all outcomes with their probabilities on both data sets.

    ``certified`` is False where threshold noise was integrated by a rule without a proved error,
    and where rare released values were left out, so that only lower ends hold.
    """

    outcomes: tuple[Hashable, ...]
    one: Array
    other: Array
    certified: bool = True

    @classmethod
    def between(
        cls,
        one: Mapping[Any, tuple[float, float]],
        other: Mapping[Any, tuple[float, float]],
        certified: bool = True,
        left_out: float = -math.inf,
    ) -> Profile:
        """Put two distributions side by side.

        Parameters
        ----------
        one, other : mapping
            Lower and upper log-probabilities by outcome.
        certified : bool, default True
            Whether these bounds are proved.
        left_out : float, default -inf
            The largest log-probability of an outcome that one of them lacks.

        Returns
        -------
        Profile
            All outcomes of either.
        """
        never = (-math.inf, left_out)
        outcomes = tuple(dict.fromkeys([*one, *other]))
        return cls(
            outcomes,
            np.array([one.get(key, never) for key in outcomes], dtype=np.float64),
            np.array([other.get(key, never) for key in outcomes], dtype=np.float64),
            certified,
        )

    def __repr__(self) -> str:
        return f"Profile({len(self.outcomes):,} outcomes, loss {self.loss()})"

    def delta(self, epsilon: float) -> Interval:
        """Return δ at ε: the larger of both directions.

        Parameters
        ----------
        epsilon : float
            The ε.

        Returns
        -------
        Interval
            With the truth inside.
        """
        forward, backward = self.deltas(epsilon)
        return Interval(max(forward.low, backward.low), max(forward.high, backward.high))

    @described_as(delta)
    def deltas(self, epsilon: float) -> tuple[Interval, Interval]:
        """Return δ at ε from the first run to the second, and back.

        Returns
        -------
        tuple of two Intervals
            With the truth inside.
        """
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
