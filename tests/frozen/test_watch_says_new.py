"""``overbar watch`` says when a store was made: its budget starts anew."""

import subprocess
import sys

import pytest

NEW = "overbar: a new store was made: the budget starts anew\n"


@pytest.fixture
def folder(tmp_path):
    rows = [f"u{number},north,2024-01-02" for number in range(400)]
    (tmp_path / "events.csv").write_text("\n".join(["user,region,day", *rows, ""]))
    (tmp_path / "regions.txt").write_text("north\nsouth\n")
    return tmp_path


def watch(folder, *more, last="2024-01-02"):
    command = [
        *(sys.executable, "-m", "overbar", "watch", "events.csv", "--person", "user"),
        *("--item", "region", "--time", "day", "--catalogue", "regions.txt", "--threshold", "100"),
        *("--hits-per-person", "5", "--epsilon", "1", "--delta", "1e-6", "--from", "2024-01-01"),
        *("--to", last, *more),
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_it_is_said_once_and_beside_the_answer(folder):
    first = watch(folder, "--store", "days.db")
    assert first.returncode == 0
    assert first.stderr.endswith(NEW)
    assert first.stdout == "found,day,region\n1,2024-01-02,north\n"
    again = watch(folder, "--store", "days.db", last="2024-01-03")
    assert again.returncode == 0
    assert NEW not in again.stderr
    (folder / "days.db").unlink()
    assert NEW in watch(folder, "--store", "days.db").stderr


def test_where_no_store_is_made_nothing_is_said(folder):
    assert NEW not in watch(folder).stderr
    dry = watch(folder, "--store", "days.db", "--dry-run")
    assert dry.returncode == 0
    assert NEW not in dry.stderr
    assert not (folder / "days.db").exists()
    refused = watch(folder, "--store", "days.db", "--where", "nothing > 1")
    assert refused.returncode == 2
    assert NEW not in refused.stderr


def test_it_is_said_of_a_store_whose_answer_nobody_took(folder):
    told = watch(folder, "--store", "days.db", "--out", "/dev/full")
    assert (folder / "days.db").exists() == (NEW in told.stderr)
