"""What the attacks take from the laboratory: seeded draws, the simulator, an example."""

from overbar_lab.paper.overview import chance_of_the_run
from overbar_lab.simulation import simulate
from overbar_lab.simulation.seeded import Seeded

__all__ = ["Seeded", "chance_of_the_run", "simulate"]
