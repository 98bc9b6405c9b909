"""The study side: many seeded runs at once, in floating point. Nothing here protects anyone.

candidates    what runs are asked about, what can run, and what comes back
seeded_runs   `simulate`, the one public function, on both cores
seeded        who runs a mechanism, by draws from a seed
seeded_race   asking again and again in one draw for each

The methods that studies compare are in :mod:`overbar_lab.paper.methods`.
"""

from __future__ import annotations

from overbar_lab.simulation.candidates import Candidates, Mechanism, Simulated
from overbar_lab.simulation.seeded_runs import simulate

__all__ = ["Candidates", "Mechanism", "Simulated", "simulate"]
