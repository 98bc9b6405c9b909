"""The ledger: reserve before the first draw, settle before the answer leaves."""

from __future__ import annotations

import datetime
import os
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from overbar._check import Number
from overbar.errors import LedgerError, ParameterError
from overbar.ledger.answers import check_answer
from overbar.ledger.budget import Balance, Charge
from overbar.ledger.chain import Row
from overbar.ledger.charges import charge_of, cost_of, settled_for
from overbar.ledger.description import Description
from overbar.ledger.fields import field, flag, mapping, whole
from overbar.ledger.history import State, account_of, open_tries, state_of
from overbar.ledger.names import checked_name, checked_words
from overbar.ledger.orders import budget_of
from overbar.ledger.reservation import Reservation, Stored
from overbar.ledger.rows import Rows
from overbar.ledger.store import Store
from overbar.ledger.values import Account, Receipt
from overbar.ledger.verification import verify_rows

if TYPE_CHECKING:
    from overbar.ledger.booking import Booking


class Ledger:
    """Budgets in a file. A crash, a retry or a colleague cannot overspend them.

    Parameters
    ----------
    path : str or path
        The file; it is made, readable by its owner alone, if it is not there.
    create : bool, default True
        Whether to make it. If not, a file that is missing or empty is refused and left alone.

    Examples
    --------
    >>> import overbar, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger(folder.name + "/budgets.db")
    >>> ledger.open("baskets", epsilon=1)
    >>> counts = {"tea": 9_000, "rum": 2}
    >>> found = overbar.select(
    ...     counts, threshold=500, cutoff=1, epsilon="0.4", booking=ledger.booking("baskets")
    ... )
    >>> ledger.remaining("baskets")
    Fraction(3, 5)
    >>> ledger.verify() == ledger.head
    True
    >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        if not isinstance(path, str | os.PathLike):
            raise ParameterError(f"path must be the name of a file, got {type(path).__name__}")
        self._store = Store(path, create=create)

    def __repr__(self) -> str:
        return f"Ledger({str(self._store.path)!r})"

    # Datasets -----------------------------------------------------------------------------------

    def open(
        self,
        dataset: str,
        *,
        epsilon: Number,
        delta: Number = 0,
        additive: Number | None = None,
        note: str = "",
    ) -> None:
        """Give a dataset its budget, once and for all.

        Parameters
        ----------
        dataset : str
            A name. Two names are two budgets: about people who are in both, what is promised is
            their sum.
        epsilon, delta : int, float, str, Fraction or Decimal
            What is promised about everything that is ever released from it. With ``delta=0`` runs
            add up by their pure ε, and what a run does not use comes back. With a positive δ the
            first run settles how runs add up: by their Rényi divergences if it leaves room there,
            as small runs do, else by their ε and δ. So a first run may use up all of both.
        additive : int, float, str, Fraction or Decimal, optional
            Settles it now: the share of δ for costs that can only be added up, which are candidates
            read off the data and plans booked as a whole by their (ε, δ). The rest goes to the
            Rényi orders.
        note : str, default ""
            Anything worth remembering; it is public.

        Raises
        ------
        LedgerError
            If the dataset has a budget already.
        """
        name, words = checked_name("dataset", dataset), checked_words("note", note)
        budget = budget_of(epsilon, delta, additive)
        with self._store.writing() as rows:
            if rows.latest(name) is not None:
                raise LedgerError(
                    f"dataset {name!r} has a budget already, which is never changed; see it with "
                    "show, or take another name for other people's data"
                )
            state = State(budget, Balance(budget.nothing, budget.nothing), closed=False)
            fields = {"kind": "opened", "dataset": name, "time": _now(), "note": words}
            rows.append(fields | state.to_fields())

    def close(self, dataset: str) -> None:
        """End all spending on a dataset. Its history stays, and stored answers are still given.

        Parameters
        ----------
        dataset : str
            Its name.

        Raises
        ------
        LedgerError
            If it is closed already, or not there.
        """
        name = checked_name("dataset", dataset)
        with self._store.writing() as rows:
            state = self._state(rows, name)
            if state.closed:
                raise LedgerError(f"dataset {name!r} is closed already")
            fields = {"kind": "closed", "dataset": name, "time": _now()}
            rows.append(fields | replace(state, closed=True).to_fields())

    def datasets(self) -> tuple[str, ...]:
        """Return the names of all datasets, in the order they were opened.

        Returns
        -------
        tuple of str
            The names.
        """
        with self._store.reading() as rows:
            return tuple(rows.datasets())

    def show(self, dataset: str) -> Account:
        """Return everything about a dataset: budget, balance and every run.

        Parameters
        ----------
        dataset : str
            Its name.

        Returns
        -------
        Account
            What is granted, spent, held and left, and an entry for each run.
        """
        name = checked_name("dataset", dataset)
        with self._store.reading() as rows:
            self._state(rows, name)
            return account_of(name, rows.of(name))

    def remaining(self, dataset: str) -> Fraction:
        """Return the largest pure ε that one more run may have; exact where δ = 0.

        Parameters
        ----------
        dataset : str
            Its name.

        Returns
        -------
        Fraction
            The ε.
        """
        name = checked_name("dataset", dataset)
        with self._store.reading() as rows:
            return self._state(rows, name).remaining

    # Trust --------------------------------------------------------------------------------------

    @property
    def head(self) -> str:
        """The hash of the last row. Write it down elsewhere, and give it to :meth:`verify`."""
        with self._store.reading() as rows:
            return rows.head()

    def verify(self, head: str | None = None) -> str:
        """Recompute every hash, balance and rule; return the head, or raise and say what is wrong.

        Parameters
        ----------
        head : str, optional
            A head written down earlier. If the ledger was since replaced by an older copy, or its
            last rows were taken away, it does not occur in it and this is told.

        Returns
        -------
        str
            The head of today.

        Raises
        ------
        LedgerError
            If anything in the file is not as it was written.
        """
        if head is not None and not isinstance(head, str):
            raise ParameterError(f"head must be text, got {type(head).__name__}")
        with self._store.reading() as rows:
            return verify_rows(rows, head)

    # Runs ---------------------------------------------------------------------------------------

    def booking(self, dataset: str, *, request_id: str | None = None, purpose: str = "") -> Booking:
        """Return what `booking=` of a release takes: that this ledger pays, and from what.

        Parameters
        ----------
        dataset : str
            The dataset whose budget pays.
        request_id : str, optional
            An id of your own. The same id and the same question again give the stored answer
            again and cost nothing.
        purpose : str, default ""
            What the answer is for; public.

        Returns
        -------
        Booking
            A value; nothing is held yet.

        Raises
        ------
        ParameterError
            If a name is not one.
        """
        from overbar.ledger.booking import Booking

        return Booking(self, dataset, request_id, purpose)

    def reserve(
        self, dataset: str, description: Description, *, request_id: str | None = None
    ) -> Reservation | Stored:
        """Hold what a run may cost, on the disk, before anything is drawn for it.

        With a `request_id` that was answered before, nothing is held and the stored answer comes
        back. An earlier try that was never settled stays paid for, and this one is paid for anew.

        Parameters
        ----------
        dataset : str
            The dataset whose budget pays.
        description : Description
            What the run is, in public numbers.
        request_id : str, optional
            An id chosen by the caller.

        Returns
        -------
        Reservation or Stored
            What is held until it is settled, or the stored answer.

        Raises
        ------
        LedgerError
            If the ledger cannot pay, or the id belongs to another question.
        """
        name = checked_name("dataset", dataset)
        key = None if request_id is None else checked_name("request_id", request_id)
        checked_words("purpose", description.purpose)
        with self._store.writing() as rows:
            state = self._state(rows, name)
            if key is not None:
                self._same_run(rows, name, key, description)
                stored = self._answered(rows, name, key)
                if stored is not None:
                    return stored
            if state.closed:
                raise LedgerError(f"dataset {name!r} is closed: nothing more is spent on it")
            unfinished = 0 if key is None else open_tries(rows, name, key)
            plan, unlisted = description.plan, description.unlisted_delta
            budget, balance = settled_for(plan, state.budget, unlisted), state.balance
            if not state.budget.settled:  # nothing was reserved before
                balance = Balance(budget.nothing, budget.nothing)
            form, charge = charge_of(plan, budget, balance, unlisted)
            row = rows.append(
                {
                    "kind": "reserved",
                    "dataset": name,
                    "time": _now(),
                    "request": key,
                    "description": description.to_fields(),
                    "form": form,
                    "charge": charge.to_fields(),
                    "unfinished": unfinished,
                    **State(budget, balance.reserve(charge), closed=False).to_fields(),
                }
            )
        receipt = Receipt(name, key, row.number, None, False, unfinished, row.hash)
        return Reservation(self, description.plan, form, charge, receipt)

    def _settled(self, reservation: Reservation) -> Receipt | None:
        """Return what a run was settled at; None if it was not."""
        receipt = reservation.receipt
        with self._store.reading() as rows:
            row = self._settlement(rows, receipt)
        if row is None:
            return None
        cost = Charge.from_fields(mapping(row.fields, "cost"))
        return replace(receipt, cost=cost, head=row.hash)

    def _settle(self, reservation: Reservation, positives: int, asked: bool, answer: Any) -> Stored:
        """Write what a run has cost and, for a request, what it answered."""
        receipt = reservation.receipt
        with self._store.writing() as rows:
            if self._settlement(rows, receipt) is not None:
                raise LedgerError("this run is settled already")
            state = self._state(rows, receipt.dataset)
            key = receipt.request_id
            first = None if key is None else self._answered(rows, receipt.dataset, key)
            cost = reservation.charge
            if first is None:  # an answer that is thrown away must not show in its cost
                if key is not None:
                    check_answer(answer, reservation.plan.cutoff, positives, asked)
                cost = cost_of(reservation.plan, reservation.form, cost, positives, asked)
            row = rows.append(
                {
                    "kind": "settled",
                    "dataset": receipt.dataset,
                    "time": _now(),
                    "run": receipt.number,
                    "request": key,
                    "cost": cost.to_fields(),
                    "answer": answer if key is not None and first is None else None,
                    "superseded": first is not None,
                    **replace(
                        state, balance=state.balance.settle(reservation.charge, cost)
                    ).to_fields(),
                }
            )
        if first is not None:
            return first
        paid = replace(receipt, cost=cost, head=row.hash)
        return Stored(answer, paid)

    def _settlement(self, rows: Rows, receipt: Receipt) -> Row | None:
        """Return the row that settled a run; refuse a ledger that has not reserved it.

        It goes back through all rows since the reservation.
        """
        found = None
        for row in rows.backwards():
            if row.number <= receipt.number:
                if row.hash == receipt.head:
                    return found
                break
            if row.belongs_to(receipt.dataset) and row.says(kind="settled", run=receipt.number):
                found = row
        raise LedgerError(
            "the reservation of this run is not in the ledger any more: an older copy was "
            "put back. Its answer is not given out; bring back the newer ledger"
        )

    def _state(self, rows: Rows, dataset: str) -> State:
        found = state_of(rows, dataset)
        if found is None:
            known = ", ".join(repr(name) for name in rows.datasets()) or "none"
            raise LedgerError(
                f"dataset {dataset!r} is not in this ledger (it has: {known}); give it a budget "
                "with open"
            )
        return found

    def _same_run(self, rows: Rows, dataset: str, request: str, wanted: Description) -> None:
        for row in rows.requests(dataset, request, "reserved"):
            known, asked = mapping(row.fields, "description"), wanted.to_fields()
            if known != asked:
                other = ", ".join(sorted(name for name in asked if asked[name] != known.get(name)))
                raise LedgerError(
                    f"request {request!r} was made before with another {other}; take a new "
                    "request id for a new question"
                )

    def _answered(self, rows: Rows, dataset: str, request: str) -> Stored | None:
        for row in rows.requests(dataset, request, "settled"):
            fields = row.fields
            if not flag(fields, "superseded"):
                receipt = Receipt(
                    dataset,
                    request,
                    whole(fields, "run"),
                    Charge.from_fields(mapping(fields, "cost")),
                    True,
                    open_tries(rows, dataset, request),
                    rows.head(),
                )
                return Stored(field(fields, "answer"), receipt)
        return None


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
