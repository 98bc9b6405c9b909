"""select, top and SparseVector with a ledger: what is paid, when, and what a retry gets."""

import contextlib
import os
import sqlite3
from fractions import Fraction

import numpy as np
import pytest

import overbar
from overbar import BudgetError, HaltedError, LedgerError, NoGuaranteeError, ParameterError
from overbar.ledger import Booking
from overbar.noise import Laplace
from overbar.privacy import spent, unlisted_delta
from overbar.runs import batch as batch_module
from overbar.runs import online as online_module
from overbar.runs.batch import release
from overbar.runs.batch_run import BatchRun
from overbar.runs.positives import Batch
from overbar.sampling.entropy import system
from tests.ledger.booked import ASK, HIGH, LOW, SCORES, plan, total
from tests.planned_calls import planned_select
from tests.reference.plans import other_plan

# What a release costs ----------------------------------------------------------------------------


def test_select_pays_for_its_positives(ledger):
    asked = {**ASK, "cutoff": 4}
    found = overbar.select(SCORES, booking=ledger.booking("pure", purpose="a try"), **asked)
    assert sorted(found.labels) == ["b", "d"]
    assert found.spent == spent(found.plan, 2) < Fraction("0.3")
    assert total(ledger).pure == found.spent
    assert ledger.remaining("pure") == 1 - found.spent
    (entry,) = ledger.show("pure").entries
    assert (entry.kind, entry.purpose, entry.request_id) == ("batch", "a try", None)
    assert overbar.Plan.from_json(entry.plan) == found.plan
    assert entry.threshold == str(10**5)
    assert entry.reserved.pure == Fraction("0.3")
    assert entry.cost.pure == found.receipt.cost.pure == found.spent
    assert found.receipt.head == ledger.head
    ledger.verify()


def test_top_pays_too(ledger):
    found = overbar.top(SCORES, cutoff=2, epsilon="0.25", booking=ledger.booking("pure"))
    assert total(ledger).pure == Fraction("0.25") == found.receipt.cost.pure


def test_nothing_asked_costs_nothing(ledger):
    for dataset in ("pure", "both"):
        found = overbar.select([], booking=ledger.booking(dataset), **ASK)
        assert found.spent == 0
        overbar.SparseVector(plan(), booking=ledger.booking(dataset)).close()
        account = ledger.show(dataset)
        assert account.balance.total == account.budget.nothing
        assert len(account.entries) == 2


def test_finding_nothing_costs_the_threshold(ledger):
    found = overbar.select([LOW, LOW], booking=ledger.booking("pure"), **ASK)
    assert len(found) == 0
    assert total(ledger).pure == spent(found.plan, 0) > 0
    found = overbar.select([LOW, LOW], booking=ledger.booking("both"), **ASK)
    assert found.receipt.cost.pure == spent(found.plan, 0)
    assert found.receipt.cost.renyi == ledger.show("both").entries[0].reserved.renyi


def test_a_budget_is_used_to_its_last_part_and_no_further(ledger):
    for _ in range(3):
        overbar.select(SCORES, booking=ledger.booking("pure"), **ASK | {"cutoff": 2})
    assert ledger.remaining("pure") == Fraction("0.1")
    rows = len(ledger.show("pure").entries)
    with pytest.raises(BudgetError) as caught:
        overbar.select(SCORES, booking=ledger.booking("pure"), **ASK)
    error = caught.value
    assert (error.unit, error.requested, error.remaining) == (
        "epsilon", Fraction("0.3"), Fraction("0.1")
    )  # fmt: skip
    assert "epsilon must be at most 0.1, what is left of the budget, got 0.3" in str(error)
    assert len(ledger.show("pure").entries) == rows
    overbar.select(SCORES, booking=ledger.booking("pure"), **ASK | {"epsilon": "0.1", "cutoff": 2})
    assert ledger.remaining("pure") == 0


def test_nothing_is_drawn_before_the_reservation_is_on_the_disk(ledger, monkeypatch):
    """And nothing at all is drawn if the budget does not allow it."""
    seen = []

    def watched(count):
        seen.append(sum(entry.open for entry in ledger.show("pure").entries))
        return system(count)

    monkeypatch.setattr(batch_module, "system", watched)
    monkeypatch.setattr(online_module, "system", watched)
    overbar.select(SCORES, booking=ledger.booking("pure"), **ASK)
    overbar.SparseVector(plan(), booking=ledger.booking("pure")).close()
    assert set(seen) == {1}
    seen.clear()
    with pytest.raises(BudgetError):
        overbar.select(SCORES, booking=ledger.booking("pure"), **ASK | {"epsilon": 1})
    with pytest.raises(BudgetError):
        overbar.SparseVector(plan(epsilon=1), booking=ledger.booking("pure"))
    assert seen == []


