"""Parts that are paid for together: keys first, labels, counts beside them, in groups.

Theory: :doc:`/theory/steps`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from overbar import _check
from overbar.accuracy.interval import interval
from overbar.errors import ParameterError
from overbar.mechanisms.histogram import HistogramPlan
from overbar.mechanisms.keys import KeyPlan
from overbar.mechanisms.plan import Plan
from overbar.mechanisms.reach_and_bar import set_checked
from overbar.mechanisms.run import Answer, Run
from overbar.mechanisms.score_plan import Around, ScorePlan
from overbar.mechanisms.sentences import noise_text, noise_words, within_text
from overbar.noise import Gaussian, Laplace, Noise

#: The costs of so many runs are added up at most.
MOST_RUNS = 1000


@dataclass(frozen=True)
class Groups:
    """In how many public groups a plan is run, each by itself.

    Parameters
    ----------
    count : int
        How many groups there are.
    per_person : int
        How many of them one person can be in at most: so often the cost of one run is paid.
    """

    count: int
    per_person: int

    def __post_init__(self) -> None:
        set_checked(
            self,
            count=_check.whole("groups", self.count),
            per_person=_check.whole("groups_per_person", self.per_person),
        )
        if self.per_person > min(MOST_RUNS, self.count):
            raise ParameterError(
                f"groups_per_person must be at most the number of groups, and {MOST_RUNS:,}"
            )

    @property
    def costs_text(self) -> str:
        """How many there are, and how their costs add up."""
        most, often = self.per_person, "so all cost as much as one (parallel composition)"
        if most > 1:
            often = f"so the costs of {most:,} runs add up"
        return f"{self.count:,}, of which a person counts in at most {most:,}, {often}"

    def __str__(self) -> str:
        return f"{self.count:,} groups, of which a person is in at most {self.per_person:,}"


def _of_labels(name: str, text: str) -> Any:
    """Return what the labels' part says."""

    def read(plan: Composed) -> Any:
        return getattr(plan.labels, name)

    return property(read, doc=text)


