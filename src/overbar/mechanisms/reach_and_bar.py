"""The values inside a plan: how far a person moves a score, the bar, and what is done again.

Theory: :doc:`/theory/reach`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar._check import Number
from overbar._numbers import number_text
from overbar.errors import ParameterError
from overbar.noise import Noise


def set_checked(value: object, **fields: object) -> None:
    """Put checked numbers into a frozen value that is being made."""
    for name, checked in fields.items():
        object.__setattr__(value, name, checked)


def check_noise_value(name: str, noise: object) -> None:
    """Refuse what is not a noise."""
    if not isinstance(noise, Noise):
        raise ParameterError(f"{name} must be a noise such as Laplace(1), got {noise!r}")


@dataclass(frozen=True)
class Bar:
    """What scores are compared with, beside the threshold: both are added to it.

    Parameters
    ----------
    noise : Noise or None
        The noise on the threshold; None for a bare one.
    correction : Fraction, default 0
        What is added in public, against the bias and the spread of the noise.
    above_all : bool, default False
        Whether the threshold is a number that no score exceeds, so that who is asked as often as it
        takes is found in the order of the top.
    upper_bound : Fraction, optional
        That number, where it is known when the plan is made.
    """

    noise: Noise | None
    correction: Fraction = Fraction(0)
    above_all: bool = False
    upper_bound: Fraction | None = None

    def __post_init__(self) -> None:
        if self.noise is not None:
            check_noise_value("threshold_noise", self.noise)
        set_checked(
            self,
            correction=_check.rational("correction", self.correction),
            above_all=_check.flag("above_all", self.above_all),
        )
        if self.upper_bound is not None:
            set_checked(self, upper_bound=_check.rational("upper_bound", self.upper_bound))
            if not self.above_all:
                raise ParameterError("upper_bound must be left out of a bar that is not above all")

    @classmethod
    def on_grid(cls, noise: Noise | None, correction: Number, grid: Number) -> Bar:
        """Return a bar whose correction is rounded up to a multiple of a grid.

        Parameters
        ----------
        noise : Noise or None
            The noise on the threshold.
        correction : int, float, str, Fraction or Decimal
            What is added in public.
        grid : int, float, str, Fraction or Decimal
            The grid of the plan.

        Returns
        -------
        Bar
            For a plan on that grid.

        Examples
        --------
        >>> from overbar.noise import Laplace
        >>> Bar.on_grid(Laplace(2), 3.1416, "1/4").correction
        Fraction(13, 4)
        """
        step = _check.positive("grid", grid)
        return cls(noise, math.ceil(_check.rational("correction", correction) / step) * step)


@dataclass(frozen=True)
class Repeats:
    """What is done again, and how often.

    Parameters
    ----------
    rounds : int or None, default 1
        How often a query may be asked; None for as often as it takes.
    resample : bool, default False
        Whether the threshold noise is drawn anew after each positive.
    max_queries : int, optional
        How many comparisons the run may make in all; None for no limit.
    """

    rounds: int | None = 1
    resample: bool = False
    max_queries: int | None = None

    def __post_init__(self) -> None:
        for name in ("rounds", "max_queries"):
            value = getattr(self, name)
            set_checked(self, **{name: None if value is None else _check.whole(name, value)})
        set_checked(self, resample=_check.flag("resample", self.resample))


#: Everything is done once.
ONCE = Repeats()


@dataclass(frozen=True)
class Reach:
    """One more person moves every score by something between `low` and `high`.

    Counts have (0, 1). A sum with the range (L, H) has (min(L, 0), max(H, 0)). Scores of which only
    the sensitivity Δ is known have (-Δ, Δ).

    Parameters
    ----------
    low : Fraction
        How far down at most: zero or less.
    high : Fraction
        How far up at most: zero or more.

    Examples
    --------
    >>> Reach(0, 1).width, Reach.of(1, monotonic=False).width, Reach(-10, 100).width
    (Fraction(1, 1), Fraction(2, 1), Fraction(110, 1))
    """

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, _check.rational(name, getattr(self, name)))
        if not self.low <= 0 <= self.high or self.low == self.high:
            raise ParameterError(
                "a reach must go from zero or less to zero or more, got "
                f"{number_text(self.low)} to {number_text(self.high)}"
            )

    @classmethod
    def of(cls, sensitivity: Number, *, monotonic: bool) -> Reach:
        """Return the reach of scores that one person moves by at most the sensitivity.

        Parameters
        ----------
        sensitivity : int, float, str, Fraction or Decimal
            How far one person can move one score.
        monotonic : bool
            Whether one person moves all scores in the same direction.

        Returns
        -------
        Reach
            (0, Δ) or (-Δ, Δ).
        """
        most = _check.positive("sensitivity", sensitivity)
        return cls(Fraction(0) if _check.flag("monotonic", monotonic) else -most, most)

    @property
    def most(self) -> Fraction:
        """The sensitivity: how far one person can move one score. In the paper: Δ."""
        return max(self.high, -self.low)

    @property
    def width(self) -> Fraction:
        """How far apart one person can move two scores. In the paper: 2Δ, or Δ if monotonic."""
        return self.high - self.low

    @property
    def back(self) -> Fraction:
        """How far scores are moved the other way, by `most`: 0 if monotonic, 1 in general."""
        return min(self.high, -self.low) / self.most

    @property
    def one_way(self) -> bool:
        """Whether one person moves all scores in the same direction: they are monotonic."""
        return 0 in (self.low, self.high)

    def holds(self, other: Reach) -> bool:
        """Tell whether scores that are moved by the other are moved by no more than this.

        Parameters
        ----------
        other : Reach
            Another reach.

        Returns
        -------
        bool
            Whether it lies inside.
        """
        return self.low <= other.low and other.high <= self.high

    def outwards(self, grid: Fraction) -> Reach:
        """Return the least reach with both ends on a grid that holds this one.

        Parameters
        ----------
        grid : Fraction
            The grid.

        Returns
        -------
        Reach
            One that is no smaller.

        Examples
        --------
        >>> Reach("-0.7", 3).outwards(Fraction(1, 2))
        Reach(low=Fraction(-1, 1), high=Fraction(3, 1))
        """
        return Reach(self.low // grid * grid, -(-self.high // grid) * grid)

    def check_grid(self, grid: Fraction) -> None:
        """Refuse a grid that does not divide both ends.

        Parameters
        ----------
        grid : Fraction
            The grid.

        Raises
        ------
        ParameterError
            If it does not.
        """
        if (self.low / grid).denominator != 1 or (self.high / grid).denominator != 1:
            raise ParameterError(
                f"sensitivity must be a multiple of the grid {number_text(grid)}, got {self}"
            )

    def __str__(self) -> str:
        if self.one_way or self.low == -self.high:
            return number_text(self.most)
        return f"{number_text(self.low)} to {number_text(self.high)}"

    def on(self, scores: str) -> str:
        """Say of scores how far they are moved.

        Parameters
        ----------
        scores : str
            What they are called.

        Returns
        -------
        str
            Words.

        Examples
        --------
        >>> Reach(0, 1).on("queries"), Reach(-1, 100).on("queries")
        ('monotonic queries of sensitivity 1', 'queries that one person moves by -1 to 100')
        """
        if self.one_way:
            return f"monotonic {scores} of sensitivity {self}"
        if self.low == -self.high:
            return f"{scores} of sensitivity {self}"
        return f"{scores} that one person moves by {self}"
