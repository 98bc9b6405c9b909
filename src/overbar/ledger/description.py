"""What is said of a run, or of another mechanism: words and public numbers, safe to show."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from overbar import _check
from overbar.errors import LedgerError, ParameterError, named
from overbar.ledger.fields import (
    LONGEST_NAME,
    LONGEST_NOTE,
    Digest,
    Neighbours,
    Signed,
    Words,
)
from overbar.mechanisms import HistogramPlan, Plan, RankedPlan, SparseVectorPlan
from overbar.mechanisms.score_plan import of_scores

#: A curve is stated at no more orders than this.
MOST_ORDERS = 1000
#: Labels of what is proved where all scores may move both ways, as they do if one is replaced.
PROVED_FOR_TWO = {RankedPlan, SparseVectorPlan}
ONE_OF_THEM = "a dataset opened for neighbours by 'person' or 'row'"
GROUPS_OF_TWO = (
    "one leaves a group and another comes into a second one, and this plan pays for the groups of "
    f"one. Use {ONE_OF_THEM}, or a plan in which one can be in all groups"
)
ITEMS_OF_TWO = (
    "the items of one go and those of another come, and this plan pays for the items of one. Use "
    f"{ONE_OF_THEM}, or a plan without {named('items_per_person')}"
)
ONE_WAY = (
    "one goes and another comes, so some scores fall while others rise, and this plan pays for "
    f"scores that move one way. Write {named('monotonic', False)}, or one number as "
    f"{named('sensitivity')}: how far one who is replaced can move one score. Or use {ONE_OF_THEM}"
)
NOT_FOR_TWO = (
    "one goes and another comes, and nothing is proved about this plan for the two together. Use "
    f"{ONE_OF_THEM}"
)


def checked_name(what: str, value: object) -> str:
    """Return a name that a row can be looked up by."""
    # Printable: SQLite ends text at a zero, and a terminal obeys what it is shown.
    text = value if isinstance(value, str) and value.isprintable() else ""
    if text.strip() and len(text) <= LONGEST_NAME:
        return text
    raise ParameterError(
        f"{what} must be a name of 1 to {LONGEST_NAME} printable characters, "
        f"got {_check._show(value)}"
    )


def checked_words(what: str, value: object) -> str:
    """Return a text that is only ever shown."""
    if (
        not isinstance(value, str)
        or len(value) > LONGEST_NOTE
        or not all(sign.isprintable() or sign in "\n\t" for sign in value)
    ):
        raise ParameterError(
            f"{what} must be printable text of at most {LONGEST_NOTE} characters, "
            f"got {_check._show(value)}"
        )
    return value


def digest_of(parts: Iterable[object]) -> str:
    """Return a short name of exactly these public values, in this order.

    >>> digest_of(["tea", "rum"]) == digest_of(["tea", "rum"]), digest_of(["tea", "rum"])[:8]
    (True, '203a2fd9')
    """
    digest = hashlib.sha256()
    for part in parts:
        digest.update(json.dumps(part).encode() + b"\n")
    return digest.hexdigest()[:32]


@dataclass(frozen=True)
class StatedCost:
    """One run of another mechanism is (ε, δ)-DP, or has these Rényi divergences.

    The ledger takes its word for it. Of a curve ε is None; a divergence is at most that of a higher
    order, and with a `rho` at most ρ times the order, at every order.
    """

    epsilon: Fraction | None
    delta: Fraction
    renyi: tuple[tuple[Fraction, Fraction], ...] = ()
    rho: Fraction | None = None

    @classmethod
    def of(
        cls,
        epsilon: _check.Number | None,
        delta: _check.Number,
        renyi: Mapping[_check.Number, _check.Number] | None = None,
        rho: _check.Number | None = None,
    ) -> StatedCost:
        """Return a cost that is said in one way: see :meth:`overbar.Booking.spend`."""
        if renyi is not None and (not isinstance(renyi, Mapping) or not renyi):
            raise ParameterError(
                "renyi must be a mapping from orders above 1 to divergences, such as {8: 0.2}"
            )
        curve = sorted(
            (_check.positive("an order of renyi", order), _check.non_negative("renyi", divergence))
            for order, divergence in (renyi or {}).items()
        )
        cost = cls(
            None if epsilon is None else _check.non_negative("epsilon", epsilon),
            _check.probability("delta", delta),
            tuple(curve),
            None if rho is None else _check.positive("rho", rho),
        )
        if not cost.is_possible:
            raise ParameterError(
                "write what the mechanism costs in one way: epsilon and delta, or renyi with a "
                f"divergence for each of at most {MOST_ORDERS:,} orders above 1, or rho; a cost is "
                "above zero"
            )
        return cost

    @property
    def is_possible(self) -> bool:
        """Whether it is said in one way, with numbers that a mechanism can cost."""
        orders = [order for order, _ in self.renyi]
        costs = [cost for _, cost in self.renyi] + [self.epsilon or 0, self.rho or 0, self.delta]
        ways = (self.epsilon is not None) + bool(orders) + (self.rho is not None)
        return (
            ways == 1
            and (self.epsilon is not None or not self.delta)
            and 0 < max(costs) <= _check.LARGEST
            and self.delta < 1
            and len(orders) <= MOST_ORDERS
            and orders == sorted(orders)
            and all(order > 1 for order in orders)
        )

    @property
    def is_curve(self) -> bool:
        """Whether divergences are stated, and no ε."""
        return self.epsilon is None

    def divergence(self, order: Fraction) -> Fraction | None:
        """Return a bound on the divergence of an order; None where nothing is stated about it."""
        if self.rho is not None:
            return self.rho * order
        return min((cost for stated, cost in self.renyi if stated >= order), default=None)


@dataclass(frozen=True)
class Description:
    """What a retry must have in common with its first try.

    `question` is a digest of what is public beside the numbers of the plan: candidates, columns and
    ranges, as far as they are known before the data is. `plan` may be the cost of another
    mechanism, which has no plan. `unlisted_delta` is that of candidates read off the data beside
    the plan. `neighbours` are those of the dataset unless something is said.
    """

    kind: Literal["batch", "online", "keys", "other"]
    plan: Plan | StatedCost
    threshold: Signed | None
    purpose: Words = ""
    unlisted_delta: Fraction = Fraction(0)
    question: Digest = ""
    neighbours: Neighbours | None = None

    @property
    def is_possible(self) -> bool:
        """Whether a row may say so: another mechanism has no plan, and all is said of a run."""
        other = isinstance(self.plan, StatedCost)
        return (
            other == (self.kind == "other")
            and (isinstance(self.plan, Plan) and self.plan.keys is self.plan)
            == (self.kind == "keys")
            and (self.threshold is None or self.kind in ("batch", "online"))
            and self.unlisted_delta < 1
            and not (other and self.unlisted_delta)
            and self.neighbours is not None
            and not self.unproved
        )

    @property
    def unproved(self) -> str:
        """Why nothing is proved where one is replaced, and what to write; else nothing.

        What a plan says of one who comes is then true of two at once, of whom one goes. It is
        enough for scores that move both ways, all of them and each by as much as the plan says.
        """
        plan = self.plan
        if isinstance(plan, StatedCost) or not (self.neighbours or "").startswith("replaced-"):
            return ""
        if plan.groups is not None and plan.groups.per_person < plan.groups.count:
            return GROUPS_OF_TWO
        alone = plan.first is None and not self.additive_delta
        if type(plan.labels) not in PROVED_FOR_TWO | {HistogramPlan} or not alone:
            return NOT_FOR_TWO
        if plan.items_per_person is not None:
            return ITEMS_OF_TWO
        return "" if of_scores(plan).reach.back == 1 else ONE_WAY

    @property
    def additive_delta(self) -> Fraction:
        """The δ that comes on top of what theorems prove: of unlisted candidates and lone keys."""
        alone = Fraction(0) if isinstance(self.plan, StatedCost) else self.plan.lone_delta()
        return self.unlisted_delta + alone

    def on(self, neighbours: Neighbours) -> Description:
        """Return the description for a budget about these neighbours; refuse one about others."""
        if self.neighbours not in (None, neighbours):
            stated = isinstance(self.plan, StatedCost)
            other = f", or state the cost for {neighbours!r}" if stated else ""
            raise LedgerError(
                f"the dataset's budget is about neighbours by {neighbours!r} and this cost about "
                f"neighbours by {self.neighbours!r}, which do not add up; use a dataset opened "
                f"with neighbours={self.neighbours!r}{other}"
            )
        whole = replace(self, neighbours=neighbours)
        checked_words("purpose", self.purpose)
        if whole.unproved:
            raise LedgerError(
                f"the dataset's budget is about neighbours by {neighbours!r}: {whole.unproved}"
            )
        if not whole.is_possible:
            raise ParameterError("description must be of one run, or of another mechanism's cost")
        return whole
