"""The ledger: reserve before the first draw, settle before the answer leaves."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from overbar import _check
from overbar._check import Number
from overbar.errors import LedgerError, ParameterError
from overbar.ledger.address import Address, is_address
from overbar.ledger.budget import budget_of
from overbar.ledger.charges import reserved
from overbar.ledger.continuity import Continuity
from overbar.ledger.description import Description, checked_name, checked_words
from overbar.ledger.endings import schedule_of
from overbar.ledger.fields import Neighbours
from overbar.ledger.postgres import PostgresStore
from overbar.ledger.reservation import Reservation, Stored, Tries
from overbar.ledger.row_events import Closed, Opened, Reserved, account_of, latest, record
from overbar.ledger.rows import Store
from overbar.ledger.store import FileStore
from overbar.ledger.values import Account, Receipt, Standing
from overbar.ledger.verification import verify_rows
from overbar.report import html_of

if TYPE_CHECKING:
    from overbar.ledger.booking import Booking


class Ledger:
    """Budgets in a file or a database. A crash, a retry or a colleague cannot overspend them.

    Parameters
    ----------
    path : str or path
        The file; it is made, readable by its owner alone, if it is not there. Or the address of a
        PostgreSQL database, ``"postgresql://USER@HOST/DATABASE"``, with ``?schema=NAME`` for
        another schema than "overbar"; the schema is made if it is not there.
    create : bool or None, default True
        Whether to make it. If not, a file that is missing or empty is refused and left alone; with
        None only when it is used.
    head : str, optional
        A head written down earlier: a ledger without it is refused before anything is drawn, and
        none is made. From its first use on an object remembers the last row itself.

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

    @_check.known_keywords
    def __init__(
        self, path: str | os.PathLike[str], *, create: bool | None = True, head: str | None = None
    ) -> None:
        if not isinstance(path, str | os.PathLike):
            raise ParameterError(f"path must be the name of a file, got {type(path).__name__}")
        self._store: Store
        if is_address(path):
            try:
                address = Address(path)
            finally:
                path = ""  # a traceback that shows variables must not show a password
            self._store = PostgresStore(address, create=bool(create) and head is None)
        else:
            self._store = FileStore(path, create=create and head is None)
        self._rows = Continuity(self._store, head)

    def __repr__(self) -> str:
        return f"Ledger({self._store.name!r})"

    _repr_html_ = html_of

    # Datasets -----------------------------------------------------------------------------------

    @_check.known_keywords
    def open(
        self,
        dataset: str,
        *,
        epsilon: Number,
        delta: Number = 0,
        additive: Number | None = None,
        note: str = "",
        neighbours: Neighbours = "person",
    ) -> None:
        """Give a dataset its budget, once and for all.

        Parameters
        ----------
        dataset : str
            A name. Two names are two budgets: about people who are in both, what is promised is
            their sum.
        epsilon : int, float, str, Fraction or Decimal
            What is promised about everything that is ever released from it.
        delta : int, float, str, Fraction or Decimal, default 0
            With 0 runs add up by their pure ε, and what a run does not use comes back. With a
            positive δ the first run settles how runs add up: as Gaussian noise does or by their
            Rényi divergences if it leaves room there, as small runs do, else by their ε and δ. So a
            first run may use up all of both.
        additive : int, float, str, Fraction or Decimal, optional
            Settles it now: the share of δ for costs that can only be added up, which are candidates
            read off the data and plans booked as a whole by their (ε, δ). The rest goes to the
            Rényi orders.
        note : str, default ""
            Anything worth remembering; it is public.
        neighbours : {"person", "row", "replaced-person", "replaced-row"}, default "person"
            By what two data sets differ of which it is promised: all rows of one person more, or
            one row more; or another in the place of one. What is stated for others is refused.

        Raises
        ------
        ParameterError
            If a number is wrong; the message says what to write instead.
        LedgerError
            If the dataset has a budget already.
        """
        name, words = checked_name("dataset", dataset), checked_words("note", note)
        budget = budget_of(epsilon, delta, additive, neighbours)
        with self._rows.writing() as rows:
            if rows.latest(name) is not None:
                raise LedgerError(
                    f"dataset {name!r} has a budget already, which is never changed; see it with "
                    "show, or take another name for other people's data"
                )
            record(rows, Opened, Standing(name, budget, budget.unspent, False), note=words)

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
        with self._rows.writing() as rows:
            last = latest(rows, name)
            if last.closed:
                raise LedgerError(f"dataset {name!r} is closed already")
            record(rows, Closed, replace(last.standing, is_closed=True))

    def datasets(self) -> tuple[str, ...]:
        """Return the names of all datasets, in the order they were opened.

        Returns
        -------
        tuple of str
            The names.
        """
        with self._rows.reading() as rows:
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
        with self._rows.reading() as rows:
            latest(rows, name)
            return account_of(rows.of(name))

    def standing(self, dataset: str) -> Standing:
        """Return where a dataset stands: budget and balance, without going through its runs.

        The parameters are those of :meth:`show`.

        Returns
        -------
        Standing
            What is granted, spent, held and left.
        """
        name = checked_name("dataset", dataset)
        with self._rows.reading() as rows:
            return latest(rows, name).standing

    def remaining(self, dataset: str) -> Fraction:
        """Return the largest pure ε that one more run may have; exact where the budget is pure.

        The parameters are those of :meth:`show`.

        Returns
        -------
        Fraction
            The ε.
        """
        return self.standing(dataset).remaining

    # Trust --------------------------------------------------------------------------------------

    @property
    def head(self) -> str:
        """The hash of the last row. Write it down elsewhere, and give it to :meth:`verify`."""
        with self._rows.reading() as rows:
            return rows.head()

    def verify(self, head: str | None = None) -> str:
        """Recompute every hash, balance and rule; return the head, or raise and say what is wrong.

        Parameters
        ----------
        head : str, optional
            A head written down earlier; it is told if an older copy or fewer rows are there since.

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
            newest = verify_rows(rows, head)
        with self._rows.reading():  # last, because what else is wrong says more
            return newest

    # Runs ---------------------------------------------------------------------------------------

    @_check.known_keywords
    def booking(
        self,
        dataset: str,
        *,
        request_id: str | None = None,
        purpose: str = "",
        neighbours: Neighbours | None = None,
    ) -> Booking:
        """Return what `booking=` of a release takes: that this ledger pays, and from what.

        Parameters
        ----------
        dataset : str
            The dataset whose budget pays.
        request_id : str, optional
            An id of your own. With the same question it gives the stored answer, at no cost.
        purpose : str, default ""
            What the answer is for; public.
        neighbours : {"person", "row", "replaced-person", "replaced-row"}, optional
            By what two data sets differ of which the sensitivity of your scores speaks. If nothing
            is said: as the dataset's, for scores; one person for tables; one row for features.

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

        return Booking(self, dataset, request_id, purpose, neighbours)

    @_check.known_keywords
    def reserve(
        self, dataset: str, description: Description, *, request_id: str | None = None
    ) -> Reservation | Stored:
        """Hold what a run may cost, on the disk, before anything is drawn for it.

        With a `request_id` that was answered before nothing is held, and that answer comes back.

        Parameters
        ----------
        dataset : str
            The dataset whose budget pays.
        description : Description
            What the run is, in public numbers.
        request_id : str, optional
            An id of your own. With the same question it gives the stored answer, at no cost.

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
        with self._rows.writing() as rows:
            last = latest(rows, name)
            run = description.on(last.budget.neighbours)
            tries = None if key is None else Tries(rows, name, key)
            if tries is not None:
                tries.check_same(run)
                stored = tries.answer(last.standing)
                if stored is not None:
                    return stored
            if last.closed:
                raise LedgerError(f"dataset {name!r} is closed: nothing more is spent on it")
            after, form, charge = reserved(last.standing, run.plan, run.additive_delta)
            schedule = schedule_of(run.plan, form, charge, after.budget)
            unfinished = 0 if tries is None else tries.unfinished
            row = record(
                rows,
                Reserved,
                after,
                request=key,
                description=run,
                form=form,
                charge=charge,
                schedule=schedule,
                unfinished=unfinished,
            )
        receipt = Receipt(
            *(name, key, row.number, None, False, unfinished, row.hash, row.time, after)
        )
        return Reservation(self, run.plan, form, charge, schedule, receipt)

    # Places -------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Where the ledger is: its file, or its address without the password."""
        return self._store.name
