"""What a search for keys gives back: public by construction."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import narwhals as nw

from overbar.errors import MissingExtraError
from overbar.ledger import Receipt
from overbar.mechanism.selection import SHOWN_ROWS, visible

if TYPE_CHECKING:
    from overbar.frames.key_search import KeyQuestion


@dataclass(frozen=True, repr=False)
class Keys:
    """The keys that came out, sorted. It holds nothing private.

    Parameters
    ----------
    labels : tuple
        The keys, in the order of the alphabet or of numbers: it tells nothing.
    question : KeyQuestion
        What was asked, with all public numbers.
    receipt : Receipt, optional
        What a ledger says about it.
    counts : tuple of int, optional
        How many persons each key has, with noise, in the order of the keys; below zero is noise
        around a small number. Of each person at most so many keys count, by lot.
    everything_else : int, optional
        How many pairs of person and key count beside these, with noise.

    Examples
    --------
    >>> import polars
    >>> from overbar import frames
    >>> rows = polars.DataFrame({"product": ["tea", "rum"] * 5000, "customer": range(10_000)})
    >>> found = frames.keys(rows, item="product", person="customer", epsilon=1, delta="1e-6")
    >>> len(found), "tea" in found, found.labels
    (2, True, ('rum', 'tea'))
    """

    labels: tuple[Hashable, ...]
    question: KeyQuestion
    receipt: Receipt | None = field(default=None, compare=False)
    counts: tuple[int, ...] | None = None
    everything_else: int | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        return label in self.labels

    def __repr__(self) -> str:
        rows = [f"  {visible(str(label))}" for label in self.labels[:SHOWN_ROWS]]
        more = len(self) - SHOWN_ROWS
        rest = []
        if self.counts is not None:
            width = max((len(f"{count:,}") for count in self.counts[:SHOWN_ROWS]), default=1)
            shown = [f"  {count:>{width},} ± {self.margin:,}" for count in self.counts]
            rows = [f"{count}{row}" for count, row in zip(shown, rows, strict=False)]
            rest = [self.rest_in_words]
        head = f"Keys: {len(self)} found; {self.question.promise}"
        return "\n".join([head, *rows, *([f"  … and {more} more"] * (more > 0)), *rest])

    @property
    def margin(self) -> int | None:
        """By how much a count is off at most, in 95 of 100 cases; None without counts."""
        noise = self.question.union.counts
        return None if noise is None else noise.margin

    @property
    def rest_margin(self) -> int | None:
        """By how much `everything_else` is off at most, in 95 of 100 cases."""
        noise = self.question.union.counts
        return None if noise is None else noise.rest_margin

    @property
    def total(self) -> int | None:
        """All counts and everything else, added up."""
        if self.counts is None or self.everything_else is None:
            return None
        return sum(self.counts) + self.everything_else

    @property
    def total_margin(self) -> int | None:
        """By how much `total` is off at most, in 95 of 100 cases."""
        noise = self.question.union.counts
        return None if noise is None else noise.total_margin(len(self))

    def intervals(self) -> dict[str, list[int]]:
        """Return `count`, and `low` and `high` between which it lies in 95 of 100 cases, by key.

        Returns
        -------
        dict of str to list of int
            Three lists in the order of the keys; no list without counts.
        """
        if self.counts is None or self.margin is None:
            return {}
        ends = [(max(0, count - self.margin), max(0, count + self.margin)) for count in self.counts]
        low, high = [low for low, _ in ends], [high for _, high in ends]
        return {"count": list(self.counts), "low": low, "high": high}

    @property
    def rest_in_words(self) -> str:
        """Say what is counted beside the keys that came out; nothing without counts."""
        if self.counts is None:
            return ""
        low = any(count < 0 for count in (*self.counts, self.everything_else or 0))
        return (
            f"everything else: {self.everything_else:,} ± {self.rest_margin:,}; "
            f"in all {self.total:,} ± {self.total_margin:,}"
            + ("; below zero is noise around a small number" if low else "")
        )

    def to_frame(self) -> Any:
        """Return a data frame (pandas, or Polars without it): `key`, and with counts three more.

        These are those of :meth:`intervals`.

        Returns
        -------
        DataFrame
            One row for each key.

        Raises
        ------
        MissingExtraError
            If neither is installed.
        """
        columns: dict[str, list[Any]] = {"key": list(self.labels), **self.intervals()}
        for backend in ("pandas", "polars"):
            try:
                made = nw.from_dict(columns, backend=backend)
            except ImportError:
                continue
            return made.to_native()
        raise MissingExtraError("to_frame needs pandas or polars; install one: pip install pandas")
