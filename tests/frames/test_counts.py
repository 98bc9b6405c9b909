"""Counts from tables: whole numbers of persons, never below zero, also without a catalogue."""

from __future__ import annotations

from fractions import Fraction

import polars
import pytest

import overbar
from overbar import frames
from overbar.frames.question import Question
from overbar.frames.question_plan import SUM_STEPS

HELD = {"tea": 900, "rum": 500, "ale": 3}
ROWS = polars.DataFrame(
    [(item, person, 2.5) for item, held in HELD.items() for person in range(held)],
    schema=["product", "customer", "paid"],
    orient="row",
)
#: The same, where nobody has two items.
APART = ROWS.with_columns(customer=polars.col("product") + polars.col("customer").cast(str))
ASK = {"item": "product", "person": "customer", "counts": True}
#: Noise beyond 40 has a chance below e^-100.
SURE = {"epsilon": 20, "cutoff": 2}
LISTED = {"catalogue": ["sake", *HELD]}
PAID = {"tea": 10.0, "rum": 40.0}


@pytest.mark.parametrize("items", [None, 1])
def test_counts_of_persons_are_whole_and_right(items):
    found = frames.top(APART, **ASK, **SURE, **LISTED, items_per_person=items)
    assert found.labels == ("tea", "rum")
    for label, count in zip(found.labels, found.counts, strict=True):
        assert abs(count.value - HELD[label]) < 40
        assert all(end.denominator == 1 for end in count)
    assert (found.plan.labels.kind == "histogram") == (items == 1)


def test_a_count_of_nobody_is_not_negative():
    """Half of the time noise is below zero, so 80 counts show it but for a chance of 2^-80."""
    empty = ROWS.filter(polars.col("product") == "none")
    catalogue = [str(place) for place in range(80)]
    found = frames.top(empty, **ASK, epsilon=1, cutoff=80, catalogue=catalogue)
    assert min(count.low for count in found.counts) == 0
    assert min(count.value for count in found.counts) == 0


def test_without_a_catalogue():
    found = frames.select(
        ROWS, **ASK, **SURE, threshold=200, delta="1e-9", items_per_person=3, candidates=10
    )
    assert set(found.labels) == {"tea", "rum"}
    assert found.indices is None
    assert all(abs(c.value - HELD[i]) < 40 for i, c in zip(found, found.counts, strict=True))
    assert found.guarantee.implies(20, "1e-9")


def test_sums_have_counts_in_their_own_unit():
    found = frames.top(ROWS, **ASK, **SURE, **LISTED, value={"paid": (0, 10)})
    assert abs(found.counts[0].value - 2250) < 400


def test_what_many_persons_add_is_not_rounded_away():
    """4,000 times 10 and 4,000 times 40, where noise beyond 20,000 has a chance below e^-29."""
    paid = polars.DataFrame(
        [(item, item + str(person), much) for item, much in PAID.items() for person in range(4000)],
        schema=["product", "customer", "paid"],
        orient="row",
    )
    asked = {**ASK, "value": {"paid": (0, 100)}, "catalogue": [*PAID], "cutoff": 2}
    found = frames.top(paid, **asked, epsilon=1)
    assert found.plan.grid == Fraction(100, SUM_STEPS)
    for label, count in zip(found.labels, found.counts, strict=True):
        assert abs(count.value - 4000 * Fraction(PAID[label])) < 20_000
    # Control: on a grid for whole scores everybody counts as 0, or as 50.
    plan = overbar.plan(
        top=True, epsilon=1, cutoff=2, counts=True, sensitivity=100, monotonic=True, grid=25
    )
    columns = {name: asked[name] for name in asked if name not in ("cutoff", "counts")}
    coarse = frames.top(paid, **columns, plan=plan)
    for label, count in zip(coarse.labels, coarse.counts, strict=True):
        assert abs(count.value - 4000 * Fraction(PAID[label])) > 20_000


@pytest.mark.parametrize(
    ("more", "least", "whole"),
    [
        ({"person": "who"}, Fraction(0), True),
        ({"person": "who", "value": {"v": (2, 5)}}, Fraction(0), False),
        ({"person": "who", "value": {"v": (-2, 5)}}, None, False),
        ({"score": "v", "sensitivity": 1}, None, False),
        ({"score": {"v": (2, 5)}, "sensitivity": 1}, Fraction(0), False),
        ({"score": {"v": (-2, 5)}, "sensitivity": 1}, Fraction(-2), False),
    ],
)
def test_what_is_public_about_scores(more, least, whole):
    asked = Question.top(item="what", catalogue=["a"], epsilon=1, cutoff=1, **more)
    assert asked.measure.known == (least, whole)


def test_a_question_says_what_its_counts_cost():
    asked = Question.top(**ASK, epsilon=1, cutoff=2, **LISTED)
    _, counts = asked.plan.paid()
    assert counts.query_noise == asked.plan.counts
    assert asked.guarantee.at() == 1
