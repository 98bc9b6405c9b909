"""The exact privacy profile of a plan or law between two neighbouring inputs.

Also where candidates are read off the data, on small universes: one data set has a person whose
items nobody else holds, and on its neighbour these items do not exist. The public order of the
candidates is a uniformly random shuffle. A release names the winners in the order found.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from overbar import _check
from overbar._check import Number
from overbar.audit.exact.adversary import Adversary, tree_profile
from overbar.audit.exact.events import Path, check_moves, path_profile
from overbar.audit.exact.law import Law, RankedLaw, law_of
from overbar.audit.exact.list_search import between, list_outcomes, list_profile
from overbar.audit.exact.profile import Profile
from overbar.audit.exact.ranked_outcomes import Outcomes
from overbar.audit.exact.transcripts import answers, labels
from overbar.errors import ParameterError
from overbar.plans import Plan

#: What a run lets the world see: every answer, or the queries found, in the order found.
RELEASES = ("answers", "labels")
#: All orders of candidates read off the data are enumerated, so there may not be many.
MOST_ITEMS = 6

#: Two neighbouring lists of scores.
Pair = tuple[Sequence[Number], Sequence[Number]]


def exact_profile(
    subject: Plan | Law,
    between: Pair | Adversary | Path,
    *,
    threshold: Number = 0,
    release: str = "answers",
) -> Profile:
    """Compute what a run gives away between two neighbouring inputs, with certified bounds.

    Parameters
    ----------
    subject : Plan or Law
        A plan, of which the law of a release is taken, or the law of any other mechanism.
    between : pair of sequences, Adversary or Path
        Two neighbouring lists of scores, asked in order; or an adversary whose queries depend on
        the answers; or one path, of which only the event that it was taken counts.
    threshold : int, float, str, Fraction or Decimal, default 0
        The public threshold of a plan; a law has its own level.
    release : {"answers", "labels"}, default "answers"
        "answers": all answers, one by one. "labels": which queries were positive, in the order
        found, as a batch release says. What takes a whole list of scores, such as ranked
        selection, has labels alone, or labels and counts.

    Returns
    -------
    Profile
        Each outcome with its chances on both sides.

    Raises
    ------
    ParameterError
        If the two lists are no neighbours.

    Examples
    --------
    >>> from overbar import calibrate
    >>> plan = calibrate(epsilon=1, cutoff=1, correction=0, grid=1, mechanism="sparse-vector")
    >>> profile = exact_profile(plan, ([0, 0], [1, -1]))
    >>> round(profile.loss().low, 6), profile.worst()
    (1.0, ((0, False), (1, True)))
    """
    law = law_of(subject, threshold)
    if law.takes_a_list and isinstance(between, Adversary | Path):
        raise ParameterError("between must be two lists of scores: this release takes a whole list")
    if isinstance(between, Adversary):
        return tree_profile(law, between)
    if isinstance(between, Path):
        return path_profile(law, between)
    _check.choice("release", release, RELEASES)
    one, other = ([_check.rational("score", score) for score in scores] for scores in between)
    if len(one) != len(other):
        raise ParameterError("neighbouring lists of scores must have the same length")
    check_moves(law, list(zip(one, other, strict=True)))
    steps = [[law.steps(score) for score in side] for side in (one, other)]
    if law.takes_a_list or release == "labels":
        return list_profile(law, *steps)
    first, second = (answers(law, side) for side in steps)
    return Profile.between(first, second, certified=law.certified and not law.releases_value)


def unlisted_profile(
    subject: Plan | Law,
    counts: Mapping[str, Number],
    neighbour: Mapping[str, Number],
    *,
    threshold: Number = 0,
) -> Profile:
    """Compute what is given away when the candidates are the items that occur.

    Parameters
    ----------
    subject : Plan or Law
        As for :func:`exact_profile`.
    counts, neighbour : mapping
        From item to score; an item that one of them lacks is no candidate there.
    threshold : int, float, str, Fraction or Decimal, default 0
        The public threshold of a plan; a law has its own level.

    Returns
    -------
    Profile
        Each outcome with its chances on both sides.

    Raises
    ------
    ParameterError
        If there are no items, or too many to enumerate.

    Examples
    --------
    >>> from overbar import calibrate
    >>> plan = calibrate(epsilon=1, cutoff=1, monotonic=True, correction=8, grid=1)
    >>> profile = unlisted_profile(plan, {"tea": 9, "mine": 1}, {"tea": 9})
    >>> profile.delta(1).low > 0
    True
    """
    law = law_of(subject, threshold)
    for universe in (counts, neighbour):
        if not 1 <= len(universe) <= MOST_ITEMS:
            raise ParameterError(
                f"a universe must have 1 to {MOST_ITEMS} items, got {len(universe)}"
            )
    one, other = (_named(law, universe) for universe in (counts, neighbour))
    moved: dict[Hashable, int] = dict.fromkeys([*counts, *neighbour], 0)
    for item in counts.keys() & neighbour.keys():
        moved[item] = law.steps(neighbour[item]) - law.steps(counts[item])
    return between(law, one, other, moved)


def _named(law: Law, counts: Mapping[str, Number]) -> Outcomes:
    """Return the law of what is released; where the highest values win, in no order asked."""
    if not isinstance(law, RankedLaw):
        return _shuffled(law, counts)
    named = list(counts)
    found = list_outcomes(law, [law.steps(score) for score in counts.values()])
    if law.releases_value:
        return {tuple((named[at], value) for at, value in said): p for said, p in found.items()}
    return {tuple(named[at] for at in said): p for said, p in found.items()}


def _shuffled(law: Law, counts: Mapping[str, Number]) -> Outcomes:
    """Return the law of what is released, over all orders."""
    steps = {item: law.steps(score) for item, score in counts.items()}
    log_order = -math.lgamma(len(steps) + 1)
    found: Outcomes = {}
    for order in itertools.permutations(steps):
        for places, bounds in labels(law, [steps[item] for item in order]).items():
            said = tuple(order[place] for place in places)
            low, high = found.get(said, (-math.inf, -math.inf))
            found[said] = (
                float(np.logaddexp(low, bounds[0] + log_order)),
                float(np.logaddexp(high, bounds[1] + log_order)),
            )
    return found
