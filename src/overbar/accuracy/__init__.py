"""How accurate a run is: the law of a comparison, success probabilities, and their bounds."""

from __future__ import annotations

from overbar.accuracy.difference import Difference
from overbar.accuracy.success import failure_probability, success_probability

__all__ = [
    "Difference",
    "failure_probability",
    "success_probability",
]
