"""The search for the worst case: neighbours, transcripts and adaptive strategies.

Whatever is found is a fact, not an estimate: the witness is enumerated again with bounds, and the
lower one is reported. What is not found proves nothing, but see how close the tight cases come.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.audit.exact.adversary import Adversary, tree_profile
from overbar.audit.exact.bare_search import search_bare
from overbar.audit.exact.events import Path, path_profile
from overbar.audit.exact.law import Law, law_of
from overbar.audit.exact.path_search import PathSearch
from overbar.audit.exact.profile import Profile
from overbar.audit.exact.tree_search import search_trees
from overbar.plan import Plan

#: How hard to look: seconds, or minutes.
EFFORTS = ("short", "full")


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
        What shows it: a path or an adaptive adversary for
        :func:`overbar.audit.exact.neighbour_profile.exact_profile`.
    evaluated
        How many candidates were looked at.
    certified
        False if threshold noise is continuous: then `worst` is as good as its integration rule.
    """

    epsilon: float | None
    worst: float
    witness: Path | Adversary | None
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
    subject
        A plan, of which the law of a release is taken, or the law of any other mechanism.
    epsilon
        Where δ is to be made large; None to look for the largest loss, which is pure ε.
    threshold
        The public threshold of a plan; a law has its own level.
    effort
        "short" takes about a second, "full" about a minute.
    seed
        Trees are climbed from random starts.

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
    paths = PathSearch.of(law, level, thorough)
    path = paths.best()
    found: list[tuple[Path | Adversary, Profile]] = []
    if path is not None:
        found.append((path, path_profile(law, path)))
    evaluated = paths.looked_at
    if level is not None and law.plain:
        strategies, looked_at = _strategies(law, level, thorough, path, seed)
        found += [(strategy, tree_profile(law, strategy)) for strategy in strategies]
        evaluated += looked_at
    return _worst(found, level, evaluated)


def _strategies(
    law: Law, epsilon: float, thorough: bool, path: Path | None, seed: int
) -> tuple[list[Adversary], int]:
    """Search adaptive adversaries: by dynamic programming where nothing is hidden, or climbing."""
    if law.threshold is None and law.query is not None and law.cutoff is not None:
        return search_bare(law, epsilon, thorough)
    generator = np.random.default_rng(seed)
    return search_trees(law, epsilon, thorough, generator, path)


def _worst(
    found: list[tuple[Path | Adversary, Profile]], epsilon: float | None, evaluated: int
) -> Finding:
    witness, worst, certified = None, 0.0, True
    for candidate, profile in found:
        value = profile.loss().low if epsilon is None else profile.delta(epsilon).low
        certified = certified and profile.certified
        if value > worst:
            witness, worst = candidate, value
    return Finding(epsilon, worst, witness, evaluated, certified)
