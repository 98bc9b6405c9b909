"""From a checked request to the two noises that keep it."""

from __future__ import annotations

from overbar.calibration.approximate import approximate_noises
from overbar.calibration.pure import pure_noises
from overbar.calibration.request import THRESHOLD_NOISES, Request

__all__ = ["THRESHOLD_NOISES", "Request", "approximate_noises", "pure_noises"]
