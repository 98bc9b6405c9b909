"""What a simulation gives back. It says *simulated* everywhere, and it spends nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from overbar.plan import Plan
from overbar.simulation.candidates import Indices, Mechanism

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
    threshold, candidates, order
        The public level, how many candidates there were, and how they were queued.
    """

    selected: tuple[Indices, ...]
    mechanism: Plan | Mechanism
    seed: int
    first_run: int
    threshold: float
    candidates: int
    order: str

    def __len__(self) -> int:
        return len(self.selected)

    def __repr__(self) -> str:
        found = float(np.mean([len(one) for one in self.selected])) if self.selected else 0.0
        first, last = self.first_run, self.first_run + len(self) - 1
        runs = f"run {first}" if len(self) == 1 else f"runs {first} to {last}"
        lines = [
            f"Simulated, not released: {runs} of seed {self.seed} on {self.candidates:,} "
            f"candidates at threshold {self.threshold:g}; {found:.4g} selected on average of "
            f"at most {self.mechanism.cutoff:,}"
        ]
        for number, one in enumerate(self.selected[:SHOWN_RUNS], first):
            shown = ", ".join(map(str, one[:SHOWN_INDICES].tolist()))
            lines.append(
                f"  simulated run {number}: {shown}{', …' if len(one) > SHOWN_INDICES else ''}"
            )
        if len(self) > SHOWN_RUNS:
            lines.append(f"  … and {len(self) - SHOWN_RUNS:,} more")
        return "\n".join(lines)
