"""An alarm on a stream, with a budget that survives crashes and restarts.

Needs `pip install .`. Run it again and again: each run is paid for, until the budget refuses.
"""

import random
import signal
import sys

import overbar

# Without this, a container manager that stops us would leave the whole run paid for.
signal.signal(signal.SIGTERM, lambda *_: sys.exit())


def users_with_errors():
    """Make up a minute at a time, with an outage now and then. Replace this by your stream."""
    dice = random.Random()
    for minute in range(24 * 60):
        yield minute, dice.randrange(200) + 5_000 * (dice.random() < 0.003)


ledger = overbar.Ledger("budgets.db")
if "users" not in ledger.datasets():
    ledger.open("users", epsilon=2, note="all that may ever be said about users' errors")

# One user adds to all counts or to none, hence monotonic. Negative answers are free, so a minute
# costs nothing unless it raises one of the five alarms that the plan pays for.
plan = overbar.plan(
    epsilon="0.5", cutoff=5, monotonic=True, candidates=24 * 60, mechanism="sparse-vector"
)

try:
    run = overbar.SparseVector(
        plan,
        threshold=1_000,
        score_range=(0, 1_000_000),  # public; whatever comes, no number can stop the run
        booking=ledger.booking("users", purpose="outage alarm"),
    )
except overbar.BudgetError as error:
    sys.exit(f"No alarm today: {error}")

with run:  # leaving settles the run: what it did not use goes back
    for minute, users in users_with_errors():
        if run.ask(users):
            print(f"{minute // 60:02d}:{minute % 60:02d}  more than 1,000 users have errors")
        if run.halted:
            print("All alarms of this run are used up.")
            break

print(run)
print(f"Left of the budget: epsilon = {float(ledger.remaining('users')):.3f}")
print(f"Keep this elsewhere, for `overbar ledger verify --head`: {ledger.head}")
