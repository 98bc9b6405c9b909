"""What a search for keys gives back: public by construction."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import narwhals as nw

from overbar.errors import MissingExtraError
from overbar.frames.counted_keys import KeyCounts
from overbar.ledger import Receipt
from overbar.mechanism.counting import Count
from overbar.mechanism.selection import SHOWN_ROWS, count_columns, visible

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
    counts : tuple of Count, optional
        How many persons each key has, with noise and an interval of 95 %, in the order of the keys.
        Of each person at most so many keys count, by lot.
    everything_else : Count, optional
        How many pairs of person and key count beside these.
    total : Count, optional
        All of them together.

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
    counts: tuple[Count, ...] | None = None
    everything_else: Count | None = None
    total: Count | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        return label in self.labels

    def __repr__(self) -> str:
        shown = [visible(str(label)) for label in self.labels[:SHOWN_ROWS]]
        if self.counts is not None:
            width = max(map(len, shown), default=0)
            both = zip(shown, self.counts, strict=False)
            shown = [f"{label:<{width}}  {count}" for label, count in both]
        more = len(self) - SHOWN_ROWS
        rows = [f"  {row}" for row in (*shown, *([f"… and {more} more"] * (more > 0)))]
        head = f"Keys: {len(self)} found; {self.question.promise}"
        return "\n".join([head, *rows, *filter(None, [self.rest_in_words])])

    @property
    def counted(self) -> KeyCounts | None:
        """All counts; None where none were asked for."""
        if self.counts is None or self.everything_else is None or self.total is None:
            return None
        return KeyCounts(self.counts, self.everything_else, self.total)

    @property
    def rest_in_words(self) -> str:
        """Say what is counted beside the keys that came out; nothing without counts."""
        if self.everything_else is None:
            return ""
        return f"everything else: {self.everything_else}; in all: {self.total}"

    def to_frame(self) -> Any:
        """Return a data frame (pandas, or Polars without it): `key`, and with counts three more.

        These are `count`, `low` and `high`.

        Returns
        -------
        DataFrame
            One row for each key.

        Raises
        ------
        MissingExtraError
            If neither is installed.
        """
        columns: dict[str, list[Any]] = {"key": list(self.labels), **count_columns(self.counts)}
        for backend in ("pandas", "polars"):
            try:
                made = nw.from_dict(columns, backend=backend)
            except ImportError:
                continue
            return made.to_native()
        raise MissingExtraError("to_frame needs pandas or polars; install one: pip install pandas")
