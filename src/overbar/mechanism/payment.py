"""Paying from a ledger: held before the first draw, settled before the answer leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from overbar.accounting import spent
from overbar.errors import LedgerError, ParameterError
from overbar.ledger import Booking, Description, Reservation, Stored
from overbar.ledger.answers import StoredAnswer, check_storable, fitting
from overbar.mechanism.batch_run import BatchRun
from overbar.mechanism.counting import Count
from overbar.mechanism.positives import Batch
from overbar.mechanism.selection import Selection
from overbar.plans import Plan


def booked_release(
    booking: Booking,
    contest: BatchRun,
    batches: Iterable[Batch],
    unlisted_delta: float | None,
    run: Callable[[Iterable[Batch]], Selection],
) -> Selection:
    """Reserve, run, settle, and only then return the answer."""
    plan = contest.plan
    batches = contest.checked(batches)
    public = unlisted_delta is None and plan.keys is None
    if booking.request_id is not None and public:  # the labels are
        batches = _storable(batches)
    description = Description(
        kind="batch",
        plan=plan,
        threshold=_threshold(plan, contest.level),
        order=contest.order,
        purpose=booking.purpose,
        unlisted_delta=Fraction(unlisted_delta or 0),
        question=booking.question,
        neighbours=booking.neighbours,
    )
    opened = booking.ledger.reserve(booking.dataset, description, request_id=booking.request_id)
    if isinstance(opened, Stored):
        return _rebuilt(opened, contest, unlisted_delta)
    found = run(batches)
    return _settled(opened, found, contest, unlisted_delta)


def reserve_run(booking: Booking, plan: Plan, level: int | None) -> Reservation:
    """Hold the whole of an online run's plan."""
    if booking.request_id is not None:
        raise ParameterError(
            "booking must have no request_id for a SparseVector: its answers go out one by one, "
            "and a second run is a second run; write booking=ledger.booking(dataset, purpose=...)"
        )
    description = Description(
        kind="online",
        plan=plan,
        threshold=_threshold(plan, level),
        purpose=booking.purpose,
        neighbours=booking.neighbours,
    )
    opened = booking.ledger.reserve(booking.dataset, description)
    assert isinstance(opened, Reservation)  # only a request can be answered already
    return opened


def _threshold(plan: Plan, level: int | None) -> Fraction | None:
    return None if level is None else level * plan.grid - plan.correction


def _storable(batches: Iterable[Batch]) -> Iterable[Batch]:
    """Refuse labels that a retry could not give back: all at once for a list, else on the way."""
    if isinstance(batches, list):
        for batch in batches:
            check_storable(batch.labels)
        return batches
    return _checked(batches)


def _checked(batches: Iterable[Batch]) -> Iterator[Batch]:
    for batch in batches:
        check_storable(batch.labels)
        yield batch


def _settled(
    reservation: Reservation, found: Selection, contest: BatchRun, unlisted_delta: float | None
) -> Selection:
    asked = found.spent != 0
    answer = None
    if reservation.receipt.request_id is not None:
        answer = StoredAnswer.of(found.labels, found.indices, asked=asked, counts=found.counts)
    settled = reservation.settle(positives=len(found), asked=asked, answer=answer)
    if settled.receipt.repeated:  # another run of this request was settled first
        return _rebuilt(settled, contest, unlisted_delta)
    return replace(found, receipt=settled.receipt)


def _rebuilt(stored: Stored, contest: BatchRun, unlisted_delta: float | None) -> Selection:
    """Return the selection that was stored."""
    answer = fitting(stored.answer, contest.plan)
    if answer.given is None:
        raise LedgerError(
            f"request {stored.receipt.request_id!r} was answered, but its labels have a form that "
            "cannot be stored; make the labels text and take a new request id, which is paid anew"
        )
    return Selection(
        indices=answer.indices,
        labels=answer.given,
        plan=contest.plan,
        spent=spent(contest.plan, len(answer.given)) if answer.asked else Fraction(0),
        unlisted_delta=unlisted_delta or 0.0,
        counts=None if answer.counts is None else tuple(Count(*one) for one in answer.counts),
        receipt=stored.receipt,
    )
