"""A question to a table: everything public about a release, before any data is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from overbar import _check
from overbar._check import Number
from overbar._numbers import short_text
from overbar.accounting import Guarantee, PureDP, UnlistedDP, guarantee
from overbar.calibration.plans import asked_for, calibrate, calibrate_top, plan_of
from overbar.calibration.request import (
    AllocationName,
    CorrectionName,
    NoiseName,
    Parameters,
    ThresholdNoiseName,
)
from overbar.errors import ParameterError, named
from overbar.frames.batches import listed_batches, unlisted_batches
from overbar.frames.catalogue import Catalogue, catalogue_of
from overbar.frames.measure import Measure, measure_of
from overbar.frames.own import refuse_own_column
from overbar.frames.scoring import check_steps, scored
from overbar.frames.unlisted_cost import (
    PURE_NOISE,
    PURE_THRESHOLD,
    delta_within,
    plan_share,
    refuse_unbounded,
)
from overbar.ledger import Booking
from overbar.ledger.booking import checked_booking
from overbar.mechanism.batch import release
from overbar.mechanism.batch_run import ORDERS, BatchRun, OrderName
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.plan import Plan

#: What says how rows become scores.
MEASURED = (
    "item",
    "person",
    "value",
    "value_range",
    "score",
    "items_per_person",
    "sensitivity",
    "monotonic",
)


@dataclass(frozen=True, repr=False)
class Question:
    """What will be asked of a table, and what it costs. It holds public numbers only.

    Made by :meth:`select` and :meth:`top`; :meth:`run` puts it to a table.

    Parameters
    ----------
    measure : Measure
        How rows become scores, with the sensitivity that follows.
    catalogue : Catalogue or None
        The public list of items; None where the items are read off the table.
    plan : Plan
        The plan that will be run.
    threshold : Fraction
        The public level, before the plan's correction.
    order : {"random", "given"}
        In which order items are asked.
    plan_delta : Fraction
        How much of the δ allowed is left to the plan itself; the rest is for unlisted items.
    unlisted_delta : float or None
        The δ that unlisted items cost, never zero; None with a catalogue and for a column of
        scores, where no items are unlisted.

    Examples
    --------
    >>> question = Question.select(
    ...     item="product", person="customer", catalogue=["rum", "tea"],
    ...     threshold=1000, cutoff=2, epsilon=1,
    ... )
    >>> question.sensitivity, question.monotonic, question.guarantee
    (Fraction(1, 1), True, PureDP(epsilon=1))
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
        """What is proved about the answer: of the plan, with `unlisted_delta` on top."""
        proved = guarantee(self.plan)
        cost = self.unlisted_delta
        return proved if cost is None else UnlistedDP(proved, cost)

    @property
    def in_words(self) -> str:
        """What is asked, without what it costs."""
        among = "unlisted items"
        if self.catalogue is not None:
            among = f"{len(self.catalogue):,} listed items"
        elif self.measure.kind == "score":
            among = "all items of the table"
        return f"{self.measure}, against {short_text(self.threshold)}, among {among}"

    def __repr__(self) -> str:
        return f"Question: {self.in_words}; {self.guarantee}"

    @classmethod
    @_check.known_keywords
    def select(
        cls,
        *,
        item: str,
        person: str | None = None,
        threshold: Number,
        epsilon: Number | None = None,
        cutoff: int | None = None,
        delta: Number = 0,
        catalogue: Any = None,
        items_per_person: int | None = None,
        value: str | None = None,
        value_range: tuple[Number, Number] | None = None,
        score: str | None = None,
        sensitivity: Number | None = None,
        monotonic: bool | None = None,
        plan: Plan | None = None,
        candidates: int | None = None,
        noise: NoiseName = "auto",
        threshold_noise: ThresholdNoiseName = "auto",
        correction: CorrectionName | Number = "optimal",
        tolerance: Number = 0,
        rounds: int | None = 1,
        allocation: AllocationName | Number = "variance",
        resample: bool = False,
        max_queries: int | None = None,
        grid: Number | None = None,
        order: OrderName = "random",
    ) -> Question:
        """Return the question that :func:`overbar.frames.select` would ask.

        Parameters
        ----------
        item, person : str
            As for :func:`overbar.frames.select`.
        threshold : int, float, str, Fraction or Decimal
            The public level.
        epsilon, cutoff, delta : optional
            As for :func:`overbar.frames.select`.
        catalogue, items_per_person, value, value_range, score : optional
            As for :func:`overbar.frames.select`.
        sensitivity, monotonic, plan, candidates : optional
            As for :func:`overbar.frames.select`.
        noise, threshold_noise, correction, tolerance, rounds : optional
            As for :func:`overbar.calibrate`.
        allocation, resample, max_queries, grid : optional
            As for :func:`overbar.calibrate`.
        order : {"random", "given"}, default "random"
            As for :func:`overbar.frames.select`.

        Returns
        -------
        Question
            All that is public; no table was touched.

        Raises
        ------
        ParameterError
            If a public parameter is wrong; the message says what to write instead.
        NoGuaranteeError
            If nothing is proved about the combination.

        Examples
        --------
        >>> from overbar import frames
        >>> frames.Question.select(
        ...     item="product", person="customer", catalogue=["rum", "tea"],
        ...     threshold=1000, cutoff=2, epsilon=1,
        ... )
        Question: number of customer for each product, against 1000, ... PureDP(epsilon=1)
        """
        parameters = _parameters(locals())
        measure = _measure(locals())
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
    @_check.known_keywords
    def top(
        cls,
        *,
        item: str,
        person: str | None = None,
        upper_bound: Number | None = None,
        epsilon: Number | None = None,
        cutoff: int | None = None,
        delta: Number = 0,
        catalogue: Any = None,
        items_per_person: int | None = None,
        value: str | None = None,
        value_range: tuple[Number, Number] | None = None,
        score: str | None = None,
        sensitivity: Number | None = None,
        monotonic: bool | None = None,
        plan: Plan | None = None,
        noise: NoiseName = "auto",
        threshold_noise: ThresholdNoiseName = "auto",
        allocation: AllocationName | Number = "appending",
        resample: bool = False,
        max_queries: int | None = None,
        grid: Number | None = None,
        order: OrderName = "random",
    ) -> Question:
        """Return the question that :func:`overbar.frames.top` would ask.

        Parameters
        ----------
        item, person : str
            As for :func:`overbar.frames.select`.
        upper_bound : int, float, str, Fraction or Decimal
            A public number that no score exceeds.
        epsilon, cutoff, delta : optional
            As for :func:`overbar.frames.top`.
        catalogue, items_per_person, value, value_range, score : optional
            As for :func:`overbar.frames.top`.
        sensitivity, monotonic, plan : optional
            As for :func:`overbar.frames.top`.
        noise, threshold_noise, allocation, resample, max_queries, grid : optional
            As for :func:`overbar.calibrate_top`.
        order : {"random", "given"}, default "random"
            As for :func:`overbar.frames.select`.

        Returns
        -------
        Question
            All that is public; no table was touched.

        Raises
        ------
        ParameterError
            If a public parameter is wrong; the message says what to write instead.
        NoGuaranteeError
            If nothing is proved about the combination.
        """
        parameters = _parameters(locals(), calibrate_top)
        measure = _measure(locals())
        _check.choice("order", order, ORDERS)
        listed = None if catalogue is None else catalogue_of(catalogue)
        if listed is None and measure.kind != "score":
            raise ParameterError(
                f"{named('catalogue')} must be given to top, which releases as many items as the "
                "cutoff "
                "whatever their scores; without one use select with a threshold"
            )
        if upper_bound is None:
            raise ParameterError(
                f"{named('upper_bound')} must be given: a public number that no score exceeds, "
                "such as the "
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
        booking: Booking | None = None,
        source: str = "",
    ) -> Selection:
        """Put the question to a table: the engine aggregates, then noise is drawn here.

        What is wrong with a table comes to light before a ledger is asked, so it costs nothing.
        Without a purpose the ledger is told the question in words. A request id that is used for
        other columns or another catalogue is noticed either way, and for another table if `source`
        says which one it is, in public words.

        Parameters
        ----------
        frame : table
            A table of pandas, Polars, PyArrow, DuckDB or PySpark.
        booking : Booking, optional
            Which dataset of a ledger pays: ``ledger.booking("sales")``.
        source : str, default ""
            Which table it is, in public words.

        Returns
        -------
        Selection
            The labels found, in the order found.

        Raises
        ------
        ParameterError
            If the table has no such columns.
        LedgerError
            If the ledger cannot pay; nothing was drawn then.
        """
        refuse_own_column(frame, self.catalogue and self.catalogue.given)
        payer = checked_booking(booking)
        payer = payer and payer.described(self.in_words).about(self._public(source))
        found = scored(frame, self.measure, self.plan.grid, self.catalogue)
        contest = BatchRun(self.plan, self.plan.level(self.threshold), self.order)
        # Where places in the queue matter, all must be there before the first is asked.
        at_once = self.plan.resample or self.plan.max_queries is not None
        batches = (
            unlisted_batches(found, at_once=at_once)
            if self.catalogue is None
            else listed_batches(found, self.catalogue, at_once=at_once)
        )
        return release(contest, batches, unlisted_delta=self.unlisted_delta, booking=payer)


def _parameters(
    arguments: Mapping[str, object], make: Callable[..., Plan] = calibrate
) -> Parameters:
    """Return the parameters of a plan that were given; what the measure decides is not one."""
    decided = ("sensitivity", "monotonic")
    return asked_for({k: v for k, v in arguments.items() if k not in decided}, make)


def _measure(arguments: Mapping[str, Any]) -> Measure:
    return measure_of(**{name: arguments[name] for name in MEASURED})


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
    ready = plan_of(plan, parameters, top=top)
    measure.refuse_a_plan_for_less(ready)
    return ready
