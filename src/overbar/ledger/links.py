"""How the newest row of a dataset or a request is found: by what rows say about older ones.

Each row names older rows by number *and hash*. So whatever is found from the last row on is bound
to the head, and a row that was edited, lost or put back from an earlier day shows on the way: there
is no index to believe.

Keys are hashed to 256 bits, their route. A row has a list of links: the one at level k is the
newest row whose route agrees with its own in the first k bits and not in the next. To find a key,
compare its route with that of the newest row of all. If they first differ at bit k, every row of
the key is below link k: go there and compare from bit k + 1 on. That is half a step for each
doubling of the number of keys, and if a link is missing, then so is the key. The links of a new row
are gathered on the same way, and no row is ever changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass

from overbar.errors import LedgerError
from overbar.ledger.fields import Hash

#: A row, by its number and its hash.
Pointer = tuple[int, Hash]
Levels = tuple[Pointer | None, ...]
BITS = 256


@dataclass(frozen=True)
class Links:
    """What a row says about older ones.

    Attributes
    ----------
    datasets, requests
        The newest rows beside its own dataset and its own request, by level.
    newest_request
        The newest row of any request.
    of_request
        The row before it of the same request.
    """

    datasets: Levels = ()
    requests: Levels = ()
    newest_request: Pointer | None = None
    of_request: Pointer | None = None


def route(*names: str) -> int:
    """Return the route of a dataset, or of a dataset and a request."""
    return int.from_bytes(hashlib.sha256(json.dumps(names).encode()).digest(), "big")


def walk(
    start: Pointer | None, goal: int, at: Callable[[Pointer], tuple[int, Levels]]
) -> tuple[Pointer | None, Levels]:
    """Return the newest row of a key, if there is one, and the links of a new row of this key.

    `at` returns the route and the links of a row.
    """
    here, levels = start, list[Pointer | None]()
    while here is not None:
        other, links = at(here)
        level = BITS - (other ^ goal).bit_length()
        if level < len(levels):
            raise LedgerError(f"row {here[0]} is not where it belongs; it was edited")
        levels += links[len(levels) : level]
        if level == BITS:
            break
        levels += [None] * (level - len(levels)) + [here]
        here = links[level] if level < len(links) else None
    return here, tuple(levels)
