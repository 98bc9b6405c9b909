"""A monitor: alarms for ever, and a limit for each person instead of a cutoff for the run.

No failure tells an answer. An alarm is out only after the hits of everyone whom it counted are on
the disk. Where they cannot be written the answer is negative, for all data alike; what says that
the disk has failed is a small write that is made by the clock, whatever the answers were.

Theory: :doc:`/theory/monitor`.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from overbar import _check
from overbar._check import Number
from overbar.errors import HaltedError, LedgerError, ParameterError
from overbar.ledger import Booking
from overbar.ledger.booking import checked_booking
from overbar.mechanisms import MonitorPlan, Plan
from overbar.mechanisms.monitor import charges_of
from overbar.mechanisms.wear import Outlook, outlook
from overbar.privacy import guarantee
from overbar.runs.hidden_bar import raise_bar
from overbar.runs.hits import Counted, Hits, read_persons, read_weights
from overbar.runs.live_run import LiveRun, without_correction
from overbar.runs.payment import check_paid, pay_for_good
from overbar.runs.person_store import PersonStore
from overbar.runs.scores import Ruler
from overbar.runs.secrecy import FORKS, sealed
from overbar.sampling.entropy import system

MAKE_IT = "make it with overbar.plan(epsilon=..., delta=..., hits_per_person=...)"
#: Whether the store can be written is tried no more often than this, in seconds.
BETWEEN_TRIES = 1.0


class Monitor(LiveRun):
    """Answers whether sets of persons are above the threshold, without end.

    Everyone counts in so many alarms and is then left out of all that follows. Nobody is told who:
    not by an answer, an error or a number. So there is no limit on questions or alarms.

    Parameters
    ----------
    plan : Plan, optional
        The public numbers, made by ``overbar.plan`` with ``hits_per_person``. Its ε and δ are for
        ever. A store that is there already brings its own: then it may be left out.
    threshold : int, float, str, Fraction or Decimal, optional
        The public level that persons are compared with; may be given with each question instead.
    store : str or path, optional
        The file that remembers who was counted. **It is as private as the data.** Whoever opens it
        again goes on; an older copy must never be put back. Without a store the hits are lost when
        the process ends, and so is the monitor.
    known_alarms : int, optional
        How many alarms your own records hold. A store that knows fewer is an older copy: refused.
    booking : Booking, optional
        Which dataset of a ledger pays: ``ledger.booking("visits")``. It pays once, for the whole
        monitor, when the store is made; nothing goes back.

    See Also
    --------
    overbar.SparseVector : A run with a cutoff, over numbers.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, delta="1e-6", hits_per_person=5)
    >>> watch = Monitor(plan, threshold=100)
    >>> watch.ask(range(1_000)), watch.ask(["ann", "bob"])
    (True, False)
    >>> watch
    Monitor: 2 asked, 1 alarm given, each person counts in at most 5 alarms

    It is safe with threads. It cannot be pickled, copied, or used in a forked process.
    """

    __slots__ = (
        *("_alarms", "_asked", "_bar", "_closed", "_first", "_hits", "_is_new", "_labels", "_last"),
        *("_level", "_ruler", "_store", "_tried", "_unwritten"),
    )

    _plan: MonitorPlan

    @sealed
    def __init__(
        self,
        plan: Plan | None = None,
        *,
        threshold: Number | None = None,
        store: str | os.PathLike[str] | None = None,
        known_alarms: int | None = None,
        booking: Booking | None = None,
    ) -> None:
        if store is not None and not isinstance(store, PersonStore):
            store = PersonStore(store)
        self._store = store
        if plan is None and not (self._store and self._store.path.exists()):
            raise ParameterError(f"plan must be given, but for a store that is there: {MAKE_IT}")
        known = _check.whole("known_alarms", known_alarms or 0, lowest=0)
        self._closed, self._asked, self._alarms = False, 0, 0
        self._is_new = True
        self._labels: list[str] = []
        #: What the first question with a label was called, and the last.
        self._first = self._last = ""
        #: An alarm that is not counted yet, or not on the disk: the hits, what it is called, its
        #: number, and its place among the labels.
        self._unwritten: tuple[dict[str, int], str, int, int] | None = None
        used = self._opened(plan, threshold, checked_booking(booking))
        if self._alarms < known:
            raise LedgerError(
                f"the store knows of {self._alarms:,} alarms and you of {known:,}: it is an older "
                "copy, which has forgotten hits. Bring back the newest one, or begin a new "
                "monitor, which is paid for anew"
            )
        reach = self._plan.reach
        self._ruler = Ruler.of(self._plan.grid, (reach.low, reach.high))
        self._hits = Hits(charges_of(self._plan), self._ruler.one(1), used)
        self._bar = raise_bar(self._plan, system)
        self._tried = time.monotonic()

    def _opened(
        self, plan: Plan | None, threshold: Number | None, booking: Booking | None
    ) -> dict[str, int]:
        """Open the store, or make it, and have the ledger pay unless it has; return the hits."""
        new, used, identity, paid = dict[str, str](), dict[str, int](), "", list[str]()
        own = None if plan is None else _checked(plan)
        if self._store is not None:
            if own is not None:
                new = {"plan": own.to_json(), "id": secrets.token_hex(16)}
                new |= {"asked": "0", "alarms": "0", "paid": "due" if booking else ""}
            about, used, self._labels = self._store.take(new)
            try:
                own = _checked(Plan.from_json(about["plan"]))
                self._asked, self._alarms = int(about["asked"]), int(about["alarms"])
                paid, identity = about["paid"].split(), about["id"]
                self._is_new = identity == new.get("id")
                self._first, self._last = about.get("first", ""), about.get("last", "")
            except (KeyError, ValueError):
                raise self._store.trouble() from None
        assert own is not None
        self._level = None if threshold is None else own.level(threshold)
        self._begin(own, self._level, None)  # it is paid for once, and not held
        if len(paid) == 3 and booking is not None:
            check_paid(booking, bytes.fromhex(paid[0]).decode(), int(paid[1]), paid[2])
        elif booking is not None:
            receipt = self._receipt = pay_for_good(booking, own, self._at, identity)
            row = f"{receipt.dataset.encode().hex()} {receipt.number} {receipt.head}"
            if self._store is not None:
                self._store.write({"paid": row}, {})
        elif paid == ["due"]:
            raise LedgerError("the store was made, but not paid for: open it with its booking")
        return used

    def _used(self) -> tuple[int, bool]:
        return self._alarms, self._asked > 0

    @property
    def _at(self) -> Fraction | None:
        return without_correction(self._plan, self._level)

    @sealed
    def ask(
        self,
        ids: Iterable[object] | Mapping[Any, Any],
        threshold: Number | None = None,
        *,
        label: str = "",
    ) -> bool:
        """Answer whether there are more persons than the threshold, with noise.

        Whether a person is among them may depend on their own rows and on answers given before, and
        on nobody else.

        Parameters
        ----------
        ids : iterable or mapping
            Who is counted: whole numbers, text or bytes. Everyone counts once, however often they
            are named; an id that is missing, or no store can hold, is nobody. Or a mapping from ids
            to weights: those outside of what the plan allows are clamped, missing ones are zero.
        threshold : int, float, str, Fraction or Decimal, optional
            The public level, instead of the monitor's own.
        label : str, optional
            What the question is called, in public. The store remembers the labels of alarms, so
            that none is lost with a process: see `labels`.

        Returns
        -------
        bool
            The answer; it is public.

        Raises
        ------
        ParameterError
            If it is not about ids, or weights are given to a plan that counts persons.
        LedgerError
            If the store is another's or cannot be written, whatever the answer would have been.
        """
        level = self._level if threshold is None else self._plan.level(threshold)
        if level is None:
            raise ParameterError("threshold must be given, here or when the monitor is made")
        if not isinstance(label, str) or not label.isprintable():
            raise ParameterError("label must be text that can be printed, such as a day")
        counted = self._weights(ids) if isinstance(ids, Mapping) else read_persons(ids)
        FORKS.check(self._forks)  # before waiting for a lock that the parent may hold
        with self._lock:
            self._check_store()
            self._asked += 1
            answer = (
                self._written()
                and self._bar.passes(self._hits.total(counted), level)
                and self._write_down(counted, label)
            )
            self._first, self._last = self._first or label, label or self._last
        FORKS.check(self._forks)  # a signal may have forked on the way
        return answer

    def _weights(self, weights: Mapping[Any, Any]) -> dict[str, int]:
        if self._plan.counts_persons:
            raise ParameterError(
                "this plan counts persons and knows no weights: give ids alone, or make the plan "
                "with weights=True"
            )
        return read_weights(weights, self._ruler)

    def _write_down(self, counted: Counted, label: str) -> bool:
        """Count an alarm, here and then on the disk; False if it cannot be given."""
        try:
            after = self._hits.after(counted)
            # An interrupt from here on leaves all of it to the next question.
            self._unwritten = after, label, self._alarms + 1, len(self._labels)
        except MemoryError:
            return False
        return self._written()

    def _written(self) -> bool:
        """Count the alarm that is not counted or not on the disk yet; False if that fails.

        Quietly: an error would tell that there was an alarm. Until it is done nothing is drawn, so
        no answer depends on hits that a crash would forget. Every part may be done twice: an
        interrupt may come before the last is done, and then all are done again.
        """
        if self._unwritten is None:
            return True
        after, label, number, place = self._unwritten
        try:
            self._hits.charge(after)
            if self._store is not None:
                about = {"alarms": str(number), **self._progress(label)}
                self._store.write(about, after, (number, label))
            self._labels[place:] = [label] if label else []
        except Exception:  # whatever it is, it would tell
            return False
        self._alarms = number
        self._unwritten = None
        return True

    def _progress(self, label: str = "") -> dict[str, str]:
        """Return how far it has come, where a question of this label was the last."""
        first, last = self._first or label, label or self._last
        return {"asked": str(self._asked), "first": first, "last": last}

    def _check_store(self) -> None:
        """Refuse to answer if the store is another's, or cannot be written any more.

        What decides is the clock and the file. So it comes before the draw, and says nothing of it.
        """
        if self._closed:
            raise HaltedError("the monitor was closed; open its store again to go on")
        if self._store is None:
            return
        now = time.monotonic()
        if now - self._tried < BETWEEN_TRIES:
            self._store.check()
            return
        try:
            self._store.check_room()
            self._store.write(self._progress(), {})
        except LedgerError as error:
            raise LedgerError(
                f"{error}. Alarms of the last {now - self._tried:.0f} seconds may be missing; ask "
                "again once the store can be written"
            ) from None
        self._tried = now

    @sealed
    def close(self) -> None:
        """End this use of the store; whoever opens it again goes on."""
        FORKS.check(self._forks)
        with self._lock:
            if not self._closed:
                self._tried -= BETWEEN_TRIES
                self._check_store()
                self._written()
            self._closed = True

    receipt = LiveRun.receipt  # in the reference of this class too

    @property
    def plan(self) -> MonitorPlan:
        """The public numbers of the monitor."""
        return self._plan

    @property
    def is_new(self) -> bool:
        """Whether it begins anew, and knows of no hits: its store was made now, or it has none."""
        return self._is_new

    @property
    def asked(self) -> int:
        """How many questions were asked, since the store was made; after a crash about so many."""
        return self._asked

    @property
    def alarms(self) -> int:
        """How many alarms were given, since the store was made; a crash may add one."""
        return self._alarms

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of alarms since the store was made: of those that were asked with one.

        One whose answer was lost with its process is among them.
        """
        return tuple(self._labels)

    def outlook(self, persons: int | None = None) -> Outlook:
        """Say what an alarm takes, and how worn the monitor is, from public numbers alone.

        Parameters
        ----------
        persons : int, optional
            About how many persons there are in all: a public guess.

        Returns
        -------
        Outlook
            Numbers, and as text a few sentences.
        """
        return outlook(self._plan, self._at, self._alarms, persons)

    def __repr__(self) -> str:
        alarms = f"{self._alarms:,} alarm{'s' * (self._alarms != 1)} given"
        state = ", closed" * self._closed
        return f"Monitor: {self._asked:,} asked, {alarms}, {self._plan.limit_text}{state}"


def _checked(plan: object) -> MonitorPlan:
    if not isinstance(plan, MonitorPlan):
        raise ParameterError(f"plan must be one for a monitor: {MAKE_IT}")
    guarantee(plan)  # a plan that nothing is proved about is not run
    return plan
