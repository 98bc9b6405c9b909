"""An answer that is paid for and that standard output does not take: said, and not lost."""

from __future__ import annotations

import errno
import subprocess
import tempfile
from pathlib import Path

import pytest

import overbar
from tests.cli.shop import COMMAND, HIGH, PAID, labels, run
from tests.prepared import program

pytestmark = pytest.mark.one_in(3)

KEYS = [
    *("--item", "product", "--person", "customer", "--epsilon", "1", "--delta", "1e-6"),
    *("--ledger", "budget.db", "--dataset", "sales"),
]


@pytest.fixture
def paid(here):
    overbar.Ledger("budget.db").open("sales", epsilon=9, delta="1e-3")
    return lambda: overbar.Ledger("budget.db").show("sales").left


def shell(*arguments, end="", command=None):
    script = f'"$@" {end}; exit ${{PIPESTATUS[0]}}'
    typed = ["bash", "-c", script, "overbar", *(command or [program()]), *map(str, arguments)]
    return subprocess.run(typed, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("form", "end", "code"),
    [("csv", "> /dev/full", 2), ("table", "> /dev/full", 2), ("csv", "| (exec <&-; sleep 3)", 141)],
)
def test_the_answer_comes_beside_where_standard_output_takes_none(paid, form, end, code):
    # A process of its own: how it ends is a part of this.
    done = shell("select", "sales.csv", *PAID, "--format", form, end=end, command=COMMAND)
    assert done.returncode == code
    first, *rest = done.stderr.splitlines()
    assert first.startswith("overbar: standard output cannot be written (")
    assert first.endswith("The answer is spent, and here it is")
    assert set(labels("\n".join(line for line in rest if "overbar:" not in line))) == HIGH
    assert "unexpected" not in done.stderr
    assert done.stderr.count("overbar:") == 1  # said once


def test_a_request_and_files_have_it_again(paid):
    asked = ["select", "sales.csv", *PAID, "--request", "r1"]
    done = shell(*asked, end="> /dev/full")
    assert "The answer is spent, and the same --request gives it again" in done.stderr
    left = paid()
    assert set(labels(run(*asked).stdout)) == HIGH
    assert paid() == left
    done = shell(*asked, "--out", "a.csv", end="> /dev/full")
    assert "The answer is spent, and the files have it" in done.stderr
    assert set(labels(Path("a.csv").read_text())) == HIGH


def test_keys_and_bookings_say_what_is_spent(paid):
    done = shell("keys", "sales.csv", *KEYS, end="> /dev/full")
    assert "The answer is spent, and here it is" in done.stderr
    booked = ("ledger", "spend", "budget.db", "sales", "--epsilon", "1", "--neighbours", "person")
    done = shell(*booked, end="> /dev/full")
    assert done.returncode == 2
    assert "epsilon 1 is spent, in row " in done.stderr


@pytest.mark.parametrize("end", [">&-", ">&- 2>&-"])
def test_closed_output_is_refused_before_anything_is_paid(paid, end):
    before = paid()
    done = shell("select", "sales.csv", *PAID, end=end, command=COMMAND)
    assert done.returncode == 2
    assert paid() == before
    if end == ">&-":
        assert done.stderr.startswith("overbar: standard output is closed; write > FILE")
        assert len(done.stderr.splitlines()) == 1


def test_errors_that_nobody_hears_are_no_errors(paid):
    done = shell("select", "sales.csv", *PAID, end="2> /dev/full")
    assert set(labels(done.stdout)) == HIGH
    assert done.returncode == 0


def test_a_full_disk_is_found_before_anything_is_paid(paid, monkeypatch):
    def full(**_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    before = paid()
    done = run("select", "sales.csv", *PAID, "--out", "a.csv")
    assert done.exit_code == 2
    assert "cannot be written to: No space left on device" in done.stderr
    assert paid() == before
