"""A run in which the highest noisy values win: one draw per candidate, and the best so far.

The highest of a union are among the highest of its parts, so a block of candidates is held at a
time, and of its values only those that reach the bar and the best of the blocks before.

Theory: :doc:`/theory/ranked`.
"""

from __future__ import annotations

import math

import numpy as np

from overbar.noise import Noise
from overbar.plans import Plan
from overbar.simulation.candidates import Candidates, Indices
from overbar.simulation.draws import draw_noise, draw_threshold_noise


def values_run(plan: Plan, candidates: Candidates, generator: np.random.Generator) -> Indices:
    """Draw the threshold noise and one value for each; return the highest that reach it."""
    bar = -math.inf
    if plan.bar is not None:
        level = candidates.threshold + float(plan.correction)
        bar = level + draw_threshold_noise(plan.threshold_noise, generator)
    return highest(plan.query_noise, candidates, bar, count=plan.cutoff, generator=generator)


def highest(
    noise: Noise,
    candidates: Candidates,
    bar: float,
    *,
    count: int,
    generator: np.random.Generator,
) -> Indices:
    """Return the candidates with the `count` highest values among those that reach the bar."""
    found, best = np.empty(0, dtype=np.int64), np.empty(0)
    for start in range(0, len(candidates), candidates.block):
        scores = candidates.scores[start : start + candidates.block]
        values = draw_noise(noise, len(scores), generator)
        values += scores
        places = np.flatnonzero(values >= bar)
        found = np.concatenate([found, places + start])
        best = np.concatenate([best, values[places]])
        if len(best) > count:
            kept = np.argpartition(best, -count)[-count:]
            found, best = found[kept], best[kept]
            bar = float(best.min())
    return found[np.argsort(-best, kind="stable")]
