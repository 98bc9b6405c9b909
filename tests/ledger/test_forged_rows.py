"""Well-chained rows that nobody honest writes are refused, also where asserts are switched off."""

import subprocess
import sys
from fractions import Fraction
from types import SimpleNamespace

import pytest

import overbar
from overbar import BudgetError, LedgerError
from overbar.ledger import Budget, Standing, row_events
from overbar.ledger.answers import StoredAnswer
from overbar.ledger.costs import Balance
from overbar.ledger.description import Description
from overbar.ledger.fields import from_fields, to_fields
from tests.ledger.forged import contents, forge, write
from tests.queue_plans import queue_plan

FULL = queue_plan(epsilon=1, delta="1e-6", cutoff=5, monotonic=True, candidates=9)
SMALL = queue_plan(epsilon="1/4", cutoff=2, monotonic=True, candidates=9)
ALL_OF_IT = Description("batch", FULL, Fraction(5))


def change(path, alter):
    """Alter the fields of rows, and chain them anew."""
    rows = contents(path)
    for fields in rows:
        alter(fields)
    forge(path, dict(enumerate(rows)))


def test_rows_chained_anew_pass_if_they_are_as_they_were(tmp_path):
    path = tmp_path / "ledger.db"
    write(path)
    head = overbar.Ledger(path).head
    change(path, lambda _: None)
    assert overbar.Ledger(path).verify() == head


def test_every_forged_row_is_refused_without_asserts():
    told = subprocess.run(
        [sys.executable, "-O", "-m", "tests.ledger.forged", "5"],
        capture_output=True,
        text=True,
        check=True,
    )
    tried, *passed = told.stdout.splitlines()
    assert passed == []
    assert int(tried) > 60


@pytest.fixture
def spent(tmp_path):
    """A ledger of which a first run has used up all."""
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=1, delta="1e-6")
    ledger.reserve("data", ALL_OF_IT).settle(positives=5, asked=True)
    with pytest.raises(BudgetError):
        ledger.reserve("data", ALL_OF_IT)
    return overbar.Ledger(ledger._store.path)  # which has seen nothing


def without_budget(fields):
    if fields["kind"] == "settled":
        del fields["budget"]


def with_an_open_choice(fields):
    if fields["kind"] == "settled":
        fields["budget"]["settled"] = False


FORGED = pytest.mark.parametrize("alter", [without_budget, with_an_open_choice])


@FORGED
def test_how_runs_add_up_is_never_settled_twice(spent, alter):
    change(spent._store.path, alter)
    for use in (
        spent.verify,
        lambda: spent.reserve("data", ALL_OF_IT),
        lambda: spent.show("data"),
        lambda: spent.remaining("data"),
        lambda: spent.close("data"),
    ):
        with pytest.raises(LedgerError, match="budget"):
            use()


@FORGED
def test_who_believes_such_a_row_spends_it_all_again(spent, alter, monkeypatch):
    """A control: the old way, in which the opening row or the last one was believed."""

    opened = from_fields(Budget, contents(spent._store.path)[0]["budget"])

    def believed(row):
        balance = from_fields(Balance, row.fields["balance"])
        standing = Standing("data", opened, balance, is_closed=False)
        return SimpleNamespace(budget=opened, balance=balance, closed=False, standing=standing)

    monkeypatch.setattr(row_events, "event_of", believed)
    change(spent._store.path, alter)
    spent.reserve("data", ALL_OF_IT)


def test_a_dataset_that_was_never_used_is_closed_and_stays_intact(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=1, delta="1e-6")
    ledger.close("data")
    assert ledger.verify() == ledger.head
    change(ledger._store.path, lambda row: row["kind"] == "closed" and row.pop("budget"))
    with pytest.raises(LedgerError, match="'budget' of a row is missing"):
        ledger.verify()


def test_an_answer_whose_labels_cannot_be_stored_is_not_free(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=1, delta="1e-6")
    asked = Description("batch", SMALL, Fraction(5), unlisted_delta=Fraction(1, 10**9))
    answer = StoredAnswer(None, None, asked=True)
    ledger.reserve("data", asked, request_id="r").settle(positives=1, asked=True, answer=answer)
    assert ledger.verify() == ledger.head

    def free(fields):
        if fields["kind"] == "settled":
            nothing = to_fields(from_fields(Budget, fields["budget"]).nothing)
            fields["cost"], fields["balance"]["settled"] = nothing, nothing

    change(ledger._store.path, free)
    with pytest.raises(LedgerError, match="its cost is not what its run can have cost"):
        ledger.verify()


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("scores", [[9_000, 3], []])
def test_an_answer_has_counts_just_where_its_plan_has(tmp_path, counts, scores):
    path = tmp_path / "ledger.db"
    ledger = overbar.Ledger(path)
    ledger.open("data", epsilon=1)
    booking = ledger.booking("data", request_id="monday")
    overbar.top(scores, cutoff=2, epsilon=1, counts=counts, booking=booking)
    assert ledger.verify() == ledger.head

    def alter(fields):
        if fields.get("answer"):
            told = fields["answer"]
            counts = [["1", None, "2"] for _ in told["labels"]]
            told["counts"] = counts if told["counts"] is None else None

    change(path, alter)
    with pytest.raises(LedgerError, match="counts where its plan has none"):
        overbar.Ledger(path).verify()
