"""overbar: find what is above a threshold, or the top c, with differential privacy.

Three ways to use it: one call, a plan first, or online.

>>> import overbar
>>> counts = [0] * 95 + [100_000] * 5
>>> found = overbar.select(counts, threshold=500, cutoff=5, epsilon=1, monotonic=True)  # one call
>>> sorted(found.indices)
[95, 96, 97, 98, 99]
>>> plan = overbar.plan(epsilon=1, cutoff=5, monotonic=True, candidates=100)  # look first
>>> overbar.guarantee(plan)
PureDP(epsilon=1)
>>> run = overbar.SparseVector(threshold=500, cutoff=5, epsilon=1, monotonic=True)  # online
>>> run.ask(100_000)
True
"""

from __future__ import annotations

from importlib.metadata import version as _version

from overbar import frames
from overbar.errors import (
    BudgetError,
    HaltedError,
    LedgerError,
    MissingExtraError,
    NoGuaranteeError,
    OverbarError,
    ParameterError,
    ScoreError,
    SecrecyError,
)
from overbar.ledger import Booking, Ledger
from overbar.mechanisms import Plan
from overbar.planning import plan
from overbar.privacy import ApproximateDP, PureDP, guarantee
from overbar.runs import Selection, SparseVector, select, top
from overbar.runs.counting import Count
from overbar.runs.many_runs import SparseVectors
from overbar.runs.monitor import Monitor
from overbar.runs.requeue import Requeue

__version__ = _version("overbar")

__all__ = [
    "ApproximateDP",
    "Booking",
    "BudgetError",
    "Count",
    "HaltedError",
    "Ledger",
    "LedgerError",
    "MissingExtraError",
    "Monitor",
    "NoGuaranteeError",
    "OverbarError",
    "ParameterError",
    "Plan",
    "PureDP",
    "Requeue",
    "ScoreError",
    "SecrecyError",
    "Selection",
    "SparseVector",
    "SparseVectors",
    "frames",
    "guarantee",
    "plan",
    "select",
    "top",
]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
