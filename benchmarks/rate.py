"""How little noise counts need at (epsilon, delta): the largest sensitivity by scale.

Run with ``python -m benchmarks rate``. Gumbel noise on the queries, two per
cent of epsilon on the threshold.
Then come tops that stand beside fresh counts with a share of epsilon, or after keys, and what
steps say of plans of several parts, beside divergences that add up.
"Nothing can pass" is what randomised response, repeated once for each positive, allows at most.

The last rows are sets: all of so many candidates that pass, where each person has at most m items.
The scale of Gaussian noise if only the set is told, and if values may be told; Laplace noise beside
them; and F1 of 200 real releases of each on bms-pos-100k (``OVERBAR_DATA`` names its folder), at a
threshold that a quarter of its items reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

import overbar
from benchmarks.accuracy.real import Baskets, Scores
from overbar._numbers import safe_end, short_fraction
from overbar.frames.question import Question
from overbar.mechanisms import Bar, HistogramPlan, RankedPlan, Reach
from overbar.mechanisms.together import after
from overbar.noise import Gaussian, Gumbel
from overbar.privacy.guarantees import proved_about
from overbar.privacy.orders import checked_log_delta, composed_log_delta, epsilon_from_renyi
from overbar.privacy.pairs import Pick, Shifted
from overbar.privacy.reading import log_delta_by_orders, log_delta_of
from overbar.privacy.steps import Race
from overbar.privacy.threshold_loss import LaplaceShift
from overbar_lab.metrics import measures
from overbar_lab.paper.references import bounded_range_scale

DELTA = "1e-6"
#: Cutoff, epsilon, whether monotonic, and what is owed.
CASES = (
    (5, "1", True, ""), (20, "1", True, "top 0.1055"), (50, "1", True, "0.062, top 0.0663"),
    (200, "1", True, "top 0.0331"), (500, "1", True, "0.0193"),
    (50, "0.1", True, "top 0.0077"), (5, "1", False, ""),
    (20, "1", False, ""), (50, "1", False, ""),
)  # fmt: skip

Row = dict[str, object]


def by_race(cutoff: int, epsilon: str, monotonic: bool) -> float:
    """Return the rate by the companion theorem, with all of the shift."""
    share = LaplaceShift(float(Fraction(epsilon) / 50), 1)
    step = largest(
        lambda step: log_delta_of((Shifted(share), Race(step, 0.0, times=cutoff)), float(epsilon)),
        cutoff,
        epsilon,
    )
    return step if monotonic else step / 2


def limit(cutoff: int, epsilon: str) -> float:
    """Return the rate at which randomised response is just (epsilon, delta)."""
    return largest(
        lambda rate: composed_log_delta(rate / 2, cutoff, float(epsilon)), cutoff, epsilon
    )


def by_orders(cutoff: int, epsilon: str) -> float:
    """Return the rate at which the Renyi divergences of as many picks are just (epsilon, delta)."""

    def log_delta(rate: float) -> float:
        return log_delta_by_orders((Pick(rate, times=cutoff),), float(epsilon))

    return largest(log_delta, cutoff, epsilon)


def largest(log_delta: Callable[[float], float], cutoff: int, epsilon: str) -> float:
    """Return the largest rate at which a delta is not passed, from the pure one upwards."""
    goal = math.log(float(DELTA))
    safe = unsafe = 0.9 * float(epsilon) / cutoff
    while log_delta(unsafe) <= goal:
        unsafe *= 2
    return float(safe_end(lambda rate: log_delta(rate) - goal, safe, unsafe, 1e-9))


def row(cutoff: int, epsilon: str, monotonic: bool, owed: str) -> Row:
    told = {"epsilon": epsilon, "delta": DELTA, "cutoff": cutoff, "monotonic": monotonic}
    plan = overbar.plan(
        **told, noise="gumbel", threshold_noise="laplace", allocation=49, correction="none",
        mechanism="sparse-vector",
    )  # fmt: skip
    assert overbar.guarantee(plan).at(DELTA) <= Fraction(epsilon)
    top = overbar.plan(top=True, **told, noise="gumbel")
    factor = 1 if monotonic else 2
    kind = "" if monotonic else ", general"
    found = {
        "pure": 0.98 * float(epsilon) / (factor * cutoff),
        "all of the shift": by_race(cutoff, epsilon, monotonic),
        "a part of the shift": float(1 / plan.query_noise.scale),
        "`top`, no bar": float(1 / top.query_noise.scale),
        "`top` by orders": by_orders(cutoff, epsilon) / factor,
        "peeling, bounded range": 1
        / (factor * bounded_range_scale(float(epsilon), float(DELTA), cutoff)),
        "nothing can pass": limit(cutoff, epsilon) if monotonic else None,
    }
    rounded = {k: None if v is None else float(f"{v:.4g}") for k, v in found.items()}
    return {"name": f"c = {cutoff}, ε = {epsilon}{kind}", **rounded,
            "grid": str(plan.grid), "owed": owed}  # fmt: skip


def beside(name: str, plan: overbar.Plan, owed: str) -> Row:
    """Return the rate of a top that stands beside other parts, and by divergences that add up."""
    (top,) = [part for part in plan.paid() if isinstance(part, RankedPlan) and part.bar is None]
    others = [proved_about(part) for part in plan.paid() if part is not top]
    left = Fraction(DELTA) - plan.lone_delta()

    def excess(rate: float) -> float:
        noise = overbar.noise.Gumbel(short_fraction(1 / rate, 9))
        labels = proved_about(replace(top, query_noise=noise))  # type: ignore[type-var]  # plans are dataclasses
        return divergences([labels, *others], left) - 1

    rate = float(1 / top.query_noise.scale)
    orders = safe_end(excess, rate / 2, rate, 1e-6)
    return {"name": name, "`top`, no bar": float(f"{rate:.4g}"),
            "`top` by orders": float(f"{orders:.4g}"), "owed": owed}  # fmt: skip


def divergences(parts: Sequence[overbar.privacy.Guarantee], delta: Fraction) -> float:
    """Return the epsilon of parts whose divergences add up."""

    def curve(order: float) -> float:
        return sum(part.renyi(order) for part in parts)

    return epsilon_from_renyi(curve, checked_log_delta(delta))[0]


def together() -> list[Row]:
    """Return plans of which the steps, taken together, say more than their divergences."""
    one, delta = Reach(Fraction(0), Fraction(1)), Fraction(DELTA)
    histograms = [
        HistogramPlan(Gaussian(scale), None, 10, one, Fraction(1), 3) for scale in (9, 12)
    ]
    bar = RankedPlan(Gumbel(32), Bar(Gaussian(2)), 2, one, Fraction(1))
    told = {"epsilon": 1, "delta": DELTA, "cutoff": 10, "monotonic": True, "candidates": 1000}
    ranked = {"mechanism": "ranked", "noise": "gumbel", "threshold_noise": "laplace"}
    plans = {
        "two histograms": (after(histograms[1], histograms[0]), delta),
        "Gumbel 32, Gaussian bar 2, c = 2": (bar, Fraction("1e-3")),
        "select 10, fresh counts": (overbar.plan(**told, **ranked, counts="0.5"), delta),
        "select 10 in groups, 3 a person": (
            overbar.plan(**told, **ranked, groups=9, groups_per_person=3), delta
        ),
    }  # fmt: skip
    found = []
    for name, (plan, allowed) in plans.items():
        steps = float(overbar.guarantee(plan).at(allowed))
        orders = divergences([proved_about(part) for part in plan.paid()], allowed)
        found.append({"name": name, "ε by steps": float(f"{steps:.4g}"),
                      "ε by divergences": float(f"{orders:.4g}")})  # fmt: skip
    return found


def parts() -> list[Row]:
    """Return the tops that are paid for together with something else."""
    small = {"epsilon": 1, "delta": DELTA}
    counted = {
        share: overbar.plan(
            cutoff=50, top=True, counts=share, noise="gumbel", monotonic=True, **small
        )
        for share in ("0.5", "0.7")
    }
    after_keys = {
        cutoff: Question.top(item="item", person="person", cutoff=cutoff, **small).plan
        for cutoff in (5, 20, 50)
    }
    owed = {5: "0.148", 20: "0.0714", 50: "0.0449", "0.5": "0.0567", "0.7": ""}
    return [
        *(beside(f"top 50, counts {share}", plan, owed[share]) for share, plan in counted.items()),
        *(beside(f"keys, top {c}", plan, owed[c]) for c, plan in after_keys.items()),
    ]


#: Items of each person, and epsilon, of sets.
SETS = ((1, "1"), (2, "1"), (5, "1"), (10, "1"), (100, "1"), (2, "0.1"), (5, "0.1"), (10, "0.1"))
#: What is asked for, by name.
WAYS = {
    "set": {"mechanism": "bare-set"},
    "values": {"mechanism": "histogram", "noise": "gaussian"},
    "laplace": {"mechanism": "histogram", "noise": "laplace", "delta": 0},
    "as is": {},
}


def told_apart(plan: overbar.Plan, scores: Scores, threshold: int, runs: int) -> float:
    """Return F1 of real releases."""
    found = [overbar.select(scores, threshold=threshold, plan=plan).indices for _ in range(runs)]
    return measures(found, scores, cutoff=plan.cutoff, threshold=threshold)["f1"].mean


def of_sets(items: int, epsilon: str, baskets: Baskets | None, runs: int = 200) -> Row:
    """Return the scales of noise on sets, and F1 where there is data."""
    many = 1000 if baskets is None else baskets.size
    usual = {"epsilon": epsilon, "delta": DELTA, "items_per_person": items, "monotonic": True,
             "cutoff": many, "candidates": many}  # fmt: skip
    plans = {name: overbar.plan(**usual | way) for name, way in WAYS.items()}
    scale = {name: float(f"{float(plans[name].query_noise.scale):.4g}") for name in plans}
    row: Row = {"name": f"set, m = {items}, ε = {epsilon}"}
    row |= {f"scale, {name}": scale[name] for name in ("set", "values", "laplace")}
    row |= {"set / values": round(scale["set"] / scale["values"], 3)}
    row |= {"as is": f"{plans['as is'].kind}, {plans['as is'].query_noise.name}"}
    if baskets is not None:
        scores = baskets.bounded(items, np.random.default_rng(1))
        bar = int(np.sort(scores)[-many // 4])
        row |= {
            f"F1, {name}": round(told_apart(plans[name], scores, bar, runs), 4) for name in plans
        }
    return row


def rows(check: bool = False) -> list[Row]:
    if check:
        return [row(*CASES[0]), *together()[:2], of_sets(2, "1", None)]
    baskets = Baskets("bms-pos-100k")
    sets = [of_sets(*case, baskets) for case in SETS]
    return [*(row(*case) for case in CASES), *parts(), *together(), *sets]
