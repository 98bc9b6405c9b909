"""How noise decides: chances to be found, before any data is touched, and the laws behind them.

Internal files::

    plan        what is asked of a plan
    chances     how likely a score comes out that lies so far above or below
    detection   how high a score must be to be found, and which ε that takes
    difference  the law of query noise minus threshold noise: closed, or by quadrature
    success     the chance that a whole run labels everything right
    correction  what is added to the threshold for it, and how far apart candidates must be
    interval    intervals around counts that came out, and around noisy values
"""

from __future__ import annotations

from overbar.accuracy.chances import Chances, chances
from overbar.accuracy.correction import correction_term
from overbar.accuracy.detection import Detection, detection, epsilon_for, margin_for
from overbar.accuracy.difference import Difference
from overbar.accuracy.success import failure_probability, success_probability

__all__ = [
    "Chances",
    "Detection",
    "Difference",
    "chances",
    "correction_term",
    "detection",
    "epsilon_for",
    "failure_probability",
    "margin_for",
    "success_probability",
]
