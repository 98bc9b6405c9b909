"""The top 50 by `top` and by others, at equal epsilon and delta: NCR and recall.

Run with ``python -m benchmarks peers``; ``OVERBAR_DATA`` names the folder of the datasets. Ours are
real releases. OpenDP's own draws take seconds each, so its methods are drawn with floats, at the
scales that its own privacy maps ask for, and OpenDP itself is run on the smallest dataset beside.
Its ``make_noisy_top_k`` is peeling by bounded range under zCDP, and with pure epsilon it picks by
permute-and-flip.

Laplace thresholding needs persons with few items: each keeps m by lot, where m is the best in
hindsight. `top` is given the same scores and the same bound, with the best m in hindsight, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

import overbar
from benchmarks.accuracy.real import Baskets, Scores, all_scores
from overbar.noise import Gumbel
from overbar_lab import metrics
from overbar_lab.paper.references import (
    OneShot,
    PermuteAndFlip,
    bounded_range_scale,
)
from overbar_lab.simulation.candidates import Candidates, Indices, Mechanism

CUTOFF, DELTA = 50, "1e-6"
BUDGETS = ("0.05", "0.1", "0.2", "0.5", "1")
ITEMS = (1, 2, 5, 10, 20, 50)

Row = dict[str, object]
Measures = tuple[float, float]
Draw = Callable[[np.random.Generator], Iterable[int]]


def measures(draw: Draw, truth: Scores, runs: int) -> Measures:
    generator = np.random.default_rng(1)
    found = [np.asarray(draw(generator)) for _ in range(runs)]
    measured = metrics.measures(found, truth, cutoff=CUTOFF)
    return measured["ncr"].mean, measured["recall"].mean


def ours(
    scores: Scores,
    epsilon: str,
    delta: str | int,
    items: int | None = None,
    mechanism: str = "auto",
) -> Draw:
    plan = overbar.plan(
        mechanism=mechanism,
        top=True,
        epsilon=epsilon,
        delta=delta,
        cutoff=CUTOFF,
        monotonic=True,
        items_per_person=items,
    )
    return lambda _: overbar.top(scores, plan=plan).indices or ()


def lowest_published(epsilon: float, items: int) -> float:
    """Return the level that an item of one person passes with a chance of delta/m."""
    return float(1 + items / epsilon * np.log(items / (2 * float(DELTA))))


def laplace_threshold(scores: Scores, epsilon: float, items: int) -> Draw:
    """Return draws of Laplace thresholding: the highest of what is published."""
    scale, level = items / epsilon, lowest_published(epsilon, items)

    def draw(generator: np.random.Generator) -> Indices:
        noisy = np.where(scores > 0, scores + generator.laplace(0, scale, len(scores)), -np.inf)
        best = np.argsort(-noisy)[:CUTOFF]
        return best[noisy[best] >= level]

    return draw


def reference(scores: Scores, method: Mechanism) -> Draw:
    candidates = Candidates(scores.astype(float), 0.0)
    return lambda generator: method.run(candidates, generator)


def peeling(scores: Scores, scale: float) -> Draw:
    return reference(scores, OneShot(Gumbel(scale), CUTOFF))


def pure_methods(scores: Scores, epsilon: str) -> dict[str, Draw]:
    scale = CUTOFF / float(epsilon)
    return {
        "`top`": ours(scores, epsilon, 0),
        "OpenDP noisy_top_k": reference(scores, PermuteAndFlip(scale, CUTOFF)),
        "peeling": peeling(scores, scale),
    }


def methods_with_delta(scores: Scores, epsilon: str) -> dict[str, Draw]:
    scale = bounded_range_scale(float(epsilon), float(DELTA), CUTOFF)
    return {
        "`top`": ours(scores, epsilon, DELTA),
        "OpenDP noisy_top_k, peeling by bounded range": peeling(scores, scale),
    }


def bounded_methods(
    bounded: dict[int, Scores], truth: Scores, epsilon: str, runs: int
) -> dict[str, Measures]:
    """Return the best of each method over the number of items that a person keeps."""
    found: dict[str, Measures] = {}
    for items, scores in bounded.items():
        draws = {
            "`top`, few items": ours(scores, epsilon, DELTA, items),
            "OpenDP Laplace threshold": laplace_threshold(scores, float(epsilon), items),
        }
        for name, draw in draws.items():
            found[name] = max(found.get(name, (0.0, 0.0)), measures(draw, truth, runs))
    return found


def row(name: str, epsilon: str, found: dict[str, Measures], privacy: str) -> Row:
    mine = [value for method, value in found.items() if method.startswith("`top`")]
    best = tuple(max(one[i] for one in mine) for i in (0, 1))
    others = [value for method, value in found.items() if method[0] != "`"]
    behind = max(value[i] - best[i] for value in others for i in (0, 1))
    return {
        "name": f"{name}, ε = {epsilon}, {privacy}",
        **{method: f"{value[0]:.3f} / {value[1]:.3f}" for method, value in found.items()},
        "most below a peer": round(behind, 4),
    }


def opendp_itself(scores: Scores, runs: int) -> list[Row]:
    """Run OpenDP's own noisy top-k, and check that its maps ask for the scales used above."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    made: list[Row] = []
    epsilon, items = 0.05, 10
    threshold = dp.m.make_laplace_threshold(
        dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)),
        dp.l01inf_distance(dp.absolute_distance(T=int)),
        scale=items / epsilon, threshold=round(lowest_published(epsilon, items)),
    )  # fmt: skip
    cost, failure = threshold.map((items, items, 1))
    assert abs(cost / epsilon - 1) < 1e-6
    assert 0.9 < failure / float(DELTA) < 1.1
    wide, narrow = CUTOFF / epsilon, bounded_range_scale(epsilon, float(DELTA), CUTOFF)
    for name, measure, scale, floats in (
        ("pure", dp.max_divergence(), wide, reference(scores, PermuteAndFlip(wide, CUTOFF))),
        ("δ", dp.zero_concentrated_divergence(), narrow,
         peeling(scores, narrow)),
    ):  # fmt: skip
        measurement = dp.m.make_noisy_top_k(
            dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int, monotonic=True),
            measure, k=CUTOFF, scale=float(scale),
        )  # fmt: skip
        owed = CUTOFF / scale if name == "pure" else CUTOFF / (8 * scale**2)
        assert abs(measurement.map(1) / owed - 1) < 1e-6
        plain = scores.tolist()
        real = measures(lambda _, m=measurement, p=plain: m(p), scores, runs)
        float_ = measures(floats, scores, 20 * runs)
        made.append({"name": f"OpenDP itself, {runs} runs, ε = 0.05, {name}",
                     "OpenDP noisy_top_k": f"{real[0]:.3f} / {real[1]:.3f}",
                     "drawn with floats": f"{float_[0]:.3f} / {float_[1]:.3f}"})  # fmt: skip
    return made


def rows(check: bool = False) -> list[Row]:
    data = all_scores(check)
    runs = 2 if check else 300
    pure: list[Row] = []
    delta: list[Row] = []
    for name, scores in data.items():
        bounded: dict[int, Scores] = {}
        if name != "zipf":  # has no persons
            baskets, lots = Baskets(name), np.random.default_rng(1)
            bounded = {items: baskets.bounded(items, lots) for items in ITEMS}
        for epsilon in BUDGETS[-1:] if check else BUDGETS:
            found = {m: measures(d, scores, runs) for m, d in pure_methods(scores, epsilon).items()}
            pure.append(row(name, epsilon, found, "pure"))
            found = {
                m: measures(d, scores, runs) for m, d in methods_with_delta(scores, epsilon).items()
            }
            found |= bounded_methods(bounded, scores, epsilon, runs // 3)
            delta.append(row(name, epsilon, found, "δ = 10⁻⁶"))
    small = np.arange(60) if check else data["bms-pos-100k"]
    return [*pure, *delta, *opendp_itself(small, 1 if check else 20)]
