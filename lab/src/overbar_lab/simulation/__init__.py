"""The study side: many seeded runs at once, in floating point. Nothing here protects anyone.

candidates    what runs are asked about, what can run, and what comes back
seeded_runs   `simulate`, the one public function, on both cores
seeded_draws  one run: the highest of noisy values, or a race with limits and redrawn thresholds

The methods that studies compare are in :mod:`overbar_lab.paper.methods`.
"""

from __future__ import annotations

from overbar_lab.simulation.candidates import Candidates, Mechanism, Simulated
from overbar_lab.simulation.seeded_runs import simulate

__all__ = ["Candidates", "Mechanism", "Simulated", "simulate"]
