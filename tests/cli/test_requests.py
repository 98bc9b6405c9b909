"""A request id belongs to a question: the same file by any name, and no other file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import overbar
from tests.cli.shop import PAID, labels, run


@pytest.fixture
def ledger(here):
    """A ledger, and a table that is no link."""
    shutil.copy("sales.csv", "mine.csv")
    Path("link.csv").symlink_to("mine.csv")
    Path("folder").mkdir()
    Path("folder/again.csv").symlink_to("../link.csv")
    shutil.copy("sales.csv", "folder/mine.csv")
    book = overbar.Ledger("budget.db")
    book.open("sales", epsilon=2)
    return book


def test_the_same_file_by_another_name_is_the_same_question(ledger, here, monkeypatch):
    first = run("select", "mine.csv", *PAID, "--request", "monday")
    assert first.exit_code == 0, first.stderr
    for name in ("./mine.csv", "folder/../mine.csv", here / "mine.csv", "link.csv", "mi*.csv",
                 "folder/again.csv"):  # fmt: skip
        again = run("select", name, *PAID, "--request", "monday")
        assert again.exit_code == 0, again.stderr
        assert again.stdout == first.stdout
        assert "nothing spent now" in again.stderr
    monkeypatch.chdir("folder")
    elsewhere = [f"../{one}" if one in ("budget.db", "products.txt") else one for one in PAID]
    again = run("select", "../mine.csv", *elsewhere, "--request", "monday")
    assert again.exit_code == 0, again.stderr
    assert ledger.remaining("sales") == 1


@pytest.mark.one_in(3)
@pytest.mark.parametrize("purpose", [[], ["--purpose", "the weekly list"]])
@pytest.mark.parametrize(
    "other",
    [
        ["folder/mine.csv"],
        ["sales.csv"],
        ["mine.csv", "folder/mine.csv"],
        ["mine.csv", "--decimal-comma"],
        ["sales.parquet"],
        ["shop.db", "--table", "sales"],
    ],
)
def test_another_file_is_another_question(ledger, purpose, other):
    first = run("select", "mine.csv", *PAID, *purpose, "--request", "monday")
    assert first.exit_code == 0, first.stderr
    result = run("select", *other, *PAID, *purpose, "--request", "monday")
    assert result.exit_code == 2
    assert "request 'monday' was made before with another" in result.stderr
    assert ledger.remaining("sales") == 1


def test_data_and_ledger_may_move_together(ledger, here, tmp_path_factory, monkeypatch):
    first = run("select", "mine.csv", *PAID, "--request", "monday")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("mine.csv", "products.txt", "budget.db"):
        shutil.copy(name, elsewhere)
    monkeypatch.chdir(elsewhere)
    again = run("select", "mine.csv", *PAID, "--request", "monday")
    assert again.exit_code == 0, again.stderr
    assert labels(again.stdout) == labels(first.stdout)


def test_no_path_of_the_machine_is_stored(ledger, here):
    result = run("select", here / "folder" / ".." / "mine.csv", *PAID, "--request", "monday")
    assert result.exit_code == 0, result.stderr
    entry = ledger.show("sales").entries[0]
    assert entry.purpose == "number of customer for each product, in mine.csv"
    content = Path("budget.db").read_bytes()
    assert os.fsencode(str(here)) not in content


def test_a_purpose_made_up_is_short_and_clean(ledger):
    """It was refused, but only after a dry run had said yes."""
    names = [f"part-of-the-sales-{n:04}.csv" for n in range(150)]
    for name in names:
        Path(name).write_text("customer,product\x1b[31m\nann,tea\n")
    ask = ["product\x1b[31m" if one == "product" else one for one in PAID]
    dry = run("select", *names, *ask, "--dry-run")
    assert dry.exit_code == 0, dry.stderr
    result = run("select", *names, *ask, "--format", "json")
    assert result.exit_code == 0, result.stderr
    purpose = ledger.show("sales").entries[0].purpose
    assert len(purpose) <= 400
    assert purpose.isprintable()
    assert purpose.endswith("part-of-the-sales-0002.csv and 147 more")


@pytest.mark.parametrize(
    ("option", "value"), [("--purpose", "x" * 2001), ("--purpose", "\x1b[31m"), ("--request", " ")]
)
def test_words_that_a_ledger_refuses_are_refused_in_a_dry_run_too(ledger, option, value):
    result = run("select", "mine.csv", *PAID, option, value, "--dry-run")
    assert result.exit_code == 2
    assert f"{option} must be" in result.stderr
    assert "\x1b" not in result.stderr
