"""A claim and how to attack it: one of ours, or one of a mechanism that is known to be broken."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from overbar._check import Number
from overbar.audit.exact import Law, search
from overbar.audit.exact.neighbours import Between
from overbar.audit.exact.strategies import Path
from overbar.audit.interfaces import Claim, Pair, Sampler, Subject
from overbar.audit.law_runs import Run, law_runs
from overbar.plans import Plan


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
