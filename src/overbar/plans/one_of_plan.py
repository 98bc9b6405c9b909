"""One of several plans, by what came out before: of it only the cost is asked."""

from __future__ import annotations

from dataclasses import dataclass

from overbar.plans.plan import Plan


@dataclass(frozen=True, repr=False)
class OneOf(Plan):
    """What is paid where an earlier part decides which of some plans is run: the dearest.

    Parameters
    ----------
    ways : tuple of Plan
        The plans, each of one part or composed.
    """

    kind = "one of"
    finds = "keys"

    ways: tuple[Plan, ...]

    def __str__(self) -> str:
        return f"One of {len(self.ways)} plans."
