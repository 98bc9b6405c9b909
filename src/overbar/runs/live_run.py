"""What a live run is, one or many at once: begun in one process, paid for, ended, never shared."""

from __future__ import annotations

import threading
from abc import abstractmethod
from fractions import Fraction
from typing import Self

from overbar import _check
from overbar.errors import ParameterError
from overbar.ledger import Booking, Receipt
from overbar.ledger.reservation import Reservation
from overbar.mechanisms import Plan, ScorePlan, SparseVectorPlan
from overbar.mechanisms.way import USUAL_CROWD
from overbar.planning.plan_parameters import plan_of, refuse_beside_plan, those_given
from overbar.privacy import guarantee
from overbar.runs.exact import check_drawable
from overbar.runs.payment import end, hold
from overbar.runs.secrecy import FORKS, Unshareable, sealed


def plan_online(plan: Plan | None, **parameters: object) -> Plan:
    """Return the plan given, or a sparse vector plan for these parameters; None is nothing said."""
    wanted = those_given(**parameters)
    if plan is not None:
        refuse_beside_plan(wanted)
        return plan
    if "cutoff" in wanted:
        crowd = USUAL_CROWD * _check.whole("cutoff", wanted["cutoff"])
        wanted.setdefault("candidates", crowd)
    return plan_of(None, {**wanted, "mechanism": SparseVectorPlan.kind})


def checked_plan(plan: object) -> SparseVectorPlan:
    """Return a plan that can be run online; refuse others, before anything is paid or drawn."""
    if not isinstance(plan, Plan):
        raise ParameterError("plan must be a Plan; make one with overbar.plan")
    guarantee(plan)  # a plan that nothing is proved about is not run
    if plan.gives_counts or plan.groups is not None:
        raise ParameterError(
            "plan must be one without counts and groups: a run online gives one bit at a time. "
            "Use select or top"
        )
    if not isinstance(plan, SparseVectorPlan) or plan.items_per_person is not None:
        raise ParameterError(
            "plan must be one for questions asked one by one, of which a person may move all: "
            "make it with overbar.plan(mechanism='sparse-vector'), without items_per_person"
        )
    check_drawable(plan)
    return plan


def without_correction(plan: ScorePlan, level: object) -> Fraction | None:
    """Return the public threshold of a level in grid steps; None if there is not one for all."""
    return level * plan.grid - plan.correction if isinstance(level, int) else None


class LiveRun(Unshareable):
    """What one run, many and a monitor have in common: a plan that is paid for, in one process."""

    __slots__ = ("_cutoff", "_forks", "_lock", "_plan", "_receipt", "_reservation")

    _plan: ScorePlan

    def _begin(self, plan: ScorePlan, level: object, booking: Booking | None) -> None:
        """Have the plan paid for: on the disk before the first draw."""
        self._plan, self._cutoff = plan, plan.cutoff
        self._lock = threading.Lock()
        self._forks = FORKS.here()
        self._reservation: Reservation | None = None
        self._receipt: Receipt | None = None
        if booking is not None:
            self._reservation = hold(booking, plan, without_correction(plan, level))
            self._receipt = self._reservation.receipt

    @abstractmethod
    def _used(self) -> tuple[int, bool]:
        """Return how many positives were given, and whether anything was asked."""

    def _settle(self) -> None:
        """End the run, and tell the ledger what it has cost."""
        again, self._cutoff = self._cutoff == 0, 0  # whatever happens next, it answers no more
        if self._reservation is not None:
            positives, asked = self._used()
            self._receipt = end(self._reservation, positives=positives, asked=asked, again=again)
            self._reservation = None

    @sealed
    def close(self) -> None:
        """End the run; with a ledger, settle it. What one run did not use goes back."""
        FORKS.check(self._forks)
        with self._lock:
            self._settle()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._forks == FORKS.here():  # a forked child leaves the parent's run alone
            self.close()

    @property
    def receipt(self) -> Receipt | None:
        """What the ledger holds for this run; once settled, what the run has cost."""
        return self._receipt
