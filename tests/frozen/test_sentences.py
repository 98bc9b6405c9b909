"""What is said beside an answer where it would be misunderstood without."""

import subprocess
import sys
from pathlib import Path

import pytest

import overbar

OVERBAR = [sys.executable, "-m", "overbar"]
TOP = "top sales.csv --item product --person customer --cutoff 2 --epsilon 1"
LESS_OFTEN = "At one place, where many items have nearly the same number"
APOSTROPHE = "1 label has an apostrophe in the CSV"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    products = ("=tea", "rum", "-1.5")
    rows = "".join(f"c{number},{products[number % 3]}\n" for number in range(6_000))
    Path("sales.csv").write_text(f"customer,product\n{rows}")
    Path("few.txt").write_text("=tea\nrum\nale\n")
    Path("plain.txt").write_text("-1.5\nrum\nale\n")


def said(words):
    done = subprocess.run([*OVERBAR, *words.split()], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize(
    ("more", "is_said"),
    [
        ("--items-per-person 1 --counts", True),
        ("--counts", False),
        ("--items-per-person 1", False),
    ],
    ids=["a histogram", "fresh noise", "no counts"],
)
def test_intervals_of_a_histogram_hold_over_all_answers(more, is_said):
    said(f"{TOP} --catalogue few.txt {more} --out report.html")
    words = " ".join(Path("report.html").read_text().split())
    assert (LESS_OFTEN in words) is is_said
    assert ("Each interval holds the true number" in words) is ("--counts" in more)


@pytest.mark.parametrize(
    ("more", "is_said"),
    [
        ("--catalogue few.txt", True),
        ("--catalogue few.txt --format table --out answer.csv", True),
        ("--catalogue few.txt --format table", False),
        ("--catalogue few.txt --format json --out answer.parquet", False),
        ("--catalogue plain.txt", False),  # a number is none
    ],
)
def test_a_label_that_a_csv_changes_is_told(more, is_said):
    done = said(f"{TOP} {more}")
    assert (APOSTROPHE in done.stderr) is is_said
    assert done.stderr.count("apostrophe") == is_said
    written = done.stdout + (Path("answer.csv").read_text() if "answer.csv" in more else "")
    assert ("'=tea" in written) is is_said


def test_runs_over_the_same_persons_cite_what_lets_them_take_turns():
    words = " ".join(overbar.SparseVectors.__doc__.split())
    assert "concurrent composition" in words
    for article in ("arXiv:2207.08335", "arXiv:2309.05901"):
        assert article in words
