"""What a known-broken mechanism is: a fault, a claim it does not keep, inputs that expose it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from overbar.audit.exact import Law, Path
from overbar.audit.interfaces import Claim, Outcomes, Pair, Subject

#: Many runs on some data, with a generator to draw from.
Run = Callable[[Any, int, np.random.Generator], Outcomes]


@dataclass(frozen=True)
class Broken:
    """A mechanism that does not keep what it claims.

    Attributes
    ----------
    name
        Its fault, in a few words.
    fault
        What is wrong, and why that gives people away.
    source
        Where it was published, or what it is a mirror image of.
    claim
        The privacy it is said to have.
    pairs
        Neighbouring inputs that expose it.
    run
        Many runs on one input, vectorised.
    law
        The law of its transcripts for the exact auditor, where it has one. Scores of `pairs` are
        then as they are on the law's own scale.
    path
        One run that shows the fault, where `pairs` are too long to enumerate.
    runs
        Fresh runs of each input in which samples show the fault, with room to spare.
    """

    name: str
    fault: str
    source: str
    claim: Claim
    pairs: tuple[Pair, ...]
    run: Run
    law: Law | None = None
    path: Path | None = None
    runs: int = 20_000

    def seeded(self, seed: int) -> Subject:
        """Return the mechanism with a generator of its own: a study, never a release."""
        return _Seeded(self.run, np.random.default_rng(seed))


class _Seeded:
    def __init__(self, run: Run, generator: np.random.Generator) -> None:
        self._run, self._generator = run, generator

    def sample(self, data: Any, runs: int) -> Outcomes:
        """Run it many times."""
        return self._run(data, runs, self._generator)