class MyLaplace(Laplace):
    """A class of one's own: its law may be another, so it is not drawn."""


@pytest.mark.parametrize("noise", ["query_noise", "threshold_noise"])
def test_what_cannot_be_run_is_refused_before_it_is_paid_for(ledger, noise):
    book = {"booking": ledger.booking("pure")}
    for change in ({"resample": True}, {"max_queries": 9}):
        with pytest.raises(ParameterError, match=r"a batch that .*overbar\.SparseVector"):
            planned_select([1, 2], **ASK | change, **book)
    own = other_plan(plan(), **{noise: MyLaplace(20)})
    assert overbar.guarantee(own)
    with pytest.raises(ParameterError, match="to be drawn exactly"):
        overbar.select([1, 2], threshold=5, plan=own, **book)
    with pytest.raises(ParameterError, match="to be drawn exactly"):
        overbar.SparseVector(own, threshold=5, **book)
    assert ledger.remaining("pure") == 1
    assert not ledger.show("pure").entries


def test_a_failure_on_the_way_stays_paid_for(ledger):
    """Whatever private data made it fail: the ledger shows the same."""

    def batches():
        yield [1, 2]
        yield [float("nan")]

    with pytest.raises(overbar.ScoreError):
        planned_select(batches(), candidates=3, booking=ledger.booking("pure"), **ASK)
    assert total(ledger).pure == Fraction("0.3")
    # A list is looked at before anything is reserved.
    with pytest.raises(overbar.ScoreError):
        overbar.select([float("nan")], booking=ledger.booking("pure"), **ASK)
    assert total(ledger).pure == Fraction("0.3")


# Candidates read off the data -------------------------------------------------------------------


def test_a_delta_for_unlisted_candidates_is_paid(ledger):
    ready = plan(epsilon="0.1")
    delta = unlisted_delta(ready, 10**4, 1)
    assert delta > 0
    contest = BatchRun(ready, int((10**4 + ready.correction) / ready.grid))
    steps = np.array([int(HIGH / ready.grid)])
    with pytest.raises(NoGuaranteeError, match="candidates read off the data cost a delta"):
        release(
            contest, [Batch(steps, ["a"])], unlisted_delta=delta, booking=Booking(ledger, "pure")
        )
    found = release(
        contest, [Batch(steps, ["a"])], unlisted_delta=delta, booking=Booking(ledger, "both")
    )
    assert found.indices is None
    assert found.receipt.cost.delta >= Fraction(delta)
    with pytest.raises(BudgetError) as caught:
        release(
            contest, [Batch(steps, ["a"])], unlisted_delta=1e-6, booking=Booking(ledger, "both")
        )
    assert caught.value.unit == "delta"
    assert caught.value.remaining <= Fraction(1, 2 * 10**6)


def test_a_pure_budget_does_not_pay_for_unlisted_candidates_however_high_the_threshold(ledger):
    ready = plan(epsilon="0.1")
    before = ledger.remaining("pure")
    delta = unlisted_delta(ready, 10**9, 1)  # far below every float
    contest = BatchRun(ready, 10**9)
    batch = Batch(np.array([int(2 * 10**9 / ready.grid)]), ["a"])
    with pytest.raises(NoGuaranteeError, match="candidates read off the data cost a delta"):
        release(contest, [batch], unlisted_delta=delta, booking=Booking(ledger, "pure"))
    assert ledger.remaining("pure") == before
    found = release(contest, [batch], unlisted_delta=delta, booking=Booking(ledger, "both"))
    assert found.receipt.cost.delta > 0
    assert "delta=" in repr(found)
    with pytest.raises(ParameterError, match="unlisted_delta must be positive"):
        release(contest, [batch], unlisted_delta=0.0)


@pytest.mark.parametrize("booked", [True, False])
def test_whether_there_were_any_unlisted_candidates_is_not_told(ledger, booked):
    ready = plan(epsilon="0.1")
    contest = BatchRun(ready, 10**6)
    booking = Booking(ledger, "both") if booked else None
    empty = release(contest, [], unlisted_delta=1e-9, booking=booking)
    low = release(contest, [Batch(np.array([0]), ["a"])], unlisted_delta=1e-9, booking=booking)
    assert empty.spent == low.spent > 0
    if booked:
        assert empty.receipt.cost == low.receipt.cost


