"""Noise of the wrong kind: tail on the wrong side, cut off, paid for by the wrong theorem."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from overbar.audit.checks import broken
from overbar.audit.exact import Law
from overbar.audit.exact.strategies import Path, Step
from overbar.audit.interfaces import Claim, Outcomes, Pair
from overbar.audit.law_runs import Array
from overbar.noise import Exponential, Laplace

#: What most broken mechanisms break: a law that is sound for counts, with ε₁ = ε₂ = 1/2 and one
#: positive.
SOUND = Law(Exponential(Fraction(2)), Laplace(Fraction(2)), cutoff=1, monotonic=True)

#: With its tail to the right, exponential noise on the threshold is private
#: (docs/theory/pure.md): only the mirror image is broken.
LEFT_TAIL = broken(
    name="threshold noise with its tail to the left",
    fault="the threshold is never above its public level, so a score there is never negative",
    source="mirror image of a sound mechanism: docs/theory/pure.md",
    pairs=(Pair((0,), (-1,), "from the level to below it"),),
    law=replace(SOUND, threshold=Exponential(Fraction(2)), mirrored=True),
)

POSITIVES = 50


def _renyi(scores: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Return the first answer and how many of the others were positive: the run is fixed so far."""
    first, later = scores
    bar = generator.laplace(scale=10.0, size=runs)
    begun = generator.random(runs) < _survival(bar - first)
    count = generator.binomial(POSITIVES, _survival(bar - later))
    # The run halts at its fiftieth positive, whichever it is.
    return np.column_stack([begun, np.minimum(begun + count, POSITIVES)])


def _survival(gaps: Array) -> Array:
    return np.exp(-np.maximum(gaps, 0.0) / 20.0)


#: Laplace ρ with ε₁ = 0.1, exponential noise with 0.1 for each of 50 positives.
RENYI_WITHOUT_RESAMPLING = broken(
    name="Rényi costs of exponential noise added up without resampling",
    fault="a negative proves that the threshold is high, and then every positive costs in full",
    source="appendix of arXiv:2407.20068; docs/errata.md, docs/theory/counterexample.md",
    claim=Claim.of("3.56", "1e-5"),
    pairs=(Pair((0.0, 0.25), (1.0, -0.75), "the first rises, the fifty after it fall"),),
    run=_renyi,
    law=Law(
        query=Exponential(Fraction(20)),
        threshold=Laplace(Fraction(10)),
        continuous=True,
        cutoff=POSITIVES,
        grid=Fraction(1, 4),
    ),
    path=Path(
        (
            Step(False, Fraction(0), Fraction(1)),
            Step(True, Fraction(1, 4), Fraction(-3, 4), times=POSITIVES),
        )
    ),
    runs=6_000_000,
)

#: Bits of a float's uniform draw, and so the largest value of -ln U in scales: 36.7.
BITS = 53
SCALE = 2.0
COMPETITORS = 200
LEVEL = SCALE * (BITS * math.log(2) + 0.25)


def _float_race(score: Any, runs: int, generator: np.random.Generator) -> Outcomes:
    """Ask one candidate and its competitors, all of score zero, until the first is positive.

    In each round a candidate passes if -ln U >= gap, U one of 2^-53, 2·2^-53, …, 1: a chance of
    ⌊2^53·e^-gap⌋/2^53. The rounds until then are geometric, so whole runs are one draw.
    """
    bar = LEVEL + generator.laplace(scale=2.0, size=runs)
    mine, theirs = _float_chance(bar - score), _float_chance(bar)
    with np.errstate(divide="ignore"):
        my_round = np.ceil(generator.standard_exponential(runs) / mine)
        their_round = np.ceil(generator.standard_exponential(runs) / (COMPETITORS * theirs))
    ahead = (my_round < their_round) | (
        (my_round == their_round) & (generator.random(runs) < 1 / (1 + COMPETITORS))
    )
    nobody = np.isinf(my_round) & np.isinf(their_round)
    return np.where(nobody, -1, ahead.astype(np.int64))


def _float_chance(gaps: Array) -> Array:
    return np.floor(2.0**BITS * np.exp(-np.maximum(gaps, 0.0) / SCALE)) / 2.0**BITS


#: ε₁ = ε₂ = 1/2, monotonic counts, c = 1, negatives asked again and again.
FLOAT_NOISE = broken(
    name="exponential noise as floats draw it",
    fault="-ln U ends at 36.7 scales; asked often enough, who is just below wins alone",
    source="Mironov 2012 for Laplace noise; docs/audit.md",
    pairs=(Pair(1, 0, "one candidate rises by one among 200 equal ones"),),
    run=_float_race,
)

NOISES = (LEFT_TAIL, RENYI_WITHOUT_RESAMPLING, FLOAT_NOISE)
