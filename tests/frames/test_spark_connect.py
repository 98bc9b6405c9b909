"""A server of Spark Connect on this machine: the same scores as everywhere else.

A process has one kind of Spark, so this one is asked in a process of its own, once.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tests.frames.engines import ENGINES, scores_of, table_of
from tests.frames.test_ibis import ROWS

pytest.importorskip("pyspark")
pytest.importorskip("grpc", reason="Spark Connect needs grpcio")
pytestmark = [
    pytest.mark.skipif(
        not (os.environ.get("JAVA_HOME") or shutil.which("java")), reason="Spark needs Java 17"
    ),
]
GRID = Fraction(1, 8)
ROOT = Path(__file__).parents[2]
ASKED = (
    {},
    {"items_per_person": 9},
    {"value": "much", "value_range": [-3, 3]},
)
PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")
from fractions import Fraction
from pyspark.sql import SparkSession
from overbar import errors, frames
from overbar.frames.catalogue import catalogue_of
from tests.frames.engines import scores_of, table_of
from tests.frames.test_ibis import ROWS
from tests.frames.test_spark_connect import ASKED, GRID

session = SparkSession.builder.remote("local[1]").getOrCreate()
session.conf.set("spark.sql.shuffle.partitions", "2")
session.conf.set("spark.sql.codegen.wholeStage", "false")  # compiling takes longer
rows = session.createDataFrame(table_of(ROWS))
assert type(rows).__module__.startswith("pyspark.sql.connect")
found = []
for columns in ASKED:
    for listed in (None, ["tea", "rum"]):
        found.append(scores_of(rows, grid=GRID, catalogue=catalogue_of(listed), **columns))
answer = frames.top(
    rows, item="what", person="who", catalogue=["tea", "rum"], cutoff=1, epsilon=200
)
try:
    frames.top(rows, item="what", person="who", catalogue=rows, cutoff=1, epsilon=1)
except errors.ParameterError as error:
    refused = str(error)
print(json.dumps([found, list(answer.labels), refused]))
session.stop()
"""


def test_scores_are_those_of_an_engine_here():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found, labels, refused = json.loads(done.stdout.splitlines()[-1])
    here = ENGINES["pyarrow"](table_of(ROWS))
    wanted = []
    for columns in ASKED:
        every = scores_of(here, grid=GRID, **columns)
        wanted += [every, {item: every[item] for item in ("tea", "rum") if item in every}]
    assert found == wanted  # Spark brings back what is on the list alone
    assert labels == ["tea"]
    assert "catalogue must be a public list" in refused
