"""What to expect of a plan before it is run: no data, no randomness.

crowd       how many are found, once the noisy threshold is fixed
expected    the average over the threshold noise: precision, recall, NCR by margin
searching   which margin, or which ε, gives the recall asked for
methods     the same privacy by other noises, side by side
"""

from __future__ import annotations

from overbar.prediction.expected import Accuracy, expected_accuracy, is_race
from overbar.prediction.methods import Method, methods
from overbar.prediction.searching import epsilon_for, margin_for

__all__ = [
    "Accuracy",
    "Method",
    "epsilon_for",
    "expected_accuracy",
    "is_race",
    "margin_for",
    "methods",
]
