"""A plan: every public number a run needs, and nothing else.

Release, simulation, accounting and audit all read the same plan. It carries no claim: a guarantee
is computed from it (:func:`overbar.guarantee`), so a plan made by hand promises nothing by itself.

There is one class for each mechanism. Files::

    plan                what all have in common
    reach_and_bar       how far one person moves a score, the bar, and what is done again
    ranked              the highest noisy values
    histogram           the same where a person has few items
    sparse_vector       one question after the other; capped of Gaussian ones with a limit
    monitor             questions without end, and a limit for each person; wear how worn it is
    keys                keys that nobody listed; key_values what searches are made of, one_key
                        where one key of each person counts
    together            parts that are paid for together: keys first, counts beside labels, groups
    plan_file           plans of all kinds as JSON
    by_kind             functions with an answer for each kind

Theory: :doc:`/theory/mechanism`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    TypeVar,
)

from overbar import _check
from overbar._check import Number
from overbar._numbers import exact_text, people_text
from overbar.errors import NoGuaranteeError, ParameterError, named
from overbar.mechanisms.reach_and_bar import (
    ONCE,
    Bar,
    Reach,
    Repeats,
    check_noise_value,
    set_checked,
)
from overbar.noise import NOISES, Gaussian, Laplace, Noise
from overbar.privacy.proofs import Proofs
from overbar.report import html_of

if TYPE_CHECKING:
    from overbar.mechanisms.keys import KeyPlan
    from overbar.mechanisms.run import Answer, Run
    from overbar.mechanisms.together import Groups

#: How labels come out: those with the highest noisy values, those that pass when asked one by one,
#: one set of all that there are, keys that nobody listed, or none but alarms.
#: Whoever draws, simulates and audits goes by this.
Finds = Literal["highest", "in turn", "keys", "alarms"]
AnyPlan = TypeVar("AnyPlan", bound="Plan")
#: The kinds of plans of one part, which are all that a plan may hold.
PARTS: list[type[Plan]] = []
#: What is proved of a mechanism. What derives from it inherits none of this.
PROVED = ("paid", "pure", "proofs", "lone_delta", "unlisted_delta")


def part(kind: str) -> Callable[[type[AnyPlan]], type[AnyPlan]]:
    """Return a decorator: plans of this class are of one part, and files know them by `kind`."""

    def register(plan: type[AnyPlan]) -> type[AnyPlan]:
        plan.kind = kind
        PARTS.append(_check.known_keywords(plan))
        return plan

    return register


class Plan(ABC):
    """The public numbers of one run: :class:`RankedPlan`, :class:`HistogramPlan` and so on.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=5, candidates=100)
    >>> overbar.Plan.from_json(plan.to_json()) == plan
    True
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in (name for name in PROVED if name not in vars(cls)):
            setattr(cls, name, vars(Plan)[name])

    #: What the kind is called in files and on the command line.
    kind: ClassVar[str]
    #: How labels come out of a plan of one part.
    finds: ClassVar[Finds]
    #: Whether noise on the grid hides every value, so that all of them may be told.
    hides_values: ClassVar[bool] = False
    if TYPE_CHECKING:  # what every kind has: some as a field, others as what follows from one

        @property
        def query_noise(self) -> Noise:
            """What is added to each score."""

        @property
        def bar(self) -> Bar | None:
            """What scores are compared with; None for the top."""

        @property
        def cutoff(self) -> int:
            """How many come out at most, of each group."""

        @property
        def reach(self) -> Reach:
            """How far one person moves a score."""

        @property
        def grid(self) -> Fraction:
            """Every score of a release is a multiple of this."""

        @property
        def items_per_person(self) -> int | None:
            """How many scores, of each group, one person can move at most."""

    @property
    def threshold_noise(self) -> Noise | None:
        """The noise that all comparisons share; None where there is none."""
        return None if self.bar is None else self.bar.noise

    @property
    def correction(self) -> Fraction:
        """What is added to the threshold in public."""
        return Fraction(0) if self.bar is None else self.bar.correction

    @property
    def repeats(self) -> Repeats:
        """What is done again; where the highest win everything is done once."""
        return ONCE

    @property
    def shared(self) -> Noise | None:
        """Where values come out as counts: the noise that is taken off all of them."""
        return None

    @property
    def in_turn(self) -> bool:
        """Whether candidates are asked one by one."""
        return self.labels.finds == "in turn"

    @property
    def finds_keys(self) -> bool:
        """Whether keys come out, and nothing is asked of them."""
        return self.labels.finds == "keys"

    @property
    def counts(self) -> Laplace | Gaussian | None:
        """New noise for the score of each label that comes out; None where it gets none."""
        return None

    @property
    def first(self) -> Plan | None:
        """What is run first on the same data."""
        return None

    @property
    def labels(self) -> Plan:
        """The part that gives labels: the plan itself, unless it is composed."""
        return self

    @property
    def groups(self) -> Groups | None:
        """In which groups it is run; None if it is run once."""
        return None

    @property
    def keys(self) -> KeyPlan | None:
        """The search for keys in it; None where candidates are not looked for."""
        return None

    @property
    def gives_values(self) -> bool:
        """Whether the noisy values that decided come out, so that counts are paid for."""
        return False

    @property
    def gives_counts(self) -> bool:
        """Whether a count comes out beside each label."""
        return self.gives_values

    @property
    def redraws(self) -> bool:
        """Whether the threshold noise is drawn anew after each positive."""
        return self.repeats.resample

    @property
    def for_top(self) -> bool:
        """Whether it finds the top, wherever a threshold would lie (:func:`overbar.top`)."""
        return self.bar is None or self.bar.above_all

    @property
    def asks_without_end(self) -> bool:
        """Whether all that are left come out in the end, however low."""
        return self.for_top or self.repeats.rounds is None

    @property
    def most_found(self) -> int:
        """How many labels can come out at most, of all groups together."""
        return self.cutoff

    def paid(self) -> tuple[Plan, ...]:
        """Return the plans whose costs add up to that of this one.

        Returns
        -------
        tuple of Plan
            Plans of one part.
        """
        return (self,)

    def pure(self, positives: int | None = None) -> Fraction:  # noqa: ARG002  # others use it
        """Return the pure ε of a run, or of one that has given so many positives so far.

        What a run has not used may go back to a budget that composes by pure DP: the cost so far
        is a privacy filter (Rogers, Roth, Ullman and Vadhan 2016, arXiv:1605.08294).

        Parameters
        ----------
        positives : int, optional
            How many it has given; all that it may give if nothing is said.

        Returns
        -------
        Fraction
            The exact ε.

        Raises
        ------
        NoGuaranteeError
            If none is proved.
        """
        raise NoGuaranteeError(f"{self.kind} plans have no pure guarantee")

    def proofs(self) -> list[Proofs]:
        """Return which steps it costs.

        Returns
        -------
        list of Proofs
            All proofs beside the pure one, each of which holds by itself.
        """
        return []

    def lone_delta(self) -> Fraction:
        """Return the chance that a key comes out that one person alone holds.

        Returns
        -------
        Fraction
            A δ on top; zero where keys are not looked for.

        Raises
        ------
        NoGuaranteeError
            If keys are looked for, and nothing is proved about them.
        """
        if self.keys is not None:
            raise NoGuaranteeError(f"nothing is proved about keys that {self.kind} plans find")
        return Fraction(0)

    def unlisted_delta(self, threshold: Number, items: int) -> float:  # noqa: ARG002  # as above
        """Return the δ of candidates read off the data (:func:`overbar.privacy.unlisted_delta`).

        Parameters
        ----------
        threshold : int, float, str, Fraction or Decimal
            The public level.
        items : int
            How many of them one person holds at most.

        Returns
        -------
        float
            The δ on top.

        Raises
        ------
        NoGuaranteeError
            If nothing is proved.
        """
        raise NoGuaranteeError(
            f"reading candidates off the data has no proof for {self.kind} plans; give a public "
            f"catalogue of candidates, or another {named('mechanism')}"
        )

    @property
    def one_goes_on(self) -> bool:
        """Whether runs in a row are one that goes on: they share no noise, and have no limits."""
        return False

    def merged(self, runs: int) -> tuple[Plan, ...]:
        """Return what is paid for so many runs, if a person has a hand in each.

        Parameters
        ----------
        runs : int
            How many.

        Returns
        -------
        tuple of Plan
            Plans of one part, whose costs add up.
        """
        if not self.one_goes_on:
            return self.paid() * runs
        items = self.items_per_person
        more = {"cutoff": runs * self.cutoff, "items_per_person": items and runs * items}
        return (replace(self, **more),)  # type: ignore[type-var]  # a part is a dataclass

    def run(self, run: Run, scores: Any, level: Any = None) -> Answer:  # noqa: ARG002
        """Find labels among scores in grid steps, at a level; refused where there are no scores.

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
        """
        raise ParameterError(f"nothing says how scores are drawn for {self.kind} plans")

    @property
    def answer_text(self) -> str:
        """What it answers."""
        if self.for_top:
            return f"The top {self.cutoff:,}, whether high or not."
        return f"Up to {self.cutoff:,} candidates above the threshold, the highest first."

    @property
    def method_text(self) -> str:
        """How the answer is found, and why that way."""
        return self._method("")

    def _method(self, there: str) -> str:  # noqa: ARG002  # some say of which scores
        """Say it; where there are groups, `there` says that it is so in each."""
        return f"{self.kind}: {self}"

    @abstractmethod
    def __str__(self) -> str: ...

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self}"

    _repr_html_ = html_of

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

    def to_json(self) -> str:
        """Write the plan as JSON. Fractions are text, so that reading it back is exact.

        Returns
        -------
        str
            JSON, for :meth:`from_json`.
        """
        from overbar.mechanisms.plan_file import plan_text

        return plan_text(self)

    @staticmethod
    def from_json(text: str) -> Plan:
        """Read a plan written by :meth:`to_json`.

        Parameters
        ----------
        text : str
            The JSON.

        Returns
        -------
        Plan
            The same plan. It carries no claim: :func:`overbar.guarantee` says what it keeps.

        Raises
        ------
        ParameterError
            If the text is not a plan.
        """
        from overbar.mechanisms.plan_file import read_plan

        return read_plan(text)

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


def noise_text(noise: Noise) -> str:
    """Name a noise in a sentence."""
    return f"{noise.name.capitalize()} noise of scale {people_text(noise.scale)}"


def highest_text(plan: Plan, values: str = "") -> str:
    """Describe a plan whose highest values win."""
    noise, bar = plan.threshold_noise, plan.bar
    on_bar = "" if noise is None or bar is None else f", {noise_text(noise)} on the threshold"
    moved = "" if bar is None else f", which is moved by {people_text(bar.correction)}"
    most = plan.items_per_person
    few = "" if most is None else f" A person moves at most {most:,} of them."
    passing = "values" if bar is None else "values that reach the threshold"
    return (
        f"{noise_text(plan.query_noise)} on each of the {plan.reach.on('queries')}{on_bar}{moved}; "
        f"the highest {passing} are given, {plan.cutoff:,} at most.{few} "
        f"Releases happen on a grid of {people_text(plan.grid)}.{values}"
    )
