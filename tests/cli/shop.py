"""The shop that the tests of `select` and `top` buy from: one table in every form."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from overbar.cli import app
from tests.frozen.typed import replaced

RUNNER = CliRunner()
COMMAND = [sys.executable, "-m", "overbar"]
SCRIPT = str(Path(sys.executable).parent / "overbar")

#: How many of 4,000 customers bought what: three far above 1,500, the others far below.
BOUGHT = {"tea": 3_600, "rum é": 3_000, "a, b": 2_500, "gin": 90, "mead": 40, "wine": 7}
CATALOGUE = [*BOUGHT, "grappa", "sake"]
HIGH = {"tea", "rum é", "a, b"}
ASK = ["--item", "product", "--person", "customer", "--cutoff", "3", "--epsilon", "1"]
SELECT = [*ASK, "--threshold", "1500"]
LISTED = [*SELECT, "--catalogue", "products.txt"]
UNLISTED = [*SELECT, "--delta", "1e-6", "--items-per-person", "6", "--candidates", "10"]
PAID = [*LISTED, "--ledger", "budget.db", "--dataset", "sales"]


def run(*arguments):
    return RUNNER.invoke(app, replaced(arguments))


def command(*arguments, **options):
    return subprocess.run(
        [*COMMAND, *replaced(arguments)], capture_output=True, text=True, check=False, **options
    )


def labels(text):
    return [row["product"] for row in csv.DictReader(io.StringIO(text))]
