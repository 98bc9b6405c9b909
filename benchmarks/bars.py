"""How much the default bar of `select` gives away against the best constant one.

Run with ``python -m benchmarks bars``; ``OVERBAR_DATA`` names the folder of the datasets. For each
of some hundred settings, F1 by default is compared with F1 at the correction that is best for this
setting, which nobody can know. Beside it stands the default of before: a sparse vector run with the
paper's correction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

import overbar
from benchmarks.accuracy.drawn import Crowd, Quality, in_turn, ranked
from benchmarks.accuracy.real import all_scores
from overbar_lab.metrics import measures

DELTAS = (0, "1e-6")
Row = dict[str, object]


@dataclass(frozen=True)
class Setting:
    """A population at a threshold, and the two plans for it."""

    name: str
    plan: overbar.Plan
    before: overbar.Plan
    crowd: Crowd


@dataclass(frozen=True)
class Outcome:
    """Quality by default, with the best constant bar, and by the default of before."""

    setting: Setting
    now: Quality
    best: Quality
    before: Quality

    @property
    def regret(self) -> float:
        return self.best.f1 - self.now.f1

    @property
    def behind(self) -> float:
        """By how much it is below the default of before in both measures."""
        return min(self.before.f1 - self.now.f1, self.before.ncr - self.now.ncr)


@cache
def plans(
    cutoff: int, candidates: int, epsilon: str, delta: str | int
) -> tuple[overbar.Plan, overbar.Plan]:
    told = {
        "epsilon": epsilon, "delta": delta, "cutoff": cutoff, "monotonic": True,
        "candidates": candidates,
    }  # fmt: skip
    then = {"mechanism": "sparse-vector", "correction": "optimal", "threshold_noise": "laplace"}
    return overbar.plan(**told), overbar.plan(**told, **then)


def two_points(delta: str | int, check: bool) -> Iterator[Setting]:
    """Yield settings with fewer than the cutoff, as many and more above the threshold."""
    for cutoff in (1, 5, 20, 50):
        for candidates in (300,) if check else (300, 3_000, 10_000, 100_000):
            plan, before = plans(cutoff, candidates, "1", delta)
            grid, scale = float(plan.grid), float(plan.query_noise.scale)
            for above in sorted({max(1, cutoff // 5), max(1, cutoff // 2), cutoff, 2 * cutoff}):
                for margins in (1, 2, 3, 4, 6, 8):
                    margin = round(margins * scale / grid) * grid
                    crowd = Crowd.two_points(
                        above=above, candidates=candidates, margin=margin, cutoff=cutoff
                    )
                    name = f"c = {cutoff}, n = {candidates:,}, {above} above, {margins} s"
                    yield Setting(name, plan, before, crowd)


def on_data(delta: str | int, check: bool) -> Iterator[Setting]:
    """Yield settings on real data, with as many above as the cutoff, or half of it."""
    data = all_scores(check)
    for cutoff in (10,) if check else (10, 25, 50, 100, 150):
        for epsilon in ("0.05", "0.1", "0.2", "0.5", "1"):
            for name, scores in data.items():
                plan, before = plans(cutoff, len(scores), epsilon, delta)
                falling = np.sort(scores)[::-1]
                for above in (cutoff, cutoff // 2):
                    threshold = (falling[above - 1] + falling[above] + 1) // 2
                    crowd = Crowd.of(scores.astype(np.float64), threshold=threshold, cutoff=cutoff)
                    yield Setting(f"{name}, c = {cutoff}, ε = {epsilon}, {above} above",
                                  plan, before, crowd)  # fmt: skip


def measured(setting: Setting, runs: int) -> Outcome:
    plan = setting.plan
    drawn = ranked(plan, setting.crowd, runs, np.random.default_rng(1))
    scale = float(plan.query_noise.scale)
    tried = np.linspace(-2 * scale, 12 * scale, 113)
    now = drawn.at(float(plan.correction))
    best = max((drawn.best(tried)[1], now), key=lambda quality: quality.f1)
    before = setting.before
    then = in_turn(before, setting.crowd, float(before.correction), runs, np.random.default_rng(2))
    return Outcome(setting, now, best, then)


def summary(name: str, outcomes: list[Outcome], owed: str) -> Row:
    worst = max(outcomes, key=lambda one: one.regret)
    behind = max(outcomes, key=lambda one: one.behind)
    return {
        "name": name,
        "settings": len(outcomes),
        "worst regret": round(worst.regret, 3),
        "mean regret": round(float(np.mean([one.regret for one in outcomes])), 4),
        "F1": round(float(np.mean([one.now.f1 for one in outcomes])), 3),
        "F1 before": round(float(np.mean([one.before.f1 for one in outcomes])), 3),
        "NCR": round(float(np.mean([one.now.ncr for one in outcomes])), 3),
        "NCR before": round(float(np.mean([one.before.ncr for one in outcomes])), 3),
        "most below the default of before": round(behind.behind, 3),
        "worst setting": worst.setting.name,
        "owed": owed,
    }


def checked(outcomes: list[Outcome], releases: int) -> Row:
    """Make real releases in some settings and compare them with the float runs."""
    errors = []
    for one in outcomes:
        crowd, plan = one.setting.crowd, one.setting.plan
        scores = np.repeat(crowd.scores, crowd.sizes)
        found = [
            overbar.select(scores, threshold=0, plan=plan).indices or () for _ in range(releases)
        ]
        real = measures(found, scores, cutoff=plan.cutoff, threshold=0)["f1"]
        # A hundred runs may all be alike where F1 is mostly 0 or 1: their spread is no guide.
        expected = (one.now.f1 * (1 - one.now.f1) / plan.cutoff) ** 0.5
        spread = max(real.values.std(), expected, 0.02) / releases**0.5
        errors.append(abs(real.mean - one.now.f1) / spread)
    return {"name": f"releases against float runs, {len(outcomes)} settings",
            "worst difference in standard errors": round(max(errors), 2)}  # fmt: skip


def rows(check: bool = False) -> list[Row]:
    made: list[Row] = []
    sample: list[Outcome] = []
    for delta in DELTAS[:1] if check else DELTAS:
        privacy = f"δ = {delta}" if delta else "pure"
        points = [measured(one, 20 if check else 1_000) for one in two_points(delta, check)]
        made.append(summary(f"two points, {privacy}", points, "worst .23, mean .025"))
        data = [measured(one, 5 if check else 200) for one in on_data(delta, check)]
        for name in sorted({one.setting.name.split(",")[0] for one in data}):
            part = [one for one in data if one.setting.name.startswith(name)]
            made.append(summary(f"{name}, {privacy}", part, ""))
        made.append(summary(f"all data, {privacy}", data, "worst .15, mean .03"))
        sample += points[:: len(points) // 8 + 1] + data[:: len(data) // 8 + 1]
    return [*made, checked(sample[:2] if check else sample, 4 if check else 100)]
