"""What accuracy asks of a plan: its noises, its bar, and how likely a score passes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

from overbar.noise import Noise

#: From a whole number of grid steps to a chance.
Chance = Callable[[int], float]


class Plan(Protocol):
    """A plan, as seen from here."""

    @property
    def labels(self) -> Labels:
        """The part that gives labels."""

    @property
    def groups(self) -> object:
        """In which groups it is run; None if it is run once."""


class Labels(Protocol):
    """The part that gives labels."""

    @property
    def query_noise(self) -> Noise:
        """What is added to each score."""

    @property
    def threshold_noise(self) -> Noise | None:
        """The noise that all comparisons share."""

    @property
    def ranking_noise(self) -> Noise:
        """The noise by which the top is ranked."""

    @property
    def correction(self) -> Fraction:
        """What is added to the threshold in public."""

    @property
    def grid(self) -> Fraction:
        """Every score of a release is a multiple of this."""

    @property
    def places(self) -> int:
        """How many can come out; zero for as many as pass."""

    @property
    def least(self) -> int | None:
        """The lowest score that anyone has, if there is one."""

    @property
    def for_top(self) -> bool:
        """Whether it finds the top, wherever a threshold would lie."""

    @property
    def not_predicted(self) -> str:
        """Why nothing simple can be said; empty where it can."""

    def passing(self) -> Chance:
        """Return the chance to pass of who is so many grid steps above the public level."""
