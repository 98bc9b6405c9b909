"""What a cost is about: who differs between two data sets. It is recorded, and never mixed."""

import polars
import pytest

import overbar
from overbar import LedgerError, ParameterError, frames
from overbar.ledger import Ledger
from tests.cli.test_ledger_command import run
from tests.ledger.booked import plan

SCORES = {"tea": 10**9, "rum": -(10**9)}
NEIGHBOURS = ("person", "row", "replaced-person", "replaced-row")


@pytest.fixture
def ledger(tmp_path):
    """A dataset for each way in which two data sets can differ."""
    ledger = Ledger(tmp_path / "ledger.db")
    for name in NEIGHBOURS:
        ledger.open(name, epsilon=10, neighbours=name)
    return ledger


def selected(ledger, dataset, **stated):
    both_ways = plan(monotonic=False)  # as scores are moved by one who is replaced
    return overbar.select(
        SCORES, threshold=5, plan=both_ways, booking=ledger.booking(dataset, **stated)
    )


def test_a_dataset_is_about_persons_unless_it_says_otherwise(tmp_path):
    ledger = Ledger(tmp_path / "one.db")
    ledger.open("sales", epsilon=1)
    assert ledger.standing("sales").budget.neighbours == "person"
    with pytest.raises(ParameterError, match="neighbours must be one of"):
        ledger.open("more", epsilon=1, neighbours="people")


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_scores_are_about_the_neighbours_of_their_dataset(ledger, name):
    """Their sensitivity is the caller's word, so what is recorded is what the caller opened."""
    selected(ledger, name)
    selected(ledger, name, neighbours=name)
    assert {entry.neighbours for entry in ledger.show(name).entries} == {name}
    assert ledger.verify() == ledger.head


@pytest.mark.parametrize("stated", NEIGHBOURS)
@pytest.mark.parametrize("name", NEIGHBOURS)
def test_other_mechanisms_say_theirs_and_others_are_refused(ledger, name, stated):
    if stated == name:
        ledger.booking(name).spend(epsilon="1/4", neighbours=stated)
        assert ledger.show(name).entries[0].neighbours == name
        return
    before = ledger.head
    uses = (
        lambda: ledger.booking(name).spend(epsilon="1/4", neighbours=stated),
        lambda: selected(ledger, name, neighbours=stated),
    )
    for use in uses:
        with pytest.raises(LedgerError, match=f"neighbours by '{stated}', which do not add up"):
            use()
    assert ledger.head == before  # nothing was reserved, and nothing drawn


def test_other_mechanisms_must_say_theirs(ledger):
    with pytest.raises(TypeError, match="neighbours"):
        ledger.booking("person").spend(epsilon=1)
    told = run("spend", ledger.name, "person", "--epsilon", "1")
    assert told.exit_code == 2
    assert "--neighbours must be given" in told.output
    told = run("spend", ledger.name, "row", "--epsilon", "1", "--neighbours", "person")
    assert told.exit_code == 2
    assert "do not add up" in told.output


def test_tables_are_about_persons(ledger):
    rows = polars.DataFrame({"product": ["tea"] * 900, "customer": range(900)})
    ask = {"item": "product", "person": "customer", "epsilon": 1}
    uses = (
        lambda booking: frames.top(rows, **ask, cutoff=1, catalogue=["tea"], booking=booking),
        lambda booking: frames.select(
            rows, **ask, threshold=5, cutoff=1, catalogue=["tea"], booking=booking
        ),
    )
    uses += (lambda booking: frames.keys(rows, **ask, delta="1e-6", booking=booking),)
    for use in uses[:2]:
        use(ledger.booking("person"))
    for use in uses:
        with pytest.raises(LedgerError, match="do not add up"):
            use(ledger.booking("row"))
        for name in NEIGHBOURS[1:]:  # whoever replaces a person costs twice as much
            with pytest.raises(ParameterError, match="proved for neighbours by 'person'"):
                use(ledger.booking(name, neighbours=name))
    assert all(not ledger.show(name).entries for name in NEIGHBOURS[1:])


def test_columns_of_scores_are_about_what_the_caller_says(ledger):
    rows = polars.DataFrame({"product": ["tea", "rum"], "score": [9, 2]})
    for name in NEIGHBOURS:
        frames.top(
            rows, item="product", score="score", sensitivity=2, epsilon=1, cutoff=1,
            booking=ledger.booking(name, neighbours=name),
        )  # fmt: skip
        assert ledger.show(name).entries[0].neighbours == name


def test_the_same_request_about_others_is_another_question(ledger):
    """A retry must be about the same: here it cannot differ without being refused before."""
    selected(ledger, "row", request_id="one")
    assert selected(ledger, "row", request_id="one", neighbours="row").receipt.repeated
    with pytest.raises(LedgerError, match="do not add up"):
        selected(ledger, "row", request_id="one", neighbours="person")


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_one_who_is_replaced_is_in_two_runs(ledger, name):
    """One leaves a run and another comes into a second: two runs change, and one was paid for."""

    def begin(**runs):
        plan = overbar.plan(cutoff=1, epsilon="1/9", candidates=9, mechanism="sparse-vector")
        return overbar.SparseVectors(plan, threshold=5, booking=ledger.booking(name), **runs)

    if name.startswith("replaced"):
        with pytest.raises(LedgerError, match="another comes into a second one"):
            begin(runs=9, disjoint=True)
        assert not ledger.show(name).entries
    else:
        begin(runs=9, disjoint=True)
    begin(runs=9)  # whoever may be in all of them pays for all
    assert ledger.verify() == ledger.head
