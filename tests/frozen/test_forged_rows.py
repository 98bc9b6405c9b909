"""Well-chained rows that nobody honest writes are refused, also where asserts are switched off."""

import subprocess
import sys
from fractions import Fraction

import pytest

import overbar
from overbar import BudgetError, LedgerError
from tests.frozen import seam
from tests.frozen.forged import write
from tests.queue_plans import queue_plan

FULL = queue_plan(epsilon=1, delta="1e-6", cutoff=5, monotonic=True, candidates=9)
SMALL = queue_plan(epsilon="1/4", cutoff=2, monotonic=True, candidates=9)


def change(path, alter):
    """Alter the fields of rows, and chain them anew."""
    rows = seam.rows(path)
    for fields in rows:
        alter(fields)
    seam.forge(path, dict(enumerate(rows)))


def test_rows_chained_anew_pass_if_they_are_as_they_were(tmp_path):
    path = tmp_path / "ledger.db"
    write(path)
    head = overbar.Ledger(path).head
    change(path, lambda _: None)
    assert overbar.Ledger(path).verify() == head


def test_every_forged_row_is_refused_without_asserts():
    told = subprocess.run(
        [sys.executable, "-O", "-m", "tests.frozen.forged", "5"],
        capture_output=True,
        text=True,
        check=True,
    )
    tried, *passed = told.stdout.splitlines()
    assert passed == []
    assert int(tried) > 60


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture
def spent(path):
    """A ledger of which a first run has used up all."""
    ledger = overbar.Ledger(path)
    ledger.open("data", epsilon=1, delta="1e-6")
    seam.settle(seam.reserve(ledger, "data", FULL), 5)
    with pytest.raises(BudgetError):
        seam.reserve(ledger, "data", FULL)
    return overbar.Ledger(path)  # which has seen nothing


def without_budget(fields):
    if fields["kind"] == "settled":
        del fields["budget"]


def with_an_open_choice(fields):
    if fields["kind"] == "settled":
        fields["budget"]["settled"] = False


FORGED = pytest.mark.parametrize("alter", [without_budget, with_an_open_choice])


@FORGED
def test_how_runs_add_up_is_never_settled_twice(path, spent, alter):
    change(path, alter)
    for use in (
        spent.verify,
        lambda: seam.reserve(spent, "data", FULL),
        lambda: spent.show("data"),
        lambda: spent.remaining("data"),
        lambda: spent.close("data"),
    ):
        with pytest.raises(LedgerError, match="budget"):
            use()


@FORGED
def test_who_believes_such_a_row_spends_it_all_again(path, spent, alter, monkeypatch):
    """A control: the old way, in which the opening row or the last one was believed."""
    seam.broken(monkeypatch, "the opening row is believed")
    change(path, alter)
    seam.reserve(spent, "data", FULL)


def test_a_dataset_that_was_never_used_is_closed_and_stays_intact(path):
    ledger = overbar.Ledger(path)
    ledger.open("data", epsilon=1, delta="1e-6")
    ledger.close("data")
    assert ledger.verify() == ledger.head
    change(path, lambda row: row["kind"] == "closed" and row.pop("budget"))
    with pytest.raises(LedgerError, match="'budget' of a row is missing"):
        ledger.verify()


def test_an_answer_whose_labels_cannot_be_stored_is_not_free(path):
    ledger = overbar.Ledger(path)
    ledger.open("data", epsilon=1, delta="1e-6")
    held = seam.reserve(ledger, "data", SMALL, request="r", unlisted=Fraction(1, 10**9))
    seam.settle(held, 1, [object()])
    assert ledger.verify() == ledger.head

    def free(fields):
        if fields["kind"] == "settled":
            nothing = fields["balance"]["held"]
            fields["cost"], fields["balance"]["settled"] = nothing, nothing

    change(path, free)
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
