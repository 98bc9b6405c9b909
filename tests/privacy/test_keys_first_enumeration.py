"""All outcomes of the top of a small table without a list: keys first, then the top of these."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest

import overbar
from overbar.audit.every import Every
from overbar.frames import Question
from overbar.frames.keys_first import with_keys_first
from overbar.mechanisms.keys import Held
from tests.reference.set_union import excess

EPSILON, DELTA = 2, Fraction("0.1")


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


def law(question, counts):
    """{answer: chance} of a table with so many persons for each key, each with one."""
    plan, persons = question.plan, itertools.count()
    table = {next(persons): key for key, held in counts.items() for _ in range(held)}

    def says(run):
        keys = plan.first.run(run, Held(run, table)).found
        scores = [int(counts[key] / plan.grid) for key in keys]
        return tuple(keys[one.candidate] for one in plan.run(run, scores, None).found)

    return {said: math.exp(low) for said, (low, _) in Every(40.0).outcomes(says).chances.items()}


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
