"""A question to a table: everything public about a release, before any data is touched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from overbar import _check
from overbar._check import Number
from overbar._numbers import number_text
from overbar.errors import ParameterError, named
from overbar.frames.catalogue import Catalogue, refuse_own_column
from overbar.frames.key_search import KeySearch
from overbar.frames.keys_first import refuse_a_plan, refuse_lacking
from overbar.frames.measure import Measure, Sensitivity, measure_of
from overbar.frames.question_plan import (
    delta_within,
    fits_unlisted,
    measured,
    plan_share,
    plan_with_keys,
    ready_plan,
    refuse_unbounded,
    search_words,
)
from overbar.frames.scoring import (
    check_columns,
    check_steps,
    listed_batches,
    scored,
    unlisted_batches,
)
from overbar.ledger import Booking
from overbar.ledger.booking import checked_booking
from overbar.ledger.description import Description
from overbar.mechanisms import Plan
from overbar.mechanisms.score_plan import of_scores
from overbar.planning.keys import KeysAsked
from overbar.planning.plan_parameters import Parameters, those_given
from overbar.privacy import Guarantee, PureDP, guarantee
from overbar.privacy.guarantees import proved_about, with_unlisted
from overbar.runs.batch import release
from overbar.runs.batch_run import BatchRun
from overbar.runs.payment import paid
from overbar.runs.positives import Batch
from overbar.runs.secrecy import sealed
from overbar.runs.selection import Selection


@dataclass(frozen=True, repr=False)
class Question:
    """What will be asked of a table, and what it costs. It holds public numbers only.

    Made by :meth:`select`, :meth:`top` and :meth:`keys`; :meth:`run` puts it to a table. A question
    that could be made can be run: all that is public was checked.

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
    plan_delta : Fraction
        How much of the δ allowed is left to the plan itself; the rest is for unlisted items.
    unlisted_delta : float or None
        The δ that unlisted items cost beside the plan, never zero; None with a catalogue, for a
        column of scores, where no items are unlisted, and where the plan finds keys.
    promise : tuple of Fraction or None
        For keys: the ε and the δ that were asked for, and are kept.
    search : KeysAsked or None
        For keys: what else was asked for, but for how many of each person count.

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
    plan_delta: Fraction
    unlisted_delta: float | None
    promise: tuple[Fraction, Fraction] | None = None
    search: KeysAsked | None = None

    def __post_init__(self) -> None:
        check_steps(self.measure, self.plan.grid)
        if self.plan.keys is not None and len(self.measure.items) > 1:
            raise ParameterError(f"{named('item')} must be one column here; put several into one")
        if self.search is None:
            self.measure.refuse_a_plan_for_less(of_scores(self.plan))
            _ = self.contest  # which cannot be made of just any plan and threshold

    @property
    def is_open(self) -> bool:
        """Whether nobody said how many items a person has, so that noise is for all."""
        return self.measure.person is not None and self.measure.items_per_person is None

    @cached_property
    def contest(self) -> BatchRun:
        """The run of the plan at the threshold; there is none for keys alone."""
        return replace(BatchRun.of(of_scores(self.plan), self.threshold), known=self.measure.known)

    @property
    def sensitivity(self) -> Fraction:
        """How far one person can move one score."""
        return self.measure.reach.most

    @property
    def monotonic(self) -> bool:
        """Whether one person moves all scores in the same direction."""
        return self.measure.reach.one_way

    @cached_property
    def guarantee(self) -> Guarantee:
        """What is proved about the answer: of the plan, with `unlisted_delta` on top."""
        unlisted = self.plan.lone_delta() + Fraction(self.unlisted_delta or 0)
        return with_unlisted(proved_about(self.plan), unlisted)

    @property
    def in_words(self) -> str:
        """What is asked, without what it costs."""
        if self.search is not None:
            assert self.plan.keys is not None  # it is one for keys
            words = search_words(self.plan.keys)
            return f"keys of {self.measure.item} by the {self.measure}{words}"
        among = "unlisted items"
        if self.plan.keys is not None:
            among = "keys that are found first"
        elif self.catalogue is not None:
            groups = self.measure.groups
            among = f"{len(self.catalogue) // (groups or 1):,} listed items"
            among += f" in each of {groups:,} listed groups" if groups else ""
        elif self.measure.kind == "score":
            among = "all items of the table"
        bar = "" if self.threshold is None else f", against {number_text(self.threshold)}"
        return f"{self.measure}{bar}, among {among}"

    @property
    def forecast(self) -> str:
        """Say what is found, from public numbers alone: of the keys, where they come first."""
        if self.plan.keys is not None:
            return self.plan.keys.expected_text
        expected = self.plan.expected()
        return "" if expected is None else expected.in_words(self.threshold, self.measure.unit)

    def __repr__(self) -> str:
        return f"Question: {self.in_words}; {self.guarantee}"

    @classmethod
    @_check.known_keywords
    def select(
        cls,
        *,
        item: str | Sequence[str],
        person: str | None = None,
        threshold: Number,
        cutoff: int | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        catalogue: Any = None,
        candidates: int | None = None,
        items_per_person: int | None = None,
        groups: Mapping[str, Any] | None = None,
        groups_per_person: int | None = None,
        value: Mapping[str, tuple[Number, Number]] | None = None,
        score: str | Mapping[str, tuple[Number, Number]] | None = None,
        sensitivity: Sensitivity | None = None,
        counts: bool | Number | None = None,
        plan: Plan | None = None,
        delta_is_large: bool = False,
    ) -> Question:
        """Return the question that :func:`overbar.frames.select` would ask.

        The parameters are those of :func:`overbar.frames.select`.

        Returns
        -------
        Question
            All that is public; no table was touched.
        """
        _check.usual_delta(delta, is_large=delta_is_large)
        measure, listed = measured(
            item=item,
            person=person,
            value=value,
            score=score,
            sensitivity=sensitivity,
            items_per_person=items_per_person,
            groups=groups,
            groups_per_person=groups_per_person,
            catalogue=catalogue,
        )
        level = _check.rational("threshold", threshold)
        chosen = those_given(
            cutoff=cutoff, epsilon=epsilon, delta=delta, candidates=candidates, counts=counts
        )
        unlisted = listed is None and measure.kind != "score"
        allowed = plan_delta = Fraction(0)
        one_column = isinstance(measure.item, str)  # keys have no other
        if unlisted and plan is None:
            refuse_lacking(chosen)
        may_search = unlisted and plan is None and one_column
        if may_search and measure.items_per_person is None:
            return cls._keys_first(measure, chosen, level)
        all_chosen = chosen.copy()
        if unlisted:
            allowed = _check.probability("delta", chosen.pop("delta", 0))
            refuse_unbounded(measure, allowed)
            plan_delta = plan_share(allowed, chosen, plan)
            if plan is None and plan_delta:
                chosen["delta"] = plan_delta
        if listed is not None and plan is None:
            chosen.setdefault("candidates", len(listed) // (measure.groups or 1))
        ready = ready_plan(plan, chosen, measure)
        if plan_delta and isinstance(guarantee(ready), PureDP):
            plan_delta = Fraction(0)  # noise="auto" may have found that pure noise is best
        allowed -= plan_delta
        if may_search and not fits_unlisted(ready, level, measure, allowed):  # public numbers
            return cls._keys_first(measure, all_chosen, level)
        cost = delta_within(ready, level, measure, allowed) if unlisted else None
        return cls(measure, listed, ready, level, plan_delta, cost)

    @classmethod
    @_check.known_keywords
    def top(
        cls,
        *,
        item: str | Sequence[str],
        person: str | None = None,
        cutoff: int | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        catalogue: Any = None,
        items_per_person: int | None = None,
        groups: Mapping[str, Any] | None = None,
        groups_per_person: int | None = None,
        value: Mapping[str, tuple[Number, Number]] | None = None,
        score: str | Mapping[str, tuple[Number, Number]] | None = None,
        sensitivity: Sensitivity | None = None,
        counts: bool | Number | None = None,
        plan: Plan | None = None,
        delta_is_large: bool = False,
    ) -> Question:
        """Return the question that :func:`overbar.frames.top` would ask.

        The parameters are those of :func:`overbar.frames.top`.

        Returns
        -------
        Question
            All that is public; no table was touched.
        """
        _check.usual_delta(delta, is_large=delta_is_large)
        measure, listed = measured(
            item=item,
            person=person,
            value=value,
            score=score,
            sensitivity=sensitivity,
            items_per_person=items_per_person,
            groups=groups,
            groups_per_person=groups_per_person,
            catalogue=catalogue,
        )
        chosen = those_given(cutoff=cutoff, epsilon=epsilon, delta=delta, counts=counts)
        if listed is None and measure.kind != "score":
            refuse_a_plan(plan)
            return cls._keys_first(measure, chosen, None, top=True)
        ready = ready_plan(plan, chosen, measure, top=True)
        bound = None if ready.bar is None else ready.bar.upper_bound
        return cls(measure, listed, ready, bound, Fraction(0), None)

    @classmethod
    @_check.known_keywords
    def keys(
        cls,
        *,
        item: str,
        person: str,
        epsilon: Number,
        delta: Number,
        items_per_person: int | None = None,
        rounds: int | None = None,
        at_least: int | None = None,
        counts: bool | Number = False,
        delta_is_large: bool = False,
    ) -> Question:
        """Return the question that :func:`overbar.frames.keys` would ask.

        The parameters are those of :func:`overbar.frames.keys`.

        Returns
        -------
        Question
            All that is public; no table was touched.
        """
        _check.usual_delta(delta, is_large=delta_is_large)
        search = KeysAsked(rounds, at_least, counts)
        plan = search.plan(epsilon, delta, items_per_person)
        measure = measure_of(item=item, person=person, items_per_person=plan.items_per_person)
        level, allowed = _check.rational("epsilon", epsilon), _check.rational("delta", delta)
        left = allowed - plan.lone_delta()
        return cls(measure, None, plan, None, left, None, (level, allowed), search)

    @classmethod
    def _keys_first(
        cls, measure: Measure, chosen: Parameters, level: Fraction | None, *, top: bool = False
    ) -> Question:
        """Return a question over keys that are found first, from the same budget."""
        ready, left = plan_with_keys(measure, chosen, top=top)
        return cls(measure, None, ready, level, left, None)

    def _public(self, source: str) -> Iterator[str]:
        """Yield what is public beside the plan and the threshold."""
        yield repr(self.measure)
        yield from [] if self.catalogue is None else [self.catalogue.digest]
        yield from [source] if source else []

    def _payer(self, booking: Booking | None, source: str) -> Booking | None:
        """Return who pays, with what is public about the question."""
        payer = checked_booking(booking)
        return payer and payer.about(
            self._public(source), purpose=self.in_words, neighbours=self.measure.neighbours
        )

    @sealed
    def run(self, frame: Any, *, booking: Booking | None = None, source: str = "") -> Selection:
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
            The labels found, in the order found; keys are sorted.

        Raises
        ------
        ParameterError
            If the table has no such columns.
        LedgerError
            If the ledger cannot pay; nothing was drawn then.
        """
        if self.catalogue is not None:
            refuse_own_column(frame, self.catalogue.given)
            refuse_own_column(frame, self.catalogue.groups, "groups")
        payer = self._payer(booking, source)
        if self.plan.keys is None:
            batches = self._batches(frame)
            return release(self.contest, batches, unlisted_delta=self.unlisted_delta, booking=payer)
        if self.search is not None:
            search = KeySearch(self.plan.keys, frame, self.measure)
            return paid(payer, Description("keys", self.plan, None), search.selection)
        check_columns(frame, self.measure, self.plan.grid)
        search = KeySearch(self.plan.keys, frame, self.measure)
        batches = search.batches(frame, self.measure, self.plan.grid)
        return release(self.contest, batches, booking=payer)

    def _batches(self, frame: Any) -> Iterable[Batch]:
        """Ask the engine for the scores of all candidates."""
        scores = scored(frame, self.measure, self.plan.grid, self.catalogue)
        if self.catalogue is None:
            return unlisted_batches(scores)
        if self.plan.groups is None:
            return listed_batches(scores, self.catalogue)
        size = len(self.catalogue) // self.plan.groups.count  # a batch for each
        return listed_batches(scores, self.catalogue, size)
