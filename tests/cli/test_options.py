"""Options in panels, read once; a plan for the top; no Python on the command line."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

import overbar
from overbar.cli import app
from overbar.cli.options import PANELS
from tests.cli.shop import ASK, HIGH, LISTED, RUNNER, labels, run

COLUMNS = ["--item", "product", "--person", "customer", "--catalogue", "products.txt"]


@pytest.mark.parametrize(
    ("verb", "panels"),
    [
        ("select", PANELS[:-1]),
        ("top", PANELS[:-1]),
        ("plan", ("Question", "Privacy", "Output", "Experts")),
    ],
)
@pytest.mark.parametrize("width", [80, 120])
def test_help_is_in_panels(verb, panels, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    text = run(verb, "--help").output
    assert tuple(re.findall(r"^(\w[\w ]*):$", text, re.MULTILINE)) == panels
    output = text[text.index("\nOutput:") :].split("\n\n")[0]
    assert re.findall(r"^  (-.*?)  ", output, re.MULTILINE)[-1] == "-h, --help"
    assert max(map(len, text[: text.index("Examples:")].splitlines())) <= width
    assert text.count("\n") <= 110


@pytest.mark.parametrize(
    "name",
    [
        "verbs", "plan_options", "explore", "question_file",
    ],
)  # fmt: skip
def test_no_command_hides_its_module(name):
    import overbar.cli

    module = importlib.import_module(f"overbar.cli.{name}")
    assert isinstance(getattr(overbar.cli, name), ModuleType)
    assert getattr(overbar.cli, name) is module


def test_the_top_by_a_plan(here):
    made = run("plan", "--top", *ASK[4:], "--out", "top.json")
    assert made.exit_code == 0, made.output
    assert overbar.Plan.from_json(Path("top.json").read_text()).for_top
    ask = ["top", "sales.parquet", *COLUMNS, "--plan", "top.json"]
    result = run(*ask, "--out", "answer.json")
    assert result.exit_code == 0, result.output
    assert labels(result.stdout) == ["tea", "rum é", "a, b"]
    answer = json.loads(Path("answer.json").read_text())
    assert answer["plan"] == json.loads(Path("top.json").read_text())
    for typed in (["--epsilon", "1"], ["--delta", "0"], ["--counts"]):  # also as if not said
        refused = run(*ask, *typed)
        assert refused.exit_code == 2
        said = f"a plan brings its own numbers: leave out {typed[0]}, or --plan"
        assert said in refused.stderr


def test_a_plan_for_another_verb_is_refused(here):
    run("plan", "--top", *ASK[4:], "--out", "top.json")
    run("plan", *ASK[4:], "--candidates", "8", "--out", "select.json")
    refused = run("top", "sales.parquet", *COLUMNS, "--plan", "select.json")
    assert refused.exit_code == 2
    said = "--plan must be one for top; make it with overbar plan --top --out FILE"
    assert said in refused.stderr
    refused = run("select", "sales.parquet", *COLUMNS, "-t", "1500", "--plan", "top.json")
    assert refused.exit_code == 2
    assert "--plan must be one for select; make it with overbar plan --out FILE" in refused.stderr
    accepted = run("select", "sales.parquet", *COLUMNS, "-t", "1500", "--plan", "select.json")
    assert set(labels(accepted.stdout)) == HIGH


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--noise", "exponential", "--delta", "1e-6"], "Write --noise gumbel, --noise auto or"),
        (["--noise", "gaussian"], "Write --noise exponential, or give --delta and --max-queries"),
        (["--threshold-noise", "gumbel"], "Write --threshold-noise exponential"),
        (["--noise", "cauchy"], "--noise must be one of laplace, exponential, gumbel, gaussian"),
        (["--correction", "best"], "--correction must be one of halfway, none, mean, optimal"),
        (["--allocation", "half"], "--allocation must be variance, appending or a positive ratio"),
        (["--grid", "2"], "--grid must divide the sensitivity 1, got 2"),
    ],
)
def test_no_python_is_printed(arguments, said):
    result = run("plan", "--epsilon", "1", "--cutoff", "5", "--candidates", "90", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not re.search(r"\w=['\dTF]", result.stderr)


def test_nor_by_select(here):
    result = run("select", "sales.csv", *LISTED, "--epsilon", "x")
    assert "--epsilon must be a number such as 1, 0.1 or 1/3, got 'x'" in result.stderr


def test_accuracy_that_is_not_predicted_says_why_in_options():
    numbers = ["--epsilon", "1", "--cutoff", "5", "--candidates", "90", "--resample"]
    result = run("plan", *numbers)
    assert result.exit_code == 0
    assert "accuracy is not predicted for --resample" in result.output


@pytest.mark.parametrize(
    ("again", "name"),
    [
        (["--table", "a", "--table", "b"], "--table"),
        (["--epsilon", "1", "--epsilon=2"], "--epsilon"),
        (["--cutoff", "1", "-c", "2"], "--cutoff"),
        (["--decimal-comma", "--decimal-point"], "--decimal-comma/--decimal-point"),
        (["--person", "a", "--person", "b"], "--person"),
    ],
)
def test_an_option_is_not_dropped_for_its_second_one(again, name):
    refused = RUNNER.invoke(app, ["top", "a.xlsx", "--item", "x", *again])
    assert refused.exit_code == 2
    assert f"{name} must be given once, got it 2 times" in refused.stderr


def test_what_may_be_said_several_times(here):
    asked = ["top", "sales.csv", *COLUMNS, *ASK[4:], "--dry-run"]
    accepted = RUNNER.invoke(app, [*asked, "--dry-run", "--out", "a.csv", "--out", "b.csv"])
    assert accepted.exit_code == 0, accepted.output
    twice = ["ledger", "open", "a.db", "d", "--epsilon", "1", "--epsilon", "2"]
    assert "--epsilon must be given once" in RUNNER.invoke(app, twice).stderr


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        (["select"], "Missing argument 'TABLE'; see overbar select --help"),
        (
            ["top", "a.csv", "--table", "A", "--table", "B"],
            "--table must be given once, got it 2 times: one run takes one; see overbar top --help",
        ),
        (["ledger", "show"], "Missing argument 'PATH'; see overbar ledger show --help"),
        (["plan", "--format", "csv"], "--format must be one of table, json, got 'csv'"),
        (["check", "a.csv", "--header-row", "x"], "--header-row must be a number such as 1"),
        (
            ["top", "a.csv", "--item", "a", "--person", "b", "--groups", "north,south"],
            "--groups must be COLUMN=LIST, such as region=north,south, got 'north,south'",
        ),
        (
            ["plan", "--epsilon", "1", "--cutoff", "2", "--sensitivity", "1,2"],
            "--sensitivity must be one number, or how far down and how far up one more person",
        ),
    ],
)
def test_bad_use_is_said_in_one_line(typed, line):
    result = RUNNER.invoke(app, typed)
    assert result.exit_code == 2
    (said,) = result.stderr.splitlines()
    assert said.startswith(f"overbar: {line}")
