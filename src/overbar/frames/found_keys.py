"""What a search for keys gives back: public by construction."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

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
    counts: ClassVar[None] = None

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        return label in self.labels

    def __repr__(self) -> str:
        rows = [f"  {visible(str(label))}" for label in self.labels[:SHOWN_ROWS]]
        more = len(self) - SHOWN_ROWS
        head = f"Keys: {len(self)} found; {self.question.promise}"
        return "\n".join([head, *rows, *([f"  … and {more} more"] * (more > 0))])

    def to_frame(self) -> Any:
        """Return a data frame (pandas, or Polars without it) with one column, `key`.

        Returns
        -------
        DataFrame
            One row for each key.

        Raises
        ------
        MissingExtraError
            If neither is installed.
        """
        for backend in ("pandas", "polars"):
            try:
                made = nw.from_dict({"key": list(self.labels)}, backend=backend)
            except ImportError:
                continue
            return made.to_native()
        raise MissingExtraError("to_frame needs pandas or polars; install one: pip install pandas")
