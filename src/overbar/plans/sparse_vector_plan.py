"""The sparse vector technique: one question after the other, until the positives are used up.

It alone can run online. Redrawing, rounds and a limit on comparisons live here and nowhere else.

Theory: :doc:`/theory/mechanism`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, get_args

from overbar import _check
from overbar._numbers import short_text
from overbar.errors import ParameterError
from overbar.noise import Noise
from overbar.plans.plan import Bar, Plan, noise_text, set_checked
from overbar.plans.reach import Reach

OrderName = Literal["random", "given"]
ORDERS: tuple[OrderName, ...] = get_args(OrderName)


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


@_check.known_keywords
@dataclass(frozen=True, repr=False)
class SparseVectorPlan(Plan):
    """The paper's Algorithm 1, online or in a batch, and its appending.

    Parameters
    ----------
    query_noise : Noise
        What is added to each query.
    bar : Bar
        What is added to the threshold.
    cutoff : int
        How many positives the run may give before it halts.
    reach : Reach
        How far one person moves a query's answer.
    grid : Fraction, default 1
        Every score, threshold and noisy threshold of a release is a multiple of this.
    repeats : Repeats
        How often a query is asked, and whether the threshold noise is drawn anew.
    items_per_person : int, optional
        How many scores one person can move at most; None if it may be all of them.
    order : {"random", "given"}, default "random"
        In which public order candidates are asked that are all there: by a secure shuffle, or as
        they come. A run online asks as it is asked.
    """

    kind = "sparse-vector"

    query_noise: Noise
    bar: Bar
    cutoff: int
    reach: Reach
    grid: Fraction = Fraction(1)
    repeats: Repeats = Repeats()
    items_per_person: int | None = None
    order: OrderName = "random"

    def __post_init__(self) -> None:
        if not isinstance(self.bar, Bar):
            raise ParameterError("bar must be a Bar, such as Bar(Laplace(1))")
        if not isinstance(self.repeats, Repeats):
            raise ParameterError("repeats must be Repeats, such as Repeats(rounds=1)")
        self._check_numbers()
        set_checked(self, order=_check.choice("order", self.order, ORDERS))

    @property
    def redraws(self) -> bool:
        """Whether the threshold noise is drawn anew after each positive."""
        return self.repeats.resample

    @property
    def in_one_go(self) -> bool:
        """Whether runs in a row are one: no noise that they share, no limit of each."""
        return self.bar.noise is None and not (self.repeats.resample or self.repeats.max_queries)

    def merged(self, runs: int) -> tuple[Plan, ...]:
        """Return as many runs; without noise on the threshold it is one that goes on.

        Parameters
        ----------
        runs : int
            How many.

        Returns
        -------
        tuple of Plan
            Plans of one part, whose costs add up.
        """
        if not self.in_one_go:
            return (self,) * runs
        items = self.items_per_person
        more = None if items is None else runs * items
        return (replace(self, cutoff=runs * self.cutoff, items_per_person=more),)

    def __str__(self) -> str:
        noise, repeats = self.bar.noise, self.repeats
        threshold = "no noise" if noise is None else noise_text(noise)
        again = ", drawn anew after each positive" if repeats.resample else ""
        asked = {None: "as often as it takes", 1: "once"}.get(
            repeats.rounds, f"up to {repeats.rounds:,} times" if repeats.rounds else ""
        )
        limit = "" if repeats.max_queries is None else f" or {repeats.max_queries:,} comparisons"
        return (
            f"{noise_text(self.query_noise)} on {self.reach.on('queries')} "
            f"and {threshold} on the threshold{again}, "
            f"which is moved by {short_text(self.correction)}; each query is asked {asked}, "
            f"and the run halts after {self.cutoff:,} positive{'s' * (self.cutoff > 1)}{limit}. "
            f"Releases happen on a grid of {short_text(self.grid)}."
        )
