"""What a mechanism may ask of whoever runs it: a release, a study, or an enumeration of its law.

A mechanism is an ordinary function of a run. It may use loops, conditions and sets, and never asks
who runs it. A release draws exactly, from the system's entropy (:mod:`overbar.runs.exact`); a study
draws floats from a seed (in the laboratory); an audit goes through all that can come out
(:mod:`overbar.audit.every`). So the three cannot differ in anything but their draws.

Theory: :doc:`/theory/mechanism`.

Scores, bars and noise are whole numbers of grid steps. In a release what was drawn is sealed: it
can be added up and handed on, and is neither printed, compared nor copied. `tell` opens it: this is
where a mechanism says that a number may be known.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from overbar.noise import Noise

#: A whole number of grid steps, sealed in a release.
Steps = Any


class Found(Protocol):
    """A candidate that came out."""

    @property
    def candidate(self) -> int:
        """Its place among all."""

    @property
    def value(self) -> Steps:
        """Its score plus noise, where the highest were looked for."""

    @property
    def score(self) -> Steps:
        """Its score."""


class Answer(NamedTuple):
    """Who came out, in order; and the values that are told, of these or of one more."""

    found: Any
    values: tuple[int, ...] | None = None


class Run(Protocol):
    """Whoever runs a mechanism."""

    def draw(self, noise: Noise | None, grid: Fraction) -> Steps:
        """Draw noise on the grid; without any it is zero, and no secret."""

    def draws(self, noise: Noise, grid: Fraction, count: int) -> Sequence[Steps]:
        """Draw so many, independently."""

    def passing(
        self,
        scores: Any,
        noise: Noise,
        grid: Fraction,
        bar: Steps,
        *,
        most: int,
        rounds: int | None = 1,
        on_grid: bool = False,
    ) -> Sequence[Found]:
        """Return the first so many whose score plus noise reaches the bar.

        They are asked in an order by lot: once, or round after round in the same order; with
        `rounds` None until so many have passed. The noise is real, or `on_grid` as it is drawn.
        """

    def passes(self, score: Any, noise: Noise, grid: Fraction, bar: Steps) -> bool:
        """Tell whether one score plus noise reaches the bar."""

    def highest(
        self,
        scores: Any,
        noise: Noise,
        grid: Fraction,
        bar: Steps | None,
        *,
        most: int,
        values: bool = False,
    ) -> Sequence[Found]:
        """Return those with the highest score plus noise that reach the bar, in order.

        Equal ones are ordered by lot. With `values` these may be told.
        """

    def choose(self, counts: Sequence[int], chances: Sequence[int], bits: int) -> Sequence[int]:
        """Return the places that come out: a count n with chances[n]/2^bits, from the last on 1."""

    def lot(self, things: Sequence[Any], most: int) -> Sequence[Any]:
        """Return so many of the things, each as likely as another, in their order."""

    def tell(self, number: Steps) -> int:
        """Return a number that may be known."""
