"""A ledger that does not go on from what was seen of it is refused before anything is drawn."""

import contextlib
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import overbar

COUNTS = {"tea": 9_000, "rum": 2}
OVERBAR = [sys.executable, "-m", "overbar"]
SALES = "customer,product\n" + "".join(f"c{number},tea\n" for number in range(2_000))
TOP = "top sales.csv --item product --person customer --catalogue tea,rum --cutoff 1 --epsilon 0.7"


def kept(path, name):
    """Copy a ledger as it is now."""
    copy = path.with_name(name)
    with (
        contextlib.closing(sqlite3.connect(path)) as here,
        contextlib.closing(sqlite3.connect(copy)) as there,
    ):
        here.backup(there)
    return copy


def put_back(copy, path):
    """Bring back an older state of a ledger."""
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    shutil.copy(copy, path)


def asked(ledger, purpose=""):
    booking = ledger.booking("sales", purpose=purpose)
    return overbar.select(COUNTS, threshold=500, cutoff=1, epsilon="0.7", booking=booking)


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "budget.db"
    overbar.Ledger(found).open("sales", epsilon=1)
    return found


def test_an_older_copy_under_a_ledger_is_not_spent_from(path):
    ledger = overbar.Ledger(path)
    early, fresh = ledger.head, kept(path, "fresh.db")
    asked(ledger)
    put_back(fresh, path)
    for use in (asked, overbar.Ledger.verify, lambda one: one.remaining("sales")):
        with pytest.raises(overbar.LedgerError, match=r"row 3, .* an older copy was put back"):
            use(ledger)
    anew = overbar.Ledger(path)  # who has seen nothing cannot tell: the control
    assert anew.head == early
    asked(anew)


def test_rows_of_others_are_no_older_copy(path):
    one, other = overbar.Ledger(path), overbar.Ledger(path)
    for turn in range(3):
        for ledger in (one, other):
            ledger.open(f"{turn} {ledger is one}", epsilon=1)
    assert one.head == other.head


def test_another_history_of_as_many_rows_is_not_spent_from(path):
    ledger, fresh = overbar.Ledger(path), kept(path, "fresh.db")
    asked(ledger)
    put_back(fresh, path)
    asked(overbar.Ledger(path), "another")
    with pytest.raises(overbar.LedgerError, match="an older copy was put back"):
        asked(ledger)


def test_a_head_that_was_written_down_is_held_against_a_ledger(path):
    fresh, opened = kept(path, "fresh.db"), overbar.Ledger(path).head
    asked(overbar.Ledger(path, head=opened))
    paid = overbar.Ledger(path, head=opened).head  # it goes on from an earlier head
    assert overbar.Ledger(path, head=paid).remaining("sales") < 1
    put_back(fresh, path)
    with pytest.raises(overbar.LedgerError, match=rf"the head {paid} is not in it"):
        asked(overbar.Ledger(path, head=paid))
    assert overbar.Ledger(path).head == opened


def test_a_head_makes_no_ledger_and_has_64_signs(tmp_path):
    path = tmp_path / "new.db"
    with pytest.raises(overbar.LedgerError, match="there is no ledger"):
        overbar.Ledger(path, head="0" * 64)
    assert not path.exists()
    overbar.Ledger(path)
    for bad in ("82f9", "x" * 64, 3):
        with pytest.raises(overbar.ParameterError, match="head must be the 64 signs"):
            overbar.Ledger(path, head=bad)


def typed(folder, words):
    return subprocess.run(
        [*OVERBAR, *words.split()], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "spending",
    [
        f"{TOP} --ledger budget.db --dataset sales",
        "ledger spend budget.db sales --epsilon 0.7 --neighbours person",
    ],
)
def test_commands_that_spend_take_a_head(path, spending):
    folder = path.parent
    Path(folder, "sales.csv").write_text(SALES)
    fresh, opened = kept(path, "fresh.db"), overbar.Ledger(path).head
    done = typed(folder, f"{spending} --head {opened}")
    assert done.returncode == 0, done.stderr
    paid = overbar.Ledger(path).head
    put_back(fresh, path)
    refused = typed(folder, f"{spending} --head {paid}")
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert refused.stderr.startswith("overbar: ")
    assert f"the head {paid} is not in it" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert overbar.Ledger(path).head == opened  # nothing was paid, and so nothing drawn
    assert typed(folder, spending).returncode == 0  # without a head nobody can tell: the control


def test_a_head_is_for_a_ledger_and_has_64_signs_where_it_is_typed(path):
    Path(path.parent, "sales.csv").write_text(SALES)
    alone = typed(path.parent, f"{TOP} --head {'0' * 64}")
    assert (alone.returncode, alone.stdout) == (2, "")
    assert alone.stderr == "overbar: --head goes with --ledger FILE\n"
    short = typed(path.parent, f"{TOP} --ledger budget.db --dataset sales --head 82f9")
    assert (short.returncode, short.stdout) == (2, "")
    assert short.stderr.startswith("overbar: --head must be the 64 signs")
