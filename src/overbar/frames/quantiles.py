"""Quantiles of one value of each person, on a public ladder: without a range, and n is private."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from overbar import _check
from overbar._check import Number
from overbar._numbers import exact_text
from overbar.calibration.quantile_kind import quantile_forecast, quantile_plan
from overbar.frames.ladders import Ladder, ladder_of
from overbar.frames.measure import values_measure
from overbar.frames.question import Question
from overbar.frames.scoring import persons_below
from overbar.ledger import Booking
from overbar.ledger.booking import checked_booking
from overbar.ledger.description import Description
from overbar.mechanism.payment import paid
from overbar.mechanism.quantiles import drawn_quantiles, shares_within
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.plans.quantile_plan import QuantilePlan
from overbar.sampling.entropy import system

POWERS = ladder_of("powers")


@dataclass(frozen=True, repr=False)
class QuantileQuestion(Question):
    """Which value shares of all persons do not exceed. Made by :meth:`of`."""

    ladder: Ladder = POWERS

    @property
    def own(self) -> QuantilePlan:
        """The plan."""
        assert isinstance(self.plan, QuantilePlan)
        return self.plan

    @classmethod
    @_check.known_keywords
    def of(
        cls,
        *,
        value: str,
        person: str,
        epsilon: Number,
        at: Number | Sequence[Number] = (Fraction(1, 2),),
        of: str = "sum",
        ladder: Any = None,
        intervals: bool = True,
    ) -> QuantileQuestion:
        """Return what :func:`overbar.frames.quantile` would ask; the parameters are its own."""
        rungs = ladder_of(ladder)
        shares = [at] if isinstance(at, str) or not isinstance(at, Sequence) else list(at)
        plan = quantile_plan(epsilon, shares, len(rungs.rungs), intervals=intervals)
        measure = values_measure(value, person, of)
        return cls(measure, None, plan, None, Fraction(0), None, ladder=rungs)

    @property
    def in_words(self) -> str:
        """What is asked, without what it costs."""
        shares = ", ".join(map(exact_text, self.own.shares))
        return f"quantiles at {shares} of the {self.measure}, on the ladder {self.ladder}"

    @property
    def forecast(self) -> str:
        """Say how near answers come, from public numbers alone."""
        return quantile_forecast(self.own)

    def shares(self, answer: Selection) -> list[tuple[float, float]]:
        """Return between which shares of persons each value lies, by the answer alone."""
        assert answer.counts is not None
        return shares_within(self.own, self.ladder.levels, answer.counts[0])

    def _public(self, source: str) -> Iterator[str]:
        yield from super()._public(source)
        yield ",".join(map(str, self.ladder.rungs))

    @sealed
    def run(self, frame: Any, *, booking: Booking | None = None, source: str = "") -> Selection:
        """Put the question to a table; parameters and result as for other questions."""
        payer = checked_booking(booking)
        payer = payer and payer.about(
            self._public(source), purpose=self.in_words, neighbours=self.measure.neighbours
        )
        below = persons_below(frame, self.measure, self.ladder)
        ladder = self.ladder
        draw = partial(drawn_quantiles, self.own, ladder.rungs, ladder.levels, below, system)
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
    booking: Booking | None = None,
) -> Selection:
    """Find which value shares of all persons do not exceed, privately and without a range.

    Two tables are neighbours if one has all rows of one more person; how many persons there are is
    private. Rows without a number (missing, NaN) or without a person are dropped, and a person
    without any other row takes no part. What lies beyond the ladder counts as its end.

    Parameters
    ----------
    frame : table
        A table of pandas, Polars (eager or lazy), PyArrow, DuckDB (a relation) or PySpark, or a
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
        …), "whole", even steps such as "0:100:5", or a list. With fewer rungs less is needed.
    intervals : bool, default True
        Whether each value has an interval, which takes two thirds of the budget.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("sales")``.

    Returns
    -------
    Selection
        The labels are "persons" and the shares. `counts` has the number of persons with its
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
    )
    return question.run(frame, booking=booking)
