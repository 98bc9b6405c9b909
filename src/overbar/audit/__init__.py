"""Try to break a privacy claim.

>>> from overbar import audit
>>> audit.audit(lambda data: data, [(0, 1)], epsilon=1, runs=500).violated
True

The exact auditor (:mod:`overbar.audit.exact`) computes losses of small runs; the statistical one
(:func:`audit`) proves them from samples of any mechanism. The mechanisms in
``audit/broken`` are known not to keep their claims, and show that the auditors work.
"""

from __future__ import annotations

from overbar.audit.binomial_bounds import detectable, power
from overbar.audit.interfaces import Claim, Pair, Subject
from overbar.audit.statistical import CONFIDENCE, audit
from overbar.audit.verdict import Evidence, Verdict

__all__ = [
    "CONFIDENCE",
    "Claim",
    "Evidence",
    "Pair",
    "Subject",
    "Verdict",
    "audit",
    "detectable",
    "power",
]
