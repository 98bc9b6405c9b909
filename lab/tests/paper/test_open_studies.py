"""What the paper leaves open: each simulation beside a plain one, and each judge with a control."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from lab.tests.paper.test_claims import claim_named, near
from overbar.mechanisms import Bar, Reach, SparseVectorPlan
from overbar.noise import Exponential, Gumbel, Laplace
from overbar_lab.datasets import Dataset
from overbar_lab.paper import Conditions, Data, streams
from overbar_lab.paper.claim import FAILS, HOLDS, PARTLY
from overbar_lab.paper.features import Labelled, accuracy
from overbar_lab.paper.itemsets import Baskets, Search, candidates_after
from overbar_lab.paper.methods import METHODS
from overbar_lab.paper.misplaced import LADDER, FoundFirst, found_first
from overbar_lab.paper.setting import Setting
from overbar_lab.paper.sizes import Sizes, resized
from overbar_lab.simulation import Candidates

#: An event of two hours after eight quiet ones, and another.
HOURS = np.array([-1] * 8 + [0] * 2 + [-1] * 8 + [1] * 2)


def plan_with(scale, cutoff=2):
    noise = Exponential(Fraction(scale))
    return SparseVectorPlan(
        noise, Bar(Laplace(Fraction(scale))), cutoff, Reach.of(1, monotonic=True)
    )


def test_without_noise_an_event_is_found_in_its_first_hour():
    when, alarms = streams.watch(plan_with("0.01"), HOURS, 2, False, runs=5, seed=1)
    assert (when == [8, 18]).all()
    assert (alarms == 2).all()


def plain_watch(plan, of_event, length, generator):
    """One run, hour by hour."""
    bar = streams.THRESHOLD + generator.laplace(scale=float(plan.threshold_noise.scale))
    found, alarms, silent = {}, 0, 0
    for hour, event in enumerate(of_event):
        if hour < silent or alarms == plan.cutoff:
            continue
        count = streams.EVENT if event >= 0 else streams.QUIET
        if count + generator.exponential(float(plan.query_noise.scale)) >= bar:
            alarms, silent = alarms + 1, hour + length
            found.setdefault(event, hour)
    return [found.get(0, -1), found.get(1, -1)], alarms


def test_a_stream_is_watched_as_a_plain_loop_does():
    plan, generator = plan_with(60), np.random.default_rng(5)
    plain = [plain_watch(plan, HOURS, 2, generator) for _ in range(2000)]
    when, alarms = streams.watch(plan, HOURS, 2, False, runs=2000, seed=6)
    for event in (0, 1):
        share = np.mean(when[:, event] >= 0) - np.mean([one[0][event] >= 0 for one in plain])
        assert abs(share) < 4 * np.sqrt(0.5 / 2000)
    off = np.mean(alarms) - np.mean([one[1] for one in plain])
    assert abs(off) < 4 * np.sqrt(np.var(alarms) * 2 / 2000)


def test_whoever_waits_is_found_later_and_a_monitor_wears_out():
    plan = plan_with(60)
    once, _ = streams.watch(plan, HOURS, 2, False, runs=300, seed=1)
    again, alarms = streams.watch(plan, HOURS, 2, True, runs=300, seed=1)
    assert (again > once).any()
    assert (alarms <= plan.cutoff).all()
    monitor = streams.plan_of("Monitor", "5", 2, 20)
    events = np.repeat(np.arange(60), 1)
    when, _ = streams.watch(monitor, events, 0, False, runs=3, seed=1)
    fresh, worn = (when[:, part] >= 0 for part in (slice(10), slice(-5, None)))
    assert fresh.all()
    assert (streams.EVENT / streams.PERSONS) * 60 == streams.HITS  # so by now half have used theirs
    assert not worn.all()


def test_a_threshold_is_found_by_the_exponential_mechanism():
    """At large ε the rung just below the level between ranks; at any ε by the law of Gumbel."""
    scores = np.array([900.0, 700.0, 500.0, 3.0, 1.0])
    right = found_first(Setting("100", 2, 5, 600))
    assert right.finding == Gumbel(Fraction(2, 10))
    below = LADDER[LADDER <= 600][-1]
    chosen = right.run(Candidates(scores, 10.0), np.random.default_rng(1))
    assert sorted(chosen) == [0, 1]  # though the threshold given would let 500 pass
    assert 600 / below < 1.03


def test_control_a_threshold_that_is_not_found_stays_off():
    plan = METHODS["SVT-Exp (optimal)"](Setting("100", 2, 5, 600))
    far = FoundFirst(plan, Gumbel(Fraction(10**9)))  # finds any rung
    candidates, chance = Candidates(np.array([900.0, 700.0, 500.0, 3, 1]), 600.0), range(20)
    runs = [sorted(far.run(candidates, np.random.default_rng(seed))) for seed in chance]
    assert any(run != [0, 1] for run in runs)


TABLE = ["abc", "abd", "ab", "ac", "bc", "ab", "abc", "d"]


def test_supports_of_sets_are_those_of_a_plain_count():
    pairs = [(line, "abcd".index(item)) for line, row in enumerate(TABLE) for item in row]
    baskets = Baskets.of(*(np.array(part) for part in zip(*pairs, strict=True)))
    for size in (1, 2, 3):
        sets = list(combinations(range(4), size))
        plain = [sum(all("abcd"[i] in row for i in one) for row in TABLE) for one in sets]
        assert baskets.supports(sets).tolist() == plain
    search = Search.of(baskets, 3)
    assert search.truth == {(0,), (1,), (0, 1)}  # of few candidates half
    assert search.scores(METHODS["peeling"], "900", 2, 1).tolist() == [1.0, 1.0]
    assert search.scores(METHODS["peeling"], "0.001", 9, 1).min() < 1


def test_a_larger_set_has_only_parts_that_were_found():
    assert candidates_after([(0,), (2,), (1,)]) == [(0, 1), (0, 2), (1, 2)]
    assert candidates_after([(0, 1), (1, 2)]) == []
    assert candidates_after([]) == []


def test_a_file_with_labels_is_read_and_scored(tmp_path):
    """Feature 1 is the class, 2 its opposite, 3 is in every record."""
    path = tmp_path / "a9a"
    path.write_text("+1 1:1 3:1 \n-1 2:1 3:1 \n+1 1:1 3:1 \n-1 2:1 3:1 \n")
    read = Labelled.read(str(path), 3)
    assert read.label.tolist() == [1, 0, 1, 0]
    assert read.scores.tolist() == [1.0, 1.0, 0.0]
    sums = read.rows @ read.rows.T, read.rows @ read.label
    assert accuracy(sums, read, np.array([0])) == 1.0
    assert accuracy(sums, read, np.array([2])) == 0.5


def stream_table(tables, **delay):
    return [
        near(row, delay=delay[row["method"]], found=1 - delay[row["method"]], false_alarms=1.0)
        for row in tables["stream-delay"]
    ]


@pytest.mark.parametrize(("ours", "verdict"), [(0.3, HOLDS), (0.9, FAILS)])
def test_streams_are_judged(ours, verdict, tables):
    delay = dict.fromkeys(streams.WATCHES, 0.6) | {"SVT-Exp (optimal)": ours}
    claim = claim_named("on a stream SVT-Exp finds")
    assert claim.judged({"stream-delay": stream_table(tables, **delay)}).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0.9, 0.9, HOLDS), (0.5, 0.9, PARTLY), (0.5, 0.5, FAILS)]
)
def test_misplaced_thresholds_are_judged(low, high, verdict, tables):
    table = [
        near(row, ncr=0.9 if not row["off"] else low if row["off"] < 0 else high)
        for row in tables["misplaced-again"]
    ]
    claim = claim_named("a fifth off")
    assert claim.judged({"misplaced-again": table}).verdict == verdict


def test_choices_are_judged(tables):
    table = tables["what-each-choice-adds"]
    claim = claim_named("the correction adds most")
    for column, value, verdict in (("correction", "optimal", HOLDS), ("rounds", None, FAILS)):
        moved = [
            near(row, **dict.fromkeys(("ncr", "f1"), 0.8 if row[column] == value else 0.4))
            for row in table
        ]
        assert claim.judged({"what-each-choice-adds": moved}).verdict == verdict


def test_general_queries_need_twice_the_noise():
    setting = Setting("1", 10, 100, 50)
    one, two = (
        METHODS["SVT-Lap"](replace(setting, monotonic=monotonic)) for monotonic in (True, False)
    )
    assert two.query_noise.scale / one.query_noise.scale > Fraction(3, 2)


def test_a_dataset_is_cut_after_its_highest_or_followed_by_zeros():
    mine = Dataset.of("mine", [5, 900, 3, 700], threshold=100, cutoff=2)
    assert resized(mine, 1, 3).scores.tolist() == [900, 700, 5]
    assert resized(mine, 3, 6).scores.tolist() == [900, 700, 5, 3, 0, 0]
    assert resized(mine, 1, "all").cutoff == 1
    assert len(resized(mine, 1, "all")) == 4


def test_sizes_are_told_apart():
    methods = ("SVT-Exp (optimal)", "SVT-Lap")
    study = Sizes(
        ("binary",), methods, ("5",), cutoffs=(20, 40), candidates=(200, "all"), shares=(2, 1)
    )
    table = study(Conditions(50, 1, Data(), workers=1))
    places = {(row["cutoff"], row["candidates"], row["method"]) for row in table}
    assert len(table) == len(places) == 8
    assert {(row["candidates"], row["runs"]) for row in table} == {(200, 100), (10_000, 50)}
    # With a threshold between equal scores all of them pass.
    assert {row["passing"] for row in table} == {50}
