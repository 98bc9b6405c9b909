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
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import chain, islice
from typing import Any

import narwhals as nw

from overbar import _check
from overbar._check import Number
from overbar.errors import ParameterError, ScoreError, either, named
from overbar.frames.arrow_words import BATCH_ROWS
from overbar.frames.catalogue import catalogue_of, refuse_own_column
from overbar.frames.columns import plain_text, refuse_missing, written
from overbar.frames.discretion import discreetly
from overbar.frames.measure import Measure, measure_of
from overbar.frames.narwhals_table import table_of
from overbar.frames.postgres_table import DatabaseTable
from overbar.frames.question import Question
from overbar.frames.scoring import pairs_of
from overbar.frames.texts import is_spark, values_of
from overbar.ledger import Booking
from overbar.ledger.booking import checked_booking
from overbar.mechanisms.score_plan import of_scores
from overbar.mechanisms.wear import Outlook
from overbar.planning.make import plan as planned
from overbar.privacy import spent
from overbar.privacy.guarantees import proved_about
from overbar.runs.monitor import Monitor
from overbar.runs.person_store import PersonStore
from overbar.runs.secrecy import sealed
from overbar.runs.selection import Selection

#: Texts of day and item, and whose they are.
Rows = tuple[list[str], list[Any]]
#: Who has which item on a day, by the text of the item.
Persons = dict[str, list[Any]]
ONE_DAY = timedelta(days=1)
#: Characters of a day.
DAY = 10


@dataclass(frozen=True, repr=False)
class Alarms(Selection):
    """The alarms of some days: labels are a day and an item."""

    #: What is to be expected of the monitor from now on, from public numbers alone.
    outlook: Outlook | None = None


