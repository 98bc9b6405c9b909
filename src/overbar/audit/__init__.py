"""Try to break a privacy claim about a mechanism of your own.

>>> from overbar import audit
>>> audit.audit(lambda data: data, [(0, 1)], epsilon=1, runs=500).violated
True

The statistical auditor (:func:`audit`) proves losses from samples of any mechanism. The exact one
(:func:`exact_profile`) computes what small runs of a plan give away.

Internal files::

    between    two inputs, and what a plan says about each
    every      a run that goes all ways, and bounds on how likely each is
    ranking    who has the highest noisy values
    points     noise on the grid
    profile    (ε, δ) and losses between two runs, as intervals that hold the truth
"""

from __future__ import annotations

from overbar.audit.between import exact_profile
from overbar.audit.interfaces import Pair, Verdict
from overbar.audit.statistical import audit

__all__ = ["Pair", "Verdict", "audit", "exact_profile"]
