"""What a ledger books where one person is replaced by another is never below what a run costs.

Small runs are enumerated. What costs more than its plan says is refused, and says what to write.
"""

import math

import pytest

import overbar
from overbar import LedgerError, frames
from tests.frozen.replaced import all_that_pass, highest, one_by_one, worst_loss

LAWS = {"histogram": all_that_pass, "sparse-vector": one_by_one, "ranked": highest}
HALF = "1/2"


def plan(mechanism, **more):
    cutoff = 2 if mechanism == "histogram" else 1
    asked = {"epsilon": HALF, "cutoff": cutoff, "candidates": 2, "grid": 1, "mechanism": mechanism}
    return overbar.plan(**asked | more)


REFUSED = [
    ("histogram", {"items_per_person": 1, "monotonic": True}, 1.0, "items_per_person"),
    ("histogram", {"items_per_person": 1, "monotonic": False}, 1.0, "items_per_person"),
    ("ranked", {"monotonic": True}, 1.0, "monotonic=False"),
    ("sparse-vector", {"monotonic": True}, 0.75, "monotonic=False"),
]
KEPT = [("ranked", {"monotonic": False}), ("sparse-vector", {"monotonic": False})]


@pytest.fixture
def ledger(tmp_path):
    ledger = overbar.Ledger(tmp_path / "ledger.db")
    for name in ("person", "row", "replaced-person", "replaced-row"):
        ledger.open(name, epsilon=9, delta="1e-5", neighbours=name)
    return ledger


def booked(ledger, name, own, scores=(9, 2)):
    return overbar.select(scores, threshold=5, plan=own, booking=ledger.booking(name))


@pytest.mark.parametrize("name", ["replaced-person", "replaced-row"])
@pytest.mark.parametrize(("mechanism", "numbers", "loss", "words"), REFUSED)
def test_what_costs_more_for_one_who_is_replaced_is_refused(
    ledger, name, mechanism, numbers, loss, words
):
    own = plan(mechanism, **numbers)
    assert overbar.guarantee(own).epsilon == 0.5
    assert worst_loss(LAWS[mechanism], own, own.level(0)) == pytest.approx(loss, abs=1e-3)
    with pytest.raises(LedgerError, match=r"one goes and|the items of one go") as refusal:
        booked(ledger, name, own)
    assert words in str(refusal.value)
    assert "opened for neighbours by 'person' or 'row'" in str(refusal.value)
    assert not ledger.show(name).entries
    booked(ledger, "person", own)  # where one is added or removed, it is what it costs
    booked(ledger, "row", own)
    assert ledger.verify() == ledger.head


@pytest.mark.parametrize("name", ["replaced-person", "replaced-row"])
@pytest.mark.parametrize(("mechanism", "numbers"), KEPT)
def test_what_stays_costs_no_more_than_is_booked(ledger, name, mechanism, numbers):
    own = plan(mechanism, **numbers)
    loss = worst_loss(LAWS[mechanism], own, own.level(0))
    assert 0.4 < loss <= 0.5 + 1e-6
    booked(ledger, name, own)
    (entry,) = ledger.show(name).entries
    assert entry.reserved.pure == overbar.guarantee(own).epsilon
    assert ledger.verify() == ledger.head


def test_a_larger_move_than_was_stated_is_seen():
    """The control: the enumeration is no upper bound of something else."""
    own = plan("sparse-vector", monotonic=False)
    assert worst_loss(one_by_one, own, own.level(0), most=2) > 0.9


@pytest.mark.parametrize("name", ["replaced-person", "replaced-row"])
def test_every_other_kind_of_plan_is_refused(ledger, name):
    both = {"epsilon": HALF, "cutoff": 2, "candidates": 9, "monotonic": False}
    with_delta = both | {"delta": "1e-6"}
    plans = [
        overbar.plan(**both, counts=True, items_per_person=2),
        overbar.plan(**with_delta, items_per_person=1),
        overbar.plan(**with_delta | {"monotonic": True}),
    ]
    for own in plans:
        with pytest.raises(LedgerError, match=f"neighbours by '{name}'"):
            booked(ledger, name, own, range(9))
    monitor = overbar.plan(epsilon=HALF, delta="1e-6", hits_per_person=2)
    with pytest.raises(LedgerError, match="do not add up"):
        overbar.Monitor(monitor, threshold=5, booking=ledger.booking(name))
    assert not ledger.show(name).entries


@pytest.mark.parametrize("name", ["replaced-person", "replaced-row"])
def test_online_runs_go_by_the_same_rule(ledger, name):
    numbers = {"threshold": 5, "cutoff": 1, "epsilon": HALF, "booking": ledger.booking(name)}
    with pytest.raises(LedgerError, match="monotonic=False"):
        overbar.SparseVector(**numbers, monotonic=True)
    overbar.SparseVector(**numbers).close()
    assert ledger.verify() == ledger.head


def test_a_column_of_scores_goes_by_the_same_rule(ledger):
    pyarrow = pytest.importorskip("pyarrow")
    rows = pyarrow.table({"product": ["tea", "rum"], "score": [9, 2]})
    asked = {"item": "product", "score": "score", "epsilon": HALF, "cutoff": 1}
    booking = ledger.booking("replaced-person", neighbours="replaced-person")
    with pytest.raises(LedgerError, match="one number as sensitivity"):
        frames.top(rows, **asked, sensitivity=(0, 1), booking=booking)
    assert len(frames.top(rows, **asked, sensitivity=1, booking=booking)) == 1
    assert math.isclose(ledger.remaining("person"), 9)
