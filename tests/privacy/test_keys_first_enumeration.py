"""All outcomes of the top of a small table without a list: keys first, then the top of these."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import overbar
from overbar.frames import Question
from overbar.frames.keys_first import with_keys_first
from overbar.mechanisms import OneKeyPlan
from overbar.mechanisms.one_key import BITS, chances
from overbar.noise.grid_tails import grid_tail
from tests.reference.set_union import excess

EPSILON, DELTA = 2, Fraction("0.1")
REACH = 60


def asked():
    def make(_, epsilon, delta):
        return overbar.plan(
            top=True, epsilon=epsilon, delta=delta, cutoff=1, monotonic=True, items_per_person=1,
            mechanism="histogram", noise="gaussian", grid=1,
        )  # fmt: skip

    columns = {"item": "what", "person": "who", "items_per_person": 1}
    budget = {"epsilon": EPSILON, "delta": DELTA, "delta_is_large": True}
    question = Question.top(**columns, cutoff=1, **budget)
    plan = with_keys_first(question.measure, EPSILON, DELTA, make)
    question = replace(question, plan=plan)
    assert (question.plan.labels.kind, question.plan.query_noise.name) == ("histogram", "gaussian")
    return question


def values(plan, count):
    """The chances of a count with noise, from -REACH to REACH grid steps."""
    steps = int(count / plan.grid)
    ends = range(-REACH - steps, REACH + 2 - steps)
    return -np.diff([float(grid_tail(plan.query_noise, plan.grid, end, 100).mid()) for end in ends])


def winners(plan, counts):
    """Who has the highest value, at most two keys; equal ones are told apart by a coin."""
    if len(counts) < 2:
        return dict.fromkeys(counts, 1.0)
    (first, a), (second, b) = counts.items()
    joint = np.multiply.outer(values(plan, a), values(plan, b))
    tied = np.trace(joint) / 2
    ahead = np.tril(joint, -1).sum() + tied
    return {first: ahead, second: joint.sum() - ahead}


def law(question, counts):
    """{answer: chance} of a table with so many persons for each key."""
    search, found = question.plan.first, {}
    assert isinstance(search, OneKeyPlan)
    rising = chances(search)
    likely_out = {key: rising[min(n, len(rising) - 1)] / 2**BITS for key, n in counts.items()}
    for passed in itertools.product((True, False), repeat=len(counts)):
        out = [key for key, yes in zip(counts, passed, strict=True) if yes]
        likely = np.prod(
            [p if yes else 1 - p for p, yes in zip(likely_out.values(), passed, strict=True)]
        )
        among = winners(question.plan, {key: counts[key] for key in out})
        for key, chance in among.items() or [(None, 1.0)]:
            found[key] = found.get(key, 0.0) + likely * chance
    return found


def worst(question):
    tables = [{"a": n, "b": k} for n in range(9) for k in range(4)]
    found = 0.0
    for table in tables:
        for key in table:
            more = {**table, key: table[key] + 1}
            laws = [law(question, {k: n for k, n in t.items() if n}) for t in (table, more)]
            assert sum(laws[1].values()) == pytest.approx(1, abs=1e-6)
            found = max(found, excess(*laws, EPSILON))
    return found


def test_keys_and_their_top_keep_one_budget():
    question = asked()
    claimed = question.guarantee.delta(EPSILON)
    assert claimed <= DELTA
    assert 0.1 * claimed < worst(question) <= claimed + 1e-6


def test_control_keys_that_nobody_paid_for_are_caught():
    """All of ε for the keys, and all of it again for their top."""
    question = asked()
    search = replace(question.plan.first, epsilon=Fraction(2 * EPSILON))
    broken = replace(question, plan=replace(question.plan, first=search))
    assert worst(broken) > question.guarantee.delta(EPSILON) + 1e-6
