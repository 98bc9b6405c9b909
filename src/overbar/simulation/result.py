"""What a simulation gives back. It says *simulated* everywhere, and it spends nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from overbar import metrics
from overbar._frame import data_frame
from overbar.plans import Plan
from overbar.simulation.candidates import Array, Indices, Mechanism

#: Runs that a repr shows, and indices of each.
SHOWN_RUNS = 3
SHOWN_INDICES = 8


@dataclass(frozen=True, repr=False, eq=False)
class Simulated:
    """Runs on known scores, with seeded noise. Not a release: it protects nobody.

    Attributes
    ----------
    selected
        One array of indices per run, in the order found.
    mechanism
        What was simulated: a plan, or another mechanism.
    seed, first_run
        Run i of this result is run ``first_run + i`` of the seed; that pair replays it alone.
    scores, threshold, order
        What the runs were asked about, the public level, and how candidates were queued.

    Examples
    --------
    >>> import overbar
    >>> from overbar import simulate
    >>> plan = overbar.plan(epsilon=1, cutoff=2, monotonic=True, candidates=5)
    >>> runs = simulate(plan, [900, 3, 700, 5, 1], threshold=100, runs=2, seed=7)
    >>> [selected.tolist() for selected in runs], runs.measures()["ncr"].mean
    ([[0, 2], [0, 2]], 1.0)
    """

    selected: tuple[Indices, ...]
    mechanism: Plan | Mechanism
    seed: int
    first_run: int
    scores: Array
    threshold: float
    order: str

    def __len__(self) -> int:
        return len(self.selected)

    def __iter__(self) -> Iterator[Indices]:
        return iter(self.selected)

    def measures(
        self, *, truth: str = "top", confidence: float = 0.95
    ) -> dict[str, metrics.Measured]:
        """Return NCR, F1, precision and recall by name: see :func:`overbar.metrics.measures`."""
        return metrics.measures(
            self.selected,
            self.scores,
            cutoff=self.mechanism.cutoff,
            threshold=self.threshold,
            truth=truth,
            confidence=confidence,
        )

    def to_frame(self) -> Any:
        """Return a data frame (pandas, or Polars without it): one row a run, with its measures."""
        return data_frame(
            {
                "run": list(range(self.first_run, self.first_run + len(self))),
                "selected": [len(run) for run in self],
                **{name: measure.values for name, measure in self.measures().items()},
            }
        )

    def __repr__(self) -> str:
        average = float(np.mean([len(run) for run in self.selected])) if self.selected else 0.0
        first, last = self.first_run, self.first_run + len(self) - 1
        runs = f"run {first}" if len(self) == 1 else f"runs {first} to {last}"
        lines = [
            f"Simulated, not released: {runs} of seed {self.seed} on {len(self.scores):,} "
            f"candidates at threshold {self.threshold:g}; {average:.4g} selected on average of "
            f"at most {self.mechanism.cutoff:,}"
        ]
        for number, run in enumerate(self.selected[:SHOWN_RUNS], first):
            shown = ", ".join(map(str, run[:SHOWN_INDICES].tolist()))
            lines.append(
                f"  simulated run {number}: {shown}{', …' if len(run) > SHOWN_INDICES else ''}"
            )
        if len(self) > SHOWN_RUNS:
            lines.append(f"  … and {len(self) - SHOWN_RUNS:,} more")
        return "\n".join(lines)