@_check.known_keywords
@dataclass(frozen=True, repr=False, slots=True)  # slots: fields here, properties of other plans
class Composed(ScorePlan):
    """A plan that gives labels, and what is paid for with it.

    Parameters
    ----------
    labels : RankedPlan, HistogramPlan or SparseVectorPlan
        What gives the labels.
    counts : Laplace or Gaussian, optional
        New noise for the score of each label that comes out; None if no counts come out, or the
        values that decided do.
    first : Plan, optional
        What is run first on the same data: its cost adds up.
    groups : Groups, optional
        In which groups it is run; None if it is run once.
    """

    kind = "composed"

    labels: ScorePlan
    counts: Laplace | Gaussian | None = None
    first: Plan | None = None
    groups: Groups | None = None

    def __post_init__(self) -> None:
        check_part("labels", self.labels)
        if self.first is not None:
            check_part("first", self.first)
        if not isinstance(self.labels, ScorePlan):
            raise ParameterError("labels must be a plan of scores; a search for keys is the first")
        if self.counts is not None and (
            type(self.counts) not in (Laplace, Gaussian) or self.labels.gives_values
        ):
            raise ParameterError(
                "counts must be new laplace or gaussian noise, where the values do not come out"
            )
        if not isinstance(self.groups, Groups | None):
            raise ParameterError(f"groups must be Groups, got {self.groups!r}")
        if self.groups is not None and self.first is not None:
            raise ParameterError("first must be left out with groups")
        if not (self.counts or self.first or self.groups):
            raise ParameterError("a composed plan has counts, groups or a part that is run first")
        _check.product(groups_per_person=self.runs, cutoff=self.cutoff)
        _check.product(groups_per_person=self.runs, items_per_person=self.items_per_person)

    def run(self, run: Run, scores: Any, level: int | None = None) -> Answer:
        """Find labels in one group, and count those that came out, with noise of its own."""
        answer = self.labels.run(run, scores, level)
        if self.counts is None:
            return answer
        noises = run.draws(self.counts, self.grid, len(answer.found))
        counts = zip(answer.found, noises, strict=True)
        return Answer(answer.found, tuple(run.tell(one.score + noise) for one, noise in counts))

    # What is read off the labels' part ----------------------------------------------------------

    query_noise = _of_labels("query_noise", "The noise on scores.")
    bar = _of_labels("bar", "What scores are compared with.")
    threshold_noise = _of_labels("threshold_noise", "The noise that all comparisons share.")
    cutoff = _of_labels("cutoff", "How many labels come out at most, of each group.")
    reach = _of_labels("reach", "How far one person moves a score.")
    grid = _of_labels("grid", "Every score of a release is a multiple of this.")
    items_per_person = _of_labels(
        "items_per_person", "How many scores, of each group, one person can move at most."
    )
    repeats = _of_labels("repeats", "What is done again.")
    gives_values = _of_labels("gives_values", "Whether the noisy values that decided come out.")
    for_top = _of_labels("for_top", "Whether it finds the top.")
    order_text = _of_labels("order_text", "In which order labels come out.")

    @property
    def keys(self) -> KeyPlan | None:
        """The search for keys in it."""
        return None if self.first is None else self.first.keys

    # What follows -------------------------------------------------------------------------------

    @property
    def gives_counts(self) -> bool:
        """Whether a count comes out beside each label."""
        return self.counts is not None or self.labels.gives_counts

    @property
    def runs(self) -> int:
        """How many runs one person can have a hand in: the groups that they can be in."""
        return 1 if self.groups is None else self.groups.per_person

    @property
    def most_found(self) -> int:
        """How many labels can come out at most, of all groups together."""
        return self.labels.cutoff * (1 if self.groups is None else self.groups.count)

    @property
    def places(self) -> int:
        """How many of the counts that come out one person can move at most."""
        each: int = min(self.labels.cutoff, self.items_per_person or self.cutoff)
        return self.runs * each

    def paid(self) -> tuple[Plan, ...]:
        """Return the plans whose costs add up: labels, then counts, then what was run first.

        Counts beside labels are a histogram of the places that can be filled. A run in groups has
        one for each group that a person can be in.

        Returns
        -------
        tuple of Plan
            Plans of one part.
        """
        return _paid(self)

    def pure(self, positives: int | None = None) -> Fraction:
        """Return the pure ε of all parts.

        Counts cost what the counts given do, and of what was run before all is used. So is all of
        a run in groups: how many were found in each is not told apart.
        """
        given = None if self.groups else positives
        own, *others = self.paid()
        whole = own.pure(given) + sum(part.pure() for part in others)
        if given is None or self.counts is None:
            return whole
        empty = 1 - Fraction(min(given, self.places), self.places)
        return whole - empty * others[0].pure()

    def lone_delta(self) -> Fraction:
        """Return the chance that a key comes out that one person alone holds, of all searches."""
        return sum((part.lone_delta() for part in self.paid()), Fraction(0))

    @property
    def answer_text(self) -> str:
        """What it answers."""
        text = self.labels.answer_text
        if self.groups is None:
            return text
        return f"In each of {self.groups.count:,} groups: {text[0].lower()}{text[1:]}"

    def around(self, value: int, level: int | None = None, beaten: int | None = None) -> Around:
        """Return a count and its interval: new noise knows of no values."""
        if self.counts is None:
            return self.labels.around(value, level, beaten)
        return value, *interval(self.counts, self.grid, value)

    def about_counts(self) -> tuple[str, str]:
        """Say how exact counts are and what they cost, and what to know beside their intervals."""
        if self.counts is None:
            return self.labels.about_counts()
        note = "Their noise is not that of the order: they need not fall line by line."
        return f"{noise_words(self.counts)} of their own, {within_text(self)}", note

    def method_text(self, _: str = "") -> str:
        """Say how the answer is found, and why that way."""
        return self.labels.method_text(" of each group" if self.groups else "")

    def __str__(self) -> str:
        text = str(self.labels)
        if self.counts is not None:
            text += f" Counts have {noise_text(self.counts)}."
        if self.groups is not None:
            text += (
                f" It is run in each of {self.groups.count:,} groups by itself, of which a person "
                f"is in at most {self.runs:,}."
            )
        return text + ("" if self.first is None else f" Run first: {self.first}")


@lru_cache(maxsize=64)  # asked for many times in one release
def _paid(plan: Composed) -> tuple[Plan, ...]:
    parts = plan.labels.paid() if plan.groups is None else plan.labels._merged(plan.runs)
    if plan.counts is not None:
        counted = HistogramPlan(
            plan.counts, None, plan.runs * plan.cutoff, plan.reach, plan.grid, plan.places
        )
        parts = (*parts, counted)
    return parts if plan.first is None else (*parts, *plan.first.paid())


def check_part(name: str, part: object) -> None:
    """Refuse what is not a plan of one part."""
    if not isinstance(part, Plan):
        raise ParameterError(f"{name} must be a plan, got {part!r}")
    if isinstance(part, Composed):
        raise ParameterError(f"{name} must be a plan of one part")


def composed(
    labels: ScorePlan,
    *,
    counts: Noise | None = None,
    first: Plan | None = None,
    groups: Groups | None = None,
) -> ScorePlan:
    """Return the plan with what is paid for with it; as it is where there is nothing else."""
    if counts is None and first is None and groups is None:
        return labels
    return Composed(labels, counts, first, groups)  # type: ignore[arg-type]  # checked there


def after(first: Plan, plan: ScorePlan) -> Composed:
    """Return the plan with another that is run first."""
    if isinstance(plan, Composed):
        return replace(plan, first=first)
    return Composed(plan, first=first)
