"""Alarms over a table, day by day and without end: for each day, each item of a public list.

Who is counted for an item on a day is everyone with such a row. Days and items are public: one
without rows is asked all the same. Days are asked in order, each once; the store remembers which.
A day is a date, a moment without a time zone, or the first ten characters of a text.

Theory: :doc:`/theory/monitor`.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import Any

import narwhals as nw

from overbar import _check
from overbar._check import Number
from overbar.accounting import spent
from overbar.accounting.guarantees import proved_about
from overbar.accuracy.wear import Outlook
from overbar.calibration.planning import plan as planned
from overbar.errors import ParameterError, ScoreError, named
from overbar.frames.arrow_words import BATCH_ROWS
from overbar.frames.catalogue import catalogue_of, refuse_own_column
from overbar.frames.columns import plain_text, refuse_missing, written
from overbar.frames.contributions import Lazy
from overbar.frames.discretion import discreetly
from overbar.frames.measure import measure_of
from overbar.frames.narwhals_table import table_of
from overbar.frames.postgres_table import DatabaseTable
from overbar.frames.question import Question
from overbar.frames.scoring import pairs_of
from overbar.frames.texts import is_spark, values_of
from overbar.ledger import Booking
from overbar.ledger.booking import checked_booking
from overbar.mechanism.monitor import Monitor
from overbar.mechanism.person_store import PersonStore
from overbar.mechanism.secrecy import sealed
from overbar.mechanism.selection import Selection
from overbar.plans import MonitorPlan

#: Who has which item on a day, by the text of the item.
Persons = dict[str, list[Any]]
ONE_DAY = timedelta(days=1)
#: Characters of a day.
DAY = 10
PAID_BEFORE = "The store is there and paid for: to go on costs nothing."


@dataclass(frozen=True, repr=False)
class Alarms(Selection):
    """The alarms on some days: labels are a day and an item. It holds nothing private."""

    #: What is to be expected of the monitor from now on, from public numbers alone.
    outlook: Outlook | None = None

    def _summary(self) -> str:
        return f"{len(self)} alarm{'s' * (len(self) != 1)}; {self.guarantee}, spent all of it"


@dataclass(frozen=True, repr=False)
class WatchQuestion(Question):
    """Which items more persons have on a day than the threshold. Made by :meth:`of`."""

    first: date = date.min
    last: date = date.max
    store: str | os.PathLike[str] | None = None
    persons: int | None = None

    @classmethod
    @_check.known_keywords
    def of(
        cls,
        *,
        item: str | Sequence[str],
        person: str,
        time: str,
        days: tuple[date | str, date | str],
        catalogue: Any,
        threshold: Number,
        epsilon: Number,
        delta: Number,
        hits_per_person: int,
        store: str | os.PathLike[str] | None = None,
        persons: int | None = None,
    ) -> WatchQuestion:
        """Return what :func:`overbar.frames.watch` would ask; the parameters are its own."""
        items = [item] if isinstance(item, str) else list(item)
        measure = measure_of(item=[time, *items], person=person)
        listed = catalogue_of(catalogue, items)
        if listed is None:
            raise ParameterError(
                f"{named('catalogue')} must be given: the public list of items that are asked "
                "about on every day, whether they have rows or not"
            )
        if isinstance(days, str) or len(days) != 2:
            raise ParameterError("days must be the first and the last day: two dates")
        first, last = _day("from", days[0]), _day("to", days[1])
        if last < first:
            raise ParameterError(f"days must go forward, got {first} to {last}")
        plan = planned(
            epsilon=epsilon,
            delta=delta,
            hits_per_person=hits_per_person,
            candidates=len(listed),
        )
        promise = _check.rational("epsilon", epsilon), _check.rational("delta", delta)
        level = _check.rational("threshold", threshold)
        many = None if persons is None else _check.whole("persons", persons)
        return cls(
            *(measure, listed, plan, level, promise[1], None, promise),
            first=first,
            last=last,
            store=store,
            persons=many,
        )

    @property
    def in_words(self) -> str:
        """What is asked, without what it costs."""
        return f"{super().in_words}, on each day from {self.first} to {self.last}"

    @property
    def goes_on(self) -> bool:
        """Whether the store is there already."""
        return self.store is not None and not PersonStore(self.store).is_new()

    @sealed
    def run(self, frame: Any, *, booking: Booking | None = None, source: str = "") -> Alarms:
        """Put the question to a table, for all days that were not asked yet."""
        assert self.catalogue is not None
        refuse_own_column(frame, self.catalogue.given)
        payer = checked_booking(booking)
        payer = payer and payer.about(self._public(source), purpose=self.in_words)
        with ExitStack() as ends:
            known, begin = self.goes_on, self.first
            if known:
                monitor = ends.enter_context(self._monitor(payer, known=True))
                begin = self._next(monitor)
            days = [self.first + n * ONE_DAY for n in range((self.last - self.first).days + 1)]
            days = [day for day in days if day >= begin]
            rows = _by_day(_batches(frame, self, days), days) if days else iter(())
            if not known:  # whatever is wrong with the table came to light, so it costs nothing
                monitor = ends.enter_context(self._monitor(payer, known=False))
            self._ask(monitor, rows)
        return self._answer(monitor)

    def _monitor(self, payer: Booking | None, *, known: bool) -> Monitor:
        plan = None if known else self.plan
        monitor = Monitor(plan, threshold=self.threshold, store=self.store, booking=payer)
        own, (epsilon, delta) = monitor.plan, self.promise or (0, 0)
        assert isinstance(self.plan, MonitorPlan)
        if own.hits != self.plan.hits or not proved_about(own).implies(epsilon, delta):
            raise ParameterError(
                f"the store was made for {own.hits:,} hits per person and {proved_about(own)}, and "
                "goes on with these alone: write its numbers, or begin with a new store"
            )
        return monitor

    def _next(self, monitor: Monitor) -> date:
        """Return the first day that was not asked, or not to its end."""
        if not monitor._last:
            return self.first
        first, (day, *inside) = _days_of(monitor._first)[0], _days_of(monitor._last)
        following = day if inside else day + ONE_DAY
        if not first <= self.first <= following:
            raise ParameterError(
                f"{named('from')} must be between {first} and {following}: the store was asked "
                "about the days between them, and goes on in order"
            )
        return following

    def _ask(self, monitor: Monitor, rows: Iterator[tuple[date, Persons]]) -> None:
        assert self.catalogue is not None
        parts = [x if isinstance(x, tuple) else (x,) for x in self.catalogue.labels]
        items = [(written(part), list(map(_plain, part))) for part in parts]
        last = json.loads(monitor._last) if monitor._last else [None]
        for day, persons in rows:
            begin = 0
            if last[0] == str(day):  # a crash on this day: what was asked then is not asked again
                places = [place for place, (_, part) in enumerate(items) if part == last[1:]]
                begin = places[0] + 1 if places else 0
            for text, part in items[begin:]:
                monitor.ask(persons.get(text, ()), label=json.dumps([str(day), *part]))
            monitor._last = json.dumps([str(day)])

    def _answer(self, monitor: Monitor) -> Alarms:
        labels = [_days_of(label) for label in monitor.labels]
        within = tuple(label for label in labels if self.first <= label[0] <= self.last)
        return Alarms(
            None,
            within,
            monitor.plan,
            spent(monitor.plan),
            receipt=monitor._receipt,
            outlook=monitor.outlook(self.persons),
        )


def _plain(part: Any) -> Any:
    return part if isinstance(part, str | int) else plain_text(part)


def _days_of(label: str) -> tuple[Any, ...]:
    """Return a day, and the item that stands behind it."""
    try:
        day, *item = json.loads(label)
        return date.fromisoformat(day), *item
    except (TypeError, ValueError):
        raise ParameterError(
            "the store has questions in it that were not asked by days; take another one"
        ) from None


def _day(name: str, value: object) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(value)  # type: ignore[arg-type]  # tried, not assumed
    except (TypeError, ValueError):
        raise ParameterError(f"{named(name)} must be a day such as 2024-01-31") from None


def _batches(
    frame: Any, question: WatchQuestion, days: list[date]
) -> Iterator[tuple[list[str], list[Any]]]:
    """Yield texts of day and item with persons; those of DuckDB in the order of days.

    The first are here when this returns, and with them all that an engine can fail at: it sorts.
    """
    with discreetly():
        pairs = pairs_of(_with_days(frame, question.measure.items[0], days), question.measure)
        found = _lists(pairs, str(days[0]), str(days[-1] + ONE_DAY))
        first = next(found, None)
    return _all(first, found)


def _all(first: Any, others: Iterator[Any]) -> Iterator[tuple[list[str], list[Any]]]:
    while first is not None:
        yield first
        try:
            with discreetly():
                first = next(others, None)
        except ScoreError:
            raise ScoreError(
                "the table could not be read to its end. Days that were asked are in the store, "
                "with their alarms: the same question goes on behind them"
            ) from None


def _lists(pairs: Lazy, low: str, high: str) -> Iterator[tuple[list[str], list[Any]]]:
    if pairs.implementation.is_duckdb():
        inside = pairs.to_native().filter(f"item >= '{low}' and item < '{high}'").order("item")
        with inside.to_arrow_reader(BATCH_ROWS) as reader:
            for batch in reader:
                yield batch.column("item").to_pylist(), batch.column("person").to_pylist()
        return
    if is_spark(pairs):
        pairs = pairs.filter(nw.col("item") >= low, nw.col("item") < high)
    here = pairs.collect()
    yield values_of(here["item"]), values_of(here["person"])


def _by_day(
    batches: Iterator[tuple[list[str], list[Any]]], days: list[date]
) -> Iterator[tuple[date, Persons]]:
    """Yield each day with everyone who has an item on it; what is on no such day is dropped."""
    wanted, newest = set(map(str, days)), ""
    held: dict[str, Persons] = defaultdict(lambda: defaultdict(list))
    for day in days:
        while newest <= str(day) and (batch := next(batches, None)) is not None:
            for text, person in zip(*batch, strict=True):
                if text[:DAY] in wanted:
                    held[text[:DAY]][text.partition("/")[2]].append(person)
            newest = batch[0][-1][:DAY] if batch[0] else newest
        persons = held.pop(str(day), {})
        yield day, {item: list(map(_plain, whose)) for item, whose in persons.items()}


def _with_days(frame: Any, name: str, days: list[date]) -> Any:
    """Return a table whose moments are the days they are on; by their type, which is public."""
    if isinstance(frame, DatabaseTable):
        return frame
    table = table_of(frame)
    schema = table.collect_schema()
    refuse_missing("time", name, schema.names())
    kind = schema[name]
    if not isinstance(kind, nw.Datetime):
        return frame
    if kind.time_zone is not None or kind.time_unit not in ("us", "ns"):
        raise ParameterError(
            f"{named('time')} must be a column of dates, text, or moments in microseconds without "
            f"a time zone, got {name!r} of type {kind}; make dates of it, so that it is clear when "
            "a day ends"
        )
    # Moments that are far away are missing first: engines fail at writing some of them.
    column = nw.col(name)
    inside = (column >= datetime.combine(days[0], time.min)) & (
        column <= datetime.combine(days[-1], time.max)
    )
    text = nw.when(inside).then(column).dt.to_string("%Y-%m-%d").alias(name)
    return table.with_columns(text).to_native()


@sealed
def watch(
    frame: Any,
    *,
    item: str | Sequence[str],
    person: str,
    time: str,
    days: tuple[date | str, date | str],
    catalogue: Any,
    threshold: Number,
    epsilon: Number,
    delta: Number,
    hits_per_person: int,
    store: str | os.PathLike[str] | None = None,
    persons: int | None = None,
    booking: Booking | None = None,
) -> Alarms:
    """Find which items more persons have on a day than the threshold: for ever, privately.

    Each person counts in so many alarms and is then left out, which nobody is told
    (:class:`overbar.Monitor`). Days are asked in order, and those that were asked before are not
    asked again: so the same call goes on tomorrow, at no cost.

    Parameters
    ----------
    frame : table
        A table of pandas, Polars (eager or lazy), PyArrow, DuckDB (a relation) or PySpark, or a
        :class:`overbar.frames.DatabaseTable`.
    item : str or sequence of str
        The column of items, such as regions; several name an item together.
    person : str
        The column that says whose row it is.
    time : str
        The column that says on which day: dates, moments without a time zone, or text that begins
        with a day such as 2024-01-31.
    days : tuple of two dates or texts
        The first and the last day that are asked about: public, **not read off the data**.
    catalogue : list, range, Series or frame of one column
        The public list of items.
    threshold : int, float, str, Fraction or Decimal
        The public level that persons are compared with.
    epsilon, delta : int, float, str, Fraction or Decimal
        The privacy budget for all days there will ever be.
    hits_per_person : int
        In how many alarms one person counts.
    store : str or path, optional
        The file that remembers who was counted, and which days were asked. **It is as private as
        the data.** Without one nothing can go on tomorrow.
    persons : int, optional
        About how many persons there are in all, a public guess: says how worn the monitor is.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("visits")``. It pays once.

    Returns
    -------
    Selection
        The labels are pairs of a day and an item, of all days from the first to the last, also of
        those that were asked before. `outlook` says what is to be expected.

    Raises
    ------
    ParameterError
        If a public parameter is wrong; the message says what to write instead.
    LedgerError
        If the ledger cannot pay, or the store is another's.

    Examples
    --------
    >>> import polars
    >>> from overbar import frames
    >>> rows = polars.DataFrame(
    ...     {"user": range(400), "region": ["north"] * 400, "day": ["2024-01-31"] * 400}
    ... )
    >>> frames.watch(
    ...     rows, item="region", person="user", time="day", days=("2024-01-30", "2024-01-31"),
    ...     catalogue=["north", "south"], threshold=100, epsilon=1, delta="1e-6", hits_per_person=5,
    ... ).labels
    ((datetime.date(2024, 1, 31), 'north'),)
    """
    question = WatchQuestion.of(
        item=item,
        person=person,
        time=time,
        days=days,
        catalogue=catalogue,
        threshold=threshold,
        epsilon=epsilon,
        delta=delta,
        hits_per_person=hits_per_person,
        store=store,
        persons=persons,
    )
    return question.run(frame, booking=booking)
