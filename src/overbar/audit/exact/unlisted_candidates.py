"""Candidates read off the data: what the list itself gives away, exactly, on small universes.

One data set has a person whose items nobody else holds; on its neighbour these items do not
exist. The public order of the candidates is a uniformly random shuffle. A release names the winners
in the order found; a transcript would show the candidates as well.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np

from overbar._check import Number
from overbar.audit.exact.labels import labels
from overbar.audit.exact.law import Law, law_of
from overbar.audit.exact.profile import Profile
from overbar.errors import ParameterError
from overbar.plan import Plan

#: All orders are enumerated, so there may not be many items.
MOST_ITEMS = 6


def unlisted_profile(
    subject: Plan | Law,
    counts: Mapping[str, Number],
    neighbour: Mapping[str, Number],
    *,
    threshold: Number = 0,
    transcript: bool = False,
) -> Profile:
    """Compute what is given away when the candidates are the items that occur.

    `counts` and `neighbour` map items to scores; an item that one of them lacks is no candidate
    there. With `transcript` the list of candidates is released too, which is broken.

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
    one, other = (_shuffled(law, universe, transcript) for universe in (counts, neighbour))
    return Profile.between(one, other, certified=law.certified)


def _shuffled(
    law: Law, counts: Mapping[str, Number], transcript: bool
) -> dict[object, tuple[float, float]]:
    """Return the law of what is released, over all orders."""
    steps = {item: law.steps(score) for item, score in counts.items()}
    log_order = -math.lgamma(len(steps) + 1)
    found: dict[object, tuple[float, float]] = {}
    for order in itertools.permutations(steps):
        for places, bounds in labels(law, [steps[item] for item in order]).items():
            named = tuple(order[place] for place in places)
            said = (named, order) if transcript else named
            low, high = found.get(said, (-math.inf, -math.inf))
            found[said] = (
                float(np.logaddexp(low, bounds[0] + log_order)),
                float(np.logaddexp(high, bounds[1] + log_order)),
            )
    return found
