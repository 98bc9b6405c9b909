"""The search for the worst case: neighbours, transcripts and adaptive strategies.

Whatever is found is a fact, not an estimate: the witness is enumerated again with bounds, and the
lower one is reported. What is not found proves nothing, but see how close the tight cases come.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.audit.profile import Profile
from overbar.errors import NoGuaranteeError, ParameterError
from overbar.mechanisms import Plan
from overbar.privacy import Guarantee, guarantee
from tests.attacks.lists import ScorePair, list_pairs, unseen
from tests.attacks.online import directions, profile_of, scores_around, takes_a_list
from tests.attacks.path_search import PathSearch
from tests.attacks.strategy_search import search_bare, search_trees

#: Where the curve of an (ε, δ) guarantee is tried.
DELTAS = (1e-1, 1e-3, 1e-6)
#: Where the curve of a pure guarantee is tried, as shares of ε.
SHARES = (0.0, 0.6)

#: Inputs, what is said about them, and how many others they were chosen from.
Candidate = tuple[Any, Profile, int]


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
        What shows it, for :func:`profile_of`: a path, an adaptive strategy or two inputs.
    evaluated
        How many candidates were looked at.
    """

    epsilon: float | None
    worst: float
    witness: Any
    evaluated: int

    def __repr__(self) -> str:
        what = "loss" if self.epsilon is None else f"delta at epsilon={self.epsilon:g}"
        return f"Finding({what} >= {self.worst:.9g}, by {self.witness})"


def search(
    plan: Plan,
    *,
    epsilon: Number | None = None,
    threshold: Number = 0,
    among: Iterable[Any] = (),
) -> Finding:
    """Look for the largest loss, or for the largest δ at a given ε.

    `among` are neighbouring inputs, as for :func:`profile_of`; without them bad ones are looked
    for. The threshold is public.

    Examples
    --------
    >>> import overbar
    >>> plan = overbar.plan(epsilon=1, cutoff=2, monotonic=True, correction=0, grid=1)
    >>> round(search(plan).worst, 6)
    1.0
    """
    level = None if epsilon is None else float(_check.non_negative("epsilon", epsilon))
    given = [(pair, profile_of(plan, pair, threshold=threshold), 1) for pair in among]
    return _worst(level, given or _candidates(plan, plan.level(threshold), level))


def _candidates(plan: Plan, bar: int, level: float | None) -> Iterator[Candidate]:
    """Yield what may be bad: small lists, or else the worst path and the worst strategies."""
    if getattr(plan.labels, "shared", None) is not None:
        # All outcomes of such plans are in tests/privacy/test_value_enumeration.py.
        raise ParameterError("plan must be one without shared, which takes too long to search")
    threshold = bar * plan.grid - plan.correction
    if takes_a_list(plan):
        yield from ((pair, profile, 1) for pair, profile in list_pairs(plan, bar))
        return
    paths = PathSearch.of(plan.labels, bar, level)
    path = paths.best()
    if path is not None:
        yield path, profile_of(plan, path, threshold=threshold), paths.looked_at
    if level is None:
        return
    if plan.threshold_noise is None:
        strategies, looked_at = search_bare(plan, bar, level)
    else:
        strategies, looked_at = search_trees(plan, bar, level, path)
    for strategy in strategies:
        profile = profile_of(plan, strategy, threshold=threshold)
        yield strategy, profile, looked_at // len(strategies)


def _worst(level: float | None, candidates: Iterable[Candidate]) -> Finding:
    """Return the worst of what was computed with bounds."""
    witness, worst, evaluated = None, 0.0, 0
    for inputs, profile, chosen_from in candidates:
        value = profile.loss().low if level is None else profile.delta(level).low
        evaluated += chosen_from
        if value > worst:
            witness, worst = inputs, value
    return Finding(level, worst, witness, evaluated)


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


def audit_plan(plan: Plan, *, really: Plan | None = None, threshold: Number = 0) -> list[ExactRow]:
    """Try to break everything that is claimed of a plan; a row for each claim.

    The pure ε, if there is one, by the worst path; δ at several ε by paths and adaptive
    strategies; δ once more by what a batch release says. Where a release takes a whole list, as
    ranked selection does and whatever has counts, all of it by small lists of scores. `really` is
    what is run, if that is something else.

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
    does = plan if really is None else really
    proved = guarantee(plan)
    try:
        pure = float(proved.at(0))
    except NoGuaranteeError:
        pure = math.inf
    curve = [float(proved.at(delta)) for delta in DELTAS]
    levels = [share * pure for share in SHARES] if curve[-1] > 0.999 * pure else curve
    whole = takes_a_list(does)
    rows = []
    for level in (None, *levels) if pure < math.inf else levels:
        finding = search(does, epsilon=level, threshold=threshold)
        how = "worst path" if level is None else "worst path or strategy"
        rows.append(
            _row(proved, finding, "worst pair", unseen(does))
            if whole
            else _row(proved, finding, how)
        )
    if not (whole or does.repeats.resample or does.repeats.max_queries):
        pairs = _batches(does, does.level(threshold))
        seen = ((pair, _of_batch(does, pair, threshold), 1) for pair in pairs)
        rows.append(_row(proved, _worst(levels[0], seen), "labels of batches"))
    return rows


def _of_batch(plan: Plan, pair: ScorePair, threshold: Number) -> Profile:
    return profile_of(plan, pair, threshold=threshold, release="labels")


def _row(proved: Guarantee, finding: Finding, how: str, unseen: str = "") -> ExactRow:
    level = finding.epsilon
    claim = "largest loss" if level is None else f"delta at epsilon {level:.4g}"
    allowed = float(proved.at(0)) if level is None else proved.delta(level)
    method = f"exact, {how} of {finding.evaluated:,}"
    return ExactRow(claim, method, finding.worst, allowed, str(finding.witness), unseen)


def _batches(plan: Plan, level: int) -> Iterator[ScorePair]:
    """Yield random neighbours in a small batch, of which only the labels found are released."""
    rng = np.random.default_rng(0)
    around, ways = scores_around(plan, level, 24), directions(plan)
    for _ in range(20):
        together = ways[int(rng.integers(len(ways)))]
        one = tuple(around[i] for i in rng.integers(len(around), size=4))
        moved = [together[i] for i in rng.integers(len(together), size=4)]
        other = tuple(score + move for score, move in zip(one, moved, strict=True))
        yield ScorePair(one, other)
