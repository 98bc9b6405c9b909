"""Try to break a privacy claim.

>>> from overbar import audit
>>> audit.audit(lambda data: data, [(0, 1)], epsilon=1, runs=500).violated
True

The exact auditor (:mod:`overbar.audit.exact`) computes losses of small runs; the statistical one
(:func:`audit`) proves them from samples of any mechanism. The mechanisms in
``broken_queues`` and ``broken_rankings`` are known not to keep their claims, and show that the
auditors work.
"""

from __future__ import annotations

from overbar.audit.interfaces import Pair, Verdict
from overbar.audit.statistical import audit

__all__ = ["Pair", "Verdict", "audit"]
