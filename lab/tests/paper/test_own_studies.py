"""A dataset, a method and a figure of one's own, without an edit of the package."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overbar.errors import ParameterError
from overbar_lab.datasets import Dataset
from overbar_lab.paper import Conditions, Data, Panels, Study, Sweep
from overbar_lab.paper.assembly import make_report
from overbar_lab.program import app
from overbar_lab.reproduction import studies_in

EXAMPLE = Path(__file__).parents[2] / "examples/own_study.py"


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_the_example_runs_by_itself(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^steps, uniform: precision [01]\.\d+$", done.stdout, re.MULTILINE)


def test_the_walk_of_a_researcher(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(EXAMPLE.read_text())
    made = run("reproduce", "--study", mine, "--runs", 5, "--out", tmp_path / "out")
    assert made.exit_code == 0, made.output
    rows = list(csv.DictReader((tmp_path / "out/csv/steps-by-budget.csv").read_text().splitlines()))
    assert {row["dataset"] for row in rows} == {"steps", "Zipf"}
    assert {row["method"] for row in rows} == {"SVT-Lap", "SVT-Exp (optimal)", "uniform"}
    for form in ("png", "svg", "pdf"):
        assert (tmp_path / f"out/figures/steps-by-budget.{form}").stat().st_size > 1000
    page = (tmp_path / "out/report.html").read_text()
    assert "Your studies" in page
    assert "Claims" not in page
    again = run("reproduce", "--study", mine, "--runs", 5, "--out", tmp_path / "out")
    assert "steps-by-budget: kept" in again.output


@pytest.mark.usefixtures("one_form")
def test_a_change_in_the_file_is_computed_anew(tmp_path):
    """The method's name is the same, only its width changes: the cache must not be used."""
    mine = tmp_path / "mine.py"
    mine.write_text(EXAMPLE.read_text())
    conditions = Conditions(3, 1, Data())
    make_report(studies_in(mine), conditions, tmp_path / "out")
    before = (tmp_path / "out/csv/steps-by-budget.csv").read_text()
    mine.write_text(EXAMPLE.read_text().replace("4 * float", "400 * float"))
    made = make_report(studies_in(mine), conditions, tmp_path / "out")
    assert made.computed == ["steps-by-budget"]
    assert (tmp_path / "out/csv/steps-by-budget.csv").read_text() != before


@pytest.mark.usefixtures("one_form")
def test_another_dataset_under_the_same_name_is_computed_anew(tmp_path):
    made = []
    for scores in ([900, 700, 5, 3], [900, 4, 5, 3]):
        mine = Dataset.of("mine", scores, threshold=100, cutoff=2)
        sweep = Sweep((mine,), ("SVT-Lap",), ("1",))
        study = Study("one", "One", "One.", sweep, Panels(), simulated=True)
        made.append(make_report([study], Conditions(3, 1, Data()), tmp_path).computed)
    assert made == [["one"], ["one"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "makes no study; write in it: from overbar_lab.paper import"),
        ("x = 1\nprint(y)\n", "line 2: NameError: name 'y' is not defined"),
        ("def (", "SyntaxError"),
        (
            "from overbar_lab.paper import Panels\nPanels('nrc')\n",
            "line 2: ParameterError: measure must be one of",
        ),
        (
            "from overbar_lab.paper import STUDIES\nfrom dataclasses import replace\n"
            "mine = replace(STUDIES[0], title='Mine')\n",
            "the name 'feasible-noises' is taken; choose another",
        ),
    ],
)
def test_a_file_that_will_not_do_is_refused_in_one_line(text, message, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(text)
    with pytest.raises(ParameterError, match=r"mine\.py") as raised:
        studies_in(mine)
    assert message in str(raised.value)
    made = run("reproduce", "--study", mine, "--out", tmp_path / "out")
    assert made.exit_code == 2
    assert "Traceback" not in made.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"SVT-Lap"',
            '"SVT-Lab"',
            "there is no method 'SVT-Lab'; sorted(overbar_lab.paper.m",
        ),
        ('"zipf"', '"zpif"', "zpif"),
    ],
)
def test_a_name_that_is_mistyped_is_told_in_one_line(old, new, message, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(EXAMPLE.read_text().replace(old, new))
    made = run("reproduce", "--study", mine, "--runs", 2, "--out", tmp_path / "out")
    assert made.exit_code == 2
    assert message in made.output
    assert "Traceback" not in made.output


def test_a_file_that_is_not_there(tmp_path):
    made = run("reproduce", "--study", tmp_path / "nothing.py")
    assert made.exit_code == 2
    assert "does not exist" in made.output
