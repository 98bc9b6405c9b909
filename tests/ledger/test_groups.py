"""A run in groups is one booking: one reservation, one settlement, one stored answer, no refund."""

import json
from fractions import Fraction

import pyarrow
import pytest

import overbar
from overbar import LedgerError, frames
from tests.frozen.test_forged_rows import change

#: Nobody is near 2000 at a scale of one: a run fails once in e^1900.
TABLE = pyarrow.table(
    {
        "region": ["north"] * 4000 + ["south"] * 4000,
        "product": ["tea"] * 4000 + ["rum"] * 4000,
        "customer": range(8000),
    }
)
ASKED = {
    "item": "product", "person": "customer", "catalogue": ["ale", "rum", "tea"],
    "groups": {"region": ["south", "north"]}, "groups_per_person": 2, "cutoff": 1, "epsilon": 2,
}  # fmt: skip


@pytest.fixture
def path(tmp_path):
    overbar.Ledger(tmp_path / "ledger.db").open("data", epsilon=5)
    return tmp_path / "ledger.db"


def test_all_groups_are_paid_once_and_given_again(path):
    ledger = overbar.Ledger(path)
    asked = {"threshold": 2000, "counts": True, **ASKED}
    first = frames.select(TABLE, booking=ledger.booking("data", request_id="r"), **asked)
    assert first.labels == (("south", "rum"), ("north", "tea"))
    again = frames.select(TABLE, booking=ledger.booking("data", request_id="r"), **asked)
    assert again.receipt.repeated
    assert (again.labels, again.indices, again.counts) == (
        first.labels, first.indices, first.counts,
    )  # fmt: skip
    assert again.spent == first.spent == 2
    assert ledger.remaining("data") == 3
    assert len(ledger.show("data").entries) == 1
    other = {**asked, "groups": {"region": ["south", "west"]}}  # another question
    with pytest.raises(LedgerError, match="request"):
        frames.select(TABLE, booking=ledger.booking("data", request_id="r"), **other)
    ledger.verify()


@pytest.mark.parametrize("groups_per_person", [1, 2])
def test_nothing_is_given_back(path, groups_per_person):
    ledger = overbar.Ledger(path)
    asked = ASKED | {"groups_per_person": groups_per_person, "threshold": 10**6}
    found = frames.select(TABLE, booking=ledger.booking("data"), **asked)
    assert found.labels == ()
    assert ledger.remaining("data") == 3
    ledger.verify()


def answered(path, labels):
    """Book a run, and have its stored answer say something else, in a chain that is right."""
    ledger = overbar.Ledger(path)
    frames.top(TABLE, booking=ledger.booking("data", request_id="r"), **ASKED)

    def alter(fields):
        if fields["kind"] == "settled":
            fields["answer"] |= {"labels": labels, "indices": None}

    change(path, alter)
    return overbar.Ledger(path)


SOUTH, NORTH, WEST = (["tuple", group, "rum"] for group in ("south", "north", "west"))


def test_as_many_labels_as_all_groups_have_places_and_no_more(path):
    answered(path, [SOUTH, NORTH]).verify()
    with pytest.raises(LedgerError, match="at most 2 labels"):
        answered(path.with_name("other.db"), [SOUTH, NORTH, WEST]).verify()


#: With a cutoff of one in each of two groups. All but the last were accepted.
FORGED = {
    "two of one group": [SOUTH, ["tuple", "south", "tea"]],
    "no group": ["south", "north"],
    "a group without an item": [["tuple", "south"], NORTH],
    "three groups": [SOUTH, NORTH, WEST],
}


@pytest.mark.parametrize("what", FORGED)
def test_labels_that_no_run_in_these_groups_gives_are_refused(path, what):
    ledger = answered(path, FORGED[what])
    for use in (
        ledger.verify,
        lambda: frames.top(TABLE, booking=ledger.booking("data", request_id="r"), **ASKED),
    ):
        with pytest.raises(LedgerError, match=r"'labels' of a row .* at most 2 labels"):
            use()


def test_more_places_in_fewer_groups(path):
    asked = ASKED | {"cutoff": 2}
    ledger = overbar.Ledger(path)
    frames.top(TABLE, booking=ledger.booking("data", request_id="r"), **asked)
    for labels, fits in (
        ([SOUTH, ["tuple", "south", "tea"], NORTH], True),
        ([SOUTH, NORTH, ["tuple", "south", "tea"]], False),
        ([SOUTH, NORTH, WEST], False),
        ([SOUTH] * 3, False),
    ):
        change(
            path,
            lambda row, to=labels: (
                "answer" in row and row["answer"].update(labels=to, indices=None)
            ),
        )
        if fits:
            overbar.Ledger(path).verify()
        else:
            with pytest.raises(LedgerError, match="at most 4 labels, 2 of each group"):
                ledger.verify()


@pytest.fixture(autouse=True)
def _other(tmp_path):
    overbar.Ledger(tmp_path / "other.db").open("data", epsilon=5)


def test_a_forged_refund_is_refused(path):
    frames.top(TABLE, booking=overbar.Ledger(path).booking("data"), **ASKED)

    def alter(fields):
        if fields["kind"] == "settled":
            for where in (fields["cost"], fields["balance"]["settled"]):
                where["pure"] = "1"

    change(path, alter)
    with pytest.raises(LedgerError, match="its cost is not what its run can have cost"):
        overbar.Ledger(path).verify()


def test_a_plan_whose_groups_were_not_paid_for_is_refused(path):
    frames.top(TABLE, booking=overbar.Ledger(path).booking("data"), **ASKED)

    def alter(fields):
        if fields["kind"] == "reserved":
            plan = json.loads(fields["description"]["plan"])
            plan["groups"] = {"count": 9, "per_person": 3}
            assert Fraction(fields["charge"]["pure"]) == 2
            fields["description"]["plan"] = json.dumps(plan, indent=2)

    change(path, alter)
    with pytest.raises(LedgerError, match="its charge is less than its plan costs"):
        overbar.Ledger(path).verify()
