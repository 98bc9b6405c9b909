"""Public ladders: the bounds that may be found first, chosen without a look at any row."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar._numbers import number_text
from overbar.frames.amounts import Amounts
from overbar.frames.columns import refuse_what_is_no_number

#: Powers of ten between which the ladders with names run.
LOWEST, HIGHEST = -5, 13
#: A value has at most so many fine steps.
FINE_STEPS = 10**18


@dataclass(frozen=True)
class Ladder:
    """Rising public values; what lies beyond its ends counts as there."""

    name: str
    rungs: tuple[Fraction, ...]

    def __str__(self) -> str:
        first, last = map(number_text, (self.rungs[0], self.rungs[-1]))
        return f"{self.name}: {len(self.rungs):,} rungs from {first} to {last}"

    def amounts(self, column: str, kind: Any) -> Amounts:
        """Return how values of a column are read: as whole numbers of fine steps."""
        refuse_what_is_no_number("value", column, kind)
        return Amounts(column, kind, (self.rungs[0], self.rungs[-1]), Fraction(1), fine=FINE_STEPS)

    def below(
        self, values: NDArray[np.int64], persons: NDArray[np.int64], digits: int
    ) -> NDArray[np.int64]:
        """Return how many persons have a value up to each rung, the last of which is for all.

        Values are in fine steps. A person counts from the first rung on that is no less.
        """
        steps = self._steps(digits)
        places = np.minimum(np.searchsorted(steps, values, side="left"), len(steps) - 1)
        each = np.zeros(len(steps), dtype=np.int64)
        np.add.at(each, places, persons)
        return np.cumsum(each)

    @cached_property
    def _steps(self) -> Callable[[int], NDArray[np.int64]]:
        """The rungs in fine steps of so many digits."""

        def steps(digits: int) -> NDArray[np.int64]:
            power = Fraction(10) ** digits
            return np.array([math.floor(rung * power) for rung in self.rungs], dtype=np.int64)

        return cache(steps)
