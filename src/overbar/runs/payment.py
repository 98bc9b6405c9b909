"""Paying from a ledger: held before the first draw, settled before the answer leaves.

This is the one file outside the ledger that reserves and settles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from overbar.errors import LedgerError, ParameterError
from overbar.ledger import Booking, Receipt
from overbar.ledger.answers import StoredAnswer, check_storable, fitting
from overbar.ledger.description import Description
from overbar.ledger.reservation import Reservation, Stored
from overbar.mechanisms import Plan
from overbar.privacy import spent
from overbar.runs.counting import Count, Rest
from overbar.runs.positives import Batch
from overbar.runs.secrecy import FORKS
from overbar.runs.selection import Selection


def paid(booking: Booking | None, run: Description, draw: Callable[[], Selection]) -> Selection:
    """Hold what a run may cost, draw it, settle, and only then return the answer.

    A request that was answered before gets that answer, and nothing is drawn. Without a booking
    nothing is paid. Whoever hands out the data may fork on the way: a child is refused.
    """
    forks = FORKS.here()
    if booking is None:
        selection = draw()
        FORKS.check(forks)
        return selection
    held = _held(booking, run)
    if isinstance(held, Stored):
        return _rebuilt(held, run)
    selection = draw()
    FORKS.check(forks)
    has_asked, answer = selection.spent != 0, None
    if booking.request_id is not None:
        answer = StoredAnswer.of(
            selection.labels,
            selection.indices,
            asked=has_asked,
            counts=selection.counts,
            rest=selection.rest,
        )
    settled = held.settle(positives=len(selection), asked=has_asked, answer=answer)
    if settled.receipt.repeated:  # another run of this request was settled first
        return _rebuilt(settled, run)
    return replace(selection, receipt=settled.receipt)


def hold(booking: Booking, plan: Plan, threshold: Fraction | None) -> Reservation:
    """Hold the whole of an online run's plan."""
    if booking.request_id is not None:
        raise ParameterError(
            "booking must have no request_id for a SparseVector or a Monitor: its answers go out "
            "one by one, and a second run is a second run; write booking=ledger.booking(dataset, "
            "purpose=...)"
        )
    held = _held(booking, Description(kind="online", plan=plan, threshold=threshold))
    assert isinstance(held, Reservation)  # only a request can be answered already
    return held


def pay_for_good(booking: Booking, plan: Plan, threshold: Fraction | None, store: str) -> Receipt:
    """Have the ledger pay for a monitor, all of it and at once; nothing of it ever goes back."""
    by_person = booking.about(neighbours="person")  # nothing is proved for one who is replaced
    held = hold(replace(by_person, question=store), plan, threshold)
    held.settle(positives=0, asked=True)
    return held.receipt


def check_paid(booking: Booking, dataset: str, number: int, head: str) -> None:
    """Refuse a ledger that has not paid for a monitor: another one, or an older copy of it."""
    if booking.dataset != dataset:
        raise LedgerError(f"this store was paid for by dataset {dataset!r}; book it there")
    with booking.ledger._rows.reading() as rows:
        rows.at((number, head))


def end(held: Reservation, *, positives: int, asked: bool, again: bool) -> Receipt:
    """Settle an online run. A first try that was interrupted may have reached the disk."""
    receipt = held.settled() if again else None
    return receipt or held.settle(positives=positives, asked=asked).receipt


def _held(booking: Booking, run: Description) -> Reservation | Stored:
    description = replace(
        run, purpose=booking.purpose, question=booking.question, neighbours=booking.neighbours
    )
    return booking.ledger.reserve(booking.dataset, description, request_id=booking.request_id)


def _rebuilt(stored: Stored, run: Description) -> Selection:
    """Return the selection that was stored."""
    plan = run.plan
    assert isinstance(plan, Plan)  # another mechanism has no answer here
    answer = fitting(stored.answer, plan)
    if answer.given is None:
        raise LedgerError(
            f"request {stored.receipt.request_id!r} was answered, but its labels have a form that "
            "cannot be stored; make the labels text and take a new request id, which is paid anew"
        )
    return Selection(
        indices=answer.indices,
        labels=answer.given,
        plan=plan,
        spent=spent(plan, len(answer.given)) if answer.asked else Fraction(0),
        unlisted_delta=float(run.unlisted_delta),
        counts=None if answer.counts is None else tuple(Count(*each) for each in answer.counts),
        rest=None if answer.rest is None else Rest(*(Count(*each) for each in answer.rest)),
        receipt=stored.receipt,
    )


def storable(batches: Iterable[Batch]) -> Iterable[Batch]:
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
