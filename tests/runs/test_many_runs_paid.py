"""Many runs at once: what is secret stays so, and all are paid together."""

import copy
import os
import pickle
import signal
import sys
import threading

import numpy as np
import pytest

import overbar
from overbar import HaltedError, ParameterError, SecrecyError, SparseVector
from overbar.mechanisms import Composed, Groups
from overbar.noise import Exponential, Laplace
from overbar.runs import many_runs
from overbar.runs.many_runs import SparseVectors
from tests.reference.plans import any_plan
from tests.runs.test_forks import fork_from_c, told_by_child
from tests.runs.test_many_runs import HIGH, LOW, PLAN, gate

# Secrets and processes ----------------------------------------------------------------------------


def test_it_is_never_written_down():
    many = gate()
    for act in (pickle.dumps, copy.copy, copy.deepcopy, lambda run: run.__getstate__()):
        with pytest.raises(SecrecyError, match="cannot be pickled or copied"):
            act(many)
        with pytest.raises(SecrecyError, match="cannot be pickled or copied"):
            act(many._bars)
    assert repr(many._bars) == "HiddenBars (hidden)"
    held = [getattr(many, name) for kind in type(many).__mro__ for name in _slots(kind)]
    assert sum(isinstance(value, np.ndarray) for value in held) == 2  # asked and positives


def _slots(kind):
    return getattr(kind, "__slots__", ())


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("fork", [os.fork, fork_from_c])
def test_a_forked_child_is_refused(fork):
    many = gate()
    for act in (lambda: many.ask([HIGH] * 4), many.close, lambda: many._bars.passing([], 0)):
        assert told_by_child(fork, act) == "refused"
    assert many.ask([HIGH] * 4).all()


def test_threads_share_the_positives():
    many = gate(runs=50, plan=any_plan(Exponential(1), Laplace(1), 0, 10, monotonic=True))
    given = []

    def ask():
        while True:
            try:
                given.append(many.ask([HIGH] * 50))
            except HaltedError:
                return

    threads = [threading.Thread(target=ask) for _ in range(4)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    assert np.sum(given, axis=0).tolist() == [10] * 50 == many.positives.tolist()


# What it costs ------------------------------------------------------------------------------------


def test_disjoint_runs_cost_the_dearest_and_others_add_up():
    apart, together = gate(runs=3), gate(runs=3, disjoint=False)
    assert overbar.guarantee(apart.plan) == overbar.guarantee(PLAN) == overbar.PureDP(3)
    assert overbar.guarantee(together.plan) == overbar.PureDP(9)
    for scores in ([HIGH, LOW, LOW], [HIGH, HIGH, LOW]):
        apart.ask(scores), together.ask(scores)
    assert apart.spent == 3
    assert together.spent == 3 + 2 + 1
    some = gate(plan=Composed(PLAN, groups=Groups(3, 2)), runs=None, disjoint=False)
    some.ask([HIGH, HIGH, LOW], where=[True, False, True])
    assert some.spent == 2 + 1
    assert "1 of 6 positives given, spent 3 of 6" in repr(some)


def test_a_plan_in_groups_is_a_budget_for_all_runs():
    numbers = {"cutoff": 2, "epsilon": 1, "monotonic": True}

    def gate(runs, per_person, **more):
        several = {"groups": runs, "groups_per_person": per_person, "candidates": 2_000}
        own = overbar.plan(mechanism="sparse-vector", **numbers, **several, **more)
        return SparseVectors(own, threshold=500)

    apart, together = gate(4096, 1), gate(10, 10)
    assert overbar.guarantee(apart.plan) == overbar.guarantee(together.plan) == overbar.PureDP(1)
    assert 9 < together.plan.query_noise.scale / apart.plan.query_noise.scale < 11
    alone = SparseVector(threshold=500, **numbers)
    assert apart.plan.labels == alone.plan
    assert SparseVectors(alone.plan, runs=4096, disjoint=True).plan == apart.plan
    with_delta = gate(20, 20, delta="1e-6")
    assert overbar.guarantee(with_delta.plan).at("1e-6") <= 1
    assert not with_delta.spent
    with_delta.ask([LOW] * 20)
    assert with_delta.spent > 0


def test_one_booking_for_all_runs(tmp_path):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("texts", epsilon=10)
    with gate(runs=2, booking=ledger.booking("texts")) as many:
        assert ledger.standing("texts").remaining == 7  # held before the first draw
        many.ask([HIGH, LOW])
    assert many.receipt.cost.pure <= 3
    with pytest.raises(HaltedError):
        many.ask([HIGH, LOW])
    halting = gate(runs=2, booking=ledger.booking("texts"))
    halting.ask([HIGH] * 2), halting.ask([HIGH] * 2)
    assert halting.receipt.cost.pure == 3
    with pytest.raises(overbar.BudgetError):
        gate(runs=2, disjoint=False, booking=ledger.booking("texts"))
    with pytest.raises(ParameterError, match="request_id"):
        gate(booking=ledger.booking("texts", request_id="a"))
    ledger.verify()


def killed_when(moment, path):
    """Return what a process gave out before it was killed."""

    def die(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if moment == "before noise is drawn":
                many_runs.raise_bars = die
            many = gate(runs=2, booking=overbar.Ledger(path).booking("texts"))
            SparseVectors._settle = die if moment == "before it is settled" else None
            os.write(write, repr(many.ask([HIGH, LOW]).tolist()).encode())
            if moment == "before it is settled":
                many.ask([HIGH, HIGH]), many.ask([HIGH, HIGH])
            die()
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read) as given:
        answers = given.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    return answers


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(
    "moment", ["before noise is drawn", "between questions", "before it is settled"]
)
def test_whoever_is_killed_has_paid(moment, tmp_path):
    ledger = overbar.Ledger(tmp_path / "budgets.db")
    ledger.open("texts", epsilon=10)
    given = killed_when(moment, tmp_path / "budgets.db")
    assert given == ("" if moment == "before noise is drawn" else "[True, False]")
    assert ledger.standing("texts").remaining == 7
    ledger.verify()