# Online -----------------------------------------------------------------------------------------


def test_a_run_holds_its_plan_and_settles_when_it_halts(ledger):
    run = overbar.SparseVector(plan(), threshold=500, booking=ledger.booking("pure"))
    assert total(ledger).pure == Fraction("0.3")
    assert run.receipt.cost is None
    assert [run.ask(score) for score in (LOW, HIGH, HIGH)] == [False, True, True]
    assert ledger.show("pure").entries[0].open
    assert run.ask(HIGH)
    assert run.halted
    assert run.remaining == 0
    assert ledger.show("pure").entries[0].cost.pure == Fraction("0.3") == run.receipt.cost.pure
    run.close()
    with pytest.raises(HaltedError):
        run.ask(HIGH)


@pytest.mark.parametrize("many", [True, False])
def test_a_run_settles_when_its_questions_are_used_up(ledger, many):
    run = overbar.SparseVector(plan(max_queries=3), threshold=500, booking=ledger.booking("pure"))
    answers = run.ask_many([LOW, HIGH, LOW]) if many else [run.ask(s) for s in (LOW, HIGH, LOW)]
    assert list(answers) == [False, True, False]
    (entry,) = ledger.show("pure").entries
    assert entry.cost.pure == spent(run.plan, 1) == run.spent < Fraction("0.3")


def test_closing_gives_back_what_was_not_used(ledger):
    with overbar.SparseVector(plan(), threshold=500, booking=ledger.booking("pure")) as run:
        run.ask(HIGH)
    assert total(ledger).pure == spent(run.plan, 1)
    with pytest.raises(HaltedError):
        run.ask(HIGH)
    run.close()
    with (
        contextlib.suppress(KeyError),
        overbar.SparseVector(plan(), threshold=500, booking=ledger.booking("pure")) as other,
    ):
        other.ask(LOW)
        raise KeyError
    assert total(ledger).pure == spent(run.plan, 1) + spent(run.plan, 0)
    assert ledger.show("pure").held.pure == 0


def test_a_run_without_a_ledger_can_be_closed():
    with overbar.SparseVector(plan(), threshold=500) as run:
        assert run.ask(HIGH)
    assert run.halted
    assert run.receipt is None


def test_a_run_that_is_never_closed_counts_in_full(ledger):
    run = overbar.SparseVector(plan(), threshold=500, booking=ledger.booking("pure"))
    run.ask(HIGH)
    del run
    assert total(ledger).pure == Fraction("0.3")
    assert ledger.show("pure").entries[0].open


@pytest.mark.parametrize("many", [True, False])
def test_no_last_answer_without_its_settlement(ledger, monkeypatch, many):
    """A ledger that fails at the end: no answer, no more questions, and all of it stays paid."""
    run = overbar.SparseVector(plan(cutoff=2), threshold=500, booking=ledger.booking("pure"))
    run.ask(HIGH)
    path = ledger._store.path
    away = path.with_name("away.db")
    path.rename(away)
    with pytest.raises(LedgerError):
        run.ask_many([LOW, HIGH]) if many else run.ask(HIGH)
    away.rename(path)
    with pytest.raises(HaltedError):
        run.ask(HIGH)
    assert ledger.show("pure").entries[0].open
    assert total(ledger).pure == Fraction("0.3")
    run.close()  # once the ledger is back, it can be told; the answer stays lost
    assert total(ledger).pure == Fraction("0.3")
    assert not ledger.show("pure").entries[0].open


def test_a_budget_of_both_kinds_gives_nothing_back_but_the_pure_part(ledger):
    with overbar.SparseVector(plan(), threshold=500, booking=ledger.booking("both")) as run:
        run.ask(HIGH)
    (entry,) = ledger.show("both").entries
    assert entry.cost.renyi == entry.reserved.renyi
    assert entry.cost.pure == spent(run.plan, 1) < entry.reserved.pure == Fraction("0.3")


def test_plans_without_a_pure_guarantee_need_a_budget_with_delta(ledger):
    gumbel = plan(noise="gumbel", delta="1e-9", threshold_noise="none", monotonic=False)
    with pytest.raises(NoGuaranteeError, match="costs a delta and the dataset's budget is"):
        overbar.SparseVector(gumbel, booking=ledger.booking("pure"))
    overbar.SparseVector(gumbel, booking=ledger.booking("both"))
    (entry,) = ledger.show("both").entries
    assert entry.reserved.pure > 1  # the pure order is closed


