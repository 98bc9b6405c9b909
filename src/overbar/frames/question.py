"""A question to a table: everything public about a release, before any data is touched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypedDict, Unpack, cast

from overbar import _check
from overbar._check import Number
from overbar.accounting import Guarantee, PureDP, guarantee
from overbar.calibration.plans import plan_of
from overbar.calibration.request import Parameters
from overbar.errors import ParameterError
from overbar.frames.batches import listed_batches, unlisted_batches
from overbar.frames.catalogue import Catalogue, catalogue_of
from overbar.frames.measure import Measure, measure_of
from overbar.frames.scoring import check_steps, scored
from overbar.frames.unlisted_cost import (
    PURE_NOISE,
    PURE_THRESHOLD,
    delta_within,
    plan_share,
    refuse_unbounded,
)
from overbar.ledger import Ledger
from overbar.mechanism.batch import release
from overbar.mechanism.batch_run import ORDERS, BatchRun
from overbar.mechanism.booking import booking_of
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.plan import Plan


class NamedColumns(TypedDict, total=False):
    """Which columns are read, and how they become scores."""

    item: str
    person: str | None
    value: str | None
    value_range: tuple[Number, Number] | None
    score: str | None
    items_per_person: int | None


@dataclass(frozen=True, repr=False)
class Question:
    """What will be asked of a table, and what it costs. It holds public numbers only.

    Made by :meth:`select` and :meth:`top`; :meth:`run` puts it to a table.

    Attributes
    ----------
    measure
        How rows become scores, with the sensitivity that follows.
    catalogue
        The public list of items; None where the items are read off the table.
    plan
        The plan that will be run.
    threshold
        The public level, before the plan's correction.
    order
        In which order items are asked.
    plan_delta
        How much of the δ allowed is left to the plan itself; the rest is for unlisted items.
    unlisted_delta
        The δ that unlisted items cost, never zero; None with a catalogue and for a column of
        scores, where no items are unlisted.
    """

    measure: Measure
    catalogue: Catalogue | None
    plan: Plan
    threshold: Fraction
    order: str
    plan_delta: Fraction
    unlisted_delta: float | None

    @property
    def sensitivity(self) -> Fraction:
        """How far one person can move one score."""
        return self.measure.sensitivity

    @property
    def monotonic(self) -> bool:
        """Whether one person moves all scores in the same direction."""
        return self.measure.monotonic

    @property
    def guarantee(self) -> Guarantee:
        """What is proved about the plan; `unlisted_delta` comes on top."""
        return guarantee(self.plan)

    @property
    def in_words(self) -> str:
        """What is asked, without what it costs."""
        among = "unlisted items"
        if self.catalogue is not None:
            among = f"{len(self.catalogue):,} listed items"
        elif self.measure.kind == "score":
            among = "all items of the table"
        return f"{self.measure}, against {_check.brief(self.threshold)}, among {among}"

    def __repr__(self) -> str:
        cost = self.unlisted_delta
        more = "" if cost is None else f" with delta={cost:.3g} more"
        return f"Question: {self.in_words}; {self.guarantee}{more}"

    @classmethod
    def select(
        cls,
        *,
        threshold: Number,
        catalogue: Any = None,
        plan: Plan | None = None,
        order: str = "random",
        parameters: Parameters,
        **columns: Unpack[NamedColumns],
    ) -> Question:
        """Return the question that :func:`overbar.frames.select` would ask."""
        measure = _measure(columns, parameters)
        level = _check.rational("threshold", threshold)
        _check.choice("order", order, ORDERS)
        listed = None if catalogue is None else catalogue_of(catalogue)
        unlisted = listed is None and measure.kind != "score"
        chosen: Parameters = {**parameters}
        delta = plan_delta = Fraction(0)
        if unlisted:
            delta = _check.probability("delta", chosen.pop("delta", 0))
            refuse_unbounded(measure, delta, order)
            plan_delta = plan_share(delta, approximate=_approximate(plan, chosen))
            if plan is None and plan_delta:
                chosen["delta"] = plan_delta
        if listed is not None and plan is None:
            chosen.setdefault("candidates", len(listed))
        ready = _plan(plan, chosen, measure)
        check_steps(measure, ready.grid)
        if isinstance(guarantee(ready), PureDP):
            plan_delta = Fraction(0)  # noise="auto" may have found that pure noise is best
        cost = delta_within(ready, level, measure, delta - plan_delta) if unlisted else None
        return cls(measure, listed, ready, level, order, plan_delta, cost)

    @classmethod
    def top(
        cls,
        *,
        upper_bound: Number | None = None,
        catalogue: Any = None,
        plan: Plan | None = None,
        order: str = "random",
        parameters: Parameters,
        **columns: Unpack[NamedColumns],
    ) -> Question:
        """Return the question that :func:`overbar.frames.top` would ask."""
        measure = _measure(columns, parameters)
        _check.choice("order", order, ORDERS)
        listed = None if catalogue is None else catalogue_of(catalogue)
        if listed is None and measure.kind != "score":
            raise ParameterError(
                "catalogue must be given to top, which releases as many items as the cutoff "
                "whatever their scores; without one use select with a threshold"
            )
        if upper_bound is None:
            raise ParameterError(
                "upper_bound must be given: a public number that no score exceeds, such as the "
                "number of people. Far too high costs nothing"
            )
        level = _check.rational("upper_bound", upper_bound)
        ready = _plan(plan, parameters, measure, top=True)
        check_steps(measure, ready.grid)
        return cls(measure, listed, ready, level, order, Fraction(0), None)

    def _public(self, source: str) -> Iterator[str]:
        """Yield what is public beside the plan and the threshold."""
        yield repr(self.measure)
        if self.catalogue is not None:
            yield self.catalogue.digest
        if source:
            yield source

    @sealed
    def run(
        self,
        frame: Any,
        *,
        ledger: Ledger | None = None,
        dataset: str | None = None,
        request: str | None = None,
        purpose: str = "",
        source: str = "",
    ) -> Selection:
        """Put the question to a table: the engine aggregates, then noise is drawn here.

        What is wrong with a table comes to light before a ledger is asked, so it costs nothing.
        Without a `purpose` the ledger is told the question in words. A request id that is used for
        other columns or another catalogue is noticed either way, and for another table if `source`
        says which one it is, in public words.
        """
        told = purpose if purpose or ledger is None else self.in_words
        booking = booking_of(ledger, dataset, request, told)
        booking = booking and booking.about(self._public(source))
        found = scored(frame, self.measure, self.plan.grid, self.catalogue)
        contest = BatchRun(self.plan, self.plan.level(self.threshold), self.order)
        # Where places in the queue matter, all must be there before the first is asked.
        at_once = self.plan.resample or self.plan.max_queries is not None
        batches = (
            unlisted_batches(found, at_once=at_once)
            if self.catalogue is None
            else listed_batches(found, self.catalogue, at_once=at_once)
        )
        return release(contest, batches, unlisted_delta=self.unlisted_delta, booking=booking)


def _measure(columns: NamedColumns, parameters: Parameters) -> Measure:
    return measure_of(
        **columns,
        sensitivity=parameters.get("sensitivity"),
        monotonic=parameters.get("monotonic"),
    )


def _approximate(plan: Plan | None, parameters: Parameters) -> bool:
    """Tell whether a plan has something to gain from a δ of its own."""
    if plan is not None:
        return not isinstance(guarantee(plan), PureDP)
    return parameters.get("noise", "auto") != PURE_NOISE or parameters.get(
        "threshold_noise", "auto"
    ) not in ("auto", PURE_THRESHOLD)


def _plan(
    plan: Plan | None, parameters: Parameters, measure: Measure, *, top: bool = False
) -> Plan:
    """Return the plan given, or the one the parameters ask for, with the measure's sensitivity."""
    if plan is None:
        moves = {"sensitivity": measure.sensitivity, "monotonic": measure.monotonic}
        return plan_of(None, cast("Parameters", {**parameters, **moves}), top=top)
    surplus = {k: v for k, v in parameters.items() if k not in ("sensitivity", "monotonic")}
    ready = plan_of(plan, cast("Parameters", surplus), top=top)
    measure.refuse_a_plan_for_less(ready)
    return ready
