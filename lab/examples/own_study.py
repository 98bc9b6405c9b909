"""A study of your own: a dataset, a method and a figure, without a change to the package.

Make the figure and a report with it:

    overbar-lab reproduce --study own_study.py
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from overbar_lab.datasets import Dataset
from overbar_lab.paper import Conditions, Data, Panels, Study, Sweep
from overbar_lab.paper.methods import ComparedMethod

#: Forty steps down: from 4,000 visits to 100.
steps = Dataset.of("steps", np.arange(4_000, 0, -100), threshold=2_550, cutoff=15)


@dataclass(frozen=True)
class Uniform:
    """Adds uniform noise once and takes the highest. It protects nobody."""

    width: float
    cutoff: int

    def run(self, candidates, generator):
        """Return the positions of the selected candidates."""
        noisy = candidates.scores + generator.uniform(0, self.width, len(candidates))
        return np.argsort(-noisy)[: self.cutoff]


uniform = ComparedMethod(
    "uniform",
    lambda setting: Uniform(4 * float(setting.pure_scale), setting.cutoff),
    privacy="none: no guarantee",
    guaranteed=False,
)

study = Study(
    "steps-by-budget",
    "Precision on forty steps",
    "How much of what is selected is right, for a method of my own beside two of the paper.",
    Sweep((steps, "zipf"), ("SVT-Lap", "SVT-Exp (optimal)", uniform), ("0.02", "0.05", "0.1")),
    Panels("precision"),
    simulated=True,
)

if __name__ == "__main__":
    for row in study.compute(Conditions(runs=50, seed=1, data=Data())):
        if row["dataset"] == "steps" and row["epsilon"] == 0.1:
            print(f"steps, {row['method']}: precision {row['precision']:.3f}")
