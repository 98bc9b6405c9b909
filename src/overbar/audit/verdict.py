"""What an audit found, as a value that explains itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from overbar._numbers import short_text
from overbar.audit.binomial_bounds import detectable
from overbar.audit.interfaces import Claim, Pair


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a statistical audit says about a claim.

    Not finding a violation proves nothing; `would_find` says how much an audit was worth.

    Attributes
    ----------
    claim
        What was said of the mechanism.
    found
        An ε that the mechanism exceeds at the claim's δ, with `confidence`; zero if the runs
        prove nothing.
    confidence
        The chance that a sound mechanism is not called broken, whatever it is.
    pair, inputs
        The neighbouring inputs; and the same with the one first on which the event is likelier.
    event
        Some outcomes of the event that looked worst, in words.
    hits, other_hits, runs
        How often it came up in `runs` fresh runs on the likelier input, and on the other.
    probability
        How likely it seemed on the likelier input while it was chosen.
    """

    claim: Claim
    found: float
    confidence: float
    pair: Pair
    inputs: tuple[Any, Any]
    event: str
    hits: int
    other_hits: int
    runs: int
    probability: float

    @property
    def violated(self) -> bool:
        """Whether more was found than the claim allows."""
        return self.found > float(self.claim.epsilon)

    @cached_property
    def would_find(self) -> float:
        """The smallest true ε that would have been found with a chance of nine in ten.

        For an event as likely as this one; infinite if no loss would have been found.
        """
        return detectable(
            float(self.claim.epsilon),
            runs=self.runs,
            probability=self.probability,
            level=(1 - self.confidence) / 2,
            delta=float(self.claim.delta),
        )

    @property
    def passed(self) -> bool:
        """Whether no violation was found."""
        return not self.violated

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        outcome = "VIOLATED" if self.violated else "no violation found"
        allowed = short_text(self.claim.epsilon)
        one, other = (shortened(repr(data), 60) for data in self.inputs)
        lines = [
            f"Verdict: {outcome}; claimed {self.claim}",
            f"  found       ε > {self.found:.4g} (allowed {allowed}), "
            f"confidence 1 - {1 - self.confidence:.2g}",
            f"  event       {self.event}",
            f"  came up     {self.hits:,} times on {one}",
            f"              {self.other_hits:,} times on {other}",
            f"  fresh runs  {self.runs:,} of each",
        ]
        if math.isfinite(self.would_find):
            lines.append(f"  would find  ε >= {self.would_find:.4g} nine times in ten")
        else:
            lines.append("  would find  nothing: too few runs for an event so rare")
        return "\n".join(lines)


def shortened(text: str, longest: int) -> str:
    """Cut a text off where it is too long to be shown."""
    return text if len(text) <= longest else text[: longest - 3] + "..."
