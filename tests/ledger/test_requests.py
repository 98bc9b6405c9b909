"""Request ids: what a retry gets, and what it pays."""

import datetime
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import pytest

import overbar
from overbar import LedgerError, ParameterError
from overbar.ledger import Booking
from overbar.runs.batch import release
from overbar.runs.batch_run import BatchRun
from overbar.runs.positives import Batch
from tests.ledger.booked import ASK, HIGH, LOW, SCORES, plan, total
from tests.planned_calls import planned_select


def test_a_retry_gets_the_stored_answer_and_pays_nothing(ledger):
    scores = dict.fromkeys("abcdefghij", HIGH)  # any three of ten
    ask = {"booking": ledger.booking("pure", request_id="monday"), **ASK}
    first = overbar.select(scores, **ask)
    before = ledger.head
    for _ in range(4):
        again = overbar.select(scores, **ask)
        assert again == first
        assert again.receipt.repeated
        assert "once before, and nothing now" in repr(again)
    assert ledger.head == before
    assert not first.receipt.repeated
    # Also by another process, and after the dataset is closed.
    ledger.close("pure")
    other = overbar.Ledger(ledger._store.path)
    assert (
        overbar.select(
            scores, **ask | {"booking": other.booking("pure", request_id="monday")}
        ).labels
        == first.labels
    )
    with pytest.raises(LedgerError, match="is closed"):
        overbar.select(scores, **ask | {"booking": ledger.booking("pure", request_id="tuesday")})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"threshold": 5}, "threshold"),
        ({"epsilon": "0.2"}, "plan"),
        ({"booking": "another"}, "purpose"),
        ({"labels": list("abcdx")}, "question"),
        ({"labels": list("edcba")}, "question"),
        ({"labels": range(5)}, "question"),
        ({"score_range": (0, 10)}, "question"),
    ],
)
def test_an_id_belongs_to_one_question(ledger, change, told):
    ask = {"booking": ledger.booking("pure", request_id="monday"), **ASK}
    overbar.select(SCORES, **ask)
    before = total(ledger)
    if "booking" in change:
        paid = ledger.booking("pure", request_id="monday", purpose=change["booking"])
        change = {"booking": paid}
    with pytest.raises(LedgerError, match=f"'monday' was made before with another {told}"):
        overbar.select(SCORES, **ask | change)
    assert total(ledger) == before
    # The same labels in another form are the same question.
    assert overbar.select(pandas.Series(SCORES), **ask).receipt.repeated
    # Another dataset has its own ids.
    ledger.open("second", epsilon=1)
    paid = replace((ask | change)["booking"], dataset="second")
    overbar.select(SCORES, **ask | change | {"booking": paid})


def test_a_try_that_crashed_is_paid_for_and_told(ledger):
    def batches():
        raise RuntimeError("the power went")
        yield

    ask = {"booking": ledger.booking("pure", request_id="r"), "candidates": 5, **ASK}
    with pytest.raises(RuntimeError):
        planned_select(batches(), **ask)
    found = planned_select(iter([SCORES]), **ask)
    assert found.receipt.unfinished == 1
    assert "1 other try of this request paid for too" in repr(found)
    assert total(ledger).pure == Fraction("0.3") + found.spent
    entries = ledger.show("pure").entries
    assert [entry.open for entry in entries] == [True, False]
    assert {entry.request_id for entry in entries} == {"r"}
    assert planned_select(iter([SCORES]), **ask).receipt.unfinished == 1


LABELS = [
    "text", "", "ünïcødé \ud800 \x00", 7, -(10**40), True, False, None, 0.1, -0.0, float("inf"),
    datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30, 1, 5),
    datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC), Fraction(1, 3), Decimal("1.10"),
]  # fmt: skip


def test_labels_come_back_as_they_were(ledger):
    ask = {"booking": ledger.booking("pure", request_id="r"), **ASK, "cutoff": len(LABELS)}
    falling = [HIGH * (len(LABELS) - place) for place in range(len(LABELS))]
    first = overbar.select(falling, labels=LABELS, **ask)
    again = overbar.select(falling, labels=LABELS, **ask)
    assert first.labels == tuple(LABELS)
    assert again.receipt.repeated
    assert [(type(one), repr(one)) for one in again.labels] == [
        (type(one), repr(one)) for one in LABELS
    ]
    assert again.indices == tuple(range(len(LABELS)))


def test_labels_of_numpy_and_pandas_come_back_equal(ledger):
    for number, scores in enumerate(
        [
            pandas.Series([HIGH], index=[7]),
            pandas.Series([HIGH], index=np.array([7.5])),
            pandas.Series([HIGH], index=["x"]),
            np.array([HIGH]),
        ]
    ):
        paid = ledger.booking("pure", request_id=f"r{number}")
        first, again = (
            overbar.select(scores, **ASK | {"booking": paid, "epsilon": "0.01"}) for _ in range(2)
        )
        assert first.labels == again.labels
        assert again.receipt.repeated


def test_labels_that_cannot_be_stored_are_refused_before_anything_is_paid(ledger):
    with pytest.raises(ParameterError, match=r"labels of a request must be text, .* got frozenset"):
        overbar.select(
            [LOW, HIGH],
            labels=[frozenset({1}), "b"],
            booking=ledger.booking("pure", request_id="r"),
            **ASK,
        )
    assert total(ledger).pure == 0
    found = overbar.select(
        [LOW, HIGH], labels=[frozenset({1}), "b"], booking=ledger.booking("pure"), **ASK
    )
    assert found.labels == ("b",)
    # In a stream they are refused when they come, whatever their score.
    before = total(ledger).pure
    with pytest.raises(ParameterError, match="got frozenset"):
        planned_select(
            iter([{frozenset({1}): LOW}]),
            candidates=1,
            booking=ledger.booking("pure", request_id="s"),
            **ASK,
        )
    assert total(ledger).pure == before + Fraction("0.3")


def test_private_labels_never_decide_whether_an_error_is_raised(ledger):
    """Read off the data, a label of an odd form is given out, and only a retry is refused."""
    gumbel = plan(noise="gumbel", delta="1e-9", epsilon="0.1")
    contest = BatchRun(gumbel, int(10**5 / gumbel.grid))
    booking = Booking(ledger, "both", "r")
    steps = np.array([int(HIGH / gumbel.grid)] * 2)
    found = release(
        contest, [Batch(steps, [frozenset({1}), "b"])], unlisted_delta=1e-9, booking=booking
    )
    assert set(found.labels) == {frozenset({1}), "b"}
    with pytest.raises(LedgerError, match="its labels have a form that cannot be stored"):
        release(contest, [Batch(steps, ["a", "b"])], unlisted_delta=1e-9, booking=booking)
