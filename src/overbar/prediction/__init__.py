"""What to expect of a plan before it is run: no data, no randomness.

Internal files::

    population  how many are found, once the noisy threshold is fixed
    knots       where to look: places of the bar and of values, with weights
    highest_values  what is found where the highest noisy values win
    expected    precision, recall, NCR by margin
    detection   how high a score must be to be found, in the units of the scores
    search      which margin, or which ε, gives the recall asked for
    alternatives  the same privacy by other mechanisms and noises, side by side
"""

from __future__ import annotations

from overbar.prediction.alternatives import Method, methods
from overbar.prediction.detection import Detection, detection
from overbar.prediction.expected import Accuracy, expected_accuracy
from overbar.prediction.search import epsilon_for, margin_for

__all__ = [
    "Accuracy",
    "Detection",
    "Method",
    "detection",
    "epsilon_for",
    "expected_accuracy",
    "margin_for",
    "methods",
]
