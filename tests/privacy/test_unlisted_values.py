"""Labels and values where candidates are read off the data: every outcome of small runs.

Two values are looked at and one label comes out. An item of mine that reaches the bar in second
place shows itself by its value alone, so a δ for items that come out is too small.
"""

import math

import numpy as np
import pytest

from overbar.privacy import guarantee, unlisted_delta
from tests.privacy.test_value_enumeration import (
    ABOVE,
    BELOW,
    released,
    shared_masses,
    small_plan,
)

#: What others give the item that is not mine alone, from low to far above the bar.
SCORES = (0, 9, 20)
LEVEL = 12
MINE, KNOWN = 1, 0


def told_with_me(plan, score):
    """The chances of all that is told of the known item and of mine, whose score is one."""
    place = LEVEL - lowest(plan)
    found = {}
    for order, table in released(plan, (score, 1)).items():
        found[order] = table[place:, place:]
        found[order[:1]] = table[place:, :place].sum(axis=1)
    return found


def told_without_me(plan, score):
    """The same of the known item alone."""
    scale = float(plan.query_noise.scale)
    ends = np.arange(-int(BELOW * scale), int(ABOVE * scale) + 1, dtype=float)
    cells = np.diff(np.exp(-np.exp((score - ends) / scale)))
    values = np.convolve(cells, shared_masses(plan.threshold_noise)[1])
    return {(KNOWN,): values[LEVEL - lowest(plan) :]}


def lowest(plan):
    """The lowest value less ρ that is enumerated."""
    return -int(BELOW * float(plan.query_noise.scale)) + shared_masses(plan.threshold_noise)[0][0]


def excess(one, other, epsilon):
    """The least δ at ε, in one direction; that nothing reaches the bar is an outcome too."""
    laws = [
        law | {(): np.array(1 - sum(part.sum() for part in law.values()))} for law in (one, other)
    ]
    first, second = laws
    lost = (part - math.exp(epsilon) * second.get(what, 0.0) for what, part in first.items())
    return float(sum(np.maximum(part, 0).sum() for part in lost))


def neighbours(plan):
    """How many items I hold, the known one among them or not; what is told with and without me."""
    for score in SCORES:
        for items in (1, 2):
            yield items, told_with_me(plan, score + items - 1), told_without_me(plan, score)


@pytest.mark.parametrize(("scale", "shared"), [(4, 4), (3, 8)])
def test_no_delta_is_above_the_claim(scale, shared):
    plan = small_plan(scale, shared, is_top=False)
    kept = {epsilon: guarantee(plan).delta(epsilon) for epsilon in (0.25, 0.5, 1, 2)}
    unlisted = {items: unlisted_delta(plan, LEVEL, items) for items in (1, 2)}
    closest = 0.0
    for items, with_me, without in neighbours(plan):
        for epsilon, own in kept.items():
            claimed = own + unlisted[items]
            worst = max(excess(with_me, without, epsilon), excess(without, with_me, epsilon))
            assert worst <= claimed + 1e-5  # what lies beyond the enumeration
            closest = max(closest, worst / claimed)
    assert closest > 0.9


def test_an_item_that_only_reaches_the_bar_is_paid_for():
    """The broken twin: the δ of items that come out, where the other is always first."""
    plan, epsilon = small_plan(4, 4, is_top=False), 2
    with_me, without = told_with_me(plan, 20), told_without_me(plan, 20)
    comes_out = with_me[MINE, KNOWN].sum() + with_me[MINE,].sum()
    claimed = guarantee(plan).delta(epsilon) + comes_out
    assert excess(with_me, without, epsilon) > 2 * claimed
