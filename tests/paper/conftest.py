"""One tiny report over all studies, shared by the tests that look at it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from overbar.paper import STUDIES, Conditions, Study
from overbar.paper.data import Data

RUNS = 2
#: What is slow and the same at any size is made smaller.
FEWER = {
    "numeric-efficiency": {"buckets": (101, 1001, 10001, 20001), "repeats": 1},
    "accuracy-by-noise": {"tolerances": (0, 8, 16, 40)},
    "resampling": {"budgets": ("0.5",)},
    "peeling-bound": {"times_the_runs": 1},
}


@pytest.fixture(scope="session")
def conditions() -> Conditions:
    return Conditions(RUNS, 1, Data(_folder()))


@pytest.fixture(scope="session")
def tables(conditions):
    """The table of every study; studies over one computation share it."""
    done = {}
    for study in small_studies():
        if study.compute not in done:
            done[study.compute] = study.compute(conditions)
    return {study.name: done[study.compute] for study in small_studies()}


def small_studies() -> list[Study]:
    return [
        replace(study, compute=replace(study.compute, **FEWER.get(study.name, {})))
        for study in STUDIES
    ]


def _folder() -> Path | None:
    """Real files where they are; else the datasets that are made on the spot."""
    named = os.environ.get("OVERBAR_DATA")
    return Path(named) if named else None
