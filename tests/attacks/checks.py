"""A claim of ours, with all that attacks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from overbar._check import Number
from overbar.audit.interfaces import Claim, Pair, Subject
from overbar.mechanisms import Plan
from tests.attacks.worst_case import search


@dataclass(frozen=True)
class Check:
    """What is claimed, and what both auditors attack.

    Attributes
    ----------
    pairs
        Neighbouring inputs for samples.
    mechanism
        What is sampled; None where nothing is.
    plan
        What the exact auditor takes apart; None where it has nothing to look at, or would take the
        same apart a second time.
    among
        Inputs for the exact auditor; without them it looks for the worst.
    quick, slow
        Whether a quick audit draws samples of it, and whether it leaves the exact attack out.
    """

    name: str
    claim: Claim
    pairs: tuple[Pair, ...] = ()
    mechanism: Subject | None = None
    plan: Plan | None = None
    among: tuple[Any, ...] = ()
    threshold: Number = 0
    quick: bool = False
    slow: bool = False
    control = False
    runs = None

    def exact(self) -> tuple[float, str]:
        """Return the worst loss or, where the claim has a δ, δ; and the inputs that show it."""
        assert self.plan is not None
        level = self.claim.epsilon if self.claim.delta else None
        how: dict[str, Any] = {"epsilon": level, "threshold": self.threshold}
        finding = search(self.plan, among=self.among, **how)
        return finding.worst, str(finding.witness)

    def sampled(self, _: int) -> Subject | None:
        """Return what is sampled: releases, which have no seed."""
        return self.mechanism