# What is told and what is not -------------------------------------------------------------------

SECRETS = (73_190_217, 73_190_218, 73_190_219)
MARK = b"7319021"


def test_no_row_contains_a_score(ledger):
    """Search the raw bytes of every file, while a connection keeps the log from being folded in."""
    folder = ledger._store.path.parent
    with contextlib.closing(sqlite3.connect(ledger._store.path)) as watcher:
        watcher.execute("BEGIN").execute("SELECT count(*) FROM events").fetchone()
        ask = {"booking": ledger.booking("pure", request_id="r"), **ASK | {"epsilon": "0.1"}}
        overbar.select(dict(zip("abc", SECRETS, strict=True)), **ask)
        with overbar.SparseVector(
            plan(epsilon="0.1"), threshold=5, booking=ledger.booking("pure")
        ) as run:
            run.ask_many(SECRETS)
        overbar.top(
            list(SECRETS),
            cutoff=2,
            epsilon="0.1",
            booking=ledger.booking("pure"),
        )
        with pytest.raises(overbar.ScoreError):
            overbar.select(
                [*SECRETS, None], **ask | {"booking": ledger.booking("pure", request_id="s")}
            )
        raw = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
    assert {"ledger.db", "ledger.db-wal"} <= set(raw)
    assert b'"threshold":"100000"' in raw["ledger.db-wal"]  # a control: public numbers are found
    for content in raw.values():
        assert MARK not in content
        for secret in SECRETS:
            for size in (4, 8):
                assert secret.to_bytes(size, "little") not in content
                assert secret.to_bytes(size, "big") not in content


def test_booking_takes_nothing_but_a_booking(ledger):
    assert overbar.select(SCORES, **ASK, booking=None).receipt is None
    with pytest.raises(
        ParameterError, match=r"got Ledger; write booking=ledger\.booking\('sales'\), with the name"
    ):
        overbar.select(SCORES, **ASK, booking=ledger)
    with pytest.raises(ParameterError, match="booking must be a Booking, got str"):
        overbar.top(SCORES, cutoff=1, epsilon=1, booking="pure")
    with pytest.raises(ParameterError, match="booking must be a Booking, got Ledger"):
        overbar.SparseVector(plan(), booking=ledger)
    for name in ("ledger", "dataset", "request", "request_id", "purpose"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            overbar.select(SCORES, **ASK, **{name: "pure"})
    with pytest.raises(ParameterError, match="ledger must be a Ledger, got str"):
        Booking("ledger.db", "pure")
    assert ledger.show("pure").entries == ()


def test_an_online_run_has_no_request_id(ledger):
    """Its answers are not stored, so the same id could not give them again."""
    with pytest.raises(ParameterError, match="booking must have no request_id for a SparseVector"):
        overbar.SparseVector(plan(), booking=ledger.booking("pure", request_id="r"))
    assert ledger.show("pure").entries == ()


def test_bad_names(ledger):
    with pytest.raises(TypeError, match="dataset"):
        ledger.booking()
    with pytest.raises(ParameterError, match="dataset must be a name of 1 to 200 printable"):
        ledger.booking(None)
    for wrong in (3, " ", "", "two\nlines", "x" * 201):
        with pytest.raises(
            ParameterError, match="request_id must be a name of 1 to 200 printable characters"
        ):
            ledger.booking("pure", request_id=wrong)
    with pytest.raises(ParameterError, match="purpose must be printable text"):
        ledger.booking("pure", purpose=3)
    with pytest.raises(
        LedgerError, match=r"'nope' is not in this ledger \(it has: 'pure', 'both'\)"
    ):
        overbar.select(SCORES, **ASK, booking=ledger.booking("nope"))


def test_what_a_booking_is_about_adds_up(ledger):
    """An estimator says which columns, then select which candidates: neither may be forgotten."""
    paid = ledger.booking("pure", request_id="r")
    assert paid.about(["a"]).about(["b"]) != paid.about(["c"]).about(["b"])
    assert paid.about(["a"]).about(["b"]) != paid.about(["b"])
    assert paid.about(["a"]) == paid.about(["a"])
    plain = ledger.booking("pure")
    assert plain.about(["a"]) == plain
    assert plain.about(purpose="words").about(purpose="others").purpose == "words"
