"""No output, file, page, log line or error of any command holds a true count or sum.

The data have counts and sums that cannot occur by accident, and everything that comes out is
searched for them in every form they could take.
"""

from __future__ import annotations

import logging
import os
import re
import struct
from pathlib import Path

import duckdb
import pytest

from tests.frozen import seam

#: How many customers bought what. Five digits, so that none appears by accident.
COUNTS = {"tea": 17_389, "rum": 15_013, "ale": 12_553, "gin": 11_177, "mead": 10_837}
#: What a few customers spent in all, each at most 1,000.
SUMS = {"silk": 104_729, "wool": 130_363, "lace": 155_921}
SOURCES = ("counts.csv", "counts.parquet", "sums.csv", "sums.parquet", "broken.parquet", "few.csv")
ASK = ["--item", "product", "--person", "customer", "--cutoff", "2", "--epsilon", "1"]
LIST = ["--catalogue", "products.txt"]
UNLISTED = ["--delta", "1e-6", "--items-per-person", "5", "--candidates", "9"]
SUM = ["--value", "amount", "--value-range", "0,1000"]
COUNT = [*ASK, "--threshold", "14000"]
FILES = ["--out", "a.csv", "--out", "a.json", "--out", "a.parquet", "--out", "a.html", "--force"]

GOOD = [
    ["select", "counts.csv", *COUNT, *LIST, *FILES],
    ["select", "counts.parquet", *COUNT, *LIST, "--format", "json"],
    ["select", "counts.parquet", *COUNT, *UNLISTED, *FILES, "--format", "table"],
    ["select", "sums.csv", *ASK, *SUM, "--threshold", "120000", *LIST, *FILES],
    ["select", "sums.parquet", *ASK, *SUM, "--threshold", "120000", *LIST, "--format", "table"],
    ["top", "counts.parquet", *ASK, *LIST, *FILES],
    ["top", "sums.parquet", *ASK, *SUM, *LIST, "--format", "json"],
    ["select", "counts.csv", *ASK, *UNLISTED, "--threshold", "1"],  # keys are found first
    ["select", "counts.csv", *COUNT, *LIST, "--dry-run"],
]
PAID = [
    ["ledger", "open", "budget.db", "sales", "--epsilon", "3"],
    ["select", "counts.csv", *COUNT, *LIST, "--ledger", "budget.db", "--dataset", "sales", *FILES],
    *[
        [
            "select",
            "counts.csv",
            *COUNT,
            *LIST,
            "--ledger",
            "budget.db",
            "--dataset",
            "sales",
            "--request",
            "monday",
            "--format",
            "json",
        ]
    ]
    * 2,
    ["ledger", "show", "budget.db", "sales"],
    ["ledger", "verify", "budget.db"],
]
BAD = [
    ["select", "counts.csv", "--item", "prodct", *COUNT[2:], *LIST],
    ["select", "counts.csv", *COUNT, *LIST, "--memory", "1MB"],
    ["select", "counts.csv", *COUNT, *LIST, "--epsilon", "0"],
    ["select", "counts.csv", *COUNT, *LIST, "--out", "no/a.csv"],
    ["select", "broken.parquet", *COUNT, *LIST],
    ["select", "counts.parquet", *COUNT, *LIST, "--input-format", "sqlite", "--table", "sales"],
    [
        "select",
        "sums.parquet",
        *ASK,
        "--value",
        "product",
        "--value-range",
        "0,9",
        "--threshold",
        "1",
        *LIST,
    ],
    ["top", "counts.csv", *ASK],
]


def traces(value):
    """Every form in which a number could come out, in steps of a grid too."""
    found = set()
    for number in (value * steps for steps in (1, 2, 4, 8, 16, 32)):
        words = {str(number), f"{number:,}", f"{number:_}", hex(number)[2:]}
        found |= {word.encode() for word in words}
        # A float of four bytes could be anything; two bytes and zeros as well.
        found |= {struct.pack(form, number) for form in ("<i", ">i", "<q", ">q", "<d", ">d")}
    return {form for form in found if len(set(form) - {0}) > 2}


SECRETS = {form: value for value in (*COUNTS.values(), *SUMS.values()) for form in traces(value)}


def found_in(content):
    """Return the counts that stand in it. Hashes are passed over: by chance they hold anything."""
    content = re.sub(rb"[0-9a-f]{32,}", b"#", content)
    return sorted({SECRETS[form] for form in SECRETS if form in content})


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    with duckdb.connect() as engine:
        parts = [
            f"select '{name}' as product, range as customer from range({count})"
            for name, count in COUNTS.items()
        ]
        engine.execute("create table counts as " + " union all ".join(parts))
        parts = [
            f"select '{name}' as product, range as customer, "
            f"{total // 200} + (range < {total % 200})::int as amount from range(200)"
            for name, total in SUMS.items()
        ]
        engine.execute("create table sums as " + " union all ".join(parts))
        for name in ("counts", "sums"):
            engine.execute(f"copy {name} to '{name}.csv'")
            engine.execute(f"copy {name} to '{name}.parquet' (format parquet)")
    whole = Path("counts.parquet").read_bytes()
    Path("broken.parquet").write_bytes(whole[: len(whole) // 2] + b"\0" * 99 + whole[-400:])
    Path("products.txt").write_text("\n".join([*COUNTS, *SUMS, "sake"]) + "\n")
    return tmp_path


def everything(commands, caplog):
    """Run commands and return all that came out: streams, logs and files."""
    pieces = []
    with caplog.at_level(logging.DEBUG):
        for arguments in commands:
            result = seam.command(*arguments)
            pieces += [result.stdout_bytes, result.stderr_bytes]
            pieces += [
                Path(folder, name).read_bytes()
                for folder, _, names in os.walk(".")
                for name in names
                if name not in SOURCES
            ]
            yield arguments, result, b"\n".join(pieces)
            pieces.clear()
    yield [], None, caplog.text.encode()


def test_nothing_that_comes_out_holds_a_count(here, caplog):
    for arguments, result, content in everything(GOOD, caplog):
        assert result is None or result.exit_code == 0, result.output
        assert found_in(content) == [], arguments


def test_no_error_holds_a_count(here, caplog):
    for arguments, result, content in everything(BAD, caplog):
        assert result is None or result.exit_code == 2, arguments
        assert found_in(content) == [], arguments


def test_no_ledger_holds_a_count(here, caplog):
    for arguments, result, content in everything(PAID, caplog):
        assert result is None or result.exit_code == 0, result.output
        assert found_in(content) == [], arguments


@pytest.mark.parametrize("leak", ["print", "log", "file"])
def test_control_a_leak_is_found(here, caplog, monkeypatch, leak):
    """A twin that lets one count out, in any of three ways, is caught by the same search."""

    def let_out(scores):
        steps = max(scores)
        if leak == "print":
            print(steps)
        elif leak == "log":
            logging.getLogger("overbar").debug("best %s", steps)
        else:
            Path("spill.bin").write_bytes(struct.pack("<q", steps))

    seam.overheard(monkeypatch, let_out)
    pieces = [content for _, _, content in everything(GOOD[:1], caplog)]
    assert found_in(b"".join(pieces)) != []


def test_control_the_data_themselves_hold_nothing_to_be_found_by_accident(here):
    """What is found is a leak: neither the catalogue nor the help hold these numbers."""
    assert found_in(Path("products.txt").read_bytes()) == []
    assert found_in(seam.command("select", "--help").stdout_bytes) == []
