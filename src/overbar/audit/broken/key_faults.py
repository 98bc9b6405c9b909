"""Broken twins of the search for keys that nobody listed: one round, weights in whole steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from overbar.audit.checks import broken
from overbar.audit.interfaces import Claim, Outcomes, Pair

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

KEY_FAULTS = (ROUNDED_UP, REACHED, LOOKED)
