"""What comes back of a run that ended early, in a ledger: written beforehand, found again."""

import json
from fractions import Fraction

import pytest

import overbar
from overbar import LedgerError
from overbar.ledger.budget import budget_of, by_orders
from overbar.ledger.charges import charge_of
from overbar.ledger.description import Description
from overbar.ledger.endings import schedule_of
from overbar.privacy.instalments import RenyiSpent
from tests.frozen import seam
from tests.queue_plans import queue_plan

#: A race with noise on its threshold: 50 positives at most.
PLAN = queue_plan(
    epsilon="0.1", delta="1e-8", cutoff=50, noise="gumbel", monotonic=True, candidates=1000
)
ASKED = Description("online", PLAN, Fraction(5))


def settled(ledger, plan=PLAN, positives=10, dataset="both"):
    """Reserve and settle a run; return what was held and what it has cost."""
    held = ledger.reserve(dataset, Description("online", plan, Fraction(5)))
    return held.charge, held.settle(positives=positives, asked=True).receipt.cost


def test_a_race_that_found_few_gets_most_of_its_divergence_back(place):
    ledger = place.ledger()
    ledger.open("both", epsilon=1, delta="1e-6")
    charge, cost = settled(ledger)
    (order,) = ledger.show("both").budget.orders
    exact = RenyiSpent(PLAN, 10).renyi(float(order))
    assert exact <= cost.renyi[0] < exact + 1e-12
    assert cost.renyi[0] < charge.renyi[0] * Fraction(2, 5)
    assert cost.delta == charge.delta
    # What was paid for the threshold does not come back, and a full run costs all of it.
    assert settled(ledger, positives=0)[1].renyi[0] > charge.renyi[0] / 10
    assert settled(ledger, positives=50)[1] == charge
    assert ledger.verify() == ledger.head


def test_with_what_came_back_more_runs_fit():
    """A budget of (1, 10⁻⁶) takes more than twice as many runs that find 10 of 50."""
    budget = by_orders(budget_of(1, "1e-6", None))
    form, charge = charge_of(PLAN, budget, budget.unspent, Fraction(0))
    schedule = schedule_of(PLAN, form, charge, budget)
    counts = []
    for positives in (10, 50):
        cost, total, runs = schedule.after(positives, charge), budget.nothing, 0
        while budget.allows(total + charge):
            total, runs = total + cost, runs + 1
        counts.append(runs)
    assert counts[0] > 2.5 * counts[1]


@pytest.mark.parametrize(
    "plan",
    [
        queue_plan(epsilon="0.01", cutoff=5, candidates=100),  # pure: one bound on average
        queue_plan(
            epsilon="0.01", delta="1e-9", cutoff=2, noise="gaussian", max_queries=50, candidates=9
        ),
    ],
    ids=["exponential", "gaussian queries"],
)
def test_of_other_runs_no_divergence_comes_back(ledger, plan):
    charge, cost = settled(ledger, plan, positives=0)
    assert cost.renyi == charge.renyi
    assert json.loads(_rows(ledger)[-2])["schedule"] is None


def test_of_a_monitor_nothing_comes_back(ledger):
    """It is settled when it begins, as if it had found nothing, and goes on for ever."""
    plan = overbar.plan(epsilon="0.1", delta="1e-8", hits_per_person=3, candidates=100)
    charge, cost = settled(ledger, plan, positives=0)
    assert cost == charge


def _rows(ledger):
    with ledger._store.reading() as rows:
        return [row.content for row in rows.all()]


def test_a_run_booked_by_its_pair_gets_nothing_back(ledger):
    """Its δ adds up, and what is left of it is pure: nothing is paid on the way."""
    plan = queue_plan(
        epsilon=1, delta="4e-7", cutoff=50, noise="gumbel", monotonic=True, candidates=1000
    )
    ledger.open("half", epsilon=1, delta="1e-6", additive="1/2")
    held = ledger.reserve("half", Description("online", plan, Fraction(5)))
    assert (held.form, held.schedule) == ("approximate", None)
    assert held.settle(positives=1, asked=True).receipt.cost == held.charge


def test_a_request_pays_by_its_stored_answer(ledger):
    scores = {f"item {number}": 10**9 * (number < 3) for number in range(60)}
    booking = ledger.booking("both", request_id="monday")
    found = overbar.select(scores, threshold=10**6, plan=PLAN, booking=booking)
    assert len(found.labels) == 3
    assert ledger.verify() == ledger.head


FORGED = {
    "the threshold is free": lambda row: row["schedule"]["start"].__setitem__(0, "0"),
    "positives are cheap": lambda row: row["schedule"]["each"].__setitem__(0, "1/1000000"),
    "two orders": lambda row: row["schedule"].update(start=["1", "1"], each=["1", "1"]),
    "a pair": lambda row: row.update(form="approximate"),
    "none": lambda row: row.update(schedule=None),
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED.keys())
def test_a_schedule_that_pays_too_little_is_noticed(tmp_path, forged):
    path = tmp_path / "ledger.db"
    ledger = overbar.Ledger(path)
    ledger.open("both", epsilon=1, delta="1e-6")
    settled(ledger)
    ledger.verify()
    rows = seam.rows(path)
    forged(rows[1])
    seam.forge(path, dict(enumerate(rows)))
    with pytest.raises(LedgerError, match="does not follow"):
        overbar.Ledger(path).verify()


def test_another_number_of_positives_is_another_cost(tmp_path):
    """Each cost is that of a whole number of positives, to the last digit."""
    path = tmp_path / "ledger.db"
    ledger = overbar.Ledger(path)
    ledger.open("both", epsilon=1, delta="1e-6")
    settled(ledger)
    rows = seam.rows(path)
    cost = rows[2]["cost"]
    cost["renyi"][0] = str(Fraction(cost["renyi"][0]) - Fraction(1, 10**15))
    rows[2]["balance"]["settled"]["renyi"] = cost["renyi"]
    seam.forge(path, dict(enumerate(rows)))
    with pytest.raises(LedgerError, match="not what its run can have cost"):
        overbar.Ledger(path).verify()
