"""The search for the worst case: neighbours, transcripts and adaptive strategies.

Whatever is found is a fact, not an estimate: the witness is enumerated again with bounds, and the
lower one is reported. What is not found proves nothing, but see how close the tight cases come.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.accounting import guarantee
from overbar.audit.exact.adversary import Adversary, tree_profile
from overbar.audit.exact.bare_search import search_bare
from overbar.audit.exact.events import Path, path_profile
from overbar.audit.exact.law import Law, law_of
from overbar.audit.exact.list_search import ScorePair, list_pairs, unseen
from overbar.audit.exact.neighbour_profile import exact_profile
from overbar.audit.exact.path_search import PathSearch
from overbar.audit.exact.profile import Profile
from overbar.audit.exact.search_grid import directions, tree_gaps
from overbar.audit.exact.tree_search import search_trees
from overbar.errors import NoGuaranteeError
from overbar.plans import Plan

#: What shows a loss; see :class:`Finding`.
Witness = Path | Adversary | ScorePair
#: How hard to look: seconds, or minutes.
EFFORTS = ("short", "full")
#: Where the curve of an (ε, δ) guarantee is tried.
DELTAS = (1e-1, 1e-3, 1e-6)
#: Where the curve of a pure guarantee is tried, as shares of ε.
SHARES = (0.0, 0.6)


@dataclass(frozen=True, repr=False)
class Finding:
    """The worst that was found.

    Attributes
    ----------
    epsilon
        The ε at which δ was made large; None if the loss itself was.
    worst
        A proved lower bound on δ at that ε, or on the largest loss.
    witness
        What shows it: a path, an adaptive adversary or two lists of scores for
        :func:`overbar.audit.exact.neighbour_profile.exact_profile`.
    evaluated
        How many candidates were looked at.
    certified
        False if threshold noise is continuous: then `worst` is as good as its integration rule.
    """

    epsilon: float | None
    worst: float
    witness: Witness | None
    evaluated: int
    certified: bool

    def __repr__(self) -> str:
        what = "loss" if self.epsilon is None else f"delta at epsilon={self.epsilon:g}"
        return f"Finding({what} >= {self.worst:.9g}, by {self.witness})"


def search(
    subject: Plan | Law,
    *,
    epsilon: Number | None = None,
    threshold: Number = 0,
    effort: str = "short",
    seed: int = 0,
) -> Finding:
    """Look for the largest loss, or for the largest δ at a given ε.

    Parameters
    ----------
    subject : Plan or Law
        A plan, of which the law of a release is taken, or the law of any other mechanism.
    epsilon : int, float, str, Fraction or Decimal, optional
        Where δ is to be made large; None to look for the largest loss, which is pure ε.
    threshold : int, float, str, Fraction or Decimal, default 0
        The public threshold of a plan; a law has its own level.
    effort : {"short", "full"}, default "short"
        "short" takes about a second, "full" about a minute.
    seed : int, default 0
        Trees are climbed from random starts.

    Returns
    -------
    Finding
        The worst that was found, and where.

    Examples
    --------
    >>> from overbar import calibrate
    >>> plan = calibrate(epsilon=1, cutoff=2, monotonic=True, correction=0, grid=1)
    >>> round(search(plan).worst, 6)
    1.0
    """
    law = law_of(subject, threshold)
    thorough = _check.choice("effort", effort, EFFORTS) == "full"
    level = None if epsilon is None else float(_check.non_negative("epsilon", epsilon))
    if law.takes_a_list:
        return _worst(level, list(list_pairs(law, thorough)), law)
    paths = PathSearch.of(law, level, thorough)
    path = paths.best()
    evaluated = paths.looked_at
    found: list[tuple[Witness, Profile]] = []
    if path is not None:
        found.append((path, path_profile(law, path)))
    if level is not None and law.plain:
        if law.threshold is None and law.query is not None and law.cutoff is not None:
            strategies, looked_at = search_bare(law, level, thorough)
        else:
            generator = np.random.default_rng(seed)
            strategies, looked_at = search_trees(law, level, thorough, generator, path)
        found += [(strategy, tree_profile(law, strategy)) for strategy in strategies]
        evaluated += looked_at
    return _worst(level, found, law, evaluated)


def _worst(
    level: float | None, found: Sequence[tuple[Witness, Profile]], law: Law, evaluated: int = 0
) -> Finding:
    """Return the worst of what was computed with bounds."""
    witness, worst = None, 0.0
    for candidate, profile in found:
        value = profile.loss().low if level is None else profile.delta(level).low
        if value > worst:
            witness, worst = candidate, value
    return Finding(level, worst, witness, evaluated or len(found), law.certified)


# A plan against its own guarantee -----------------------------------------------------------------


@dataclass(frozen=True)
class ExactRow:
    """A claim, how it was attacked, the worst that was found, and what would have been allowed.

    Attributes
    ----------
    unseen
        What the claim is about and the attack did not look at; empty if there is nothing.
    """

    claim: str
    method: str
    worst: float
    allowed: float
    witness: str
    unseen: str = ""

    @property
    def violated(self) -> bool:
        """Whether more was found than is allowed; what was found is a proved lower bound."""
        return self.worst > self.allowed

    @property
    def verdict(self) -> str:
        """The same in a word; nothing holds of which a part was not looked at."""
        if self.violated:
            return "violated"
        return f"not looked at: {self.unseen}" if self.unseen else "holds"

    @property
    def closeness(self) -> float:
        """How much of what is allowed was found; one where the claim is tight."""
        return self.worst / self.allowed if self.allowed else math.inf * self.violated


def audit_plan(
    plan: Plan, *, threshold: Number = 0, effort: str = "short", seed: int = 0
) -> list[ExactRow]:
    """Try to break everything that is claimed of a plan.

    The pure ε, if there is one, by the worst path; δ at several ε by paths and adaptive
    strategies; δ once more by what a batch release says. Where a release takes a whole list, as
    ranked selection does and whatever has counts, all of it by small lists of scores.

    Parameters
    ----------
    plan : Plan
        The plan.
    threshold, effort, seed : optional
        As for :func:`search`, which each row takes.

    Returns
    -------
    list of ExactRow
        One row for each claim.

    Examples
    --------
    >>> from overbar import calibrate
    >>> plan = calibrate(epsilon=1, cutoff=1, monotonic=True, correction=0, grid=1)
    >>> for row in audit_plan(plan):
    ...     print(row.claim, row.verdict)
    largest loss holds
    delta at epsilon 0 holds
    delta at epsilon 0.6 holds
    """
    return audit_law(law_of(plan, threshold), plan, effort=effort, seed=seed)


def audit_law(law: Law, claimed: Plan, *, effort: str = "short", seed: int = 0) -> list[ExactRow]:
    """Try to break, on any mechanism, what would be claimed of a plan.

    Parameters
    ----------
    law : Law
        What the mechanism does.
    claimed : Plan
        The plan whose guarantee is claimed.
    effort, seed : optional
        As for :func:`search`.

    Returns
    -------
    list of ExactRow
        One row for each claim.
    """
    proved = guarantee(claimed)
    rows = []
    try:
        pure = float(proved.at(0))
    except NoGuaranteeError:
        pure = math.inf
    else:
        rows.append(_row("largest loss", law, search(law, effort=effort, seed=seed), pure))
    if proved.at(DELTAS[-1]) > 0.999 * pure:
        levels = [share * pure for share in SHARES]
    else:
        levels = [float(proved.at(delta)) for delta in DELTAS]
    for epsilon in levels:
        finding = search(law, epsilon=epsilon, effort=effort, seed=seed)
        allowed = proved.delta(epsilon)
        rows.append(_row(f"delta at epsilon {epsilon:.4g}", law, finding, allowed))
    if law.plain and not law.takes_a_list:
        rows.append(_batch_row(law, levels[0], proved.delta(levels[0]), effort, seed))
    return rows


def _row(claim: str, law: Law, finding: Finding, allowed: float) -> ExactRow:
    how = "worst path" if finding.epsilon is None else "worst path or strategy"
    if law.takes_a_list:
        how = "worst pair"
    method = f"exact, {how} of {finding.evaluated:,}"
    return ExactRow(claim, method, finding.worst, allowed, str(finding.witness), unseen(law))


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
