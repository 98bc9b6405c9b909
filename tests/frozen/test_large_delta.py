"""A large δ: said to be one, and above 0.01 refused at the doors unless it is said to be meant."""

import json
import math
import re
import subprocess
import sys

import pytest

import overbar
from overbar import ParameterError, frames

pyarrow = pytest.importorskip("pyarrow")

ROWS = pyarrow.table({"item": ["tea"] * 400 + ["own"], "person": range(401)})
ASK = {"item": "item", "person": "person", "epsilon": 1}
DAYS = {"time": "day", "days": ("2024-01-01", "2024-01-02"), "catalogue": ["tea"]}
WATCH = ASK | DAYS | {"threshold": 100, "hits_per_person": 2}
FOUND = ASK | {"cutoff": 1, "items_per_person": 1}


def with_days():
    return ROWS.append_column("day", pyarrow.array(["2024-01-01"] * len(ROWS)))


DOORS = {
    "keys": lambda **more: frames.keys(ROWS, **ASK, **more),
    "top": lambda **more: frames.top(ROWS, **FOUND, **more),
    "select": lambda **more: frames.select(ROWS, **FOUND, threshold=300, candidates=9, **more),
    "watch": lambda **more: frames.watch(with_days(), **WATCH, **more),
    "Question.keys": lambda **more: frames.Question.keys(**ASK, **more),
    "Question.top": lambda **more: frames.Question.top(**FOUND, **more),
    "Question.select": lambda **more: frames.Question.select(
        **FOUND, threshold=300, candidates=9, **more
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_above_a_hundredth_it_must_be_said_to_be_meant(door):
    with pytest.raises(ParameterError) as refusal:
        DOORS[door](delta="0.011")
    said = str(refusal.value)
    assert "delta must be at most 0.01, got '0.011'" in said
    assert "delta_is_large=True" in said
    assert DOORS[door](delta="0.011", delta_is_large=True) is not None
    assert DOORS[door](delta="0.01") is not None


@pytest.fixture
def folder(tmp_path):
    lines = [
        f"{item},{person},2024-01-01"
        for item, person in zip(*ROWS.to_pydict().values(), strict=True)
    ]
    (tmp_path / "rows.csv").write_text("\n".join(["item,person,day", *lines, ""]))
    (tmp_path / "list.txt").write_text("tea\nrum\n")
    return tmp_path


COLUMNS = ("rows.csv", "--item", "item", "--person", "person")
FEW = ("--cutoff", "1", "--items-per-person", "1")
TYPED = {
    "keys": ("keys", *COLUMNS),
    "top": ("top", *COLUMNS, *FEW),
    "select": ("select", *COLUMNS, *FEW, "--threshold", "300", "--candidates", "9"),
    "watch": (
        *("watch", *COLUMNS, "--time", "day", "--catalogue", "list.txt", "--threshold", "100"),
        *("--hits-per-person", "2", "--from", "2024-01-01", "--to", "2024-01-02"),
    ),
    "plan": ("plan", "--cutoff", "5", "--candidates", "100"),
    "plan of keys": ("plan", "--keys"),
}


def overbar_of(folder, *words, epsilon="1"):
    command = [sys.executable, "-m", "overbar", *words]
    if words[0] != "run":
        command += ["--epsilon", epsilon]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8"
    )


@pytest.mark.parametrize("verb", TYPED)
def test_the_command_line_refuses_it_too(folder, verb):
    told = overbar_of(folder, *TYPED[verb], "--delta", "0.5")
    assert told.returncode == 2
    assert "--delta must be at most 0.01, got '0.5'" in told.stderr
    assert "whoever means it writes --delta-is-large" in told.stderr
    assert told.stdout == ""
    assert "Traceback" not in told.stderr
    meant = overbar_of(folder, *TYPED[verb], "--delta", "0.5", "--delta-is-large")
    assert meant.returncode == 0
    shown = " ".join((meant.stdout + meant.stderr).split())
    assert "this protects nobody" in shown
    assert "can hardly tell" not in shown


def test_so_do_question_files(folder):
    saved = overbar_of(
        folder, *TYPED["keys"], "--delta", "0.5", "--delta-is-large", "--save", "question.toml",
        "--dry-run",
    )  # fmt: skip
    assert saved.returncode == 0
    assert overbar_of(folder, "run", "question.toml").returncode == 0
    text = (folder / "question.toml").read_text()
    assert "delta-is-large = true" in text
    (folder / "question.toml").write_text(text.replace("delta-is-large = true\n", ""))
    told = overbar_of(folder, "run", "question.toml")
    assert told.returncode == 2
    assert "--delta-is-large" in told.stderr


@pytest.mark.parametrize(
    ("delta", "telling", "chance"),
    [
        ("1e-6", "can hardly tell", None),
        ("1e-4", "can hardly tell", None),
        ("2e-4", "may learn something", "one in 5,000"),
        ("0.01", "may learn something", "one in 100"),
        ("0.1", "may learn much", "one in 10"),
        ("0.5", "may be all but sure", "0.5"),
    ],
)
def test_it_is_graded_as_epsilon_is(folder, delta, telling, chance):
    told = overbar_of(folder, *TYPED["keys"], "--dry-run", "--delta", delta, "--delta-is-large")
    shown = " ".join(told.stdout.split())
    assert told.returncode == 0
    assert f"Whoever sees the answer {telling}" in shown
    warned = re.search("With a chance of up to (.*?) this protects nobody", shown)
    assert (warned and warned[1]) == chance


def test_it_is_warned_of_in_a_pipe_too(folder):
    for delta, is_warned in (("1e-4", False), ("0.01", True)):
        told = overbar_of(folder, *TYPED["keys"], "--delta", delta)
        assert told.returncode == 0
        assert ("this protects nobody" in told.stderr) == is_warned


def test_beside_a_number_of_persons_it_is_said_what_it_means(folder):
    words = "δ is above one divided by the number of persons, 1,000,000"
    for delta, is_said in (("1e-6", False), ("2e-6", True)):
        for more in (("--dry-run",), ("--out", f"{delta}.html")):
            told = overbar_of(
                folder, *TYPED["watch"], "--persons", "1000000", "--delta", delta, *more
            )
            assert told.returncode == 0
            assert (words in " ".join((told.stdout + told.stderr).split())) == is_said


def test_report_and_page_say_one_number(folder):
    """How sure somebody is afterwards, who was at even odds: rounded up, never below the truth."""
    told = overbar_of(folder, "plan", "--cutoff", "5", "--candidates", "100", "--format", "json")
    assert "between 26.8 % and 73.2 % sure" in json.dumps(json.loads(told.stdout))
    truth = 100 * math.e / (1 + math.e)
    assert truth <= 73.2 < truth + 0.1


def test_the_library_of_scores_is_for_studies_too():
    """There it is not refused: its callers bring scores and plans of their own."""
    assert overbar.plan(epsilon=1, delta="0.5", cutoff=1, candidates=2, monotonic=True)
