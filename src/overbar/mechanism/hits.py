"""Who has used up how much of what an alarm may charge them, and who is left out of a question.

Theory: :doc:`/theory/monitor`.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from overbar.accounting.monitor import Charges

#: Persons who all count as one, or each with the grid steps of their weight.
Counted = AbstractSet[str] | Mapping[str, int]


class Hits:
    """The charges of everyone so far. Who could be charged more than the most is left out."""

    __slots__ = ("_charges", "_one", "_out", "_used")

    def __init__(self, charges: Charges, one: int, used: dict[str, int]) -> None:
        self._charges, self._one, self._used = charges, one, used
        last = self._last
        #: Those who do not count any more where everyone counts as one.
        self._out = {person for person, charged in used.items() if charged > last}

    @property
    def _last(self) -> int:
        """From here on nobody can be charged for counting as one."""
        return self._charges.most - self._charges.by_steps[self._one]

    def total(self, counted: Counted) -> int:
        """Return the score of a question in grid steps: of those who are not left out."""
        if isinstance(counted, Mapping):
            costs, most, used = *self._charges, self._used
            return sum(
                many
                for person, many in counted.items()
                if used.get(person, 0) + costs[abs(many)] <= most
            )
        return (len(counted) - len(counted & self._out)) * self._one

    def after(self, counted: Counted) -> dict[str, int]:
        """Return what everyone has used up once they are charged for an alarm that counts them."""
        costs, most, used = *self._charges, self._used
        if not isinstance(counted, Mapping):
            counted = dict.fromkeys(counted, self._one)
        return {
            person: charged
            for person, many in counted.items()
            if many and (charged := used.get(person, 0) + costs[abs(many)]) <= most
        }

    def charge(self, after: Mapping[str, int]) -> None:
        """Charge them."""
        self._used.update(after)
        last = self._last
        self._out.update(person for person, charged in after.items() if charged > last)
