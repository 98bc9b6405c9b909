"""A booking: which dataset of which ledger pays, for a release or for another mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from overbar._check import Number
from overbar.errors import LedgerError, ParameterError
from overbar.ledger.description import Description, checked_name, checked_words, digest_of
from overbar.ledger.ledger import Ledger
from overbar.ledger.reservation import Stored
from overbar.ledger.stated_cost import StatedCost
from overbar.ledger.values import Receipt


@dataclass(frozen=True)
class Booking:
    """Where a release is paid for: made by ``ledger.booking("sales")``.

    Parameters
    ----------
    ledger : Ledger
        The ledger that pays.
    dataset : str
        The dataset in it whose budget pays.
    request_id : str, optional
        An id chosen by the caller. The same id again gives the same answer again, at no cost.
    purpose : str, default ""
        What the release is for; public.
    question : str, default ""
        A digest of what is public about the question beside its plan (:meth:`about`).

    Examples
    --------
    >>> import overbar, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = overbar.Ledger(folder.name + "/budgets.db")
    >>> ledger.booking("sales", request_id="monday").request_id
    'monday'
    >>> folder.cleanup()
    """

    ledger: Ledger
    dataset: str
    request_id: str | None = None
    purpose: str = ""
    question: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.ledger, Ledger):
            raise ParameterError(
                f"ledger must be a Ledger, got {type(self.ledger).__name__}; "
                "write Ledger(path).booking('sales')"
            )
        checked_name("dataset", self.dataset)
        if self.request_id is not None:
            checked_name("request_id", self.request_id)
        checked_words("purpose", self.purpose)

    def about(self, public: Iterable[object]) -> Booking:
        """Return the booking of a question with these public parts; only a request needs them.

        Without them an id that is used again, for other candidates, would get an answer about
        the first ones. What it was about already still counts.

        Parameters
        ----------
        public : iterable
            Public values that JSON can write.

        Returns
        -------
        Booking
            The same with a `question`, if it has a `request_id`.
        """
        if self.request_id is None:
            return self
        before = [self.question] if self.question else []
        return replace(self, question=digest_of([*before, *public]))

    def described(self, words: str) -> Booking:
        """Return the booking with these words as its purpose, unless it has one.

        Parameters
        ----------
        words : str
            What the release is for; public.

        Returns
        -------
        Booking
            The same with a `purpose`.
        """
        return self if self.purpose else replace(self, purpose=words)

    def spend(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number = 0,
        renyi: Mapping[Number, Number] | None = None,
        rho: Number | None = None,
    ) -> Receipt:
        """Book another mechanism, before it is used: one run, for neighbours as in the budget.

        With a `request_id` it is booked once: the ledger does not know the answer, so it cannot
        give it again, and a second run is a second cost.

        Parameters
        ----------
        epsilon, delta : int, float, str, Fraction or Decimal
            What one run costs, by its own proof: it is (ε, δ)-DP. All of it stays spent.
        renyi : mapping, optional
            Instead of these: orders above 1, each with a Rényi divergence, in both directions. The
            budget follows one order, and a stated order at or above it counts.
        rho : int, float, str, Fraction or Decimal, optional
            Instead of these: it is ρ-zCDP, so that its divergence of order a is ρ·a.

        Returns
        -------
        Receipt
            The row, the cost and the head.

        Raises
        ------
        LedgerError
            If the ledger cannot pay, or the id was booked before.
        """
        cost = StatedCost.of(epsilon, delta, renyi, rho)
        told = Description("other", cost, None, purpose=self.purpose, question=self.question)
        held = self.ledger.reserve(self.dataset, told, request_id=self.request_id)
        if isinstance(held, Stored):
            raise LedgerError(
                f"request {self.request_id!r} was booked before, in row {held.receipt.number}; if "
                "the mechanism was not used since, use it now, else take a new request id"
            )
        return held.settle(positives=0, asked=True).receipt


def checked_booking(value: object) -> Booking | None:
    """Return what was given as `booking`, or say what to write."""
    if value is None or isinstance(value, Booking):
        return value
    raise ParameterError(
        f"booking must be a Booking, got {type(value).__name__}; "
        "write booking=ledger.booking('sales'), with the name of your dataset"
    )
