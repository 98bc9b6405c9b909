"""What a release draws has the law that is enumerated: one description, run by both.

The system's bytes come from a seed, so each case gives one p-value for ever. Each has a control:
chances that are off by a quarter are rejected on the same sample.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from overbar.audit.every import Every
from overbar.mechanisms import (
    Bar,
    Composed,
    HistogramPlan,
    MonitorPlan,
    OneKeyPlan,
    RankedPlan,
    Reach,
    Repeats,
    SetUnionPlan,
    SparseVectorPlan,
)
from overbar.mechanisms.key_values import STEPS, Round
from overbar.mechanisms.keys import Held
from overbar.noise import Exponential, Gaussian, Gumbel, Laplace
from overbar.runs.exact import Exact
from tests.frozen.chi_square import FALSE_ALARM, MORE, p_value
from tests.reference.sampling import seeded

pytestmark = pytest.mark.one_in(3)

RUNS = 2500 * MORE
UP, BOTH, HALF = Reach(0, 1), Reach(-1, 1), Fraction(1, 2)
SCORES = (2, 0, 1)
TABLE = {1: "ab", 2: "ab", 3: "bc", 4: "a"}
WHO = ({"ann": 1, "bob": 1}, {"ann": 1}, {"bob": 1, "cid": 1}, {"ann": 1, "cid": 1})


class Arrays(Held):
    """A table whose weights come as a release has them."""

    def weighed(self, plan, out):
        keys, weights = super().weighed(plan, out)
        return keys, np.array(weights, dtype=np.int64)


def batch(plan, *groups, level=1):
    """Return who comes out of each group, and the values that are told."""

    def says(run):
        over = None if plan.bar is None else level + int(plan.correction / plan.grid)
        answers = [plan.run(run, np.array(scores), over) for scores in groups or (SCORES,)]
        return tuple((tuple(one.candidate for one in found), told) for found, told in answers)

    return says


def in_turn(query, bar, **more):
    return SparseVectorPlan(query, Bar(bar), 2, BOTH, repeats=Repeats(**more))


def online(plan, questions=(2, 0, 1, 0)):
    return lambda run: tuple(plan.ask(run, questions, 1))


def adaptive(plan):
    """Ask for more after a positive than after a negative."""

    def says(run):
        told = []

        def questions():
            yield 1
            yield 2 if told[0] else 0
            yield sum(told)

        for answer in plan.ask(run, questions(), 1):
            told.append(answer)
        return tuple(told)

    return says


def keys(plan):
    return lambda run: plan.run(run, Arrays(run, TABLE)).found


def keys_then_top(run):
    found = keys(UNION)(run)
    scores = np.array([sum(key in own for own in TABLE.values()) for key in found])
    best = TOP.run(run, scores, None).found if found else ()
    return tuple(found[one.candidate] for one in best)


UNION = SetUnionPlan(1, (Round(Fraction(1), 2 * STEPS), Round(HALF, 2 * STEPS)))
TOP = RankedPlan(Exponential(2), None, 2, UP)
CASES = {
    "ranked": batch(RankedPlan(Exponential(2), Bar(Exponential(2)), 2, UP)),
    "ranked, gumbel": batch(RankedPlan(Gumbel(2), Bar(Laplace(2)), 2, BOTH)),
    "ranked, a fine grid": batch(RankedPlan(Gumbel(HALF), Bar(Laplace(HALF)), 2, UP, HALF / 2)),
    "top": batch(TOP),
    "top, gumbel": batch(RankedPlan(Gumbel(2), None, 2, UP), (2, 0, 1, 1)),
    "groups": batch(TOP, (1, 0), (0, 2)),
    "counts": batch(Composed(RankedPlan(Exponential(1), None, 1, UP), Laplace(HALF))),
    "histogram": batch(HistogramPlan(Laplace(1), Bar(None), 2, UP, Fraction(1), 1)),
    "histogram, values": batch(
        HistogramPlan(Gaussian(1), Bar(None), 1, UP, Fraction(1), 1, values=True), (1, 0)
    ),
    "values": batch(RankedPlan(Gumbel(1), None, 1, UP, shared=Gaussian(HALF)), (1, 0)),
    "bare set": batch(SparseVectorPlan(Gaussian(2), Bar(None), 3, UP, items_per_person=1)),
    "select, once": batch(in_turn(Exponential(2), Laplace(2))),
    "select, two rounds": batch(in_turn(Laplace(2), Exponential(2), rounds=2)),
    "select, without end": batch(in_turn(Gumbel(2), Laplace(1), rounds=None)),
    "online": online(in_turn(Exponential(2), Gaussian(2))),
    "online, drawn anew": online(in_turn(Laplace(2), Laplace(3), resample=True)),
    "online, three questions": online(in_turn(Gumbel(2), Laplace(2), max_queries=3)),
    "adaptive": adaptive(in_turn(Laplace(2), Laplace(2))),
    "keys": keys(UNION),
    "one key": keys(OneKeyPlan(Fraction(1), Fraction(1, 10))),
    "keys, then the top": keys_then_top,
    "monitor": lambda run: tuple(MonitorPlan(Gumbel(2), Bar(None), 1, UP).ask(run, WHO, 2)),
}


def off_by_a_quarter(law):
    """Return other chances: every second one is higher, all others lower."""
    ranked = sorted(law, key=lambda outcome: -law[outcome])
    moved = {outcome: law[outcome] * (1 + (-1) ** k / 4) for k, outcome in enumerate(ranked)}
    return {outcome: chance / sum(moved.values()) for outcome, chance in moved.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_release_has_the_law_that_is_enumerated(name):
    law = {told: math.exp(low) for told, (low, _) in Every().outcomes(CASES[name]).chances.items()}
    assert sum(law.values()) == pytest.approx(1, abs=1e-6)
    source = seeded(5)
    drawn = [CASES[name](Exact(source)) for _ in range(RUNS)]
    assert p_value(drawn, law) > FALSE_ALARM
    assert p_value(drawn, off_by_a_quarter(law)) < FALSE_ALARM
