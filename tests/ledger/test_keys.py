"""Searches for keys in a ledger: their plan says what they cost, and edited rows are refused."""

import json
import re
from fractions import Fraction
from pathlib import Path

import polars
import pytest

import overbar
from overbar import LedgerError, frames
from overbar.mechanisms import Plan
from overbar.privacy.guarantees import proved_about
from tests.frozen.test_forged_rows import change

pytestmark = pytest.mark.one_in(3)

TABLE = polars.DataFrame({"what": ["tea", "rum"] * 3000, "who": range(6000)})
ASK = {"item": "what", "person": "who", "epsilon": 1, "delta": "1e-9"}
ASKED = {
    "rounds": lambda booking: frames.keys(TABLE, **ASK, counts=True, booking=booking),
    "one key": lambda booking: frames.keys(TABLE, **ASK, items_per_person=1, booking=booking),
    "keys first": lambda booking: frames.top(TABLE, **ASK, cutoff=1, booking=booking),
}


@pytest.fixture(params=ASKED)
def path(request, tmp_path):
    """A ledger with one answer to a request."""
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    ledger.open("data", epsilon=9, delta="1e-6")
    ASKED[request.param](ledger.booking("data", request_id="one"))
    ledger.verify()
    return tmp_path / "ledger.db"


def test_a_search_is_charged_by_its_plan_and_the_chance_of_lone_keys(path):
    (entry,) = overbar.Ledger(path).show("data").entries
    plan = Plan.from_json(entry.plan)
    assert entry.reserved.delta == plan.lone_delta() > Fraction("1e-10")
    orders = overbar.Ledger(path).show("data").budget.orders
    for order, booked in zip(orders, entry.reserved.renyi, strict=True):
        cost = proved_about(plan).renyi(float(order))
        assert 0 <= booked - Fraction(cost) < Fraction(1, 10**14)


def without_delta(fields):
    """As if keys that one person alone holds cost nothing."""
    for place in ("charge", "cost"):
        if place in fields:
            fields[place]["delta"] = "0"
    for part in fields["balance"].values():
        part["delta"] = "0"


def lower_bars(fields):
    if fields["kind"] == "reserved":
        plan = json.loads(fields["description"]["plan"])
        search = plan.get("first") or plan
        if search["kind"] == "set-union":
            search["rounds"][0]["bar"] //= 2
        else:
            search["delta"] = "0.001"
        fields["description"]["plan"] = json.dumps(plan, indent=2)


def other_kind(fields):
    if fields["kind"] == "reserved":
        kind = fields["description"]["kind"]
        fields["description"]["kind"] = "batch" if kind == "keys" else "keys"


def other_counts(fields):
    if fields["kind"] == "settled":
        answer = fields["answer"]
        triples = [["1", "0", "2"]] * len(answer["labels"])
        answer["counts"] = None if answer["counts"] else triples


def no_rest(fields):
    if fields["kind"] == "settled":
        fields["answer"]["rest"] = None if fields["answer"]["rest"] else [["1", "0", "2"]] * 2


def not_asked(fields):
    """A search that costs nothing because nothing was asked: that would tell of an empty table."""
    if fields["kind"] == "settled":
        fields["answer"] |= {"labels": [], "indices": None, "asked": False}
        fields["cost"] = {"pure": "0", "renyi": ["0"] * len(fields["cost"]["renyi"]), "delta": "0"}
        fields["balance"]["settled"] = fields["cost"]


@pytest.mark.parametrize(
    "alter", [without_delta, lower_bars, other_kind, other_counts, no_rest, not_asked]
)
def test_an_edited_search_is_refused(path, alter):
    change(path, alter)
    with pytest.raises(LedgerError):
        overbar.Ledger(path).verify()


def test_one_file_outside_the_ledger_reserves_and_settles():
    source = Path(overbar.__file__).parent
    callers = [
        file.relative_to(source).as_posix()
        for file in source.rglob("*.py")
        if re.search(r"\.(reserve|settle)\(", file.read_text(encoding="utf-8"))
    ]
    assert [name for name in callers if not name.startswith("ledger/")] == ["runs/payment.py"]
