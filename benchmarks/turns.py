"""Asked in turn: how much each rule for the bar gives away against the best constant one.

Run with ``python -m benchmarks turns``; ``OVERBAR_DATA`` names the folder of the datasets. Sparse
vector runs with pure epsilon on counts, one pass and more rounds. NCR, worst and mean over the
settings of the paper (its datasets, cutoff 50, its thresholds) and over fresh ones (other cutoffs
and thresholds, two points). Rules know public numbers only, and none looks at the rounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import overbar
from benchmarks.accuracy.drawn import Crowd, threshold_noise
from benchmarks.accuracy.real import all_scores, scores_of
from overbar.accuracy.correction import correction_term, halfway

ROUNDS = (1, 5, 20, None)
#: As the paper has them; between the ranks 50 and 51 where we have a part of the data.
THRESHOLDS = {"binary": 500, "zipf": 200, "t40i10d100k": 11_850, "bms-pos-100k": 2_742,
              "kosarak-100k": 1_060}  # fmt: skip

Row = dict[str, object]


@dataclass(frozen=True)
class Setting:
    """A population at a threshold, and a plan whose bar is to be found."""

    plan: overbar.Plan
    crowd: Crowd
    candidates: int

    def rules(self) -> dict[str, float]:
        plan, share = self.plan, self.plan.cutoff / self.candidates
        query, threshold = plan.query_noise, plan.threshold_noise
        negatives = max(1, self.candidates // plan.cutoff)
        optimal = correction_term("optimal", query, threshold, negatives=negatives)
        scale = float(query.scale)
        return {
            "the paper's, α = 0": optimal,
            "mean": correction_term("mean", query, threshold, negatives=negatives),
            "α = s": correction_term(
                "optimal", query, threshold, negatives=negatives, tolerance=scale
            ),
            "0.75 of the paper's": 0.75 * optimal,
            "0.85 of the paper's": 0.85 * optimal,
            "halfway, c/n": halfway(query, threshold, share=share),
            "**halfway, c/4n (the default)**": halfway(query, threshold, share=share / 4),
            "halfway, c/16n": halfway(query, threshold, share=share / 16),
        }


def plan_for(cutoff: int, epsilon: str, candidates: int) -> overbar.Plan:
    return overbar.plan(
        epsilon=epsilon, cutoff=cutoff, monotonic=True, candidates=candidates,
        mechanism="sparse-vector",
    )  # fmt: skip


def paper_settings(check: bool) -> Iterator[Setting]:
    data = {"binary": scores_of("binary"), **all_scores(check)}
    for name, scores in data.items():
        for epsilon in ("1",) if check else ("0.05", "0.1", "0.2", "0.5", "1"):
            crowd = Crowd.of(scores.astype(float), threshold=THRESHOLDS[name], cutoff=50)
            yield Setting(plan_for(50, epsilon, len(scores)), crowd, len(scores))


def fresh_settings(check: bool) -> Iterator[Setting]:
    for scores in all_scores(check).values():
        falling = np.sort(scores)[::-1]
        for cutoff, above in ((20, 20), (100, 60)):
            threshold = float(falling[above - 1] + falling[above] + 1) // 2
            for epsilon in ("1",) if check else ("0.1", "0.3", "1"):
                crowd = Crowd.of(scores.astype(float), threshold=threshold, cutoff=cutoff)
                yield Setting(plan_for(cutoff, epsilon, len(scores)), crowd, len(scores))
    for cutoff in (5,) if check else (5, 20, 50):
        plan = plan_for(cutoff, "1", 10_000)
        for margins in (1, 2, 4, 6):
            margin = round(margins * float(plan.query_noise.scale))
            scores = np.full(10_000, -float(margin))
            scores[:cutoff] = margin
            yield Setting(plan, Crowd.of(scores, threshold=0.0, cutoff=cutoff), 10_000)


def qualities(setting: Setting, corrections: NDArray[np.float64], runs: int) -> NDArray[np.float64]:
    """Return NCR for each correction and number of rounds, on the same draws."""
    plan, crowd = setting.plan, setting.crowd
    generator = np.random.default_rng(1)
    scale, count = float(plan.query_noise.scale), plan.cutoff
    bar = threshold_noise(plan, runs, generator)
    shape = (len(corrections), runs, count)
    kinds, round_ = np.zeros(shape, dtype=np.int64), np.full(shape, np.inf)
    for run in range(runs):
        wait = generator.exponential(size=len(crowd.scores))
        place = generator.random(len(crowd.scores))
        for at, correction in enumerate(corrections):
            gap = np.maximum(bar[run] + correction - crowd.scores, 0) / scale
            with np.errstate(divide="ignore"):
                turn = np.ceil(wait / -np.log1p(-np.exp(-gap)))
            when = np.maximum(turn, 1) + place
            first = np.argpartition(when, count - 1)[:count]
            kinds[at, run], round_[at, run] = first, np.maximum(turn, 1)[first]
    found = [
        [crowd.quality(k, w <= (math.inf if last is None else last)).ncr for last in ROUNDS]
        for k, w in zip(kinds, round_, strict=True)
    ]
    return np.array(found)


def rows(check: bool = False) -> list[Row]:
    runs, table = (2 if check else 40), {}
    for title, settings in (("paper", paper_settings(check)), ("fresh", fresh_settings(check))):
        for setting in settings:
            rules = setting.rules()
            scale = float(setting.plan.query_noise.scale)
            tried = np.concatenate([list(rules.values()), np.linspace(-1, 12, 27) * scale])
            found = qualities(setting, tried, runs)
            regret = found.max(axis=0) - found[: len(rules)]
            for name, line in zip(rules, regret, strict=True):
                table.setdefault(name, {}).setdefault(title, []).append(line)
    made: list[Row] = []
    for name, parts in table.items():
        one: Row = {"name": name}
        for at, last in enumerate(ROUNDS):
            asked = {1: "one pass", None: "no end"}.get(last, f"{last} rounds")
            for title, lines in parts.items():
                values = np.array(lines)[:, at]
                one[f"{asked}, {title}"] = f"{values.max():.2f} / {values.mean():.3f}"
        made.append(one)
    return made
