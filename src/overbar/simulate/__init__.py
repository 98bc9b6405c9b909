"""The study side: many seeded runs at once, in floating point. Nothing here protects anyone.

study       `simulate`, the one public function
race        a plan as a race: one draw per candidate, whatever the number of rounds
queue       limits on comparisons, and thresholds that are drawn anew
references  mechanisms to compare with
methods     the methods of the paper, ours and the references, by name
workers     both cores
"""

from __future__ import annotations

from overbar.simulate.candidates import Candidates, Mechanism
from overbar.simulate.result import Simulated
from overbar.simulate.study import simulate

__all__ = ["Candidates", "Mechanism", "Simulated", "simulate"]
