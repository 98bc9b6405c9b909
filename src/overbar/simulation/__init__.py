"""The study side: many seeded runs at once, in floating point. Nothing here protects anyone.

candidates    what runs are asked about, what can run, and what comes back
seeded_runs   `simulate`, the one public function
seeded_race   a plan as a race, with limits on comparisons and thresholds that are drawn anew
seeded_values noise from a seeded generator; the highest of noisy values
workers       both cores

The methods that studies compare are in :mod:`overbar.paper.methods`.
"""

from __future__ import annotations

from overbar.simulation.candidates import Candidates, Mechanism, Simulated
from overbar.simulation.seeded_runs import simulate

__all__ = ["Candidates", "Mechanism", "Simulated", "simulate"]
