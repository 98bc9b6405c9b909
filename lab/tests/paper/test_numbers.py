"""Numbers of the paper and of this project that a report must show."""

from __future__ import annotations

import pytest

from overbar_lab.paper import Conditions, Data
from overbar_lab.paper.methods import METHODS
from overbar_lab.paper.overview import noise_at_equal_privacy
from overbar_lab.paper.study import only
from overbar_lab.paper.sweep import Point, measured


def test_top_is_as_good_as_peeling_and_the_race_is_better():
    data = Data()
    (zipf,) = data.load(("zipf",))
    conditions = Conditions(400, 1, data)
    top, peeling, race = (
        measured(zipf, Point(METHODS[name], "0.5"), conditions)
        for name in ("appending", "peeling", "race-accounted")
    )
    assert abs(top["ncr"] - peeling["ncr"]) <= 0.02
    assert race["ncr_low"] > peeling["ncr_high"]


def test_the_printed_corrections_beside_the_exact_ones(tables):
    table = tables["correction-terms"]
    row = only(table, epsilon=1.0)[0]
    assert row["optimal"] == pytest.approx(292.377992, abs=1e-6)
    assert row["optimal_shared"] == pytest.approx(291.7575, abs=1e-4)
    assert row["at_printed_split_times_epsilon"] == pytest.approx(288.2077, abs=1e-4)
    assert row["same_for_k_825"] == pytest.approx(362.16, abs=5e-3)
    assert row["mean_at_printed_split"] == pytest.approx(52.32, abs=5e-3)
    assert only(table, epsilon=0.01)[0]["mean_at_printed_split"] == pytest.approx(5232.08, abs=5e-3)


def test_which_noise_may_go_where(tables):
    found = {(row["noise"], row["where"]): row for row in tables["feasible-noises"]}
    met = {place for place, row in found.items() if row["condition_met"]}
    assert met == {(noise, "query") for noise in ("exponential", "laplace", "gumbel")} | {
        ("laplace", "threshold")
    }
    private = {place for place, row in found.items() if row["private"]}
    assert private == met | {("exponential", "threshold"), ("gumbel", "threshold")}
    assert all(row["steepest_fall"] == 1 for row in found.values() if row["private"])


def test_the_counterexample(tables):
    values = {row["key"]: row["measured"] for row in tables["errata"]}
    assert values["chance"] == pytest.approx(6.58997e-4, rel=1e-5)
    assert values["chance_neighbour"] == pytest.approx(4.13288e-6, rel=1e-5)
    assert values["renyi_delta"] >= 5.1e-4


def test_the_gain_of_race_accounting(tables, conditions):
    gains = {(row["cutoff"], row["epsilon"]): row["gain"] for row in tables["race-gain"]}
    assert gains[5, 1.0] == pytest.approx(1.657, abs=0.005)
    (small,) = noise_at_equal_privacy(conditions, cutoffs=(50,), budgets=("0.1",))
    assert small["gain"] == pytest.approx(4.091, abs=0.005)
    assert gains[50, 1.0] == pytest.approx(3.534, abs=0.005)
    assert gains[500, 1.0] == pytest.approx(10.608, abs=0.005)


def test_real_files_if_they_are_here(tables, conditions):
    rows = {row["dataset"]: row for row in tables["dataset-table"]}
    expected = {
        "T40I10D100K": (100_000, 942, 49),
        "Adult": (48_842, 123, 81),
        "kosarak-100k": (100_000, 23_496, 50),
    }
    for name, numbers in expected.items():
        if name in rows and rows[name]["read"]:
            assert (rows[name]["records"], rows[name]["items"], rows[name]["passing"]) == numbers


def test_adult_is_shown_at_both_thresholds(tables):
    table = tables["adult-threshold"]
    if table:
        assert {(row["threshold"], row["passing"]) for row in table} == {(200, 81), (33_278, 5)}
