"""A question to a table: everything public about a release, before any data is touched."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Concatenate, ParamSpec

from overbar import _check
from overbar._numbers import short_text
from overbar.accounting import Guarantee, PureDP, UnlistedDP, guarantee
from overbar.calibration.plan_parameters import Parameters, asked_for, plan_of
from overbar.calibration.plans import calibrate, calibrate_top
from overbar.errors import ParameterError, named
from overbar.frames.batches import listed_batches, unlisted_batches
from overbar.frames.calls import select, top
from overbar.frames.catalogue import Catalogue, catalogue_of
from overbar.frames.measure import Measure, measured
from overbar.frames.own import refuse_own_column
from overbar.frames.scoring import check_steps, scored
from overbar.frames.unlisted_cost import delta_within, plan_share, refuse_unbounded
from overbar.ledger import Booking
from overbar.ledger.booking import checked_booking
from overbar.mechanism.batch import release
from overbar.mechanism.batch_run import BatchRun
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.plan import Plan

P = ParamSpec("P")
#: A person's part of a sum is rounded to the grid by itself, and the roundings of many persons add
#: up. So a range has so many steps, unless a grid was named.
SUM_STEPS = 10**6
#: What a call takes beside the question: the table it is put to, and who pays.
NOT_ASKED = ("frame", "booking")
#: What is said about both ways to make a question, below their parameters.
MADE = """
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


def _as_asked_by(
    call: Callable[Concatenate[Any, P], Selection],
) -> Callable[[Callable[..., Question]], Callable[Concatenate[type[Question], P], Question]]:
    """Make a question with the parameters of a call, so that they are spelled out in one place.

    What is decorated gets all of them as one mapping.
    """
    told = inspect.signature(call).parameters.values()
    asked = inspect.Signature([one for one in told if one.name not in NOT_ASKED])
    described = (inspect.getdoc(call) or "").partition("Parameters\n----------\n")[2]
    entries = re.split(r"^(?=\S)", described.partition("\n\n")[0], flags=re.MULTILINE)
    kept = "".join(entry for entry in entries if not entry.startswith(NOT_ASKED)).rstrip()

    def decorate(make: Callable[..., Question]) -> Callable[..., Question]:
        @functools.wraps(make)
        def made(cls: type[Question], **given: Any) -> Question:
            _check.refuse_unknown(make.__name__, given, frozenset(asked.parameters))
            bound = asked.bind(**given)
            bound.apply_defaults()
            return make(cls, bound.arguments)

        own = inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY)
        made.__signature__ = asked.replace(  # type: ignore[attr-defined]
            parameters=[own, *asked.parameters.values()], return_annotation="Question"
        )
        made.__doc__ = f"{make.__doc__}\n\nParameters\n----------\n{kept}\n{MADE}"
        return made

    return decorate


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
    threshold : Fraction or None
        The public level, before the plan's correction; None for a top without a bar.
    order : {"random", "given"} or None
        In which order items are asked, where they are.
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
    threshold: Fraction | None
    order: str | None
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
        bar = "" if self.threshold is None else f", against {short_text(self.threshold)}"
        return f"{self.measure}{bar}, among {among}"

    def __repr__(self) -> str:
        return f"Question: {self.in_words}; {self.guarantee}"

    @classmethod
    @_as_asked_by(select)
    def select(cls, asked: Mapping[str, Any]) -> Question:
        """Return the question that :func:`overbar.frames.select` would ask."""
        measure = measured(asked)
        listed = catalogue_of(asked["catalogue"], measure.items)
        plan, order = asked["plan"], asked["order"]
        level = _check.rational("threshold", asked["threshold"])
        chosen = _parameters(asked, calibrate)
        unlisted = listed is None and measure.kind != "score"
        delta = plan_delta = Fraction(0)
        if unlisted:
            delta = _check.probability("delta", chosen.pop("delta", 0))
            refuse_unbounded(measure, delta, order)
            plan_delta = plan_share(delta, chosen, plan)
            if plan is None and plan_delta:
                chosen["delta"] = plan_delta
        if listed is not None and plan is None:
            chosen.setdefault("candidates", len(listed))
        ready = _plan(plan, chosen, measure)
        BatchRun.of(ready, level, order)
        if isinstance(guarantee(ready), PureDP):
            plan_delta = Fraction(0)  # noise="auto" may have found that pure noise is best
        cost = delta_within(ready, level, measure, delta - plan_delta) if unlisted else None
        return cls(measure, listed, ready, level, order, plan_delta, cost)

    @classmethod
    @_as_asked_by(top)
    def top(cls, asked: Mapping[str, Any]) -> Question:
        """Return the question that :func:`overbar.frames.top` would ask."""
        measure = measured(asked)
        listed = catalogue_of(asked["catalogue"], measure.items)
        if listed is None and measure.kind != "score":
            raise ParameterError(
                f"{named('catalogue')} must be given to top, which releases as many items as the "
                "cutoff whatever their scores; without one use select with a threshold"
            )
        bound = asked["upper_bound"]
        level = None if bound is None else _check.rational("upper_bound", bound)
        ready = _plan(asked["plan"], _parameters(asked, calibrate_top), measure, top=True)
        if ready.mechanism != "sparse-vector":
            level = None  # there is no bar
        BatchRun.of(ready, level, asked["order"])  # refused now, before a table is touched
        return cls(measure, listed, ready, level, asked["order"], Fraction(0), None)

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
        contest = BatchRun.of(self.plan, self.threshold, self.order)
        contest = replace(contest, known=self.measure.known)
        # Where places in the queue matter, all must be there before the first is asked.
        at_once = self.plan.resample or self.plan.max_queries is not None
        batches = (
            unlisted_batches(found, at_once=at_once)
            if self.catalogue is None
            else listed_batches(found, self.catalogue, at_once=at_once)
        )
        return release(contest, batches, unlisted_delta=self.unlisted_delta, booking=payer)


def _parameters(asked: Mapping[str, Any], make: Callable[..., Plan]) -> Parameters:
    """Return the parameters of a plan that were given; what the measure decides is not one."""
    decided = ("sensitivity", "monotonic", "items_per_person")
    return asked_for({k: v for k, v in asked.items() if k not in decided}, make)


def _plan(
    plan: Plan | None, parameters: Parameters, measure: Measure, *, top: bool = False
) -> Plan:
    """Return the plan given, or the one the parameters ask for, with the measure's sensitivity."""
    moves = {
        "sensitivity": measure.sensitivity,
        "monotonic": measure.monotonic,
        "items_per_person": measure.items_per_person,
    }
    if plan is None and measure.kind == "sum":
        parameters = {"grid": measure.sensitivity / SUM_STEPS, **parameters}
    wanted = parameters if plan is not None else {**parameters, **moves}
    ready = plan_of(plan, wanted, top=top)
    measure.refuse_a_plan_for_less(ready)
    check_steps(measure, ready.grid)
    return ready
