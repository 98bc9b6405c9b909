"""A claim with all that attacks it, and many runs of a law at once, seeded, never a release.

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

from overbar._check import Number
from overbar.audit.interfaces import Claim, Outcomes, Pair, Sampler, Subject
from overbar.mechanisms import Plan
from overbar.noise import Noise
from tests.attacks.laboratory import Seeded
from tests.attacks.neighbours import Between
from tests.attacks.strategies import Path
from tests.attacks.twin_law import Law, RankedLaw
from tests.attacks.worst_case import search

Array = NDArray[np.float64]
#: One row for each run: 1 above, 0 below, HALTED once there were enough.
Answers = NDArray[np.int8]
#: Many runs on some data, with a generator to draw from.
Run = Callable[[Any, int, np.random.Generator], Outcomes]

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
    level = law.level + (law.level_moves(tuple(scores)) if law.level_moves else 0)
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
    columns = [np.where(passing, order, HALTED)]
    if law.releases_value:
        columns.append(np.where(passing, highest, np.nan))
    if law.counts is not None:
        scores_found = np.take_along_axis(own, order, axis=1)
        fresh = np.floor(_drawn(law.counts, scores_found, generator) / grid)
        columns.append(np.where(passing, scores_found + fresh, np.nan))
    return np.hstack(columns)


def _drawn(noise: Noise, like: Array, generator: np.random.Generator) -> Array:
    return Seeded(generator).draws(noise, Fraction(1), like.size).reshape(like.shape)


@dataclass(frozen=True)
class Check:
    """What is claimed, and what both auditors attack.

    Attributes
    ----------
    pairs
        Neighbouring inputs for samples.
    mechanism
        What is sampled; None where nothing is, or where `run` or the law is.
    law
        What the exact auditor takes apart; None where it has nothing to look at, or would take the
        same apart a second time.
    among
        Inputs for the exact auditor; without them it looks for the worst.
    quick, slow
        Whether a quick audit draws samples of it, and whether it leaves the exact attack out.
    fault, source
        Of a mechanism that is known to be broken: what is wrong and why that gives people away, and
        where it was published or what it is a mirror image of.
    run
        Many seeded runs on one input, vectorised.
    runs
        Fresh runs of each input in which samples show a fault, with room to spare.
    """

    name: str
    claim: Claim
    pairs: tuple[Pair, ...] = ()
    mechanism: Subject | None = None
    law: Plan | Law | None = None
    among: tuple[Between, ...] = ()
    threshold: Number = 0
    quick: bool = False
    slow: bool = False
    fault: str = ""
    source: str = ""
    run: Run | None = None
    runs: int | None = None

    @property
    def control(self) -> bool:
        """Whether the mechanism is known to be broken."""
        return bool(self.fault)

    def exact(self, thorough: bool = False) -> tuple[float, str]:
        """Return the worst loss or, where the claim has a δ, δ; and the inputs that show it.

        Of a control a thorough audit looks for worse inputs than those that expose it.
        """
        assert self.law is not None
        epsilon = self.claim.epsilon if self.claim.delta else None
        attack = partial(search, self.law, epsilon=epsilon, threshold=self.threshold)
        findings = [attack(among=self.among)] if self.among else [attack()]
        if thorough and self.control and isinstance(self.law, Law) and not self.law.releases_value:
            findings.append(attack())
        worst = max(findings, key=lambda finding: finding.worst)
        return worst.worst, str(worst.witness)

    def sampled(self, seed: int) -> Subject | None:
        """Return what is sampled; a control has a generator of its own, and is never a release."""
        run = self.run
        if run is None and self.control:
            assert isinstance(self.law, Law)
            run = law_runs(self.law)
        if run is None:
            return self.mechanism
        generator = np.random.default_rng(seed)
        return Sampler(lambda data, runs: run(data, runs, generator))


def broken(
    name: str,
    *,
    fault: str,
    source: str,
    pairs: tuple[Pair, ...],
    claim: Claim | None = None,
    run: Run | None = None,
    law: Law | None = None,
    path: Path | None = None,
    runs: int = 20_000,
) -> Check:
    """Return a mechanism that does not keep its claim, ε = 1 if not said otherwise.

    The exact auditor gets the last pair, or one path where pairs are too long to enumerate.
    """
    among = (path or (pairs[-1].first, pairs[-1].second),) if law is not None else ()
    claim = claim or Claim.of(1)
    return Check(
        name, claim, pairs, None, law, among, fault=fault, source=source, run=run, runs=runs
    )
