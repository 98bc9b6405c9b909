"""What a simulated run is asked about, checked once for all runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from overbar import _check
from overbar.errors import ScoreError

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ORDERS = ("random", "given")

#: Candidates looked at together unless memory is scarcer: their arrays stay in a core's cache.
LARGEST_BLOCK = 1 << 16
#: What the race holds for each candidate of a block: waits, two bounds, copies and masks.
BYTES_PER_CANDIDATE = 80


@dataclass(frozen=True)
class Candidates:
    """The scores of a study, the public threshold and the public order they are asked in.

    Attributes
    ----------
    scores
        One score per candidate.
    threshold
        The public level.
    order
        "random": a fresh uniformly random order in each run; "given": as they come.
    block
        How many candidates a run looks at together. It decides memory, never results.
    """

    scores: Array
    threshold: float
    order: str = "random"
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


class Mechanism(Protocol):
    """What can be simulated besides a plan: one run, given its own generator.

    It must use no other randomness, so that a run can be replayed alone.
    """

    @property
    def cutoff(self) -> int:
        """How many candidates a run selects at most."""

    def run(self, candidates: Candidates, generator: np.random.Generator) -> Indices:
        """Return the indices of the selected candidates, in the order found."""


def read_candidates(scores: Any, threshold: object, order: object, memory: object) -> Candidates:
    """Check what a study was given and turn it into candidates."""
    values = np.asarray(scores)
    if values.ndim != 1 or values.dtype.kind not in "iufb":
        raise ScoreError("scores must be one row of numbers")
    values = np.ascontiguousarray(values, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ScoreError("scores must be finite")
    room = _check.whole("memory", memory) // BYTES_PER_CANDIDATE
    return Candidates(
        scores=values,
        threshold=float(_check.rational("threshold", threshold)),
        order=_check.choice("order", order, ORDERS),
        block=max(1, min(room, LARGEST_BLOCK)),
    )