@dataclass(frozen=True, repr=False)
class WatchQuestion(Question):
    """Which items more persons have on a day than the threshold. Made by :meth:`of`."""

    days: tuple[date, date] = (date.min, date.max)
    store: str | os.PathLike[str] | None = None
    persons: int | None = None

    @classmethod
    @_check.known_keywords
    def of(
        cls,
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
        delta_is_large: bool = False,
    ) -> WatchQuestion:
        """Return what :func:`overbar.frames.watch` would ask; the parameters are its own."""
        _check.usual_delta(delta, is_large=delta_is_large)
        items = [item] if isinstance(item, str) else list(item)
        measure = measure_of(item=[time, *items], person=person)
        listed = catalogue_of(catalogue, items)
        if listed is None:
            raise ParameterError(
                f"{named('catalogue')} must be given: the public list of items that are asked "
                "about on every day, whether they have rows or not"
            )
        first, last = (_day(day) for day in days)
        if last < first:
            raise ParameterError(f"days must go forward, got {first} to {last}")
        hits, each_day = hits_per_person, len(listed)
        plan = planned(epsilon=epsilon, delta=delta, hits_per_person=hits, candidates=each_day)
        promise = _check.rational("epsilon", epsilon), _check.rational("delta", delta)
        level = _check.rational("threshold", threshold)
        many = None if persons is None else _check.whole("persons", persons)
        public = measure, listed, plan, level, promise[1], None, promise, None
        return cls(*public, (first, last), store, many)

    @property
    def in_words(self) -> str:
        """What is asked, without what it costs."""
        return "{}, on each day from {} to {}".format(super().in_words, *self.days)

    @property
    def is_open(self) -> bool:
        """Whether nobody said how much noise one person needs: hits say it."""
        return False

    @property
    def goes_on(self) -> bool:
        """Whether the store is there already, and paid for."""
        store = self._keeper()
        return store is not None and not store.is_new()

    def _keeper(self) -> PersonStore | None:
        """Return the store, which goes on with these columns alone."""
        if self.store is None:
            return None
        (time, *items), person = self.measure.items, self.measure.person or ""
        columns = {"person": [person], "item": items, "time": [time]}
        return PersonStore(self.store, columns)

    @sealed
    def run(self, frame: Any, *, booking: Booking | None = None, source: str = "") -> Alarms:
        """Put the question to a table, for all days that were not asked yet."""
        assert self.catalogue is not None
        refuse_own_column(frame, self.catalogue.given)
        payer = checked_booking(booking)
        payer = payer and payer.about(self._public(source), purpose=self.in_words)
        monitor = self._monitor(payer, None) if self.goes_on else None
        begin = self.days[0] if monitor is None else self._next(monitor)
        days = [begin + many * ONE_DAY for many in range((self.days[1] - begin).days + 1)]
        rows = _by_day(frame, self.measure, days) if days else iter(())
        rows = chain(list(islice(rows, 1)), rows)
        # A table that cannot be read has come to light by now, and has cost nothing.
        with monitor or self._monitor(payer, self.plan) as monitor:
            try:
                self._ask(monitor, rows)
            except ScoreError:
                raise ScoreError(
                    "the table could not be read to its end. What was asked is in the store, with "
                    "its alarms: the same question goes on behind it"
                ) from None
        labels = (_day_and_item(label) for label in monitor.labels)
        within = tuple(one for one in labels if self.days[0] <= one[0] <= self.days[1])
        cost, outlook = spent(monitor.plan), monitor.outlook(self.persons)
        return Alarms(None, within, monitor.plan, cost, receipt=monitor.receipt, outlook=outlook)

    def _monitor(self, payer: Booking | None, plan: Any) -> Monitor:
        """Open the store with its own plan, if it keeps what was asked for, or make one."""
        monitor = Monitor(plan, threshold=self.threshold, store=self._keeper(), booking=payer)
        own, promise = monitor.plan, self.promise or (0, 0)
        if own.hits != of_scores(self.plan).cutoff or not proved_about(own).implies(*promise):
            raise ParameterError(
                f"the store was made for {own.hits:,} hits per person and {proved_about(own)}, and "
                "goes on with these alone: write its numbers, or begin with a new store"
            )
        return monitor

    def _next(self, monitor: Monitor) -> date:
        """Return the first day that was not asked, or not to its end."""
        if not monitor._last:
            return self.days[0]
        first, (day, *item) = _day_and_item(monitor._first)[0], _day_and_item(monitor._last)
        following: date = day if item else day + ONE_DAY
        if not first <= self.days[0] <= following:
            raise ParameterError(
                f"{either('the first of days', '--from')} must be between {first} and {following}: "
                "the store was asked about the days between them, and goes on in order"
            )
        return following

    def _ask(self, monitor: Monitor, rows: Iterator[tuple[date, Persons]]) -> None:
        assert self.catalogue is not None
        parts = [one if isinstance(one, tuple) else (one,) for one in self.catalogue.labels]
        items = [(written(part), list(map(_plain, part))) for part in parts]
        last = json.loads(monitor._last or "[null]")
        for day, persons in rows:
            begin = 0
            if last[0] == str(day):  # a crash on this day: what was asked then is not asked again
                begin = 1 + next((n for n, (_, part) in enumerate(items) if part == last[1:]), -1)
            for text, part in items[begin:]:
                monitor.ask(persons.get(text, ()), label=json.dumps([str(day), *part]))
            monitor._last = json.dumps([str(day)])


def _plain(part: Any) -> Any:
    return part if isinstance(part, str | int) else plain_text(part)


def _day_and_item(label: str) -> tuple[Any, ...]:
    try:
        day, *item = json.loads(label)
        return date.fromisoformat(day), *item
    except (TypeError, ValueError):
        raise ParameterError(
            "the store has questions in it that were not asked by days; take another one"
        ) from None


def _day(value: Any) -> date:
    try:
        return date.fromisoformat(value if isinstance(value, str) else str(value))
    except ValueError:
        raise ParameterError("days must be two dates, such as 2024-01-31") from None


