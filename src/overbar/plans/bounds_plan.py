"""Bounds by guess and check: rung after rung of a public ladder, from the widest inwards.

Theory: :doc:`/theory/bounds`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from overbar import _check
from overbar._numbers import exact_text, people_text
from overbar.errors import ParameterError
from overbar.noise import Exponential
from overbar.plans.plan import Plan, noise_text, part
from overbar.plans.reach_and_bar import Bar, Reach, set_checked


@part("bounds")
@dataclass(frozen=True, repr=False)
class BoundsPlan(Plan):
    """On each side the last rung before enough persons lie outside, by noisy numbers of them.

    Parameters
    ----------
    query_noise : Exponential
        The noise on the number of persons outside of each rung.
    bar : Bar
        How many are enough, and the exponential noise on that, which each side draws anew.
    inside : Fraction
        The share of persons who are to lie inside. Those whom it leaves out are taken off first.
    sides : int, default 1
        How many bounds are found: of a range two.
    most : Fraction, optional
        How many persons are taken off at most, whatever their share is.
    """

    finds = "bounds"

    query_noise: Exponential
    bar: Bar
    inside: Fraction
    sides: int = 1
    most: Fraction | None = None

    def __post_init__(self) -> None:
        noises = {type(self.query_noise), type(self.bar.noise) if isinstance(self.bar, Bar) else 0}
        if noises != {Exponential}:
            raise ParameterError("bounds are found with exponential noise, on the threshold too")
        set_checked(
            self,
            inside=_check.rational("inside", self.inside),
            sides=_check.whole("sides", self.sides),
            most=None if self.most is None else _check.positive("most", self.most),
        )
        if not 0 < self.inside <= 1:
            raise ParameterError("inside must be a share above 0, and 1 at most")
        self._check_numbers()
        if ((self.most or 0) / self.grid).denominator != 1:
            raise ParameterError(f"most must be a multiple of the grid {exact_text(self.grid)}")

    @property
    def outside(self) -> Fraction:
        """The share of persons who may lie outside."""
        return 1 - self.inside

    @property
    def cutoff(self) -> int:
        """One bound for each side."""
        return self.sides

    @property
    def grid(self) -> Fraction:
        """Numbers of persons less a share of them are multiples of this."""
        return Fraction(1, self.inside.denominator)

    @property
    def reach(self) -> Reach:
        """One more person adds one or nothing, and the share of one is taken off, or less."""
        return Reach(-self.outside, Fraction(1) if self.most is not None else self.inside)

    @property
    def items_per_person(self) -> int | None:
        """None: one person may be outside of every rung."""
        return None

    def taken_off(self, persons: int) -> int:
        """Return how many of so many persons may lie outside, in grid steps.

        Parameters
        ----------
        persons : int
            How many there are.

        Returns
        -------
        int
            Their share, or as many as are taken off at most. One more person adds a share of one to
            it, or less.
        """
        share = int(self.outside / self.grid) * persons
        return share if self.most is None else min(share, int(self.most / self.grid))

    @property
    def answer_text(self) -> str:
        """What it answers."""
        return "Bounds that few persons lie outside of."

    def __str__(self) -> str:
        assert self.bar.noise is not None
        return (
            f"{noise_text(self.query_noise)} on how many persons lie outside of each rung, and "
            f"{noise_text(self.bar.noise)} on how many are enough, {people_text(self.correction)}; "
            "the last rung before that is given."
        )
