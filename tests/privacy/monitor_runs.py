"""Small adaptive runs of a monitor, enumerated: the law of all answers, with and without a person.

Who counts is decided by the code that a release uses. Broken twins change what it is told.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from overbar.mechanisms import MonitorPlan
from overbar.mechanisms.monitor import Charges, charges_of
from overbar.runs.hits import Hits

PERSON, OTHERS = "p", ("a", "b")


@dataclass(frozen=True)
class Twin:
    """How a monitor goes about its hits; the usual one is sound."""

    charges: Callable[[MonitorPlan], Charges] = charges_of
    #: Which answer is charged.
    charged: bool = True
    #: Whether it is seen that the person was left out.
    shows: bool = False
    #: After how many answers the hits are forgotten.
    forgets: int | None = None
    #: What weights are multiplied by before anybody looks.
    factor: int = 1


SOUND = Twin()


def question(plan: MonitorPlan, draw: random.Random, keen: float) -> tuple[dict[str, int], int]:
    """Draw weights in grid steps and a level: an asker who is keen asks for the person, at full."""
    steps = plan.steps if draw.random() < keen else draw.randint(0, plan.steps)
    if plan.reach.low and draw.random() < 0.5:
        steps = -steps
    counted = {other: plan.steps for other in OTHERS if draw.random() < 0.3}
    counted[PERSON] = steps
    return counted, draw.randint(0, math.ceil(4 * plan.query_noise.scale / plan.grid))


def law(plan: MonitorPlan, depth: int, seed: str, twin: Twin = SOUND, keen: float = 0.7) -> Any:
    """Return the chances of all transcripts with the person, and without, as two arrays."""
    charges, scale = twin.charges(plan), float(plan.query_noise.scale / plan.grid)
    one = plan.steps
    with_person: list[float] = []
    without: list[float] = []

    def ask(history: str, used: dict[str, int], p: float, q: float) -> None:
        if len(history) == depth:
            with_person.append(p)
            without.append(q)
            return
        if twin.forgets == len(history):
            used = {}
        hits = Hits(charges, one, used)
        counted, level = question(plan, random.Random(seed + history), keen)
        total = hits.total(counted)
        rest = hits.total({name: counted[name] for name in counted if name != PERSON})
        seen = total != rest  # whether the person is in
        chances = []
        for score in (rest + twin.factor * (total - rest), rest):
            chances.append(-math.expm1(-math.exp((score - level) / scale)))
        for answer in (True, False):
            after = dict(used)
            if answer == twin.charged:
                after |= hits.after(counted)
            here, there = (one if answer else 1 - one for one in chances)
            if twin.shows and not seen and counted[PERSON]:
                # Told apart from a run without the person, in which nobody is left out.
                with_person.append(p * here)
                without.append(0.0)
                with_person.append(0.0)
                without.append(q * there)
                continue
            ask(history + "01"[answer], after, p * here, q * there)

    ask("", {}, 1.0, 1.0)
    return np.array(with_person), np.array(without)


def delta(first: Any, second: Any, epsilon: float) -> float:
    """Return the hockey-stick divergence."""
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


def renyi(first: Any, second: Any, order: float) -> float:
    """Return the Rényi divergence; infinite if something is possible on the first side alone."""
    first, second = first[first > 0], second[first > 0]
    if not second.all():
        return math.inf
    return math.log(float(np.sum(first**order * second ** (1 - order)))) / (order - 1)
