"""The shape of a table: bounds and quartiles, missing values and common values of each column.

One value of each person counts in a column. The columns are read once: what an engine on this
machine holds is brought here first, and a database or a cluster is asked column by column.

**Which columns hold what** is public: it follows from their types, or is said. It is never read off
the rows. In a file of text all columns are text, so those that hold numbers or days are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import narwhals as nw

from overbar import _check
from overbar._check import Number
from overbar._numbers import exact_text
from overbar.accounting import spent
from overbar.calibration.shape_kind import shape_forecast, shape_plan
from overbar.errors import ParameterError, named, quoted
from overbar.frames.amounts import is_day
from overbar.frames.columns import plain_text, refuse_missing
from overbar.frames.discretion import discreetly
from overbar.frames.inferred import of_nothing
from overbar.frames.key_search import KeySearch, counted, underway
from overbar.frames.ladders import Ladder, ladder_of
from overbar.frames.measure import measure_of, persons_measure, values_measure
from overbar.frames.narwhals_table import table_of
from overbar.frames.postgres_table import DatabaseTable
from overbar.frames.question import Question
from overbar.frames.scoring import engine_of, pairs_of, persons_below
from overbar.frames.texts import TEXT, is_spark
from overbar.ledger import Booking
from overbar.ledger.description import Description
from overbar.mechanism import counting
from overbar.mechanism.counting import PERSONS_LABEL
from overbar.mechanism.payment import paid
from overbar.mechanism.quantile_draw import quantiles_of
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.plans import Plan
from overbar.plans.quantile_plan import QuantilePlan
from overbar.plans.shape_plan import ShapePlan
from overbar.sampling.entropy import system
from overbar.sampling.histogram_draw import noisy_values

#: How many columns a sentence names.
SHOWN = 10
#: Kinds of columns, and by which parameter and option they are named.
NUMBERS, DAYS, TEXTS = KINDS = ("number", "day", "text")


class ColumnKind(NamedTuple):
    """A column, and what it holds."""

    name: str
    kind: str


@dataclass(frozen=True, repr=False)
class ShapeQuestion(Question):
    """What the columns of a table look like. Made by :meth:`of`; the plan follows from columns."""

    columns: tuple[ColumnKind, ...] = ()
    of_each: str = "mean"
    ladder: Ladder | None = None

    @classmethod
    @_check.known_keywords
    def of(
        cls,
        frame: Any,
        *,
        person: str,
        epsilon: Number,
        delta: Number = 0,
        number: Sequence[str] = (),
        day: Sequence[str] = (),
        text: Sequence[str] = (),
        of: str = "mean",
        ladder: Any = None,
    ) -> ShapeQuestion:
        """Return what :func:`overbar.frames.describe` would ask, after a look at the schema."""
        listed = zip(KINDS, (number, day, text), strict=True)
        columns = [
            ColumnKind(name, kind) for kind, names in listed for name in _several(kind, names)
        ]
        for name in [each.name for each in columns] or [""]:
            values_measure(name or "value", person, of)  # refuses what is no name
        if len({each.name for each in columns}) < len(columns):
            raise ParameterError("each column must be named once")
        columns = columns or [each for each in typed_columns(frame) if each.name != person]
        kinds = [each.kind for each in columns]
        own, rungs = ladder_of(ladder), len(ladder_of("days").rungs)
        many = {kind: kinds.count(kind) for kind in KINDS}
        plan = shape_plan(
            epsilon, delta, many[NUMBERS], many[DAYS], many[TEXTS], (len(own.rungs), rungs)
        )
        allowed = _check.probability("delta", delta)
        promise = (_check.rational("epsilon", epsilon), allowed) if allowed else None
        return cls(
            persons_measure(person), None, plan, None, Fraction(0), None, promise,
            columns=tuple(sorted(columns, key=lambda each: KINDS.index(each.kind))),
            of_each=of, ladder=own,
        )  # fmt: skip

    @property
    def own(self) -> ShapePlan:
        """The plan."""
        assert isinstance(self.plan, ShapePlan)
        return self.plan

    @property
    def in_words(self) -> str:
        """What is asked, without what it costs."""
        names = ", ".join(each.name for each in self.columns[:SHOWN])
        names += f" and {len(self.columns) - SHOWN:,} more" * (len(self.columns) > SHOWN)
        return (
            f"the shape of {len(self.columns):,} columns ({names}), by the {self.of_each} of each "
            f"{self.measure.person}, on the ladder {self.ladder}"
        )

    @property
    def forecast(self) -> str:
        """Say how near answers come, from public numbers alone."""
        return shape_forecast(self.own)

    @cached_property
    def _plans(self) -> dict[str, Plan]:
        """The plan of each kind of column; none for text without a δ."""
        plans = [each.plan for each in self.own.columns if each.plan is not None]
        return {_kind_of(plan): plan for plan in plans}

    def _public(self, source: str) -> Iterator[str]:
        yield from super()._public(source)
        yield repr(self.columns)
        yield f"{self.of_each} {self.ladder}"

    def _ladder(self, kind: str) -> Ladder:
        assert self.ladder is not None
        return ladder_of("days") if kind == DAYS else self.ladder

    @sealed
    def run(self, frame: Any, *, booking: Booking | None = None, source: str = "") -> Selection:
        """Put the question to a table; parameters and result as for other questions."""
        payer = self._payer(booking, source)
        person = str(self.measure.person)
        here = _at_hand(frame, [person, *(each.name for each in self.columns)])
        of = "largest" if _has_one_row_each(here, person) else self.of_each
        below, persons = [], [int(persons_below(here, self.measure, ladder_of((0, 1)))[-1])]
        for name, kind in self.columns:
            if kind == TEXTS:
                with discreetly():
                    pairs = pairs_of(here, measure_of(item=name, person=person))
                    persons.append(counted(pairs, 1, ())[1])
            else:
                measure = values_measure(name, person, of)
                below.append(persons_below(here, measure, self._ladder(kind)))
                persons.append(int(below[-1][-1]))

        def draw() -> Selection:
            noise, one = self.own.persons, Fraction(1)
            noisy = noisy_values(persons, noise=noise, grid=one, source=system)
            counts = counting.counted(noisy, counting.PERSONS, noise=noise, grid=one)
            lines: list[tuple[tuple[str, str, str], counting.Count]]
            lines = [(("", PERSONS_LABEL, ""), counts[0])]
            for place, (name, kind) in enumerate(self.columns):
                plan = self._plans.get(kind)
                lines.append(((name, PERSONS_LABEL, ""), counts[place + 1]))
                if isinstance(plan, QuantilePlan):
                    ladder, number = self._ladder(kind), max(0, noisy[place + 1])
                    ranks = (ladder.rungs, ladder.levels, below[place])
                    values = quantiles_of(plan, *ranks, number, system)
                    shares = map(exact_text, plan.shares)
                    lines += [
                        ((name, kind, at), one) for at, one in zip(shares, values, strict=True)
                    ]
                elif plan is not None and plan.keys is not None:
                    with underway():
                        keys = KeySearch(plan.keys, here, measure_of(item=name, person=person))
                    found = keys.selection()
                    assert found.counts is not None
                    texts = map(plain_text, found.labels)
                    lines += [
                        ((name, kind, key), one)
                        for key, one in zip(texts, found.counts, strict=True)
                    ]
            labels, numbers = zip(*lines, strict=True)
            return Selection(None, labels, self.plan, spent(self.plan), counts=numbers)

        return paid(payer, Description("batch", self.plan, None), draw)


def _kind_of(plan: Plan) -> str:
    """Return of which columns a plan is."""
    if isinstance(plan, QuantilePlan):
        return DAYS if plan.days else NUMBERS
    return TEXTS


def _several(kind: str, names: object) -> list[str]:
    """Return the names of columns; one may stand alone."""
    if isinstance(names, str):
        return [names]
    if not isinstance(names, Sequence):
        raise ParameterError(f"{named(kind)} must be names of columns")
    return list(names)


def typed_columns(frame: Any) -> list[ColumnKind]:
    """Return columns with what they hold, by their types; those of other types are left out.

    A type that holds nothing is refused: one row could make another of it, and so one column more.
    """
    with discreetly():
        kinds, empty = engine_of(frame).kinds(), list[str]()
        if not isinstance(frame, DatabaseTable):
            table = table_of(frame)
            empty = [name for name in kinds if of_nothing(table, name)]
    if empty:
        raise ParameterError(
            f"a column must have a type, which {', '.join(map(quoted, empty))} has not: give it "
            f"one, or name the columns by {named('number')}, {named('day')} and {named('text')}"
        )
    return [ColumnKind(name, kind) for name, one in kinds.items() if (kind := _kind(one))]


def _kind(told: nw.dtypes.DType) -> str:
    if told.is_numeric() or told.is_decimal():
        return NUMBERS
    if is_day(told):
        return DAYS
    return TEXTS if told in (*TEXT, nw.Boolean) else ""


def _at_hand(frame: Any, names: list[str]) -> Any:
    """Return the columns of a table in the memory of this machine, unless they live elsewhere."""
    if isinstance(frame, DatabaseTable):
        return frame
    with discreetly():
        table = nw.from_native(frame, pass_through=True)
        if not isinstance(table, nw.DataFrame | nw.LazyFrame) or is_spark(table):
            return frame
        there = table.collect_schema().names()
        for name in names:
            refuse_missing("column", name, there)
        return table.select(*names).lazy().collect().to_native()


def _has_one_row_each(here: Any, person: str) -> bool:
    """Tell whether nobody can have two rows, so that all ways to one value give the same."""
    table = nw.from_native(here, pass_through=True)
    if not isinstance(table, nw.DataFrame) or not table.collect_schema()[person].is_integer():
        return False
    with discreetly():
        return table[person].n_unique() == len(table)


@sealed
def describe(
    frame: Any,
    *,
    person: str,
    epsilon: Number,
    delta: Number = 0,
    number: Sequence[str] = (),
    day: Sequence[str] = (),
    text: Sequence[str] = (),
    of: str = "mean",
    ladder: Any = None,
    booking: Booking | None = None,
) -> Selection:
    """Return the shape of a table, privately: bounds, quartiles, missing and common values.

    Two tables are neighbours if one has all rows of one more person. Of ε, a tenth counts persons:
    all, and those with a value in each column. The columns share the rest evenly. With a δ each
    needs far less noise, because many costs do not simply add up then; and the common values of
    text, which are found as keys, need one.

    Parameters
    ----------
    frame : table
        A table of pandas, Polars (eager or lazy), PyArrow, DuckDB (a relation) or PySpark, or a
        :class:`overbar.frames.DatabaseTable`.
    person : str
        The column that says whose row it is.
    epsilon : int, float, str, Fraction or Decimal
        The privacy budget of the whole call.
    delta : int, float, str, Fraction or Decimal, default 0
        The δ of (ε, δ)-differential privacy.
    number, day, text : sequence of str, optional
        Columns of numbers, of days and of text. If none is named, all columns of the table, by
        their types, which are public: numbers, dates and times, text and booleans.
    of : {"mean", "sum", "largest", "smallest", "any"}, default "mean"
        The one number of a person that counts, if there are several rows; of text, one by lot.
    ladder : str or sequence of numbers, optional
        The public values that quantiles of numbers may have: see :func:`overbar.frames.quantile`.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("sales")``.

    Returns
    -------
    Selection
        The labels are tuples: a column, what the line tells, and a share or a common value.

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
    >>> rows = polars.DataFrame({"who": range(50_000), "age": [18, 40, 66, 40, 40] * 10_000})
    >>> shape = frames.describe(rows, person="who", epsilon=1)
    >>> shape.labels[4], shape.counts[4].value
    (('age', 'number', '0.5'), Fraction(40, 1))
    """
    question = ShapeQuestion.of(
        frame, person=person, epsilon=epsilon, delta=delta, number=number, day=day, text=text,
        of=of, ladder=ladder,
    )  # fmt: skip
    return question.run(frame, booking=booking)
