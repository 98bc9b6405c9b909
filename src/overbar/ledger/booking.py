"""A booking: which dataset of which ledger pays, for a release or for another mechanism."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from overbar import _check
from overbar._check import Number
from overbar.errors import LedgerError, ParameterError
from overbar.ledger.description import (
    Description,
    StatedCost,
    checked_name,
    checked_words,
    digest_of,
)
from overbar.ledger.fields import NEIGHBOURS, Neighbours
from overbar.ledger.ledger import Ledger
from overbar.ledger.reservation import Stored
from overbar.ledger.values import Receipt


@_check.known_keywords
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
    neighbours : {"person", "row", "replaced-person", "replaced-row"}, optional
        By what two data sets differ of which its cost speaks; None for the dataset's own.
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
    neighbours: Neighbours | None = None
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
        if self.neighbours is not None:
            _check.choice("neighbours", self.neighbours, NEIGHBOURS)
        if re.fullmatch("([0-9a-f]{32})?", self.question) is None:
            raise ParameterError("question must be a digest, which about() makes")

    def about(
        self,
        public: Iterable[object] | None = None,
        *,
        purpose: str = "",
        neighbours: Neighbours | None = None,
    ) -> Booking:
        """Return the booking of a question, which may say more of itself than the booking does.

        Parameters
        ----------
        public : iterable, optional
            Public values that JSON can write, of which a request keeps a digest. Without them an id
            that is used again, for other candidates, would get an answer about the first ones. What
            it was about already still counts.
        purpose : str, default ""
            What the release is for, unless the booking says it.
        neighbours : {"person", "row", "replaced-person", "replaced-row"}, optional
            What the release is proved for. A booking that states others is refused, but for
            ``"person"`` where the release is about rows: then each person has one row.

        Returns
        -------
        Booking
            The same with a `question`, a `purpose` and `neighbours`.

        Raises
        ------
        ParameterError
            If the booking states neighbours that the release is not proved for.
        """
        proved = (neighbours, "person") if neighbours == "row" else (neighbours,)
        if neighbours is not None and self.neighbours not in (None, *proved):
            raise ParameterError(
                f"booking must not state neighbours={self.neighbours!r} here: this release is "
                f"proved for neighbours by {neighbours!r}. Leave it out, and use a dataset that "
                f"was opened with neighbours={neighbours!r}"
            )
        question = self.question
        if public is not None and self.request_id is not None:
            question = digest_of([*([question] if question else []), *public])
        return replace(
            self,
            question=question,
            purpose=self.purpose or purpose,
            neighbours=self.neighbours or neighbours,
        )

    @_check.known_keywords
    def spend(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number = 0,
        renyi: Mapping[Number, Number] | None = None,
        rho: Number | None = None,
        neighbours: Neighbours,
    ) -> Receipt:
        """Book another mechanism, before it is used: one run.

        With a `request_id` it is booked once: the ledger does not know the answer, so it cannot
        give it again, and a second run is a second cost.

        Parameters
        ----------
        epsilon : int, float, str, Fraction or Decimal, optional
            What one run costs, by its own proof: it is (ε, δ)-DP. All of it stays spent.
        delta : int, float, str, Fraction or Decimal, default 0
            The δ that goes with it.
        renyi : mapping, optional
            Instead of these: orders above 1, each with a Rényi divergence, in both directions. The
            budget follows one order, and a stated order at or above it counts.
        rho : int, float, str, Fraction or Decimal, optional
            Instead of these: it is ρ-zCDP, so that its divergence of order a is ρ·a.
        neighbours : {"person", "row", "replaced-person", "replaced-row"}
            By what two data sets differ of which the cost speaks; it must be what the dataset was
            opened for.

        Returns
        -------
        Receipt
            The row, the cost and the head.

        Raises
        ------
        ParameterError
            If the cost is said in no way, or in two.
        LedgerError
            If the ledger cannot pay, or the id was booked before.
        """
        cost = StatedCost.of(epsilon, delta, renyi, rho)
        _check.choice("neighbours", neighbours, NEIGHBOURS)
        description = Description(
            "other",
            cost,
            None,
            purpose=self.purpose,
            question=self.question,
            neighbours=neighbours,
        )
        held = self.ledger.reserve(self.dataset, description, request_id=self.request_id)
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
