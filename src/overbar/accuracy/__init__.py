"""How accurate a run is: the law of a comparison, success probabilities, and their bounds."""

from __future__ import annotations

from overbar.accuracy.difference import Difference
from overbar.accuracy.discretised import DiscretisedLaw, discretised_difference
from overbar.accuracy.shared_threshold import SharedThreshold
from overbar.accuracy.success import failure_probability, success_probability
from overbar.accuracy.tolerance import comparison_variance, exponential_tolerance, laplace_tolerance

__all__ = [
    "Difference",
    "DiscretisedLaw",
    "SharedThreshold",
    "comparison_variance",
    "discretised_difference",
    "exponential_tolerance",
    "failure_probability",
    "laplace_tolerance",
    "success_probability",
]
