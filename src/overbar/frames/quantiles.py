"""Quantiles and means of one value of each person: without a range, and n is private."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from overbar import _check
from overbar._check import Number
from overbar._numbers import exact_text
from overbar.accounting import spent
from overbar.calibration.quantile_kind import mean_plan, quantile_forecast, quantile_plan
from overbar.calibration.request import checked_groups
from overbar.frames.amounts import is_day
from overbar.frames.catalogue import refuse_own_column
from overbar.frames.ladders import Ladder, ladder_of
from overbar.frames.measure import values_measure
from overbar.frames.question import Question
from overbar.frames.question_plan import listed_groups
from overbar.frames.scoring import column_kind, ranked
from overbar.ledger import Booking
from overbar.ledger.description import Description
from overbar.mechanism.payment import paid
from overbar.mechanism.quantile_draw import drawn_quantiles, shares_within
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.plans.composed_plan import composed
from overbar.plans.quantile_plan import QuantilePlan
from overbar.sampling.entropy import system

POWERS = ladder_of("powers")


@dataclass(frozen=True, repr=False)
class QuantileQuestion(Question):
    """Which value shares of all persons do not exceed. Made by :meth:`of`."""

    ladder: Ladder = POWERS
    #: Whether the type of the column says which ladder it is.
    by_type: bool = False

    @property
    def own(self) -> QuantilePlan:
        """The plan, in one group where there are several."""
        assert isinstance(self.plan.labels, QuantilePlan)
        return self.plan.labels

    @classmethod
    @_check.known_keywords
    def of(
        cls,
        *,
        value: str,
        person: str,
        epsilon: Number,
        at: Number | Sequence[Number] | None = (Fraction(1, 2),),
        of: str = "sum",
        ladder: Any = None,
        intervals: bool = True,
        groups: Mapping[str, Any] | None = None,
        groups_per_person: int | None = None,
    ) -> QuantileQuestion:
        """Return what :func:`overbar.frames.quantile` would ask; without shares, the mean."""
        shares: Any = [at] if isinstance(at, str) or not isinstance(at, Sequence) else list(at)
        planned = partial(quantile_plan, at=shares, intervals=intervals)
        by, listed = listed_groups(groups)
        several = checked_groups(listed and len(listed), groups_per_person)
        rungs, level = ladder_of(ladder), _check.positive("epsilon", epsilon)
        each = (mean_plan if at is None else planned)(
            level / (several.per_person if several else 1), rungs=len(rungs.rungs), days=rungs.days
        )
        return cls(
            values_measure(value, person, of, by, several), listed, composed(each, groups=several),
            None, Fraction(0), None, ladder=rungs, by_type=ladder is None,
        )  # fmt: skip

    def fitted(self, frame: Any) -> QuantileQuestion:
        """Return the question with the ladder that the type of the column asks for."""
        days = ladder_of("days")
        if not self.by_type or not is_day(column_kind(frame, self.measure)):
            return self
        each = replace(self.own, rungs=len(days.rungs), days=True)
        plan = composed(each, groups=self.plan.groups)
        return replace(self, plan=plan, ladder=days, by_type=False)

    @property
    def in_words(self) -> str:
        """What is asked, without what it costs."""
        shares = ", ".join(map(exact_text, self.own.shares))
        lead = f"quantiles at {shares} of the {self.measure}"
        if self.own.total is not None:
            lead = f"mean of the {self.measure}, within bounds that are found first"
        days = ", or that of days if the column holds dates" * self.by_type
        return f"{lead}, on the ladder {self.ladder}{days}"

    @property
    def forecast(self) -> str:
        """Say how near answers come, from public numbers alone."""
        return quantile_forecast(self.own)

    def shares(self, answer: Selection, place: int = 0) -> list[tuple[float, float]]:
        """Return between which shares of persons each value lies, of those counted at a place."""
        assert answer.counts is not None
        return shares_within(self.own, self.ladder.levels, answer.counts[place])

    @sealed
    def run(self, frame: Any, *, booking: Booking | None = None, source: str = "") -> Selection:
        """Put the question to a table; parameters and result as for other questions."""
        fitted = self.fitted(frame)
        if fitted is not self:
            return fitted.run(frame, booking=booking, source=source)
        payer = self._payer(booking, source)
        ladder, groups = self.ladder, self.catalogue
        if groups is not None:
            refuse_own_column(frame, groups.given, "groups")
        each = ranked(frame, self.measure, ladder, groups)
        ranks = [(ladder.rungs, ladder.levels, ladder.below(*values)) for values in each]

        def draw() -> Selection:
            parts = [
                drawn_quantiles(self.own, *known, system, values.total)
                for known, values in zip(ranks, each, strict=True)
            ]
            if groups is None:
                return parts[0]
            lines = [
                ((group, label), count)
                for group, part in zip(groups.labels, parts, strict=True)
                for label, count in zip(part.labels, part.counts or (), strict=True)
            ]
            labels, counts = zip(*lines, strict=True)
            return Selection(None, labels, self.plan, spent(self.plan), counts=counts)

        return paid(payer, Description("batch", self.plan, None), draw)


@sealed
def quantile(
    frame: Any,
    *,
    value: str,
    person: str,
    epsilon: Number,
    at: Number | Sequence[Number] = (Fraction(1, 2),),
    of: str = "sum",
    ladder: Any = None,
    intervals: bool = True,
    groups: Mapping[str, Any] | None = None,
    groups_per_person: int | None = None,
    booking: Booking | None = None,
) -> Selection:
    """Find which value shares of all persons do not exceed, privately and without a range.

    Two tables are neighbours if one has all rows of one more person; how many persons there are is
    private. Rows without a number (missing, NaN) or without a person are dropped, and a person
    without any other row takes no part. What lies beyond the ladder counts as its end.

    Parameters
    ----------
    frame : table
        A table of pandas, Polars (eager or lazy), PyArrow, DuckDB (also by Ibis), PySpark, or a
        :class:`overbar.frames.DatabaseTable`.
    value : str
        The column of numbers.
    person : str
        The column that says whose row it is.
    epsilon : int, float, str, Fraction or Decimal
        The privacy budget of the whole call. ``"0.1"`` means one tenth exactly.
    at : number or sequence of numbers, default 1/2
        Shares of persons in rising order: ``(0.5, 0.95)``. All of them are paid from ε together.
    of : {"sum", "mean", "largest", "smallest", "any"}, default "sum"
        The one value of a person that counts; any is one of them by lot.
    ladder : str or sequence of numbers, optional
        The public values that may come out, **chosen without a look at the data**: "numbers" (two
        digits, from 0.00001 to 10^13, below and above zero; the default), "powers" (1, 2, 5, 10,
        …), "whole", "days" (1900 to 2100; the default for dates and times), even steps such as
        "0:100:5", or a list. With fewer rungs less is needed.
    intervals : bool, default True
        Whether each value has an interval, which takes two thirds of the budget.
    groups, groups_per_person : optional
        A column of groups with the public list of them, each of which is asked by itself, and in
        how many a person counts at most: as in :func:`overbar.frames.select`.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("sales")``.

    Returns
    -------
    Selection
        The labels are "persons" and the shares, with the group before them if there are groups.
        `counts` has the number of persons with its
        interval, and then each value with an interval that holds the true one with 95 %.

    Raises
    ------
    ParameterError
        If a public parameter is wrong; the message says what to write instead.
    LedgerError
        If the ledger cannot pay; nothing was drawn then.

    Examples
    --------
    >>> import polars
    >>> from overbar import frames
    >>> rows = polars.DataFrame({"customer": range(90_000), "amount": [12, 55, 340] * 30_000})
    >>> answer = frames.quantile(rows, value="amount", person="customer", at=0.5, epsilon=1)
    >>> answer.labels, answer.counts[1].value, answer.guarantee
    (('persons', '0.5'), Fraction(55, 1), PureDP(epsilon=1))
    """
    question = QuantileQuestion.of(
        value=value,
        person=person,
        epsilon=epsilon,
        at=at,
        of=of,
        ladder=ladder,
        intervals=intervals,
        groups=groups,
        groups_per_person=groups_per_person,
    )
    return question.run(frame, booking=booking)


@sealed
def mean(
    frame: Any,
    *,
    value: str,
    person: str,
    epsilon: Number,
    of: str = "sum",
    ladder: Any = None,
    groups: Mapping[str, Any] | None = None,
    groups_per_person: int | None = None,
    booking: Booking | None = None,
) -> Selection:
    """Find the mean of one value of each person, privately and without a range.

    A quarter of ε finds two bounds on the ladder, beyond which are as few persons as noise allows.
    Values are clamped to them. A half of ε is for their sum, and a quarter for the number of
    persons.

    The parameters are those of :func:`overbar.frames.quantile`.

    Returns
    -------
    Selection
        The labels are "persons", "low", "high" and "mean". `counts` has the mean with an interval
        that holds with 95 %: of the values as they were clamped. How far those beyond the bounds
        lie is not in it.

    See Also
    --------
    overbar.frames.quantile : The median is not moved by far values.

    Examples
    --------
    >>> import polars
    >>> from overbar import frames
    >>> rows = polars.DataFrame({"customer": range(90_000), "amount": [10, 20, 60] * 30_000})
    >>> answer = frames.mean(rows, value="amount", person="customer", epsilon=1)
    >>> answer.labels, 29 < answer.counts[-1].value < 31
    (('persons', 'low', 'high', 'mean'), True)
    """
    question = QuantileQuestion.of(
        value=value, person=person, epsilon=epsilon, at=None, of=of, ladder=ladder, groups=groups,
        groups_per_person=groups_per_person,
    )  # fmt: skip
    return question.run(frame, booking=booking)
