"""Without a catalogue: keys first, then the question over them, in one budget."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest

import overbar
from overbar import frames
from overbar._numbers import rounded_up
from overbar.errors import ParameterError
from overbar.frames import Question, contributions, key_search, scoring
from overbar.mechanisms import OneKeyPlan
from overbar.runs import batch
from tests.frames.engines import ENGINES, table_of
from tests.frames.test_keys import drawn_rows, table_with
from tests.frozen.shown import shown
from tests.reference.plans import other_plan
from tests.reference.sampling import seeded

pytestmark = pytest.mark.one_in(3)

COLUMNS = {"item": "what", "person": "who"}
ASK = {**COLUMNS, "cutoff": 2, "epsilon": 1, "delta": "1e-6"}
LOW = {**ASK, "threshold": 20, "candidates": 100}
#: Persons by key; nobody else holds "own".
SOLD = [
    (key, n) for key, held in {"tea": 9000, "rum": 6000, "ale": 3000}.items() for n in range(held)
]
SOLD += [(f"own {n}", n) for n in range(500)]


@pytest.fixture
def replace_entropy(monkeypatch):
    def replaced(seed):
        source = seeded(seed)
        for module in (key_search, contributions, batch):
            monkeypatch.setattr(module, "system", source)

    return replaced


@pytest.mark.parametrize(
    ("items", "cutoff", "epsilon"),
    [(None, 50, "1"), (None, 2, "0.1"), (1, 2, "1"), (3, 50, "0.1"), (5000, 2, "1")],
)
def test_both_together_keep_the_budget_and_leave_little_of_it(items, cutoff, epsilon):
    asked = {**ASK, "cutoff": cutoff, "epsilon": epsilon, "items_per_person": items}
    found = Question.top(**asked)
    assert found.guarantee.implies(epsilon, "1e-6")
    assert not found.guarantee.implies(Fraction(epsilon) * Fraction(99, 100), "1e-6")
    assert 4.9e-7 < float(found.plan.lone_delta()) < 5.5e-7  # about half; bits may leave some
    assert isinstance(found.plan.first, OneKeyPlan) == (items == 1)
    # The control: without the keys in the plan it would claim less than it costs.
    assert replace(found, plan=other_plan(found.plan, first=None)).guarantee.at(
        "1e-6"
    ) < 0.8 * float(Fraction(epsilon))


def test_select_takes_unlisted_items_where_the_threshold_allows_it():
    high = Question.select(**{**LOW, "threshold": 2000}, items_per_person=3)
    low = Question.select(**LOW, items_per_person=3)
    anyone = Question.select(**{**LOW, "threshold": 2000})
    assert [one.plan.keys is not None for one in (high, low, anyone)] == [False, True, True]
    assert "among unlisted items" in repr(high)
    assert "among keys that are found first" in repr(low)
    assert low.guarantee.implies(1, "1e-6")


SURE = {**ASK, "epsilon": 20, "delta": "1e-12"}


@pytest.fixture(scope="module")
def questions():
    """The top two, the top nine, and what is above 20; of persons with few items, the top five."""
    return (
        Question.top(**SURE),
        Question.top(**{**SURE, "cutoff": 9}),
        Question.select(**{**LOW, **SURE}),
        Question.top(**{**ASK, "epsilon": 8, "cutoff": 5, "items_per_person": 4}),
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_the_top_of_a_table_without_a_list(engine, questions):
    """At ε = 20 the bar is far from 3,000 persons and from one, and so is the noise from 3,000."""
    two, nine, above, _ = questions
    table = ENGINES[engine](table_of(SOLD))
    found = two.run(table)
    assert found.labels == ("tea", "rum")
    assert found.indices is None
    # The top is not filled up with what one person holds.
    assert nine.run(table).labels == ("tea", "rum", "ale")
    assert above.run(table).labels == ("tea", "rum")


def test_sums_over_keys_that_are_found_first():
    asked = {**SURE, "value": {"much": (0, 2)}}
    rows = [(what, who, 2.0 if what == "rum" else 1.0) for what, who in SOLD]
    assert frames.top(table_of(rows), **asked).labels == ("rum", "tea")


@pytest.mark.parametrize("kind", ["text", "whole", "date"])
def test_all_engines_give_the_same_answer(kind, questions, replace_entropy):
    table, answers = table_with(drawn_rows(kind)), set()
    for name, engine in ENGINES.items():
        if kind == "date" and name.startswith("pandas"):
            continue
        replace_entropy(3)
        answers.add(questions[3].run(engine(table)).labels)
    assert len(answers) == 1
    assert len(answers.pop()) == 5


@pytest.mark.parametrize("rows", [[], [(None, None)], [("own", 1)]])
def test_nothing_found_costs_as_much(rows, tmp_path):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=1, delta="1e-6")
    asked = {**ASK, "delta": "1e-12"}
    found = frames.top(table_of(rows), **asked, booking=ledger.booking("sales"))
    assert found.labels == ()
    assert ledger.show("sales").spent.pure > Fraction(9, 10)
    ledger.verify()


def test_a_ledger_is_asked_once_before_anything_is_drawn(tmp_path, monkeypatch):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=1, delta="1e-6")
    booking = ledger.booking("sales", request_id="one")
    found = frames.top(table_of(SOLD), **ASK, booking=booking)
    again = frames.top(table_of(SOLD), **ASK, booking=booking)
    assert again == found
    assert again.receipt.repeated
    assert len(ledger.show("sales").entries) == 1
    ledger.verify()

    def never(*_):
        raise AssertionError("drawn without a budget")

    monkeypatch.setattr(key_search.KeySearch, "labels", never)
    with pytest.raises(overbar.errors.BudgetError):
        frames.top(table_of(SOLD), **ASK, booking=ledger.booking("sales"))


def test_a_table_that_fails_after_the_keys_is_paid_and_tells_nothing(tmp_path, monkeypatch):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=1, delta="1e-6")

    def lost(frame, measure, grid, catalogue):
        raise RuntimeError(f"keys are {catalogue.labels}")

    monkeypatch.setattr(key_search, "scored", lost)
    with pytest.raises(overbar.errors.ScoreError, match="counts the run as spent") as caught:
        frames.top(table_of(SOLD), **ASK, booking=ledger.booking("sales"))
    for text in shown(caught.value, skip=__file__):
        assert "tea" not in text
    assert ledger.show("sales").held.pure > Fraction(9, 10)


def test_lots_of_the_second_step_are_drawn_among_the_keys(monkeypatch):
    """Each person holds the two keys that come out and fifty that do not; one item counts.

    If lots were drawn among all items, few would keep one that counts.
    """
    rows = [(key, n) for n in range(3000) for key in ("tea", "rum")]
    rows += [(f"own {n} {k}", n) for n in range(3000) for k in range(50)]
    seen = []

    def watched(frame, measure, grid, catalogue):
        found = scoring.scored(frame, measure, grid, catalogue)
        seen.append(int(np.sum(found.steps) * grid))
        return found

    monkeypatch.setattr(key_search, "scored", watched)
    asked = {**ASK, "epsilon": 20, "delta": "1e-12", "items_per_person": 2}
    assert set(frames.top(table_of(rows), **asked).labels) <= {"tea", "rum"}
    assert all(total in (0, 3000, 6000) for total in seen)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1, "0.3"), ("0.001", "0.01"), (300, "1e-60"), ("0.1", "1e-6")]
)
def test_any_budget_has_a_plan_and_is_told_as_it_was_asked_for(epsilon, delta):
    """By Rényi divergences keys alone cost more than ε where δ is large: no noise was enough."""
    found = Question.top(**{**ASK, "epsilon": epsilon, "delta": delta}, items_per_person=3)
    assert found.guarantee.implies(epsilon, delta)
    assert 0 < found.plan.lone_delta() < Fraction(delta)
    told = rounded_up(found.plan_delta + found.plan.lone_delta())
    assert Fraction(9, 10) * Fraction(delta) < told <= Fraction(delta)


@pytest.mark.parametrize("column", ["none", "text"])
@pytest.mark.parametrize("rows", [SOLD, []])
def test_a_column_that_cannot_be_summed_costs_nothing(column, rows, tmp_path):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("sales", epsilon=100, delta="1e-6")
    table = table_of(rows)
    table = table.append_column("text", table["what"])
    asked = {**SURE, "value": {column: (0, 1)}}
    with pytest.raises(overbar.errors.ParameterError, match="value must"):
        frames.top(table, **asked, booking=ledger.booking("sales"))
    assert ledger.show("sales").held.pure == 0


@pytest.mark.parametrize("items", [None, 4])
@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "pandas"])
def test_keys_may_be_any_words(engine, items):
    """A catalogue takes no numbers beyond 2^62, but those of a hash go further."""
    words = [2**63 - 1, -(2**63), 2**62 + 1, 7]
    rows = [(word, n) for word in words for n in range(3000)]
    found = _of_four(items).run(ENGINES[engine](table_of(rows, item="whole")))
    assert set(found.labels) == set(words)


@cache
def _of_four(items):
    return Question.top(**{**SURE, "cutoff": 4, "items_per_person": items})


@pytest.mark.parametrize(
    "make", [Question.top, partial(Question.select, threshold=9, candidates=99)]
)
def test_a_large_epsilon_is_told_as_it_was_given(make):
    """Keys get a part of it, and the message was about the part: at most 1000, got 3500."""
    with pytest.raises(ParameterError, match=r"at most 1000 where keys .* got 5000; or give"):
        make(item="product", person="customer", cutoff=2, epsilon=5000, delta="1e-6")
