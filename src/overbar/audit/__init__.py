"""Try to break a privacy claim about a mechanism of your own.

>>> from overbar import audit
>>> audit.audit(lambda data: data, [(0, 1)], epsilon=1, runs=500).violated
True

The statistical auditor (:func:`audit`) proves losses from samples of any mechanism. The exact one
(:mod:`overbar.audit.exact`) computes what small runs of a plan give away.
"""

from __future__ import annotations

from overbar.audit.interfaces import Pair, Verdict
from overbar.audit.statistical import audit

__all__ = ["Pair", "Verdict", "audit"]
