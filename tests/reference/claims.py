"""What a plan claims by each of its proofs, and proofs that are broken on purpose."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from overbar.mechanisms import Plan
from overbar.privacy.account import proofs_of
from overbar.privacy.pairs import Step
from overbar.privacy.proofs import Proof
from overbar.privacy.reading import log_delta_of
from overbar.privacy.steps import Race, Steps, Worst
from overbar.privacy.threshold_loss import LaplaceShift

#: What is said of a step instead; nothing where it is left out.
Change = Callable[[Step], Step | None]


def every_proof(plan: Plan) -> list[Proof]:
    """Return all proofs of a plan of one part, of every kind and for every shift."""
    return [proof for proved in proofs_of(plan) for proof in proved.every]


def proofs_with(plan: Plan, kind: type[Step]) -> list[Proof]:
    """Return those in which there is a step of a kind."""
    return [proof for proof in every_proof(plan) if any(isinstance(s, kind) for s in flat(proof))]


def flat(proof: Proof) -> list[Step]:
    """Return all steps of a proof, those that may be chosen too."""

    def listed(way: Steps) -> list[Step]:
        found: list[Step] = []
        for step in way:
            inner = (
                [one for way in step.of for one in listed(way)] if isinstance(step, Worst) else []
            )
            found += inner or [step]
        return found

    return listed(proof.steps)


def race_proofs(plan: Plan) -> list[Proof]:
    """Return the proofs of a plan that are races, for every shift."""
    return proofs_with(plan, Race)


def delta_of(proof: Proof | Steps, epsilon: float) -> float:
    """Return the δ that a proof claims at ε >= 0."""
    way = proof.steps if isinstance(proof, Proof) else proof
    return math.exp(log_delta_of(way, epsilon))


def least_delta(proofs: list[Proof], epsilon: float) -> float:
    """Return the least δ that any of these claims at ε."""
    return min(delta_of(proof, epsilon) for proof in proofs)


def scale_of(proof: Proof) -> float:
    """Return about the largest loss of a race: what its positives lose, and its threshold."""
    race = next(step for step in flat(proof) if isinstance(step, Race))
    sizes = [
        step.shift.size
        for step in proof.start
        if isinstance(getattr(step, "shift", None), LaplaceShift)
    ]
    return proof.times * max(race.rise, race.fall) + sum(sizes)


def broken(proof: Proof, change: Change) -> Proof:
    """Return a proof of which every step is changed, or left out."""

    def changed(way: Steps) -> Steps:
        found: list[Step] = []
        for step in way:
            other = (
                replace(step, of=tuple(changed(one) for one in step.of))
                if isinstance(step, Worst)
                else change(step)
            )
            found += [] if other is None else [other]
        return tuple(found)

    return replace(
        proof, steps=changed(proof.steps), start=changed(proof.start), each=changed(proof.each)
    )


def halved(step: Step) -> Step:
    """Say that hazards move by half as much."""
    return replace(step, rise=step.rise / 2, fall=step.fall / 2) if type(step) is Race else step
