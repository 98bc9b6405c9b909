"""What the attacks take from the laboratory: the simulator, an example."""

from overbar_lab.paper.overview import chance_of_the_run
from overbar_lab.simulation import simulate

__all__ = ["chance_of_the_run", "simulate"]
