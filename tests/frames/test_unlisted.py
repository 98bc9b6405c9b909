"""Items read off a table: how often the item of one person comes out, and what does not."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import overbar
from overbar import NoGuaranteeError, frames
from overbar.frames.scoring import scored, unlisted_batches
from overbar.privacy import PureDP
from overbar.runs import batch
from overbar.runs.batch_run import BatchRun
from tests.frames.engines import table_of
from tests.frozen.chi_square import FALSE_ALARM
from tests.reference.sampling import seed_releases, seeded

COLUMNS = {"item": "what", "person": "who"}
RUNS = 4000


def question_of(**changes):
    asked = {"threshold": 4, "items_per_person": 1, **COLUMNS} | changes
    plan = overbar.plan(
        epsilon=2, cutoff=3, correction=2, noise="exponential", monotonic=True,
        items_per_person=asked["items_per_person"],
    )  # fmt: skip
    return frames.Question.select(plan=plan, delta="0.6", delta_is_large=True, **asked)


def releases(question, rows, seed, monkeypatch, runs=RUNS):
    """Return what many releases of one table select, without reading the table every time."""
    found = scored(table_of(rows), question.measure, question.plan.grid, None)
    level = int((question.threshold + question.plan.correction) / question.plan.grid)
    contest = BatchRun(question.plan, level)
    monkeypatch.setattr(batch, "system", seeded(seed))
    return [
        batch.release(
            contest,
            unlisted_batches(found),
            unlisted_delta=question.unlisted_delta,
        )
        for _ in range(runs)
    ]


def test_a_lone_item_comes_out_as_often_as_its_delta_says(monkeypatch):
    """With one item a person and one round the bound is attained, so it can be tested both ways."""
    question = question_of()
    lone = releases(question, [("mine", 1)], 1, monkeypatch)
    often = sum(len(found) for found in lone)
    delta = question.unlisted_delta
    assert 0.01 < delta < 0.6
    assert stats.binomtest(often, RUNS, delta).pvalue > FALSE_ALARM
    # A control: the δ of a threshold that is two persons higher is too small.
    higher = question_of(threshold=6).unlisted_delta
    assert stats.binomtest(often, RUNS, higher, alternative="greater").pvalue < FALSE_ALARM


def test_several_lone_items_come_out_no_more_often_than_their_delta(monkeypatch):
    question = question_of(items_per_person=2)
    rows = [("mine", 1), ("my own", 1), *(("tea", person) for person in range(2, 11))]
    runs = releases(question, rows, 2, monkeypatch)
    often = sum("mine" in found or "my own" in found for found in runs)
    bound = question.unlisted_delta
    assert stats.binomtest(often, RUNS, bound, alternative="greater").pvalue > FALSE_ALARM
    # A control: the δ of one item a person is too small for two.
    single = question_of(items_per_person=1).unlisted_delta
    assert stats.binomtest(often, RUNS, single, alternative="greater").pvalue < FALSE_ALARM


def test_a_person_with_more_items_has_only_so_many_in_the_race(monkeypatch):
    """Whatever the key, so that the δ for so many items covers it."""
    question = question_of(items_per_person=2)
    rows = [(f"mine {number}", 1) for number in range(40)]
    held = set()
    for _ in range(30):
        found = scored(table_of(rows), question.measure, question.plan.grid, None)
        assert len(found.steps) == 2
        held |= set(found.items.to_list())
    assert len(held) > 10  # which two, is drawn anew each time


def test_nothing_released_depends_on_how_many_items_there_are(monkeypatch):
    """The same winners among few and among many items make the same release."""
    question = question_of(threshold=1000)
    rows = [("tea", person) for person in range(2000)]
    more = [*rows, *((f"item {number}", 5000 + number) for number in range(500))]
    few, many = (releases(question, some, 3, monkeypatch, 1)[0] for some in (rows, more))
    assert few == many
    assert few.labels == ("tea",)
    assert few.indices is None


def test_items_that_many_hold_lose_a_fair_share_to_the_bound(monkeypatch):
    """Everyone holds the same six items and keeps three: each item is kept by about half.

    With one priority for each item instead of each pair, three items would be kept by all and
    three by nobody, which is the control.
    """
    rows = [(item, person) for item in "abcdef" for person in range(2000)]
    question = question_of(items_per_person=3)
    seed_releases(monkeypatch, 4)
    found = scored(table_of(rows), question.measure, question.plan.grid, None)
    kept = np.asarray(found.steps) * float(question.plan.grid)
    assert len(kept) == 6
    assert kept.sum() == 3 * 2000

    def fair(counts):
        return all(stats.binomtest(int(n), 2000, 0.5).pvalue > FALSE_ALARM for n in counts)

    assert fair(kept)
    assert not fair([2000, 2000, 2000, 0, 0, 0])


def test_the_guarantee_of_an_answer_has_the_delta_of_unlisted_items_in_it():
    """It spoke of the plan alone, and called such an answer pure."""
    table = table_of([("tea", person) for person in range(99)])
    for noise, cutoff, own in (("exponential", 1, 0), ("gumbel", 9, "5e-4")):
        asked = overbar.plan(
            epsilon=3, delta=own, cutoff=cutoff, noise=noise, monotonic=True, candidates=9,
            items_per_person=1,
        )  # fmt: skip
        found = frames.select(
            table, threshold=50, items_per_person=1, delta="1e-3", plan=asked, **COLUMNS
        )
        plan, cost = overbar.guarantee(found.plan), Fraction(found.unlisted_delta)
        claimed = found.guarantee
        assert not isinstance(claimed, PureDP)
        assert claimed.implies(3, "1e-3")
        for delta in (0, Fraction(1, 10**5)):
            assert claimed.at(cost + delta) == plan.at(delta)
            assert claimed.delta(plan.at(delta)) >= cost + Fraction(plan.delta(plan.at(delta)))
        assert claimed.renyi(2) == math.inf
        assert not claimed.implies(10**6, cost * Fraction(999, 1000))
        with pytest.raises(NoGuaranteeError, match="nothing is proved at a delta below"):
            claimed.at()
        assert repr(claimed) in repr(found)
        shown = re.search(r"epsilon=(\S+) at delta=(\S+)[,)]", repr(claimed))
        assert claimed.implies(Fraction(shown[1]) * Fraction("1.00001"), shown[2])
