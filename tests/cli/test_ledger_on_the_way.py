"""A release that a ledger pays opens its file three times, and no history is read for it."""

import sqlite3
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

import overbar
from overbar.cli import main
from overbar.ledger import charges
from overbar.ledger.rows import Rows

SELECT = (
    "overbar select sales.csv --item product --person customer --catalogue products.txt "
    "--threshold 500 --cutoff 3 --epsilon 1/4 --ledger x.db --dataset sales --out page.html"
)
KEYS = (
    "overbar keys sales.csv --item product --person customer --epsilon 1/4 --delta 1e-7 "
    "--ledger x.db --dataset sales --out page.html"
)


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """Count what is done to a ledger of a small table, with some history."""
    monkeypatch.chdir(tmp_path)
    rows = [f"customer {n},{name}" for name in ("tea", "rum") for n in range(900)]
    (tmp_path / "sales.csv").write_text("\n".join(["customer,product", *rows]) + "\n")
    (tmp_path / "products.txt").write_text("tea\nrum\nale\n")
    ledger = overbar.Ledger("x.db")
    ledger.open("sales", epsilon=2, delta="1e-6")
    for _ in range(3):
        ledger.booking("sales").spend(epsilon="1/100", neighbours="person")
    ledger.open("other", epsilon=1)
    counts = Counter()
    real, proved, rows_read = sqlite3.connect, charges.proved_about, Rows.all

    def connect(path, *others, **more):
        counts["opened"] += "x.db" in str(path)
        return real(path, *others, **more)

    def guarantee(plan):
        counts["guarantee"] += 1
        return proved(plan)

    def read(self):
        counts["history"] += 1
        return rows_read(self)

    monkeypatch.setattr(sqlite3, "connect", connect)
    monkeypatch.setattr(charges, "proved_about", lru_cache(maxsize=64)(guarantee))
    monkeypatch.setattr(Rows, "all", read)
    return counts


@pytest.mark.parametrize("command", [SELECT, f"{SELECT} --request monday", KEYS])
def test_a_ledger_is_opened_three_times_and_its_history_is_not_read(counted, monkeypatch, command):
    monkeypatch.setattr("sys.argv", command.split())
    with pytest.raises(SystemExit) as caught:
        main()
    assert not caught.value.code
    assert counted["opened"] <= 3
    assert counted["history"] == 0
    assert counted["guarantee"] <= 1
    assert "one more run for " in Path("page.html").read_text(encoding="utf-8")
