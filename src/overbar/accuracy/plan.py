"""What accuracy asks of a plan: its noises, its bar, and how often it asks."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from overbar.noise import Noise


class Repeats(Protocol):
    """What is done again, and how often."""

    @property
    def rounds(self) -> int | None:
        """How often a query may be asked; None for as often as it takes."""

    @property
    def resample(self) -> bool:
        """Whether the threshold noise is drawn anew after each positive."""

    @property
    def max_queries(self) -> int | None:
        """How many comparisons the run may make in all."""


class Labels(Protocol):
    """The part that gives labels."""

    @property
    def finds(self) -> str:
        """How labels come out."""

    @property
    def hides_values(self) -> bool:
        """Whether noise on the grid hides every value."""


class Plan(Protocol):
    """A plan, as seen from here."""

    @property
    def labels(self) -> Labels:
        """The part that gives labels."""

    @property
    def groups(self) -> object:
        """In which groups it is run; None if it is run once."""

    @property
    def repeats(self) -> Repeats:
        """What is done again."""

    @property
    def query_noise(self) -> Noise:
        """What is added to each score."""

    @property
    def threshold_noise(self) -> Noise | None:
        """The noise that all comparisons share."""

    @property
    def correction(self) -> Fraction:
        """What is added to the threshold in public."""

    @property
    def grid(self) -> Fraction:
        """Every score of a release is a multiple of this."""

    @property
    def cutoff(self) -> int:
        """How many come out at most, of each group."""

    @property
    def for_top(self) -> bool:
        """Whether it finds the top, wherever a threshold would lie."""

    @property
    def in_turn(self) -> bool:
        """Whether candidates are asked one by one."""
