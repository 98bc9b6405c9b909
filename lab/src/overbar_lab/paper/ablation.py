"""What the noise is worth by itself, and what the gap of a positive says: beyond the paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np

from overbar.mechanisms import ScorePlan
from overbar.noise import Noise
from overbar_lab.datasets import Dataset
from overbar_lab.paper.methods import METHODS, ComparedMethod, at_bar
from overbar_lab.paper.setting import Setting
from overbar_lab.paper.study import HALF, Conditions, Row, Table, averaged, number
from overbar_lab.paper.sweep import Point, Sweep, seed_of
from overbar_lab.simulation.candidates import Candidates
from overbar_lab.simulation.seeded import UNITS, Seeded
from overbar_lab.simulation.seeded_race import SMALLEST
from overbar_lab.simulation.seeded_runs import generator_of

#: Query noises, and the method of each whose correction is the paper's best.
OPTIMAL = {
    "SVT-Exp": "SVT-Exp (optimal)",
    "SVT-Gum": "SVT-Gum (optimal)",
    "SVT-Lap": "SVT-Lap (optimal)",
}


@dataclass(frozen=True)
class BestBar:
    """Every noise at the bar that suits it best, of several: what is left is the noise.

    The bars are shares of the paper's correction for that noise. The best is the one of highest
    NCR at each dataset and budget.
    """

    datasets: tuple[str, ...]
    budgets: tuple[str, ...]
    rounds: int | None
    bars: tuple[str, ...] = ("0.25", "0.5", "0.75", "1")
    share: float = 1.0

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        # All bars of a noise are moved on one plan; finding its correction takes longest.
        built = {name: lru_cache(METHODS[whole].build) for name, whole in OPTIMAL.items()}
        methods = tuple(
            ComparedMethod(f"{name} at {bar}", at_bar(build, Fraction(bar)), "Theorem 2")
            for (name, build), bar in product(built.items(), self.bars)
        )
        sweep = Sweep(self.datasets, methods, self.budgets, (self.rounds,), share=self.share)
        best: dict[tuple[object, ...], Row] = {}
        for row in sweep(conditions):
            name, bar = str(row["method"]).split(" at ")
            key = row["dataset"], name, row["epsilon"]
            if key not in best or number(row, "ncr") > number(best[key], "ncr"):
                best[key] = row | {"method": f"{name} (best bar)", "bar": float(bar)}
        return list(best.values())


#: Edges of the bins of (score - bar) / scale.
BINS = (-6.0, -5.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0)


@dataclass(frozen=True)
class FreeGap:
    """How far positives are above the bar, by how far their scores are: by noise and dataset.

    The gap of a positive is its noisy score minus the noisy bar. Each run draws the noise of those
    it found from its law above the bar. Sums are over all positives of all runs.
    """

    datasets: tuple[str, ...]
    budgets: tuple[str, ...]
    methods: tuple[str, ...] = tuple(OPTIMAL.values())

    def __call__(self, conditions: Conditions) -> Table:
        """Compute the table."""
        points = [
            (dataset, METHODS[name], epsilon)
            for wanted, epsilon in zip(self.datasets, self.budgets, strict=True)
            for dataset in conditions.data.load((wanted,))
            for name in self.methods
        ]
        parts = conditions.each(lambda one: _gaps(*one, conditions), points)
        return [row for part in parts for row in part]


def _gaps(dataset: Dataset, method: ComparedMethod, epsilon: str, conditions: Conditions) -> Table:
    setting = Setting(epsilon, dataset.cutoff, len(dataset), dataset.threshold)
    plan = method(setting)
    assert isinstance(plan, ScorePlan)
    noise, scale = plan.query_noise, float(plan.query_noise.scale)
    candidates = Candidates(np.asarray(dataset.scores, dtype=np.float64), dataset.threshold)
    level = dataset.threshold + float(plan.correction)
    seed = seed_of(conditions.seed, dataset.name, method.name, *Point(method, epsilon).place)
    scores, above, gaps = [], [], []
    for run in range(conditions.runs):
        seeded = Seeded(generator_of(seed, run))
        bar = level + seeded.draw(plan.threshold_noise, UNITS)
        found = seeded.passing(candidates, noise, UNITS, bar, most=plan.cutoff, rounds=None)
        own = found.score
        scores.append(own)
        above.append(own - bar)
        gaps.append(own - bar + _noise_above(noise, bar - own, seeded.generator))
    score, place, gap = (np.concatenate(part) for part in (scores, above, gaps))
    below = place < 0
    row: Row = {
        "dataset": dataset.title,
        "method": method.name,
        "epsilon": float(epsilon),
        "cutoff": dataset.cutoff,
        "runs": conditions.runs,
        "share_below": float(below.mean()),
        **_correlation(score[below], gap[below]),
    }
    inside = np.digitize(place / scale, BINS)
    return [
        row
        | {
            "score_over_bar": (BINS[number - 1] + BINS[number]) / 2,
            "positives": int((inside == number).sum()),
            **averaged("gap", gap[inside == number] / scale),
        }
        for number in range(1, len(BINS))
        if (inside == number).sum() > 1
    ]


def _noise_above(noise: Noise, least: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Draw noise from its law above a place, for each place."""
    chance = generator.random(len(least)) * noise.sf(least)
    return np.asarray(np.maximum(noise.isf(np.maximum(chance, SMALLEST)), least))


def _correlation(score: np.ndarray, gap: np.ndarray) -> Row:
    """Return the correlation of score and gap, and what knowing the gap leaves of the spread."""
    known = len(score) > 2 and score.std() > 0
    r = float(np.corrcoef(score, gap)[0, 1]) if known else 0.0
    reach = HALF / math.sqrt(max(1, len(score)))
    return {
        "correlation": r,
        "correlation_low": r - reach,
        "correlation_high": r + reach,
        "score_deviation": float(score.std()) if known else 0.0,
        "deviation_left": float(score.std()) * math.sqrt(1 - r * r) if known else 0.0,
    }
