"""Mechanisms that are known to be broken: functions of a run, and what every attack needs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from overbar.audit.every import Every
from overbar.audit.interfaces import Claim, Pair
from overbar.audit.profile import Profile
from overbar.mechanisms import Bar, Plan, Reach, SparseVectorPlan
from overbar.noise import Noise

ONE = Fraction(1)
UP, BOTH = Reach(0, 1), Reach(-1, 1)

#: What a run says of some data, to whoever runs it.
Says = Callable[[Any, Any], Hashable]


class Enumerated:
    """Many runs at once: codes of outcomes, drawn from the law that is enumerated."""

    def __init__(self, says: Says, seed: int) -> None:
        self.says, self.generator = says, np.random.default_rng(seed)
        self.codes: dict[Hashable, int] = {}
        self.laws: dict[str, tuple[Any, Any]] = {}

    def sample(self, data: Any, runs: int) -> Any:
        """Return the outcome of each run."""
        if repr(data) not in self.laws:
            chances = Every().outcomes(lambda run: self.says(run, data)).chances
            codes = [self.codes.setdefault(outcome, len(self.codes)) for outcome in chances]
            likely = np.exp([low for low, _ in chances.values()])
            self.laws[repr(data)] = np.array(codes), likely / likely.sum()
        codes, likely = self.laws[repr(data)]
        return self.generator.choice(codes, size=runs, p=likely)


@dataclass(frozen=True)
class Twin:
    """A mechanism that does not keep its claim, and neighbouring inputs that expose it.

    Attributes
    ----------
    fault, source
        What is wrong and why that gives people away, and where it was published or what it is a
        mirror image of.
    runs
        Fresh runs of each input in which samples show the fault, with room to spare.
    """

    name: str
    fault: str
    source: str
    says: Says
    pairs: tuple[Pair, ...]
    claim: Claim
    runs: int = 20_000
    control = True

    def exact(self) -> tuple[float, str]:
        """Return the worst loss or, where the claim has a δ, δ; and the inputs that show it."""
        profiles = {f"{pair.first} | {pair.second}": self.profile(pair) for pair in self.pairs}
        level = float(self.claim.epsilon)
        found = {
            text: one.delta(level).low if self.claim.delta else one.loss().low
            for text, one in profiles.items()
        }
        worst = max(found, key=lambda text: found[text])
        return found[worst], worst

    def profile(self, pair: Pair) -> Profile:
        """Return what two inputs tell."""
        sides = (pair.first, pair.second)
        laws = (Every().outcomes(lambda run, data=data: self.says(run, data)) for data in sides)
        return Profile.between(*laws)

    def sampled(self, seed: int) -> Enumerated:
        """Return what is sampled."""
        return Enumerated(self.says, seed)


def broken(
    name: str,
    fault: str,
    source: str,
    *pairs: Pair,
    claim: Claim | None = None,
    runs: int = 20_000,
) -> Callable[[Says], Twin]:
    """Return a decorator: so the twin runs. It claims ε = 1 if not said otherwise."""
    return lambda says: Twin(name, fault, source, says, pairs, claim or Claim.of(1), runs)


def queue(query: Noise, bar: Noise | None, cutoff: int, reach: Reach = BOTH) -> SparseVectorPlan:
    """Return a plan by hand."""
    return SparseVectorPlan(query, Bar(bar), cutoff, reach)


def online(plan: SparseVectorPlan, level: int = 0) -> Says:
    """Return all answers of a plan."""
    return lambda run, scores: tuple(plan.ask(run, scores, level))


def batch(plan: Plan) -> Says:
    """Return who comes out of a batch, and the values that are told."""

    def says(run: Any, scores: Sequence[int]) -> Hashable:
        found, values = plan.run(run, scores, None if plan.bar is None else plan.level(0))
        return tuple(one.candidate for one in found), values

    return says
