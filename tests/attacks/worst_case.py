"""The search for the worst case: neighbours, transcripts and adaptive strategies.

Whatever is found is a fact, not an estimate: the witness is enumerated again with bounds, and the
lower one is reported. What is not found proves nothing, but see how close the tight cases come.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.audit.profile import Profile
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.mechanisms import Plan
from overbar.privacy import Guarantee, guarantee
from tests.attacks.exact.key_outcomes import KeyLaw
from tests.attacks.neighbours import (
    Between,
    ScorePair,
    Subject,
    directions,
    exact_profile,
    list_pairs,
    tree_gaps,
)
from tests.attacks.path_search import PathSearch
from tests.attacks.strategy_search import search_bare, search_trees
from tests.attacks.twin_law import Law, law_of

#: How hard to look: seconds, or minutes.
EFFORTS = ("short", "full")
#: Where the curve of an (ε, δ) guarantee is tried.
DELTAS = (1e-1, 1e-3, 1e-6)
#: Where the curve of a pure guarantee is tried, as shares of ε.
SHARES = (0.0, 0.6)

#: Inputs, what is said about them, and how many others they were chosen from.
Candidate = tuple[Between, Profile, int]


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
        What shows it, for :func:`exact_profile`: a path, an adaptive strategy or two inputs.
    evaluated
        How many candidates were looked at.
    certified
        False if threshold noise is continuous: then `worst` is as good as its integration rule.
    """

    epsilon: float | None
    worst: float
    witness: Between | None
    evaluated: int
    certified: bool

    def __repr__(self) -> str:
        what = "loss" if self.epsilon is None else f"delta at epsilon={self.epsilon:g}"
        return f"Finding({what} >= {self.worst:.9g}, by {self.witness})"


def search(
    subject: Subject,
    *,
    epsilon: Number | None = None,
    threshold: Number = 0,
    among: Iterable[Between] | None = None,
    effort: str = "short",
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
    among : iterable, optional
        Neighbouring inputs, as for :func:`exact_profile`; None to look for bad ones.
    effort : {"short", "full"}, default "short"
        "short" takes about a second, "full" about a minute.

    Returns
    -------
    Finding
        The worst that was found, and where.

    Raises
    ------
    ParameterError
        If inputs have to be given, or something in the plan would not be looked at.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=2, monotonic=True, correction=0, grid=1)
    >>> round(search(plan).worst, 6)
    1.0
    """
    law = law_of(subject, threshold)
    thorough = _check.choice("effort", effort, EFFORTS) == "full"
    level = None if epsilon is None else float(_check.non_negative("epsilon", epsilon))
    if among is not None:
        return _worst(law, level, ((pair, exact_profile(law, pair), 1) for pair in among))
    if isinstance(law, KeyLaw):
        raise ParameterError("among must name tables: none are looked for in a search for keys")
    return _worst(law, level, _candidates(law, level, thorough))


def _candidates(law: Law, level: float | None, thorough: bool) -> Iterator[Candidate]:
    """Yield what may be bad: small lists, or else the worst path and the worst strategies."""
    if law.takes_a_list:
        yield from ((pair, profile, 1) for pair, profile in list_pairs(law, thorough))
        return
    paths = PathSearch.of(law, level, thorough)
    path = paths.best()
    if path is not None:
        yield path, exact_profile(law, path), paths.looked_at
    if level is None or not law.plain:
        return
    if law.threshold is None and law.query is not None and law.cutoff is not None:
        strategies, looked_at = search_bare(law, level, thorough)
    else:
        strategies, looked_at = search_trees(law, level, thorough, path)
    for strategy in strategies:
        yield strategy, exact_profile(law, strategy), looked_at // len(strategies)


def _worst(law: Law | KeyLaw, level: float | None, candidates: Iterable[Candidate]) -> Finding:
    """Return the worst of what was computed with bounds."""
    witness, worst, evaluated = None, 0.0, 0
    for inputs, profile, chosen_from in candidates:
        value = profile.loss().low if level is None else profile.delta(level).low
        evaluated += chosen_from
        if value > worst:
            witness, worst = inputs, value
    return Finding(level, worst, witness, evaluated, law.certified)


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
    plan: Plan,
    *,
    law: Law | None = None,
    threshold: Number = 0,
    effort: str = "short",
) -> list[ExactRow]:
    """Try to break everything that is claimed of a plan.

    The pure ε, if there is one, by the worst path; δ at several ε by paths and adaptive
    strategies; δ once more by what a batch release says. Where a release takes a whole list, as
    ranked selection does and whatever has counts, all of it by small lists of scores.

    Parameters
    ----------
    plan : Plan
        The plan.
    law : Law, optional
        What the mechanism does, if that is something else than the plan says.
    threshold, effort : optional
        As for :func:`search`, which each row takes.

    Returns
    -------
    list of ExactRow
        One row for each claim.

    Raises
    ------
    ParameterError
        If something in the plan would not be looked at.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=1, monotonic=True, correction=0, grid=1)
    >>> for row in audit_plan(plan):
    ...     print(row.claim, row.verdict)
    largest loss holds
    delta at epsilon 0 holds
    delta at epsilon 0.6 holds
    """
    does = law_of(plan, threshold) if law is None else law
    if isinstance(does, KeyLaw):
        raise ParameterError("plan must be one of scores; audit a search for keys by its profile")
    proved = guarantee(plan)
    try:
        pure = float(proved.at(0))
    except NoGuaranteeError:
        pure = math.inf
    curve = [float(proved.at(delta)) for delta in DELTAS]
    levels = [share * pure for share in SHARES] if curve[-1] > 0.999 * pure else curve
    rows = []
    for level in (None, *levels) if pure < math.inf else levels:
        finding = search(does, epsilon=level, effort=effort)
        how = "worst path" if level is None else "worst path or strategy"
        rows.append(_row(proved, finding, "worst pair" if does.takes_a_list else how, does.unseen))
    if does.plain and not does.takes_a_list:
        pairs = _batches(does, effort)
        candidates = ((pair, exact_profile(does, pair, release="labels"), 1) for pair in pairs)
        rows.append(_row(proved, _worst(does, levels[0], candidates), "labels of batches"))
    return rows


def _row(proved: Guarantee, finding: Finding, how: str, unseen: str = "") -> ExactRow:
    level = finding.epsilon
    claim = "largest loss" if level is None else f"delta at epsilon {level:.4g}"
    allowed = float(proved.at(0)) if level is None else proved.delta(level)
    method = f"exact, {how} of {finding.evaluated:,}"
    return ExactRow(claim, method, finding.worst, allowed, str(finding.witness), unseen)


def _batches(law: Law, effort: str) -> Iterator[ScorePair]:
    """Yield random neighbours in a small batch, of which only the labels found are released."""
    rng = np.random.default_rng(0)
    tries, size = (200, 5) if effort == "full" else (20, 4)
    gaps, ways = tree_gaps(law, 24), directions(law)
    for _ in range(tries):
        together = ways[int(rng.integers(len(ways)))]
        one = tuple((law.level - gaps[i]) * law.grid for i in rng.integers(len(gaps), size=size))
        moved = [together[i] for i in rng.integers(len(together), size=size)]
        other = tuple(score + move for score, move in zip(one, moved, strict=True))
        yield ScorePair(one, other)
