"""Audit a plan against its own guarantee: one row for each claim that was attacked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from overbar._check import Number
from overbar.accounting import guarantee
from overbar.audit.exact.law import Law, law_of
from overbar.audit.exact.neighbour_profile import exact_profile
from overbar.audit.exact.search_grid import directions, tree_gaps
from overbar.audit.exact.worst_case import Finding, search
from overbar.errors import NoGuaranteeError
from overbar.plan import Plan

#: Where the curve of an (ε, δ) guarantee is tried.
DELTAS = (1e-1, 1e-3, 1e-6)
#: Where the curve of a pure guarantee is tried, as shares of ε.
SHARES = (0.0, 0.6)


@dataclass(frozen=True)
class ExactRow:
    """A claim, how it was attacked, the worst that was found, and what would have been allowed."""

    claim: str
    method: str
    worst: float
    allowed: float
    witness: str

    @property
    def violated(self) -> bool:
        """Whether more was found than is allowed; what was found is a proved lower bound."""
        return self.worst > self.allowed

    @property
    def verdict(self) -> str:
        """The same in a word."""
        return "violated" if self.violated else "holds"

    @property
    def closeness(self) -> float:
        """How much of what is allowed was found; one where the claim is tight."""
        return self.worst / self.allowed if self.allowed else math.inf * self.violated


def audit_plan(
    plan: Plan, *, threshold: Number = 0, effort: str = "short", seed: int = 0
) -> list[ExactRow]:
    """Try to break everything that is claimed of a plan.

    The pure ε, if there is one, by the worst path; δ at several ε by paths and adaptive
    strategies; δ once more by what a batch release says.

    Examples
    --------
    >>> from overbar import calibrate
    >>> plan = calibrate(epsilon=1, cutoff=1, monotonic=True, correction=0, grid=1)
    >>> for row in audit_plan(plan):
    ...     print(row.claim, row.verdict)
    largest loss holds
    delta at epsilon 0 holds
    delta at epsilon 0.6 holds
    delta at epsilon 0 holds
    """
    return audit_law(law_of(plan, threshold), plan, effort=effort, seed=seed)


def audit_law(law: Law, claimed: Plan, *, effort: str = "short", seed: int = 0) -> list[ExactRow]:
    """Try to break, on any mechanism, what would be claimed of a plan."""
    proved = guarantee(claimed)
    pure = _pure(claimed)
    rows = []
    if pure is not None:
        rows.append(_row("largest loss", search(law, effort=effort, seed=seed), pure))
    levels = list(_levels(claimed, pure))
    for epsilon in levels:
        finding = search(law, epsilon=epsilon, effort=effort, seed=seed)
        rows.append(_row(f"delta at epsilon {epsilon:.4g}", finding, proved.delta(epsilon)))
    if law.plain:
        rows.append(_batch_row(law, levels[0], proved.delta(levels[0]), effort, seed))
    return rows


def _pure(plan: Plan) -> float | None:
    try:
        return float(guarantee(plan).at(0))
    except NoGuaranteeError:
        return None


def _levels(plan: Plan, pure: float | None) -> Iterator[float]:
    """Yield the ε at which δ is tried: along the curve of the guarantee."""
    proved = guarantee(plan)
    if pure is not None and proved.at(DELTAS[-1]) > 0.999 * pure:
        yield from (share * pure for share in SHARES)
    else:
        yield from (float(proved.at(delta)) for delta in DELTAS)


def _row(claim: str, finding: Finding, allowed: float) -> ExactRow:
    how = "worst path" if finding.epsilon is None else "worst path or strategy"
    method = f"exact, {how} of {finding.evaluated:,}"
    return ExactRow(claim, method, finding.worst, allowed, str(finding.witness))


def _batch_row(law: Law, epsilon: float, allowed: float, effort: str, seed: int) -> ExactRow:
    """Try random neighbours in a small batch, of which only the labels found are released."""
    rng = np.random.default_rng(seed)
    tries, size = (200, 5) if effort == "full" else (20, 4)
    gaps = tree_gaps(law, 24)
    worst, witness = 0.0, ""
    for _ in range(tries):
        together = directions(law)[int(rng.integers(len(directions(law))))]
        one = [(law.level - gaps[i]) * law.grid for i in rng.integers(len(gaps), size=size)]
        moved = [together[i] for i in rng.integers(len(together), size=size)]
        other = [score + move for score, move in zip(one, moved, strict=True)]
        found = exact_profile(law, (one, other), release="labels").delta(epsilon).low
        if found > worst:
            worst, witness = found, f"{[*map(float, one)]} | {[*map(float, other)]}"
    method = f"exact, labels of {tries} batches"
    return ExactRow(f"delta at epsilon {epsilon:.4g}", method, worst, allowed, witness)
