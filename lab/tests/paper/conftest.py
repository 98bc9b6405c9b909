"""One tiny report over all studies, shared by the tests that look at it."""

from __future__ import annotations

import os
from dataclasses import is_dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from overbar_lab.paper import STUDIES, Conditions, Data, Study, assembly

RUNS = 2
STREAMS = {"budgets": ("0.1", "0.5"), "lengths": (3,)}
#: What is slow and the same at any size is made smaller.
FEWER = {
    "numeric-efficiency": {"buckets": (101, 1001, 10001, 20001), "repeats": 1},
    "accuracy-by-noise": {"tolerances": (0, 16)},
    "accuracy-by-traverses": {"tolerances": (0, 16)},
    "resampling": {"budgets": ("0.5",)},
    "order-of-baselines": {"share": 1, "budgets": ("0.1", "1")},
    "traverses-at-equal-cost": {"traverses": (1, 5)},
    "t40-traverses": {"budgets": ("0.1",), "traverses": (1, 5)},
    "t40-traverses-at-equal-cost": {"budgets": ("0.1",), "traverses": (1, 5)},
    "race-against-pure": {"budgets": ("0.5",)},
    "ranked-selection": {"budgets": ("0.5",)},
    "default-correction": {"budgets": ("0.5",)},
    "race-gain": {"budgets": ("1",)},
    **{
        f"{name}-by-budget": {"budgets": ("0.05", "0.2", "0.5", "1")}
        for name in ("ncr", "f1", "passes", "renyi-ncr", "renyi-f1")
    },
    **{
        f"{name}-by-traverses": {"traverses": (1, 5, 100, 1000)}
        for name in ("ncr", "f1", "precision", "recall", "renyi-ncr", "renyi-f1")
    },
    "at-a-glance": {"budgets": ("0.5",)},
    "stream-delay": STREAMS,
    "stream-false-alarms": STREAMS,
    "what-each-choice-adds": {"budgets": ("0.5",)},
    "general-queries": {"budgets": ("0.5",)},
    "pure-references": {"budgets": ("0.5",)},
    "noise-ablation": {"share": 1},
    "noise-ablation-f1": {"share": 1},
    "noise-online": {"budgets": ("0.1", "0.5"), "bars": ("0.5", "1")},
    "noise-offline": {"budgets": ("0.1", "0.5"), "bars": ("1",)},
    "any-noise": {"buckets": 2001},
}


@pytest.fixture
def one_form(monkeypatch):
    """Figures in one format: all three take three times as long, and others look at them."""
    monkeypatch.setattr(assembly, "FORMATS", {"svg": {"Date": None}})


@pytest.fixture(scope="session")
def conditions() -> Conditions:
    return Conditions(RUNS, 1, Data(_folder()))


@pytest.fixture(scope="session")
def tables(conditions):
    """The table of every study; studies over one computation share it."""
    done = {}
    for study in small_studies():
        key = repr(study.compute) if is_dataclass(study.compute) else id(study.compute)
        if key not in done:
            done[key] = study.compute, study.compute(conditions)
        done[study.name] = done[key]
    return {study.name: done[study.name][1] for study in small_studies()}


def small_studies() -> list[Study]:
    return list(SMALL)


def changed(study: Study, **parameters) -> Study:
    """The same study with other parameters."""
    change = replace if is_dataclass(study.compute) else partial
    return replace(study, compute=change(study.compute, **parameters))


SMALL = tuple(
    changed(study, **FEWER[study.name]) if study.name in FEWER else study for study in STUDIES
)


def _folder() -> Path | None:
    """Real files where they are; else the datasets that are made on the spot."""
    named = os.environ.get("OVERBAR_DATA")
    return Path(named) if named else None
