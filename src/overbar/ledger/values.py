"""What a ledger returns: frozen values of public numbers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR
from fractions import Fraction
from functools import cached_property

from overbar._numbers import people_text, three_digits
from overbar.ledger.budget import Budget
from overbar.ledger.costs import Balance, Charge


@dataclass(frozen=True)
class Entry:
    """One run that was reserved.

    Attributes
    ----------
    number
        The row that reserved it.
    time
        The clock of the computer that wrote the row; nothing depends on it.
    kind, purpose, request_id
        What was run ("batch", "online", "keys" or "other"), and what its author said about it.
    plan, threshold
        The plan as JSON ("null" for another mechanism, which has none), and the public level.
    neighbours
        By what two data sets differ for which the cost was stated.
    reserved, cost
        What was reserved, and what was settled; None while the reservation is open, and then it
        counts as spent in full.
    superseded
        Whether another run of the same request was settled first, so that this one's answer was
        thrown away.
    """

    number: int
    time: str
    kind: str
    purpose: str
    request_id: str | None
    plan: str
    threshold: str | None
    neighbours: str | None
    reserved: Charge
    cost: Charge | None
    superseded: bool = False

    @property
    def open(self) -> bool:
        """Whether the run was never settled, because it is under way or was lost in a crash."""
        return self.cost is None


@dataclass(frozen=True)
class Standing:
    """Where a dataset of a ledger stands: its budget, and what is gone.

    Attributes
    ----------
    dataset
        Its name.
    budget, balance
        What may be spent in all, and what is spent and held.
    is_closed
        Whether all spending has ended.
    """

    dataset: str
    budget: Budget
    balance: Balance
    is_closed: bool

    @cached_property
    def remaining(self) -> Fraction:
        """The largest pure ε that one more run may have; exact where the budget is pure."""
        return Fraction(0) if self.is_closed else self.budget.remaining(self.balance.total)

    @property
    def granted(self) -> str:
        """The whole budget, in words."""
        delta = self.budget.delta
        besides = f" and δ = {three_digits(delta)}" if delta else ""
        return f"ε = {people_text(self.budget.epsilon)}{besides}"

    @property
    def left(self) -> str:
        """An ε and a δ, in words and rounded down: one more run that has it fits."""
        epsilon = f"ε = {people_text(self.remaining, ROUND_FLOOR)}"
        if self.is_closed or self.budget.delta == 0 or not self.remaining:
            return epsilon
        delta = max(Fraction(0), self.budget.additive - self.balance.total.delta)
        return f"{epsilon} and δ = {three_digits(delta, ROUND_FLOOR)}"

    @property
    def spent(self) -> Charge:
        """What settled runs have cost."""
        return self.balance.settled

    @property
    def held(self) -> Charge:
        """What open reservations hold; it counts as spent."""
        return self.balance.held


@dataclass(frozen=True)
class Account(Standing):
    """A dataset in a ledger: its budget, what is gone, and every run.

    Attributes
    ----------
    note
        What was said when it was opened.
    opened, closed
        When.
    entries
        Every run.
    """

    note: str
    opened: str
    closed: str | None
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Receipt:
    """What a ledger says about one answer.

    Attributes
    ----------
    dataset, request_id
        Where it was booked.
    number
        The row of the reservation that paid for the answer.
    cost
        What the answer has cost, once. None while a run is under way.
    repeated
        Whether the answer is an earlier one, given again for the same request at no cost.
    unfinished
        How many other tries of the same request were reserved and not settled when this one was:
        lost in a crash, or under way. Each of them is paid for as well.
    head
        The hash of the ledger's last row when this was written. Kept elsewhere, it shows later
        that no row up to here was lost or changed.
    time
        When the answer was settled, in UTC, as its row says; of a run under way, when it was held.
    standing
        Where the dataset stood then.
    """

    dataset: str
    request_id: str | None
    number: int
    cost: Charge | None
    repeated: bool
    unfinished: int
    head: str
    time: str
    standing: Standing
