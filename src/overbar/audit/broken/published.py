"""Variants that were published as private, as analysed by Lyu, Su and Li.

M. Lyu, D. Su and N. Li, "Understanding the Sparse Vector Technique for Differential Privacy",
PVLDB 10(6), 2017, arXiv:1603.01699. Their Algorithm 1 is the sound one: Laplace noise of scale
Δ/ε₁ on the threshold, 2cΔ/ε₂ on each query, halt after c positives. Their Algorithm 2 (Dwork and
Roth) is sound as well. The numbers below are those of the other four, with Δ = 1.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from overbar.audit.checks import broken
from overbar.audit.exact import Law
from overbar.audit.interfaces import Outcomes, Pair
from overbar.audit.law_runs import Answers, Array, law_runs
from overbar.noise import Laplace

PAPER = "Lyu, Su and Li 2017, arXiv:1603.01699"


#: ε₁ = ε/4, ε₂ = 3ε/4, query noise Δ/ε₂: private only with (1 + 6c)/4 times the ε claimed.
NOISE_WITHOUT_CUTOFF_FACTOR = broken(
    name="query noise without the factor c",
    fault="each of the c positives costs what was budgeted for all of them",
    source=f"Lee and Clifton 2014; Algorithm 4 of {PAPER}",
    pairs=(
        Pair((0, 1, 1, 1, 1), (1, 0, 0, 0, 0), "a negative rises, positives fall"),
        Pair((0, 0, 0, 1, 1, 1, 1), (1, 1, 1, 0, 0, 0, 0), "negatives rise, positives fall"),
    ),
    law=Law(Laplace(Fraction(4, 3)), Laplace(Fraction(4)), cutoff=4, continuous=True),
)


#: ε₁ = ε/2 on the threshold, nothing on queries, no end.
NO_QUERY_NOISE = broken(
    name="no noise on queries",
    fault="a negative and a positive pin the threshold between two exact answers",
    source=f"Stoddard, Chen and Machanavajjhala 2014; Algorithm 5 of {PAPER}",
    pairs=(Pair((0, 1), (1, 0), "the two answers swap places"),),
    law=Law(None, Laplace(Fraction(2)), cutoff=None, continuous=True),
)


#: ε₁ = ε₂ = ε/2, query noise Δ/ε₂, as many positives as there are.
NO_CUTOFF = broken(
    name="no cutoff",
    fault="every positive costs, and nothing counts them",
    source=f"Chen, Xiao, Zhang and Xu 2015; Algorithm 6 of {PAPER}",
    pairs=(
        Pair((0,) * 60, (1,) * 30 + (-1,) * 30, "half of the answers rise, half fall"),
        Pair((0,) * 8, (1,) * 4 + (-1,) * 4, "the same, short"),
    ),
    law=Law(Laplace(Fraction(2)), Laplace(Fraction(2)), cutoff=None, continuous=True),
)


def _place_and_value(answers: Answers, noisy: Array) -> Outcomes:
    place = np.argmax(answers == 1, axis=1)
    rows = np.arange(len(answers))
    found = answers[rows, place] == 1
    value = np.where(found, noisy[rows, place], np.nan)
    return np.column_stack([np.where(found, place, -1.0), value])


#: ε₁ = ε₂ = ε/2, query noise cΔ/ε₂ with c = 1; the value that passed is told with the same noise.
SAME_NOISE = broken(
    name="the noisy answer told with the noise it passed with",
    fault="the value tells how high the threshold is at most, so the negatives before it cost",
    source=f"lecture notes of Roth 2011; Algorithm 3 of {PAPER}",
    pairs=(Pair((0,) * 8 + (1,), (1,) * 8 + (0,), "eight negatives rise, the positive falls"),),
    run=law_runs(
        Law(Laplace(Fraction(2)), Laplace(Fraction(2)), cutoff=1, continuous=True),
        tell=_place_and_value,
    ),
    runs=200_000,
)

PUBLISHED = (NOISE_WITHOUT_CUTOFF_FACTOR, NO_QUERY_NOISE, NO_CUTOFF, SAME_NOISE)
