"""The top as one set: a single draw from all sets of so many candidates.

Theory: :doc:`/theory/subsets`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from overbar.errors import ParameterError
from overbar.noise import Gumbel
from overbar.plans.plan import Plan, noise_text, part
from overbar.plans.reach_and_bar import Reach


@part("subsets")
@dataclass(frozen=True, repr=False)
class SubsetsPlan(Plan):
    """The set that is most clearly above the rest, with noise on how clearly each set is.

    Parameters
    ----------
    query_noise : Gumbel
        What is added to the lead of each set: its lowest score less the highest outside.
    cutoff : int
        How many candidates a set has.
    reach : Reach
        How far one person moves a score.
    grid : Fraction, default 1
        Every score of a release is a multiple of this.
    items_per_person : int, optional
        How many scores one person can move at most; None if it may be all of them.
    """

    finds = "set"
    bar = None

    query_noise: Gumbel
    cutoff: int
    reach: Reach
    grid: Fraction = Fraction(1)
    items_per_person: int | None = None

    def __post_init__(self) -> None:
        self._check_numbers()
        if type(self.query_noise) is not Gumbel:
            raise ParameterError("a set is drawn with gumbel noise: write Gumbel(scale)")

    @property
    def answer_text(self) -> str:
        """What it answers."""
        return f"The top {self.cutoff:,} as a set, in no order."

    def _method(self, there: str) -> str:
        return f"subsets: one draw among all sets of {self.cutoff:,}{there}, each by its lead"

    def __str__(self) -> str:
        return (
            f"One of all sets of {self.cutoff:,} candidates, by their lowest score less the "
            f"highest outside, with {noise_text(self.query_noise)}, for "
            f"{self.reach.on('queries')}. Releases happen on a grid of {self.grid}."
        )
