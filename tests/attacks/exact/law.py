"""The law of a plan: everything that what a release says depends on.

:func:`law_of` reads it off a plan. A law can say more than a plan: a scale that nobody chose, no
query noise, no cutoff.

Every kind of law has ``outcomes``: what can be said about one data set, with bounds on how likely
it is. All levels and scores inside a law are whole numbers of grid steps.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np

from overbar._check import Number
from overbar._numbers import exact_text
from overbar.audit.profile import Outcomes
from overbar.errors import ParameterError
from overbar.mechanisms import Plan
from overbar.noise import Noise
from overbar.runs.scores import Ruler
from tests.attacks.exact.in_turn import asked_in_turn
from tests.attacks.exact.key_outcomes import KeyLaw
from tests.attacks.exact.ranked_outcomes import ranked_outcomes
from tests.attacks.exact.run import DEEP, Inquiry, Points, Run, grid_points

#: What a law reads off a plan. A plan in which anything else is set does more than one run.
READ = frozenset(
    {
        *("query_noise", "bar", "cutoff", "reach", "grid", "items_per_person"),
        *("repeats", "values", "labels", "counts"),
    }
)
#: All orders of candidates read off the data are enumerated, so there may not be many.
MOST_ITEMS = 6


@dataclass(frozen=True)
class Law:
    """A mechanism that compares queries with a noisy threshold, and says what came out.

    Attributes
    ----------
    query
        Noise added to each query, fresh for every comparison; None for no noise at all. Any
        :class:`~overbar.noise.Noise` will do, also one of your own.
    threshold
        Noise added to the threshold, drawn once, on the grid; None for a bare threshold.
    cutoff
        The run halts after so many positives; None for a run that does not count them.
    level
        Threshold plus correction in grid steps: all of the bar that is public.
    sensitivity, monotonic, grid
        What neighbours are, as in a plan.
    resample
        Whether the threshold noise is drawn anew after each positive.
    rounds, max_queries
        How often a query may be asked, and how many comparisons there may be in all.
    releases_value
        Whether those found come with the very noisy values that were compared.
    items
        How many scores one person can move; None for all of them.
    counts
        Fresh noise on the scores of those found, which come out beside them; None for no counts.
    """

    query: Noise | None
    threshold: Noise | None
    cutoff: int | None
    level: int = 0
    sensitivity: Fraction = Fraction(1)
    monotonic: bool = False
    grid: Fraction = Fraction(1)
    resample: bool = False
    rounds: int | None = 1
    max_queries: int | None = None
    releases_value: bool = False
    items: int | None = None
    counts: Noise | None = None

    @property
    def takes_a_list(self) -> bool:
        """Whether it runs on a list of scores that is there from the start, and never online."""
        return self.items is not None or self.counts is not None

    @property
    def certified(self) -> bool:
        """Whether both ends of all bounds hold; rare values that are released are left out."""
        return not (self.releases_value or self.counts is not None)

    def steps(self, score: Number) -> int:
        """Turn a score into grid steps, rounded as releases do."""
        return Ruler.of(self.grid).one(score)

    def bar_points(self, depth: float) -> Points:
        """Return the threshold noise, out to a mass of about e^-depth."""
        return grid_points(self.threshold, float(self.grid), depth)

    def run(self, depth: float) -> Run:
        """Return what the comparisons of a run do."""
        return Run(self, depth)

    def asked(self, scores: tuple[int, ...], *, labels: bool = False) -> Inquiry:
        """Return a list that is asked in turn; of a batch the labels alone come out."""
        return asked_in_turn(self, scores, labels=labels)

    def check_moves(self, pairs: Sequence[tuple[Fraction, Fraction]]) -> None:
        """Raise unless one person can move all scores so."""
        changes = [other - one for one, other in pairs]
        if any(abs(change) > self.sensitivity for change in changes):
            raise ParameterError(
                f"neighbouring scores must differ by at most {exact_text(self.sensitivity)}"
            )
        if self.monotonic and min(changes, default=0) < 0 < max(changes, default=0):
            raise ParameterError("scores of monotonic queries must all move in the same direction")
        if self.items is not None and sum(map(bool, changes)) > self.items:
            raise ParameterError(f"neighbouring scores must differ in {self.items} places at most")

    def outcomes(self, data: Any, depth: float = DEEP) -> Outcomes:
        """Return all that can be said about one data set.

        Parameters
        ----------
        data : tuple of int, mapping or Inquiry
            Scores in grid steps, of which a batch gives the labels; scores by item, where the
            candidates are those that occur, in all orders; or what is asked online.
        depth : float, optional
            Threshold noise is left out from a mass of about e^-depth.

        Returns
        -------
        Outcomes
            Bounds on the log-chance of each.
        """
        if isinstance(data, Mapping):
            return self._shuffled(data)
        asked = self.asked(data, labels=True) if isinstance(data, tuple) else data
        return self.run(depth).walk(asked)

    def _shuffled(self, scores: Mapping[str, int]) -> Outcomes:
        """Return what is said about candidates read off the data, over all orders."""
        if not 1 <= len(scores) <= MOST_ITEMS:
            raise ParameterError(f"a universe must have 1 to {MOST_ITEMS} items, got {len(scores)}")
        log_order = -math.lgamma(len(scores) + 1)
        chances: dict[Hashable, tuple[float, float]] = {}
        for order in itertools.permutations(scores):
            listed = self.outcomes(tuple(scores[item] for item in order))
            for places, bounds in _named(listed, order).chances.items():
                before = chances.get(places, (-math.inf, -math.inf))
                low, high = np.logaddexp(before, np.add(bounds, log_order)).tolist()
                chances[places] = (low, high)
        return Outcomes(chances)


@dataclass(frozen=True)
class RankedLaw(Law):
    """A mechanism that draws one value for each score and gives the highest, in order.

    Attributes
    ----------
    has_bar
        Whether values must reach the noisy threshold.
    """

    has_bar: bool = True

    @property
    def takes_a_list(self) -> bool:
        """All values must be there before the highest is known."""
        return True

    def outcomes(self, data: Any, _depth: float = DEEP) -> Outcomes:
        """Return who is found, in the order of values; candidates are in no order."""
        if isinstance(data, Mapping):
            return _named(ranked_outcomes(self, tuple(data.values())), tuple(data))
        if not isinstance(data, tuple):
            raise ParameterError(
                "between must be two lists of scores: this release takes a whole list"
            )
        return ranked_outcomes(self, data)


def _named(outcomes: Outcomes, names: tuple[str, ...]) -> Outcomes:
    """Name the places of those found; a value stands beside its place."""

    def named(labels: Any) -> Hashable:
        return tuple((names[at[0]], at[1]) if isinstance(at, tuple) else names[at] for at in labels)

    return Outcomes({named(labels): p for labels, p in outcomes.chances.items()}, outcomes.left_out)


def law_of(plan: Plan, threshold: Number = 0) -> Law | KeyLaw:
    """Read off a plan the law of what a release does, at a public threshold.

    Of a histogram all values may be told, so the law tells them.
    """
    repeats, find = plan.repeats, plan.labels.finds
    if plan.labels.keys is not None:
        return KeyLaw(plan.labels.keys)
    _refuse_unread(plan)
    law = Law(
        query=plan.query_noise,
        threshold=plan.threshold_noise,
        cutoff=plan.cutoff,
        level=plan.level(threshold),
        sensitivity=plan.reach.most,
        monotonic=plan.reach.one_way,
        grid=plan.grid,
        resample=repeats.resample,
        rounds=repeats.rounds,
        max_queries=repeats.max_queries,
        releases_value=plan.labels.hides_values,
        items=plan.items_per_person,
        counts=plan.counts,
    )
    if find == "in turn":
        return law
    if find == "highest":
        return RankedLaw(**vars(law), has_bar=plan.bar is not None)
    raise ParameterError(f"plan must be one that is looked at, which {plan.labels.kind} is not")


def _refuse_unread(plan: Plan) -> None:
    """Raise if a verdict on the law of a plan would be silent about some of what is claimed."""
    for part in (plan, plan.labels):
        for field in fields(part):  # type: ignore[arg-type]  # every kind is a dataclass
            if field.name not in READ and getattr(part, field.name) != field.default:
                raise ParameterError(
                    f"plan must be one without {field.name}, which is not looked at: what is "
                    "enumerated is one run, and the guarantee is about more; audit each part"
                )
    reach = plan.reach
    if not (reach.one_way or reach.low == -reach.high):
        raise ParameterError("plan must be one whose scores move as far down as up, or one way")
