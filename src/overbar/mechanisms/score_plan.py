"""What plans have in common that add noise to scores and compare them with a bar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from overbar import _check
from overbar._check import Number
from overbar._numbers import at_most_text, exact_text, number_text, people_text
from overbar.accuracy import Detection, detection
from overbar.accuracy.chances import passing_chance
from overbar.accuracy.interval import interval
from overbar.accuracy.plan import Chance
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.mechanisms.plan import NO_SCORES, Pairs, Plan
from overbar.mechanisms.reach_and_bar import (
    ONCE,
    Bar,
    Reach,
    Repeats,
    check_noise_value,
    set_checked,
)
from overbar.mechanisms.sentences import many, moved_by, noise_words
from overbar.noise import NOISES, Gaussian, Laplace, Noise

if TYPE_CHECKING:
    from overbar.mechanisms.run import Answer, Run

#: A count and the ends of its interval.
Around = tuple[int, int | None, int]
COUNTED = (
    "s are noisy. Each interval holds the true number with a probability of about 95 %, also "
    "for items that came out because their noise was high."
)


class ScorePlan(Plan):
    """What plans of scores have in common."""

    #: What is added to each score, what it is compared with, and how far one person moves it.
    query_noise: Noise
    bar: Bar | None  # None for the top
    reach: Reach
    #: What is done again, and new noise for the score of each label, where it gets some.
    repeats: Repeats = ONCE
    counts: Laplace | Gaussian | None = None
    if TYPE_CHECKING:

        @property
        def labels(self) -> ScorePlan:
            """The part that gives labels."""

        @property
        def cutoff(self) -> int:
            """How many come out at most, of each group."""

    @property
    def threshold_noise(self) -> Noise | None:
        """The noise that all comparisons share; None where there is none."""
        return None if self.bar is None else self.bar.noise

    @property
    def correction(self) -> Fraction:
        """What is added to the threshold in public."""
        return Fraction(0) if self.bar is None else self.bar.correction

    @property
    def for_top(self) -> bool:
        """Whether it finds the top, wherever a threshold would lie (:func:`overbar.top`)."""
        return self.bar is None or self.bar.above_all

    @property
    def most_found(self) -> int:
        """How many labels can come out at most, of all groups together."""
        return self.cutoff

    @property
    def one_goes_on(self) -> bool:
        """Whether runs in a row are one that goes on: they share no noise, and have no limits."""
        return False

    def _merged(self, runs: int) -> tuple[Plan, ...]:
        """Return what is paid for so many runs, if a person has a hand in each."""
        if not self.one_goes_on:
            return self.paid() * runs
        items = self.items_per_person
        more = {"cutoff": runs * self.cutoff, "items_per_person": items and runs * items}
        return (replace(self, **more),)  # type: ignore[type-var]  # a part is a dataclass

    def run(self, run: Run, scores: Any, level: Any = None) -> Answer:  # noqa: ARG002
        """Find labels among scores in grid steps, at a level; refused where it only runs online.

        Parameters
        ----------
        run : Run
            Whoever runs it.
        scores : sequence
            In grid steps.
        level : int or None
            Threshold plus correction in grid steps; None without a bar.

        Returns
        -------
        Answer
            Who came out.

        Raises
        ------
        ParameterError
            If it only runs online.
        """
        raise ParameterError(f"nothing says how scores are drawn for {self.kind} plans")

    def level(self, threshold: Number) -> int:
        """Return threshold plus correction in grid steps: all of the bar that is public.

        The threshold is rounded up to the grid: public, free, and towards fewer positives.

        Parameters
        ----------
        threshold : int, float, str, Fraction or Decimal
            The public level.

        Returns
        -------
        int
            Grid steps.
        """
        steps = math.ceil(_check.rational("threshold", threshold) / self.grid)
        return steps + int(self.correction / self.grid)

    def check_batch(self) -> None:
        """Refuse what a run online alone can do."""

    def _refuse_without_end(self) -> None:
        """Refuse candidates read off the data where all that are left come out in the end."""
        if self.for_top or self.repeats.rounds is None:
            raise NoGuaranteeError(
                "with unlimited rounds an item that one person holds is selected sooner or later; "
                f"limit {named('rounds')}, or give a public catalogue of candidates"
            )

    def __post_init__(self) -> None:
        self._check_numbers()

    def _check_numbers(self) -> None:
        """Check what every kind has, and make the numbers exact."""
        check_noise_value("query_noise", self.query_noise)
        if not isinstance(self.reach, Reach):
            raise ParameterError(f"reach must be a Reach such as Reach(0, 1), got {self.reach!r}")
        if not isinstance(self.bar, Bar | None):
            raise ParameterError(f"bar must be a Bar such as Bar(Laplace(1)), got {self.bar!r}")
        items = self.items_per_person
        checked = {
            "cutoff": _check.whole("cutoff", self.cutoff),
            "grid": _check.positive("grid", self.grid),
            "items_per_person": items if items is None else _check.whole("items_per_person", items),
        }
        own = vars(self)  # of another kind some follow from the class
        set_checked(self, **{name: value for name, value in checked.items() if name in own})
        self.reach.check_grid(self.grid)
        if (self.correction / self.grid).denominator != 1:
            raise ParameterError(
                f"correction must be a multiple of the grid {exact_text(self.grid)}, "
                f"got {exact_text(self.correction)}; Bar.on_grid(noise, correction, grid) rounds up"
            )

    # What is expected of it ---------------------------------------------------------------------

    @property
    def limit(self) -> int:
        """How many come out at most; zero where there is no limit."""
        return self.cutoff

    @property
    def least(self) -> int | None:
        """The lowest score that anyone has: sums and counts that only ever grow begin at zero."""
        return 0 if self.reach.low == 0 else None

    @property
    def ranking_noise(self) -> Noise:
        """The noise by which the top is ranked."""
        return self.query_noise

    @property
    def not_predicted(self) -> str:
        """Why nothing simple can be said of accuracy; empty where it can."""
        return ""

    def passing(self) -> Chance:
        """Return the chance to pass of who is so many grid steps above the public level."""
        rounds = self.repeats.rounds or 1
        return passing_chance(self.query_noise, self.threshold_noise, self.grid, rounds)

    def expected(self, candidates: int | None = None) -> Detection | None:
        """Return how high a score must be to be found; None where nothing simple can be said."""
        return detection(self, candidates)

    def around(self, value: int, level: int | None = None, beaten: int | None = None) -> Around:
        """Return a count and the ends of its interval, in grid steps, of a value that decided.

        It reached the level, and is no lower than the highest value that was beaten, if one was.
        """
        bar, tied = (level, False) if beaten is None else (beaten, True)
        return value, *interval(self.query_noise, self.grid, value, bar, tied=tied)

    # What is said of it -------------------------------------------------------------------------

    @property
    def asked_text(self) -> str:
        """What was asked of values."""
        if self.for_top:
            return f"Which {self.cutoff:,} values of {{what}} have {{most}}?"
        return "Which values of {what} have {enough}?"

    @property
    def answer_text(self) -> str:
        """What it answers."""
        if self.for_top:
            return f"The top {self.cutoff:,}, whether high or not."
        return f"Up to {self.cutoff:,} candidates above the threshold, the highest first."

    def method_text(self, there: str = "") -> str:  # noqa: ARG002  # some say of which scores
        """Say how the answer is found, and why that way; in groups `there` says: in each."""
        return f"{self.kind}: {self}"

    @property
    def margin_text(self) -> str:
        """What is predicted by margin."""
        if self.for_top:
            return (
                f"How likely an item comes out, at least, that leads place {self.cutoff + 1:,} by "
                f"the margin, and at most, one that is so far behind place {self.cutoff:,}:"
            )
        return (
            "How likely an item comes out that is the margin above the threshold, or as far below "
            "it, while places are left:"
        )

    #: What its order tells.
    order_text = "The highest noisy scores come first; noise may have swapped some."

    def about_counts(self) -> tuple[str, str]:
        """Say how exact counts are and what they cost, and what to know beside their intervals."""
        return "", ""

    def numbers(self, threshold: Fraction | None = None) -> Pairs:
        """Return its numbers as people read them, by name."""
        barless, groups, (counts, _) = self.bar is None, self.groups, self.about_counts()
        again = ", drawn anew after each positive" if self.repeats.resample else ""
        on_bar = noise_words(None if barless else self.threshold_noise) + again
        correction = f"{people_text(self.correction)} is added to the threshold"
        return (
            ("mechanism", self.method_text()),
            ("groups", "" if groups is None else groups.costs_text),
            ("threshold", "" if threshold is None else number_text(threshold)),
            ("noise on scores", noise_words(self.query_noise)),
            ("noise on threshold", on_bar),
            ("counts", counts),
            ("correction", "" if barless else correction),
            ("grid", people_text(self.grid)),
        )

    def conditions(self, unlisted: float | None) -> list[str]:
        """Say what has to be true, and what the δ of candidates read off the data pays for."""
        together = ", all of them in the same direction" if self.reach.one_way else ""
        few, groups = self.items_per_person, self.groups
        there = " of each group" if groups else ""
        moved = "each score" if few is None else f"at most {few:,} scores{there}, each"
        inside, after = "", []
        if groups is not None:
            inside = f", in at most {groups.per_person:,} of the {groups.count:,} groups"
            after = [
                "This is for the answers of all groups together. Such a run costs all of it, "
                "however few are found."
            ]
        if unlisted is not None:
            part = at_most_text(unlisted)
            after += [f"Of δ, δ′ = {part} pays for candidates that are read off the data."]
        return [
            f"This holds if adding or removing one person moves {moved} by {moved_by(self.reach)}"
            f"{together}{inside}.",
            *after,
        ]

    def found_text(self, ranks: Sequence[int], candidates: int | None = None) -> str:
        """Say how many came out, by their places in their groups."""
        more = self._more(ranks, candidates)
        if self.keys is not None:
            more = f" among keys that were found first, from the same budget{more}"
        return f"{len(ranks)} of at most {self.most_found:,} found{self._in_groups}{more}"

    def found_sentence(self, ranks: Sequence[int], candidates: int | None = None) -> str:
        """Say in a sentence how many came out."""
        more = self._more(ranks, candidates)
        return f"{len(ranks):,} found, of at most {self.most_found:,}{self._in_groups}{more}."

    def found_and_spent(self, number: int, spent: str) -> tuple[str, str]:
        """Return how many came out, and what of its guarantee is spent."""
        return f"{number} of at most {self.most_found} selected{self._in_groups}", spent

    @property
    def _in_groups(self) -> str:
        return "" if self.groups is None else f" in {many(self.groups.count, 'group')}"

    def _more(self, ranks: Sequence[int], candidates: int | None) -> str:
        """Say that all places are taken, where that can hide something."""
        full = max(ranks, default=0) == self.cutoff != candidates and not self.for_top
        return ", so there may be more" if full else ""

    def found_notes(self, score: str) -> list[str]:
        """Say of an answer what its order tells, and what its scores do."""
        counts = [score.capitalize() + COUNTED, self.about_counts()[1]] if self.gives_counts else []
        return [self.order_text, *filter(None, counts)]


def of_scores(plan: Plan) -> ScorePlan:
    """Return a plan of scores; refuse one that has none."""
    if not isinstance(plan, ScorePlan):
        raise ParameterError(NO_SCORES)
    return plan


def widened(value: Any, factor: Fraction) -> Any:
    """Return a plan, or what lies inside one, with wider noise; not of what is run first."""
    wider = {
        one.name: NOISES[part.name](part.scale * factor)
        if isinstance(part, Noise)
        else widened(part, factor)
        for one in fields(value)
        if one.name != "first" and isinstance(part := getattr(value, one.name), Noise | Bar | Plan)
    }
    return replace(value, **wider)
