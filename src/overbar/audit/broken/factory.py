"""What a known-broken mechanism is, and how most of them run: by drawing the noises of a law.

A sparse vector run is threshold noise, query noise and a cutoff, so most faults are a law with one
of the three wrong, with scores prepared wrongly before it, or with too much told after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overbar.audit.exact import Law, exact_profile, search
from overbar.audit.exact.law import RankedLaw
from overbar.audit.exact.strategies import Path
from overbar.audit.interfaces import Claim, Outcomes, Pair, Sampler
from overbar.noise import Exponential, Laplace, Noise
from overbar.simulation.seeded_values import draw_noise

Array = NDArray[np.float64]
#: One row for each run: 1 above, 0 below, HALTED once there were enough.
Answers = NDArray[np.int8]
#: Many runs on some data, with a generator to draw from.
Run = Callable[[Any, int, np.random.Generator], Outcomes]

#: What most of them break: a law that is sound for counts, with ε₁ = ε₂ = 1/2 and one positive.
SOUND = Law(Exponential(Fraction(2)), Laplace(Fraction(2)), cutoff=1, monotonic=True)

#: Stands in a transcript for a question that was not answered any more.
HALTED = -1


def law_runs(law: Law, tell: Callable[[Answers, Array], Outcomes] | None = None) -> Run:
    """Return runs of a law; `tell` turns answers and noisy scores into what is released."""
    if isinstance(law, RankedLaw):
        return partial(_highest, law)

    def run(data: Any, runs: int, generator: np.random.Generator) -> Outcomes:
        answers, noisy = transcripts(law, data, runs, generator)
        if tell is not None:
            return tell(answers, noisy)
        return np.where(answers == 1, noisy, np.nan) if law.releases_value else answers

    return run


def transcripts(
    law: Law, scores: Sequence[Any], runs: int, generator: np.random.Generator
) -> tuple[Answers, Array]:
    """Return the answers of many runs, and the noisy scores: continuous, as floats draw them."""
    if law.rounding is not None:
        scores = [law.steps(score) for score in scores]
    level = law.level_for(tuple(scores)) if law.level_moves is not None else law.level
    bar, noisy = (
        np.full((runs, 1), float(level * law.grid)),
        np.tile(np.asarray(scores, float), (runs, 1)),
    )
    if law.threshold is not None:
        bar += _drawn(law.threshold, bar, generator) * (-1 if law.mirrored else 1)
    if law.query is not None:
        noisy += _drawn(law.query, noisy, generator)
    answers = (noisy >= bar).astype(np.int8)
    if law.cutoff is not None:
        before = np.cumsum(answers, axis=1, dtype=np.int32) - answers
        answers[before >= law.cutoff] = HALTED
    return answers, noisy


def _highest(
    law: RankedLaw, scores: Sequence[Any], runs: int, generator: np.random.Generator
) -> Outcomes:
    """Return who has the highest values, in order, with values or counts where they are told."""
    grid, steps = float(law.grid), [float(law.steps(score)) for score in scores]
    own, bar = np.tile(steps, (runs, 1)), np.full((runs, 1), float(law.level))
    assert law.query is not None
    values = own + np.floor(_drawn(law.query, own, generator) / grid)
    if law.threshold is not None:
        noise = np.floor(_drawn(law.threshold, bar, generator) / grid)
        bar += -noise if law.mirrored else noise
    ties = -own if law.ties_by_score else np.zeros(own.shape)
    order = np.lexsort((generator.random(own.shape), ties, -values), axis=1)[:, : law.cutoff]
    highest = np.take_along_axis(values, order, axis=1)
    passing = (highest >= bar) | (not law.has_bar)
    told = [np.where(passing, order, HALTED)]
    if law.releases_value:
        told.append(np.where(passing, highest, np.nan))
    if law.counts is not None:
        found = np.take_along_axis(own, order, axis=1)
        fresh = np.floor(_drawn(law.counts, found, generator) / grid)
        told.append(np.where(passing, found + fresh, np.nan))
    return np.hstack(told)


def _drawn(noise: Noise, like: Array, generator: np.random.Generator) -> Array:
    return draw_noise(noise, like.size, generator).reshape(like.shape)


@dataclass(frozen=True)
class Broken:
    """A mechanism that does not keep what it claims."""

    #: Its fault, in a few words.
    name: str
    #: What is wrong, and why that gives people away.
    fault: str
    #: Where it was published, or what it is a mirror image of.
    source: str
    #: Neighbouring inputs that expose it, on the scale of the law's own scores.
    pairs: tuple[Pair, ...]
    claim: Claim = Claim.of(1)  # noqa: RUF009  # frozen
    #: Many runs on one input, vectorised; without it, runs of the law.
    run: Run | None = None
    #: The law of its transcripts for the exact auditor, where it has one.
    law: Law | None = None
    #: One run that shows the fault, where `pairs` are too long to enumerate.
    path: Path | None = None
    #: Fresh runs of each input in which samples show the fault, with room to spare.
    runs: int = 20_000

    def seeded(self, seed: int) -> Sampler:
        """Return the mechanism with a generator of its own: a study, never a release."""
        run = self.run
        if run is None:
            assert self.law is not None
            run = law_runs(self.law)
        generator = np.random.default_rng(seed)
        return Sampler(lambda data, runs: run(data, runs, generator))

    def exact(self, thorough: bool) -> tuple[float, str]:
        """Return the loss or δ of the inputs that expose it, or of worse ones, and the witness."""
        assert self.law is not None
        pair, delta = self.pairs[-1], self.claim.delta
        profile = exact_profile(self.law, self.path or (pair.first, pair.second))
        worst = profile.delta(float(self.claim.epsilon)).low if delta else profile.loss().low
        shown = str(self.path or _answers(self.law, profile.worst()))
        if thorough and not self.law.releases_value:
            found = search(self.law, epsilon=self.claim.epsilon if delta else None)
            if found.worst > worst:
                return found.worst, str(found.witness)
        return worst, shown


def _answers(law: Law, transcript: Any) -> str:
    """Write a transcript for people: what each query was answered."""
    if law.counts is not None:
        labels, ratio = transcript
        found = ", ".join(map(str, labels)) or "nothing"
        return f"found, by place: {found}; with counts e^{ratio:.3g} times as likely"
    if isinstance(law, RankedLaw):
        told = "place and value" if law.releases_value else "place"
        return f"found, by {told}: {', '.join(map(str, transcript)) or 'nothing'}"
    words = {True: "above", False: "below"}
    return ", ".join(
        words[answer] if isinstance(answer, bool) else f"above with value {answer}"
        for _, answer in transcript
    )