def _by_day(frame: Any, measure: Measure, days: list[date]) -> Iterator[tuple[date, Persons]]:
    """Yield each day with everyone who has an item on it; what is on no such day is dropped.

    All that an engine can fail at comes with the first day: it sorts the rows.
    """
    with discreetly():
        rows = _rows(frame, measure, days)
    held: dict[str, Persons] = {str(day): defaultdict(list) for day in days}
    newest, batch = "", None
    for day in days:
        while newest <= str(day):
            with discreetly():
                batch = next(rows, None)
            if batch is None:
                break
            for text, person in zip(*batch, strict=True):
                if text[:DAY] in held:
                    held[text[:DAY]][text.partition("/")[2]].append(_plain(person))
            newest = batch[0][-1][:DAY] if batch[0] else newest
        yield day, held.pop(str(day))


def _rows(frame: Any, measure: Measure, days: list[date]) -> Iterator[Rows]:
    """Return who has what on which day; that of DuckDB in the order of days, a part at a time."""
    pairs = pairs_of(_with_days(frame, measure.items[0], days), measure)
    low, high = str(days[0]), str(days[-1] + ONE_DAY)
    if pairs.implementation.is_duckdb():
        inside = pairs.to_native().filter(f"item >= '{low}' and item < '{high}'").order("item")
        reader = inside.to_arrow_reader(BATCH_ROWS)
        return ((one["item"].to_pylist(), one["person"].to_pylist()) for one in reader)
    if is_spark(pairs):
        pairs = pairs.filter(nw.col("item") >= low, nw.col("item") < high)
    here = pairs.collect()
    return iter([(values_of(here["item"]), values_of(here["person"]))])


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
    moment, ends = nw.col(name), (days[0], days[-1])
    low, high = (
        datetime.combine(day, at) for day, at in zip(ends, (time.min, time.max), strict=True)
    )
    near = nw.when((moment >= low) & (moment <= high)).then(moment)
    return table.with_columns(near.dt.to_string("%Y-%m-%d").alias(name)).to_native()


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
    delta_is_large: bool = False,
) -> Alarms:
    """Find which items more persons have on a day than the threshold: for ever, privately.

    Each person counts in so many alarms and is then left out, which nobody is told
    (:class:`overbar.Monitor`). Days are asked in order, and those that were asked before are not
    asked again: so the same call goes on tomorrow, at no cost.

    Parameters
    ----------
    frame : table
        As of :func:`overbar.frames.select`.
    item, person : str
        Columns, as there; several for an item make one of their combination.
    time : str
        The column that says on which day: dates, moments without a time zone, or text that begins
        with a day such as 2024-01-31.
    days : tuple of two dates or texts
        The first and the last day that are asked about: public, **not read off the data**.
    catalogue : sequence or column
        The public list of items, such as regions: all are asked about on every day.
    threshold : int, float, str, Fraction or Decimal
        How many persons it takes: the public level.
    epsilon, delta : int, float, str, Fraction or Decimal
        The privacy budget for all days there will ever be.
    hits_per_person : int
        In how many alarms one person counts.
    store : str or path, optional
        The file that remembers who was counted, and which days were asked. **It is as private as
        the data.** Without one nothing can go on tomorrow. It goes on with the same columns alone.
    persons : int, optional
        About how many persons there are in all, a public guess: says how worn the monitor is.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("visits")``. It pays once.
    delta_is_large : bool, default False
        Allows a `delta` above 0.01, which protects nobody with that chance.

    Returns
    -------
    Selection
        The labels are pairs of a day and an item, of all days from the first to the last, also of
        those that were asked before. `outlook` says what is to be expected.

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
    numbers = (threshold, epsilon, delta, hits_per_person)
    more = (store, persons, delta_is_large)
    question = WatchQuestion.of(item, person, time, days, catalogue, *numbers, *more)
    return question.run(frame, booking=booking)
