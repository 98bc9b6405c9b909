"""What a study simulates, and what comes of it: candidates, and the positives of each run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from overbar.errors import ScoreError
from overbar.mechanisms import ScorePlan
from overbar_lab import checks, metrics

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


#: Candidates looked at together unless memory is scarcer: their arrays stay in a core's cache.
LARGEST_BLOCK = 1 << 16
#: What the race holds for each candidate of a block: waits, two bounds, copies and masks.
BYTES_PER_CANDIDATE = 80


@dataclass(frozen=True, eq=False)
class Candidates:
    """The scores of a study, and the public threshold; they are asked in a random order.

    Attributes
    ----------
    scores
        One score per candidate.
    threshold
        The public level.
    block
        How many candidates a run looks at together. It decides memory, never results.
    """

    scores: Array
    threshold: float
    block: int = LARGEST_BLOCK

    @cached_property
    def ranking(self) -> Indices:
        """Indices from the highest score to the lowest."""
        return np.argsort(-self.scores, kind="stable")

    @cached_property
    def falling(self) -> Array:
        """The scores from the highest to the lowest."""
        return self.scores[self.ranking]

    def __len__(self) -> int:
        return len(self.scores)


@lru_cache(maxsize=2)  # asked for again by every run
def in_grid_steps(candidates: Candidates, grid: Fraction) -> Candidates:
    """Return candidates whose scores and threshold are in grid steps, as mechanisms want them."""
    if grid == 1:
        return candidates
    threshold = float(Fraction(candidates.threshold) / grid)
    return Candidates(candidates.scores / float(grid), threshold, candidates.block)


class Outcome(NamedTuple):
    """What a run selected, and how many comparisons it made on the way."""

    selected: Indices
    comparisons: float


class Mechanism(Protocol):
    """What can be simulated besides a plan: one run, given its own generator.

    It must use no other randomness, so that a run can be replayed alone.
    """

    @property
    def cutoff(self) -> int:
        """How many candidates a run selects at most."""

    def run(self, candidates: Candidates, generator: np.random.Generator) -> Indices:
        """Return the indices of the selected candidates, in the order found."""


def read_candidates(scores: Any, threshold: object, memory: object) -> Candidates:
    """Check what a study was given and turn it into candidates."""
    values = np.asarray(scores)
    if values.ndim != 1 or values.dtype.kind not in "iufb":
        raise ScoreError("scores must be one row of numbers")
    values = np.ascontiguousarray(values, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ScoreError("scores must be finite")
    room = checks.whole("memory", memory) // BYTES_PER_CANDIDATE
    return Candidates(
        scores=values,
        threshold=float(checks.rational("threshold", threshold)),
        block=max(1, min(room, LARGEST_BLOCK)),
    )


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
    comparisons
        How many comparisons each run made; not a number where the mechanism does not say. In a
        queue it is the mean over where the others stand.
    mechanism
        What was simulated: a plan, or another mechanism.
    seed, first_run
        Run i of this result is run ``first_run + i`` of the seed; that pair replays it alone.
    scores, threshold
        What the runs were asked about, and the public level.

    Examples
    --------
    >>> import overbar
    >>> from overbar_lab import simulate
    >>> plan = overbar.plan(epsilon=1, cutoff=2, monotonic=True, candidates=5)
    >>> runs = simulate(plan, [900, 3, 700, 5, 1], threshold=100, runs=2, seed=7)
    >>> [selected.tolist() for selected in runs], runs.measures()["ncr"].mean
    ([[0, 2], [0, 2]], 1.0)
    """

    selected: tuple[Indices, ...]
    comparisons: Array
    mechanism: ScorePlan | Mechanism
    seed: int
    first_run: int
    scores: Array
    threshold: float

    def __len__(self) -> int:
        return len(self.selected)

    def __iter__(self) -> Iterator[Indices]:
        return iter(self.selected)

    def measures(
        self, *, truth: str = "top", confidence: float = 0.95
    ) -> dict[str, metrics.Measured]:
        """Return NCR, F1, precision, recall by name: see :func:`overbar_lab.metrics.measures`."""
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
        try:
            library = import_module("pandas")
        except ImportError:
            library = import_module("polars")
        return library.DataFrame(
            {
                "run": list(range(self.first_run, self.first_run + len(self))),
                "selected": [len(run) for run in self],
                "comparisons": self.comparisons,
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
