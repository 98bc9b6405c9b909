"""Broken twins of the mechanisms that give the highest noisy values, and of the search for keys.

They are the controls of the audit: an auditor that misses one of them is too weak.
``BROKEN`` has all of them.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from overbar.audit.interfaces import Claim, Outcomes, Pair
from overbar.noise import Exponential, Gaussian, Laplace
from tests.attacks.broken_queues import QUEUES
from tests.attacks.checks import Check, broken
from tests.attacks.twin_law import Law, RankedLaw

SCALE_ONE = Exponential(Fraction(1))

#: Sound for counts with ε = 1: s = b = 1, one item.
RANKED = RankedLaw(SCALE_ONE, SCALE_ONE, cutoff=1, monotonic=True)

LEFT_TAILED_BAR = broken(
    name="ranked selection, bar noise with its tail to the left",
    fault="the bar is never above its public level, so a score there is always found",
    source="mirror image of a sound mechanism: docs/theory/ranked.md",
    pairs=(Pair((0, -9), (-1, -9), "from the level to below it"),),
    law=replace(RANKED, mirrored=True),
)

#: Two items cost 2Δ/s = 1, and a bar of scale 1/2 costs 2 more where one or none is found.
UNPAID_BAR = broken(
    name="ranked selection, bar not paid for where fewer than c are found",
    fault="an answer that is not full says that all others are below the bar",
    source="docs/theory/ranked.md: only a full answer does not pay for the bar",
    pairs=(Pair((0, 0), (1, 1), "both scores rise above the level"),),
    law=replace(
        RANKED,
        query=Exponential(Fraction(2)),
        threshold=Exponential(Fraction(1, 2)),
        cutoff=2,
    ),
)

NO_FACTOR_CUTOFF = broken(
    name="ranked selection, noise without the factor c",
    fault="each of the c items costs what was budgeted for all of them",
    source="docs/theory/ranked.md with s = Δ/ε",
    pairs=(Pair((-1, -1), (0, 0), "both scores rise to the level"),),
    law=replace(RANKED, cutoff=2),
)

TIES_BY_SCORE = broken(
    name="ranked selection, equal values ordered by their true scores",
    fault="on the grid values are often equal, and then the true score decides without noise",
    source="a stable sort of candidates that come sorted by score",
    pairs=(Pair((0, 0), (1, 0), "one of two equal scores rises"),),
    law=replace(RANKED, threshold=None, has_bar=False, ties_by_score=True),
)

#: Laplace noise of scale Δ/ε, where it has to be m·Δ/ε.
NO_FACTOR_ITEMS = broken(
    name="a histogram with noise for one item of each person",
    fault="a person with two items moves two values, and each costs all of the budget",
    source="docs/theory/histogram.md with m = 1",
    pairs=(Pair((0, 0), (1, 1), "a person with two items"),),
    law=RankedLaw(
        Laplace(Fraction(1)), None, cutoff=2, monotonic=True, has_bar=False, releases_value=True
    ),
)

#: Gaussian noise of scale 2 on one value of sensitivity 1 is (1, 0.007)-DP.
NO_FACTOR_BITS = broken(
    name="a bare set with noise for one item of each person",
    fault="a person with two items moves two bits, and each costs all of the budget",
    source="docs/theory/histogram.md with m = 1",
    pairs=(Pair((-2, -2), (-1, -1), "a person with two items"),),
    claim=Claim.of(1, Fraction(7, 1000)),
    law=Law(Gaussian(Fraction(2)), None, cutoff=2, monotonic=True, items=2),
    runs=100_000,
)

#: The top one of two, with the value that won beside it.
NOISE_USED_AGAIN = broken(
    name="a count with the noise that selected it",
    fault="exponential noise is never negative, so the value shows a score that it exceeds",
    source="docs/theory/counts.md: a count needs noise of its own",
    pairs=(Pair((0, 0), (1, 1), "both scores rise"),),
    law=replace(RANKED, threshold=None, has_bar=False, releases_value=True),
)

#: The top one of two costs ε = 1, and a count with Laplace noise of scale one as much again.
UNPAID_COUNT = broken(
    name="a label with all of the budget, and a count beside it",
    fault="fresh noise is not enough: the count costs what its noise says, and labels get the rest",
    source="docs/theory/counts.md: a share of the budget that is given away twice",
    pairs=(Pair((-1, 0), (-2, 0), "the lower of two scores falls"),),
    law=replace(RANKED, threshold=None, has_bar=False, counts=Laplace(Fraction(1))),
)

#: All of these.
RANKINGS = tuple(value for value in vars().values() if isinstance(value, Check))


#: Gaussian noise of scale 1.9 on one value of sensitivity 1 is (1, 0.01)-DP; lone keys are rare.
SIGMA = 1.9
NINE, BAR = 9, 12


def _rounded_up(persons: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return how many of nine keys come out that all persons hold: each should add a third."""
    noise = generator.normal(scale=SIGMA, size=(runs, NINE))
    return np.asarray(np.count_nonzero(persons + noise >= BAR, axis=1))


ROUNDED_UP = broken(
    name="keys, weights rounded up",
    fault="who holds nine keys adds one to each, and moves the weights by three",
    source="docs/theory/keys.md, where weights are rounded down",
    claim=Claim.of(1, "0.02"),
    pairs=(Pair(BAR - 1, BAR, "one more person with nine keys"),),
    run=_rounded_up,
)

#: P(N > 3) = 0.009 and P(N >= 3) = 0.045 for discrete Gaussian noise of scale 3/2.
STEPS_AWAY, NARROW = 3, 1.5


def _reached(persons: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return whether a key comes out that one person alone holds, three steps below the bar."""
    values = np.arange(-30, 31)
    chances = np.exp(-(values**2) / (2 * NARROW**2))
    noise = generator.choice(values, size=runs, p=chances / chances.sum())
    return np.asarray(np.logical_and(noise >= STEPS_AWAY, persons))


REACHED = broken(
    name="keys, a bar for > and a comparison by >=",
    fault="a noisy weight that equals the bar comes out, and its chance was not counted",
    source="docs/theory/keys.md: the atom at the bar",
    claim=Claim.of(3, "0.01"),
    pairs=(Pair(1, 0, "a key of one person"),),
    run=_reached,
)


def _looked(extra: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return which of two keys come out; ten hold both and keep what most hold, the first in ties.

    One more person, who holds the second alone, makes everybody change.
    """
    weights = np.array([0, 11] if extra else [10, 0])
    return np.asarray(weights + generator.normal(scale=SIGMA, size=(runs, 2)) >= BAR / 2)


LOOKED = broken(
    name="keys, lots drawn after a look at what others hold",
    fault="one person decides what all others keep, and moves every weight",
    source="docs/theory/keys.md: what a person keeps is a function of their own keys",
    claim=Claim.of(1, "0.02"),
    pairs=(Pair(1, 0, "one more person, with the second key"),),
    run=_looked,
)

#: All that must be caught.
BROKEN = (*QUEUES, *RANKINGS, ROUNDED_UP, REACHED, LOOKED)
