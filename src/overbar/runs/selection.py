"""What a batch release gives back: public by construction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from overbar._fields import data_frame
from overbar.ledger import Receipt
from overbar.mechanisms import Plan
from overbar.privacy import Guarantee
from overbar.privacy.guarantees import proved_about, with_unlisted
from overbar.privacy.instalments import RenyiSpent, spent_text
from overbar.report import html_of
from overbar.report.as_text import visible
from overbar.runs.counting import Count, Rest

#: How many rows a repr shows before it says how many more there are.
SHOWN_ROWS = 10
BELOW_ZERO = (
    "        A number below zero is noise: declare score_range to clamp, if scores are counts."
)
#: What a count and the ends of its interval are called in a table.
COUNT_COLUMNS = ("count", "low", "high")


@dataclass(frozen=True, repr=False)
class Selection:
    """The selected candidates, in the order found; keys are sorted. It holds nothing private.

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
        data (:func:`overbar.privacy.unlisted_delta`), never zero then; zero with a public list
        of candidates, and where the plan finds keys first.
    counts : tuple of Count, optional
        A noisy count for each label, with an interval of about 95 %; None if none were asked for.
    rest : Rest, optional
        Beside counts of keys: those of everything else, and of all together.
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
    counts: tuple[Count, ...] | None = None
    rest: Rest | None = None
    receipt: Receipt | None = field(default=None, compare=False)

    @property
    def guarantee(self) -> Guarantee:
        """What is proved about the answer: of the plan, with `unlisted_delta` on top."""
        unlisted = self.plan.lone_delta() + Fraction(self.unlisted_delta)
        return with_unlisted(proved_about(self.plan), unlisted)

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        return label in self.labels

    def _summary(self) -> str:
        plan, proved = self.plan, proved_about(self.plan)
        many, cost = plan.found_and_spent(len(self), spent_text(proved, self.spent))
        return f"{many}; {self.guarantee}, spent {cost}{self._booked()}"

    def _booked(self) -> str:
        """Say what a ledger has to say, if it is out of the ordinary."""
        if self.receipt is None:
            return ""
        again = " once before, and nothing now" if self.receipt.repeated else ""
        lost = self.receipt.unfinished
        tries = f"; {lost} other {'try' if lost == 1 else 'tries'} of this request paid for too"
        return again + (tries if lost else "")

    @property
    def ranks(self) -> list[int]:
        """The place of each label in the order found: in its group, where there are groups."""
        if self.plan.groups is None:
            return list(range(1, len(self) + 1))
        before: Counter[Hashable] = Counter()
        ranks = []
        for group in map(_group, self.labels):
            before[group] += 1
            ranks.append(before[group])
        return ranks

    def __repr__(self) -> str:
        shown = [visible(str(label)) for label in self.labels[:SHOWN_ROWS]]
        if self.counts is not None:
            width = max(map(len, shown), default=0)
            texts = [f"{label:<{width}}" for label in shown]
            numbers = [count.shown for count in self.counts[:SHOWN_ROWS]]
            wide = max(map(len, numbers), default=0)
            shown = [
                f"{text}  {number:>{wide}}  ({count.within})"
                for text, number, count in zip(texts, numbers, self.counts, strict=False)
            ]
        rows = [f"  {rank:>4}  {text}" for rank, text in zip(self.ranks, shown, strict=False)]
        more = len(self) - SHOWN_ROWS
        rows += [f"        … and {more} more"] * (more > 0)
        if not self.plan.ordered:
            rows = ["  " + row[8:] for row in rows]
        if self.rest is not None:
            rows.append(f"  {self.rest}")
        if any(count.value < 0 for count in self.counts or ()):
            rows.append(BELOW_ZERO)
        return "\n".join([f"{type(self).__name__}: {self._summary()}", *rows])

    _repr_html_ = html_of

    def to_frame(self) -> Any:
        """Return a data frame (pandas, or Polars without it): order found, index, label.

        With counts also count, low and high; `low` is missing where there is no lower end. In
        groups the order is that of each group, which has a column of its own. Keys have no order.

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
                **({"found": self.ranks} if self.plan.ordered else {}),
                **({} if self.indices is None else {"index": list(self.indices)}),
                **label_columns(self),
                **count_columns(self.counts),
            }
        )


def label_columns(found: Selection) -> dict[str, list[Hashable]]:
    """Return the labels by the columns that name them: groups, where there are any."""
    if found.plan.groups is None:
        return {found.plan.label_name: list(found.labels)}
    groups = list(map(_group, found.labels))
    return {"group": groups, "label": [_in_group(label) for label in found.labels]}


def _group(label: Hashable) -> Hashable:
    """Return the group of a label: the first of its parts."""
    group: Hashable = label[0] if isinstance(label, tuple) else label
    return group


def _in_group(label: Hashable) -> Hashable:
    """Return a label without its group."""
    rest = label[1:] if isinstance(label, tuple) else (label,)
    return rest[0] if len(rest) == 1 else rest


def count_columns(counts: tuple[Count, ...] | None) -> dict[str, list[int | float | None]]:
    """Return counts as columns of a table; none where there are none."""
    if counts is None:
        return {}
    ends = [end for count in counts for end in count if end is not None]
    # A table has words of 64 bits for whole numbers, and an error must not depend on them.
    words = all(end.denominator == 1 and abs(end) < 2**63 for end in ends)
    plain = int if words else float
    return {
        name: [None if end is None else plain(end) for end in ends]
        for name, ends in zip(
            COUNT_COLUMNS, zip(*counts, strict=True) if counts else ((),) * 3, strict=True
        )
    }
