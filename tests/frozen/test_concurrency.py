"""Processes, threads and forks that share one budget."""

import json
import os
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from fractions import Fraction

import pytest

import overbar
from tests.frozen.hammer import PLAN, SCORES, ask

pytestmark = pytest.mark.one_in(3)

EACH = Fraction(1, 50)


def hammer(place, count):
    """Let processes ask; return what each request was given, by both who made it."""
    told = [place.where, str(count), str(place.processes)]
    result = subprocess.run(
        [sys.executable, "-m", "tests.frozen.hammer", *told],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    given = defaultdict(list)
    for line in result.stdout.splitlines():
        request, labels = json.loads(line)
        given[request].append(labels)
    assert all(len(answers) == 2 for answers in given.values())
    return given


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_processes_never_overspend_and_lose_no_request(place):
    """Every request is made by two processes at once. First more than the budget can pay for."""
    ledger = place.ledger()
    ledger.open("shared", epsilon="0.4")
    given = hammer(place, 32)
    account = ledger.show("shared")
    ledger.verify()
    assert len(given) == 32
    paid = Counter(entry.request_id for entry in account.entries)
    assert account.held == account.budget.nothing
    assert account.spent.pure == EACH * sum(paid.values()) <= Fraction("0.4")
    settled = Counter(entry.request_id for entry in account.entries if not entry.superseded)
    for request, answers in given.items():
        told = [labels for labels in answers if labels is not None]
        # Whoever was answered was answered alike, and was paid for; whoever was not was refused.
        assert len({tuple(labels) for labels in told}) <= 1
        assert settled[request] == (1 if told else 0)
        assert paid[request] <= 2
    # Nothing was refused while there was money: less than one run's cost is left.
    assert account.remaining < EACH
    # And with enough for all, each of them gets its answer, the old ones included.
    other = place.another()
    ample = other.ledger()
    ample.open("shared", epsilon=10)
    given = hammer(other, 16)
    assert len(given) == 16
    assert all(None not in answers for answers in given.values())
    assert all(answers[0] == answers[1] for answers in given.values())
    ample.verify()


def test_threads_share_a_ledger(place):
    ledger = place.ledger()
    ledger.open("shared", epsilon="0.2")
    given = {}

    def work(name):
        for number in range(3):
            given[name, number] = ask(ledger, f"{name} {number}")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(labels is not None for labels in given.values()) == 10
    assert ledger.remaining("shared") == 0
    ledger.verify()


def test_a_request_answered_by_another_run_meanwhile(place):
    """Both runs pay, and both give the answer that was settled first."""
    ledger = place.ledger()
    ledger.open("shared", epsilon=1)

    def batches():
        outcome["first"] = overbar.select(
            iter([SCORES]),
            threshold=500,
            plan=PLAN,
            booking=ledger.booking("shared", request_id="r"),
        )
        yield SCORES

    outcome = {}
    outcome["second"] = overbar.select(
        batches(), threshold=500, plan=PLAN, booking=ledger.booking("shared", request_id="r")
    )
    first, second = outcome["first"], outcome["second"]
    assert first.labels == second.labels
    assert first.indices == second.indices
    assert first.receipt.unfinished == 1
    assert second.receipt.repeated
    assert [entry.superseded for entry in ledger.show("shared").entries] == [True, False]
    assert ledger.show("shared").spent.pure == 2 * EACH
    ledger.verify()


def test_an_answer_that_is_thrown_away_does_not_show_in_its_cost(place):
    ledger = place.ledger()
    ledger.open("shared", epsilon=1)
    ask = {"threshold": 500, "plan": PLAN, "booking": ledger.booking("shared", request_id="r")}

    def batches():
        overbar.select(iter([{"only": 10**9}]), **ask)
        yield {"only": 10**9}

    overbar.select(batches(), **ask)
    late, early = ledger.show("shared").entries
    assert late.superseded
    assert late.cost == late.reserved
    assert early.cost.pure < early.reserved.pure


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_cannot_settle_its_parents_run(place):
    ledger = place.ledger()
    ledger.open("shared", epsilon=1)
    with overbar.SparseVector(PLAN, threshold=500, booking=ledger.booking("shared")) as run:
        run.ask(10**9)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                run.__exit__(None, None, None)  # as at the end of a with block
                run.close()
            except overbar.SecrecyError:
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        assert ledger.show("shared").entries[0].open
    assert not ledger.show("shared").entries[0].open


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_ledger_may_be_carried_over_a_fork(place):
    ledger = place.ledger()
    ledger.open("shared", epsilon=1)
    assert ask(ledger, "before") is not None
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if ask(ledger, "child") else 1)
        finally:
            os._exit(2)
    assert ask(ledger, "parent") is not None
    assert os.waitpid(child, 0)[1] == 0
    assert ledger.show("shared").spent.pure == 3 * EACH
    ledger.verify()
