"""What accuracy asks of a plan; what is meant stands in ``mechanisms/score_plan.py``."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

from overbar.noise import Noise

#: From a whole number of grid steps to a chance.
Chance = Callable[[int], float]


class Labels(Protocol):
    """The part that gives labels."""

    @property
    def query_noise(self) -> Noise: ...

    @property
    def threshold_noise(self) -> Noise | None: ...

    @property
    def ranking_noise(self) -> Noise: ...

    @property
    def correction(self) -> Fraction: ...

    @property
    def grid(self) -> Fraction: ...

    @property
    def limit(self) -> int: ...

    @property
    def least(self) -> int | None: ...

    @property
    def for_top(self) -> bool: ...

    @property
    def not_predicted(self) -> str: ...

    def passing(self) -> Chance: ...


class Plan(Protocol):
    """A plan, as seen from here."""

    @property
    def labels(self) -> Labels: ...

    @property
    def groups(self) -> object: ...
