"""Intervals of counts hold the truth about 95 % of the time, for every mechanism and every item.

Seeded, so the numbers are the same on every run. `make campaign NAME=intervals` makes 2,000
runs of each case; without it 100 are made, which is enough to see that the controls fail.
"""

import os
from functools import partial

import numpy as np
import pytest

import overbar
from tests.frozen import seam

pytestmark = pytest.mark.one_in(5)

RUNS = int(os.environ.get("OVERBAR_INTERVALS", "100"))
#: With few runs the share scatters: its standard deviation is below 0.011, and is doubled for luck.
LOW, HIGH = (0.94, 0.97) if RUNS >= 2000 else (0.91, 0.995)
#: A few that stand out, and a crowd of which some come out because their noise is high.
CROWD = [400, 300, 200, *[100] * 40]
FLAT = [100] * 43

ASKED = {"epsilon": 1, "cutoff": 8, "monotonic": True, "counts": True}
CASES = {
    "ranked": {},
    "ranked, general": {"monotonic": False},
    "ranked with delta": {"delta": "1e-6", "noise": "gumbel"},
    "ranked with delta and gaussian counts": {"delta": "1e-3", "noise": "gumbel", "counts": "0.8"},
    "histogram": {"items_per_person": 2},
    "histogram with delta": {"items_per_person": 7, "delta": "1e-3", "mechanism": "histogram",
                             "noise": "gaussian"},
    "sparse vector": {"mechanism": "sparse-vector"},
}  # fmt: skip


def holding(plan, scores, threshold):
    """For each run, in the order found: each item, and whether its interval holds the truth."""
    ask = partial(overbar.top if plan.for_top else overbar.select, np.array(scores), plan=plan)
    with seam.drawn_from(1):
        for _ in range(RUNS):
            found = ask() if plan.for_top else ask(threshold=threshold)
            counts = zip(found.indices, found.counts, strict=True)
            yield [
                (
                    index,
                    (count.low is None or count.low <= scores[index])
                    and scores[index] <= count.high,
                )
                for index, count in counts
            ]


def shares(plan, scores, threshold):
    """The share of intervals that hold the truth: of all items, and of the crowd alone."""
    found = [one for run in holding(plan, scores, threshold) for one in run]
    hits, crowd = [hit for _, hit in found], [hit for index, hit in found if index > 2]
    return np.mean(hits), np.mean(crowd) if len(crowd) > RUNS / 2 else None


@pytest.mark.parametrize("scores", [CROWD, FLAT], ids=["crowd", "flat"])
@pytest.mark.parametrize("top", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_coverage(name, top, scores):
    asked = ASKED | CASES[name]
    if top:
        far = {"upper_bound": 1000} if name == "sparse vector" else {}
        plan, level = overbar.plan(top=True, **asked, **far), None
    else:
        plan = overbar.plan(**asked, candidates=43, correction="none")
        level = 100 + (0 if scores is CROWD else 2 * int(plan.query_noise.scale))
    every, crowd = shares(plan, scores, level)
    print(f"{name}, {'top' if top else 'select'}: {every:.4f}, of the crowd {crowd}")
    assert LOW <= every <= HIGH
    if crowd is not None:
        assert LOW <= crowd <= HIGH


@pytest.mark.parametrize(
    ("scores", "crowd_begins"),
    [([0] * 400, 0), ([1000, 800, *[0] * 400], 2), ([1000, 800, 20, 10, *[0] * 40], 4)],
    ids=["flat", "two", "four"],
)
def test_at_one_place_of_a_histogram_they_hold_less_often(scores, crowd_begins):
    """Where the crowd begins stands whoever had the highest noise of all; others make up for it."""
    plan = overbar.plan(top=True, mechanism="histogram", **ASKED, items_per_person=1)
    hits = np.mean([[hit for _, hit in run] for run in holding(plan, scores, 0)], axis=0)
    print(f"all {hits.mean():.4f}, place by place {hits}")
    assert LOW <= hits.mean() <= HIGH
    assert 0.6 < hits[crowd_begins] < 0.9
    assert all(hit > 0.9 for place, hit in enumerate(hits) if place != crowd_begins)


@pytest.mark.parametrize("name", ["histogram", "histogram with delta", "ranked with delta"])
@pytest.mark.parametrize("top", [True, False])
def test_without_the_correction_for_selection_the_crowd_is_missed(name, top, monkeypatch):
    """The control: y ± the half-width of the noise, as if nobody had been selected."""
    asked = ASKED | CASES[name]
    asked |= {"top": True} if top else {"candidates": 43, "correction": "none"}
    plan = overbar.plan(**asked)
    level = 100 + (3 if plan.query_noise.name == "laplace" else 2) * int(plan.query_noise.scale)
    many = [100] * (400 if plan.threshold_noise is None else 40_000)
    with monkeypatch.context() as patch:
        seam.broken(patch, "nobody was selected")
        _, crowd = shares(plan, many, level)
    assert crowd < 0.5
