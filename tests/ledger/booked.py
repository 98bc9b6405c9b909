"""What tests of booked releases share: scores with two far above, and what they are asked."""

from tests.queue_plans import queue_plan

HIGH, LOW = 10**9, -(10**9)
SCORES = {"a": 0, "b": HIGH, "c": 5, "d": HIGH, "e": 3}
ASK = {"threshold": 10**5, "cutoff": 3, "epsilon": "0.3", "monotonic": True}


def plan(**changes):
    return queue_plan(
        **{"epsilon": "0.3", "cutoff": 3, "monotonic": True, "candidates": 100} | changes
    )


def total(ledger, dataset="pure"):
    return ledger.show(dataset).balance.total
