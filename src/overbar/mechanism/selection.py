"""What a batch release gives back: public by construction."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from overbar import _html
from overbar._frame import data_frame
from overbar.accounting import Guarantee, RenyiSpent, UnlistedDP, guarantee, spent_text
from overbar.ledger import Receipt
from overbar.plan import Plan

#: How many rows a repr shows before it says how many more there are.
SHOWN_ROWS = 10


@dataclass(frozen=True, repr=False)
class Selection:
    """The selected candidates, in the order found. It holds nothing private.

    Parameters
    ----------
    indices : tuple of int, or None
        Positions of the selected candidates in the input; None where the candidates were read off
        the data, because a position there tells how many others came before.
    labels : tuple
        Their labels; the positions again where the input had none.
    plan : Plan
        The plan that was run.
    spent : Fraction or RenyiSpent
        What this run has cost at δ = 0: less than the whole plan if it found fewer than the cutoff.
        At a positive δ a run costs all that its guarantee says there, whatever it found.
    unlisted_delta : float, default 0
        The δ that `guarantee` has beside that of the plan because the candidates were read off the
        data (:func:`overbar.accounting.unlisted.unlisted_delta`), never zero then; zero with a
        public list of candidates.
    receipt : Receipt, optional
        What a ledger says about it.

    Examples
    --------
    >>> import overbar
    >>> found = overbar.select({"tea": 9_000, "rum": 2}, threshold=500, cutoff=1, epsilon=1)
    >>> found
    Selection: 1 of at most 1 selected; PureDP(epsilon=1), spent 1
         1  tea
    """

    indices: tuple[int, ...] | None
    labels: tuple[Hashable, ...]
    plan: Plan
    spent: Fraction | RenyiSpent
    unlisted_delta: float = 0.0
    receipt: Receipt | None = field(default=None, compare=False)

    @property
    def guarantee(self) -> Guarantee:
        """What is proved about the answer: of the plan, with `unlisted_delta` on top."""
        proved = guarantee(self.plan)
        return UnlistedDP(proved, self.unlisted_delta) if self.unlisted_delta else proved

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        return label in self.labels

    def _summary(self) -> str:
        cost = spent_text(guarantee(self.plan), self.spent)
        return (
            f"{len(self)} of at most {self.plan.cutoff} selected; "
            f"{self.guarantee}, spent {cost}{self._booked()}"
        )

    def _booked(self) -> str:
        """Say what a ledger has to say, if it is out of the ordinary."""
        if self.receipt is None:
            return ""
        again = " once before, and nothing now" if self.receipt.repeated else ""
        lost = self.receipt.unfinished
        tries = f"; {lost} other {'try' if lost == 1 else 'tries'} of this request paid for too"
        return again + (tries if lost else "")

    def __repr__(self) -> str:
        rows = [
            f"  {rank:>4}  {visible(str(label))}"
            for rank, label in enumerate(self.labels[:SHOWN_ROWS], 1)
        ]
        more = len(self) - SHOWN_ROWS
        return "\n".join(
            [f"Selection: {self._summary()}", *rows, *([f"        … and {more} more"] * (more > 0))]
        )

    def _repr_html_(self) -> str:
        rows = (
            f"<tr>{_html.cell(str(rank))}{_html.cell(visible(str(label)))}</tr>"
            for rank, label in enumerate(self.labels, 1)
        )
        return _html.table(["found", "label"], rows, caption=self._summary(), first=2)

    def to_frame(self) -> Any:
        """Return a data frame (pandas, or Polars without it): order found, index, label.

        Returns
        -------
        DataFrame
            One row for each label found.

        Raises
        ------
        MissingExtraError
            If neither is installed.
        """
        return data_frame(
            {
                "found": list(range(1, len(self) + 1)),
                **({} if self.indices is None else {"index": list(self.indices)}),
                "label": list(self.labels),
            }
        )


def visible(text: str) -> str:
    r"""Write a text so that it cannot steer a terminal.

    >>> visible("tea\x1b[31m")
    'tea\\x1b[31m'
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )
