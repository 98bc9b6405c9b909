"""What accuracy asks of a plan; what is meant stands in ``mechanisms/plan.py``."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from overbar.noise import Noise


class Repeats(Protocol):
    """What is done again, and how often."""

    @property
    def rounds(self) -> int | None: ...

    @property
    def resample(self) -> bool: ...

    @property
    def max_queries(self) -> int | None: ...


class Plan(Protocol):
    """A plan, as seen from here."""

    @property
    def labels(self) -> Plan: ...

    @property
    def finds(self) -> str: ...

    @property
    def hides_values(self) -> bool: ...

    @property
    def groups(self) -> object: ...

    @property
    def repeats(self) -> Repeats: ...

    @property
    def query_noise(self) -> Noise: ...

    @property
    def threshold_noise(self) -> Noise | None: ...

    @property
    def correction(self) -> Fraction: ...

    @property
    def grid(self) -> Fraction: ...

    @property
    def cutoff(self) -> int: ...

    @property
    def for_top(self) -> bool: ...

    @property
    def in_turn(self) -> bool: ...
