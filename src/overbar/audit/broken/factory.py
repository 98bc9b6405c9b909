"""What a known-broken mechanism is, and how most of them are made: from the law of their runs.

A sparse vector run is threshold noise, query noise and a cutoff, so most faults are a law with one
of the three wrong, with scores prepared wrongly before it, or with too much told after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar.audit.exact import Law, Path
from overbar.audit.interfaces import Claim, Outcomes, Pair, Subject
from overbar.noise import Laplace, Noise

Array = NDArray[np.float64]
#: One row for each run: 1 above, 0 below, HALTED once there were enough.
Answers = NDArray[np.int8]
#: Draws noise of a shape.
Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]
#: Many runs on some data, with a generator to draw from.
Run = Callable[[Any, int, np.random.Generator], Outcomes]

#: Stands in a transcript for a question that was not answered any more.
HALTED = -1


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


def _as_they_are(scores: Any) -> Array:
    return np.asarray(scores, dtype=np.float64)


def _answers(answers: Answers, noisy: Array) -> Outcomes:
    del noisy
    return answers


def from_law(
    law: Law,
    *,
    name: str,
    fault: str,
    source: str,
    claim: Claim,
    pairs: tuple[Pair, ...],
    prepare: Callable[[Any], Array] = _as_they_are,
    tell: Callable[[Answers, Array], Outcomes] = _answers,
    exact: bool = True,
    runs: int = 20_000,
) -> Broken:
    """Make a broken mechanism whose runs draw the noises of a law.

    `prepare` turns data into the scores that are compared; `tell` turns answers and noisy scores
    into what is released. The law goes to the exact auditor unless it does not say all: `exact`.
    """

    def run(data: Any, count: int, generator: np.random.Generator) -> Outcomes:
        return tell(*transcripts_of(law, prepare(data), count, generator))

    return Broken(name, fault, source, claim, pairs, run=run, law=law if exact else None, runs=runs)


def transcripts_of(
    law: Law, scores: Array, runs: int, generator: np.random.Generator
) -> tuple[Answers, Array]:
    """Return many runs with the noises and the cutoff of a law, continuous as floats draw them."""
    assert law.threshold is not None
    threshold = _draw_of(law.threshold.noise)
    mirrored = law.threshold.mirrored
    return transcripts(
        scores,
        runs,
        generator,
        threshold=(lambda *shape: -threshold(*shape)) if mirrored else threshold,
        query=None if law.query is None else _draw_of(law.query),
        cutoff=law.cutoff,
    )


def _draw_of(noise: Noise) -> Draw:
    return (laplace if isinstance(noise, Laplace) else exponential)(float(noise.scale))


def laplace(scale: float) -> Draw:
    """Laplace noise of this scale."""
    return lambda generator, shape: generator.laplace(scale=scale, size=shape)


def exponential(scale: float) -> Draw:
    """Exponential noise with this mean."""
    return lambda generator, shape: scale * generator.standard_exponential(shape)


def transcripts(
    scores: Array,
    runs: int,
    generator: np.random.Generator,
    *,
    threshold: Draw,
    query: Draw | None,
    cutoff: int | None,
) -> tuple[Answers, Array]:
    """Return the answers of many runs against a threshold of zero, and the noisy scores."""
    bar = threshold(generator, (runs, 1))
    noisy = np.broadcast_to(scores, (runs, len(scores)))
    if query is not None:
        noisy = noisy + query(generator, (runs, len(scores)))
    answers = (noisy >= bar).astype(np.int8)
    if cutoff is not None:
        before = np.cumsum(answers, axis=1, dtype=np.int32) - answers
        answers[before >= cutoff] = HALTED
    return answers, noisy
