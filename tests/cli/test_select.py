"""`overbar select` and `overbar top` from outside: what comes out, what is refused, and when."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import overbar
from overbar.cli import app
from tests.cli.shop import (
    ASK,
    BOUGHT,
    HIGH,
    LISTED,
    RUNNER,
    SELECT,
    UNLISTED,
    labels,
    run,
)
from tests.queue_plans import queue_plan


@pytest.mark.parametrize(
    "source",
    [
        ["sales.csv"],
        ["sales.parquet"],
        ["sales.jsonl"],
        ["shop.duckdb", "--table", "sales"],
        ["shop.db", "--table", "sales"],
    ],
    ids=lambda source: source[0],
)
def test_every_kind_of_table_gives_the_answer(here, source):
    result = run("select", *source, *LISTED)
    assert result.exit_code == 0, result.output
    assert set(labels(result.stdout)) == HIGH


def test_a_range_for_catalogue(here):
    lines = [f"{c},{i}" for i, n in enumerate(BOUGHT.values()) for c in range(n)]
    Path("numbered.csv").write_text("\n".join(["customer,product", *lines, ""]))
    listed = [*LISTED[: LISTED.index("--catalogue")], "--catalogue", "0..99"]
    result = run("select", "numbered.csv", *listed)
    assert result.exit_code == 0, result.output
    found = {row["product"] for row in csv.DictReader(io.StringIO(result.stdout))}
    assert found == {"0", "1", "2"}


def test_without_a_catalogue(here):
    result = run("select", "sales.parquet", *UNLISTED, "--format", "json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert set(answer["labels"]) == HIGH
    assert 0 < answer["guarantee"]["unlisted_delta"] < 1e-6
    assert float(answer["guarantee"]["delta"]) == answer["guarantee"]["unlisted_delta"]
    assert answer["question"]["listed_items"] is None


def test_without_a_catalogue_nothing_is_called_pure(here):
    """However high the threshold: the δ may be below every float, but it is there."""
    high = [*UNLISTED, "--threshold", "1000000"]
    result = run("select", "sales.parquet", *high, "--format", "json", "--out", "page.html")
    assert result.exit_code == 0, result.output
    assert 0 < float(json.loads(result.stdout)["guarantee"]["delta"]) < 1e-300
    assert "(ε, δ)" in json.loads(result.stdout)["guarantee"]["statement"]
    assert "pure differential privacy" not in (here / "page.html").read_text()
    assert "Proved: PureDP" not in (here / "page.html").read_text()
    for more in (["--format", "table"], ["--dry-run"]):
        said = " ".join(run("select", "sales.parquet", *high, *more).output.split())
        assert "(ε, δ)-differential privacy with ε = 1 and δ = " in said
        assert "pure differential" not in said


def test_sums_and_scores(here):
    sums = ["--value", "amount", "--value-range", "0,4", "--catalogue", "products.txt"]
    result = run("select", "sales.csv", *ASK, "--threshold", "4000", *sums)
    assert result.exit_code == 0, result.output
    assert set(labels(result.stdout)) == HIGH
    scores = ["--item", "product", "--score", "n", "--sensitivity", "0,1"]
    numbers = ["--cutoff", "3", "--epsilon", "1", "--threshold", "1500", "--candidates", "6"]
    result = run("select", "n.csv", *scores, *numbers)
    assert result.exit_code == 0, result.output
    assert set(labels(result.stdout)) == HIGH


def test_top(here):
    result = run("top", "sales.parquet", *ASK, "--catalogue", "products.txt")
    assert result.exit_code == 0, result.output
    assert labels(result.stdout) == ["tea", "rum é", "a, b"]
    refused = run("top", "sales.parquet", *ASK)
    assert refused.exit_code == 2
    assert "--delta must be positive without a catalogue" in refused.output


def test_without_a_list_keys_come_first_and_it_says_so(here):
    """At ε = 1 the keys of 2,500 persons are far above the bar, and those of 90 are below them."""
    asked = [*ASK, "--delta", "1e-9"]
    result = run("top", "sales.parquet", *asked)
    assert result.exit_code == 0, result.output
    assert labels(result.stdout) == ["tea", "rum é", "a, b"]
    said = "3 of at most 3 found among keys that were found first, from the same budget; (ε, δ)-"
    assert said in result.stderr
    dry = run("top", "no-such-file.csv", *asked, "--dry-run")
    assert dry.exit_code == 0, dry.output
    words = " ".join(dry.stdout.split())
    assert "among keys that are found first" in words
    assert "There is no catalogue, so keys that many persons hold are found first" in words
    assert "persons or more come out" in words


def test_the_top_asked_in_turn(here):
    """A plan has the number that no score exceeds; without it nobody knows where the bar is."""
    ask = ["top", "sales.parquet", *ASK[:4], "--catalogue", "products.txt", "--plan"]
    numbers = ["plan", "--top", *ASK[4:], "--mechanism", "sparse-vector", "--out"]
    for bound, code in (([], 2), (["--upper-bound", "4000"], 0)):
        assert run(*numbers, f"{code}.json", *bound).exit_code == 0
        result = run(*ask, f"{code}.json")
        assert result.exit_code == code, result.output
    assert labels(result.stdout) == ["tea", "rum é", "a, b"]
    assert "--upper-bound must be given" in run(*ask, "2.json").output


def test_a_plan_from_a_file(here):
    plan = queue_plan(epsilon="1/2", cutoff=3, monotonic=True, candidates=8)
    Path("plan.json").write_text(plan.to_json())
    base = ["--item", "product", "--person", "customer", "--threshold", "1500"]
    base += ["--catalogue", "products.txt", "--plan", "plan.json"]
    result = run("select", "sales.csv", *base, "--format", "json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert overbar.Plan.from_json(json.dumps(answer["plan"])) == plan
    assert answer["guarantee"]["epsilon"] == "0.5"
    refused = run("select", "sales.csv", *base, "--epsilon", "1")
    assert refused.exit_code == 2
    assert "a plan brings its own numbers" in refused.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.csv", *LISTED], "there is no file no.csv"),
        (["sales.csv", "--item", "produkt", *LISTED[2:]], "--header-row 0 if there are none"),
        (["sales.parquet", "--item", "produkt", *LISTED[2:]], "did you mean 'product'?"),
        (["sales.csv", *LISTED, "--out", "a.xls"], "--out must end in one of"),
        (["sales.csv", *LISTED, "--out", "no/a.csv"], "there is no folder no"),
        (["sales.csv", *LISTED, "--out", "a.csv", "--out", "a.csv"], "must be named once"),
        (["sales.csv", *LISTED, "--format", "xml"], "--format must be one of"),
        (["sales.csv", *LISTED, "--memory", "lots"], "--memory must be a size"),
        (["sales.csv", *LISTED, "--epsilon", "-1"], "epsilon must be positive, got '-1'"),
        (["sales.csv", *LISTED, "--epsilon", "one"], "epsilon must be a number such as"),
        (["sales.csv", *LISTED, "--cutoff", "0"], "cutoff must be a positive whole number"),
        (["sales.csv", *LISTED, "--catalogue", "no.txt"], "there is no file no.txt"),
        (["sales.csv", *LISTED, "--dataset", "x"], "--dataset goes with --ledger"),
        (["sales.csv", *LISTED, "--ledger", "b.db"], "--ledger needs --dataset"),
        (["sales.csv", *LISTED, "--ledger", "b.db", "--dataset", "x"], "there is no ledger b.db"),
        (["sales.csv", *SELECT], "Give --delta 1e-6 and --candidates (about how many there are"),
        (["sales.csv", *SELECT, "--delta", "1e-6"], "--candidates must be given without a"),
        (["sales.csv", *LISTED, "--epsilon", "0,5"], "got '0,5': write 0.5"),
        (["sales.csv", *LISTED, "--cutoff", "1.000"], "got '1.000': write 1000 for thousands"),
        (["sales.csv", *ASK], "--threshold must be given"),
        (["sales.csv", "--person", "customer"], "--item must name the column"),
        (["sales.csv"], "--item and --person must name columns"),
        (["sales.csv", *ASK[:4]], "these must be given: --threshold (the public level to be above"),
        (["sales.csv", *ASK[:4], "-t", "5", "-c", "3"], "--epsilon must be given: the privacy"),
        (["sales.csv", *SELECT, "--items-per-person", "6"], "--delta must be positive without"),
        (["sales.csv", *UNLISTED[:-2]], "--candidates must be given without a catalogue"),
        (["sales.parquet", *LISTED, "--decimal-comma"], "--decimal-comma goes with csv, tsv"),
        (["sales.csv", *LISTED, "--value-range", "5"], "--value-range must be two numbers"),
        (["sales.csv", *LISTED, "--value-range", "auto"], "known before a look at the data"),
        (["sales.csv", *LISTED, "--items-per-person", "auto"], "--items-per-person must be a num"),
        (["sales.csv", *LISTED, "--value-range", "0,5,9"], "with one comma between them"),
        (
            ["sales.csv", *LISTED, "--value", "amount"],
            "--value and --value-range LOW,HIGH must be given together: the range is public and "
            "bounds what one person adds to one item. A good range is known before a look at the "
            "data: what a value could be at most. It is so wide that few lie outside, and no "
            "wider, as noise grows with its width",
        ),
        (["sales.csv", *LISTED, "--order", "given"], "No such option"),
        (["sales.csv", "--nonsense"], "No such option"),
        ([], "Missing argument"),
    ],
)
def test_bad_use_is_one_line_and_touches_nothing(here, arguments, message):
    before = sorted(os.listdir())
    result = run("select", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.output
    assert sorted(os.listdir()) == before


def test_too_small_a_delta_is_refused_with_three_things_to_change(here):
    run("plan", *ASK[4:], "--candidates", "10", "--mechanism", "sparse-vector", "--out", "p.json")
    few = ["--threshold", "20", "--delta", "1e-9", "--items-per-person", "6", "--plan", "p.json"]
    result = run("select", "sales.csv", *ASK[:4], *few)
    assert result.exit_code == 2
    for thing in (
        "Change one of three things",
        "raise the threshold",
        "--items-per-person",
        "delta",
    ):
        assert thing in result.output


def test_a_dry_run_touches_no_data(here, monkeypatch):
    """The table does not exist, and nothing that could read it is called."""
    from overbar.cli.tables import source

    def touched(*arguments, **options):
        raise AssertionError("a dry run has opened the table")

    monkeypatch.setattr(source.Source, "open", touched)
    monkeypatch.setattr(duckdb, "connect", touched)
    result = run("select", "not-there.parquet", *UNLISTED, "--dry-run", "--format", "table")
    assert result.exit_code == 0, result.output
    for word in ("δ′", "differential privacy", "noise of scale", "no data was touched"):
        assert word in result.output
    assert run("top", "not-there.csv", *ASK, "--catalogue", "0..9", "--dry-run").exit_code == 0
    with pytest.raises(AssertionError, match="has opened"):  # control: a real run would
        RUNNER.invoke(app, ["select", "sales.csv", *LISTED], catch_exceptions=False)


def test_no_pandas_is_imported_for_a_table_that_is_not_its_own(here):
    """It takes a second. Arrow imports it by the way, where one of its arrays becomes NumPy's."""
    (here / "gaps.csv").write_bytes((here / "sales.csv").read_bytes() + b"\n\n\r\n")
    ask = ["gaps.csv", *LISTED]
    code = (
        "import sys\nfrom overbar.cli import main\ntry:\n    main()\n"
        "except SystemExit:\n    pass\nassert 'pandas' not in sys.modules"
    )
    for verb in (["select", *ask], ["check", "gaps.csv", *ask[1:5]]):
        done = subprocess.run(
            [sys.executable, "-c", code, *verb], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout
