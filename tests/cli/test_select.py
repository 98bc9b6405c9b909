"""`overbar select` and `overbar top` from outside: what comes out, what is refused, and when."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import overbar
from overbar.cli import app

RUNNER = CliRunner()
COMMAND = [sys.executable, "-m", "overbar"]
SCRIPT = str(Path(sys.executable).parent / "overbar")

#: How many of 4,000 customers bought what: three far above 1,500, the others far below.
BOUGHT = {"tea": 3_600, "rum é": 3_000, "a, b": 2_500, "gin": 90, "mead": 40, "wine": 7}
CATALOGUE = [*BOUGHT, "grappa", "sake"]
HIGH = {"tea", "rum é", "a, b"}
ASK = ["--item", "product", "--person", "customer", "--cutoff", "3", "--epsilon", "1"]
SELECT = [*ASK, "--threshold", "1500"]
LISTED = [*SELECT, "--catalogue", "products.txt"]
UNLISTED = [*SELECT, "--delta", "1e-6", "--items-per-person", "6", "--candidates", "10"]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The same purchases in every kind of table."""
    folder = tmp_path_factory.mktemp("tables")
    rows = [(f"c{c}", item, 2 + c % 3) for item, n in BOUGHT.items() for c in range(n)]
    with (folder / "sales.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["customer", "product", "amount"])
        writer.writerows(rows)
    with duckdb.connect(str(folder / "shop.duckdb")) as engine:
        engine.execute(
            f"create table sales as select * from read_csv('{folder}/sales.csv', header=true)"
        )
        engine.execute(f"copy sales to '{folder}/sales.parquet' (format parquet)")
        engine.execute(f"copy sales to '{folder}/sales.jsonl' (format json)")
        engine.execute(
            f"copy (select product, count(*) as n from sales group by all) to '{folder}/n.csv'"
        )
    connection = sqlite3.connect(folder / "shop.db")
    connection.execute("create table sales (customer, product, amount)")
    connection.executemany("insert into sales values (?, ?, ?)", rows)
    connection.commit()
    connection.close()
    held = [[str(i) for i, n in enumerate(BOUGHT.values()) if c < n] for c in range(4_000)]
    (folder / "sales.dat").write_text("".join(" ".join(line) + "\n" for line in held))
    (folder / "products.txt").write_text("\n".join(CATALOGUE) + "\n")
    return folder


@pytest.fixture
def here(tables, tmp_path, monkeypatch):
    """An empty folder with links to the tables."""
    for path in tables.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def run(*arguments):
    return RUNNER.invoke(app, [str(one) for one in arguments])


def command(*arguments, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False, **options
    )


def labels(text):
    return [row["product"] for row in csv.DictReader(io.StringIO(text))]


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


def test_baskets_with_a_range_for_catalogue(here):
    numbers = ["--cutoff", "3", "--epsilon", "1", "--threshold", "1500", "--catalogue", "0..99"]
    result = run("select", "sales.dat", *numbers)
    assert result.exit_code == 0, result.output
    found = {row["item"] for row in csv.DictReader(io.StringIO(result.stdout))}
    assert found == {"0", "1", "2"}


def test_without_a_catalogue(here):
    result = run("select", "sales.parquet", *UNLISTED, "--format", "json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert set(answer["labels"]) == HIGH
    assert 0 < answer["guarantee"]["unlisted_delta"] < 1e-6
    assert answer["guarantee"]["total_delta"] == answer["guarantee"]["unlisted_delta"]
    assert answer["question"]["listed_items"] is None


def test_sums_and_scores(here):
    sums = ["--value", "amount", "--value-range", "0,4", "--catalogue", "products.txt"]
    result = run("select", "sales.csv", *ASK, "--threshold", "4000", *sums)
    assert result.exit_code == 0, result.output
    assert set(labels(result.stdout)) == HIGH
    scores = ["--item", "product", "--score", "n", "--sensitivity", "1", "--monotonic"]
    numbers = ["--cutoff", "3", "--epsilon", "1", "--threshold", "1500", "--candidates", "6"]
    result = run("select", "n.csv", *scores, *numbers)
    assert result.exit_code == 0, result.output
    assert set(labels(result.stdout)) == HIGH


def test_top(here):
    numbers = ["--upper-bound", "4000", "--catalogue", "products.txt"]
    result = run("top", "sales.parquet", *ASK, *numbers)
    assert result.exit_code == 0, result.output
    assert labels(result.stdout) == ["tea", "rum é", "a, b"]
    refused = run("top", "sales.parquet", *ASK, "--upper-bound", "4000")
    assert refused.exit_code == 2
    assert "--catalogue must be given: a public list" in refused.output
    refused = run("top", "sales.parquet", *ASK, "--catalogue", "products.txt")
    assert refused.exit_code == 2
    assert "--upper-bound must be given" in refused.output


def test_a_plan_from_a_file(here):
    plan = overbar.calibrate(epsilon="1/2", cutoff=3, monotonic=True, candidates=8)
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


def test_files_are_whole_and_hold_the_answer(here):
    names = ["answer.csv", "answer.json", "answer.parquet"]
    outs = [part for name in names for part in ("--out", name)]
    result = run("select", "sales.parquet", *LISTED, *outs)
    assert result.exit_code == 0, result.output
    shown = labels(result.stdout)
    assert labels(Path("answer.csv").read_text()) == shown
    answer = json.loads(Path("answer.json").read_text())
    assert answer["labels"] == shown
    assert Fraction(answer["spent"]) == 1
    rows = duckdb.sql("select product from 'answer.parquet' order by found").fetchall()
    assert [row[0] for row in rows] == shown
    assert not [path for path in here.iterdir() if path.name.startswith(".")]
    again = run("select", "sales.parquet", *LISTED, "--out", "answer.csv")
    assert again.exit_code == 2
    assert "answer.csv exists already; write --force" in again.output
    assert run("select", "sales.parquet", *LISTED, "--out", "answer.csv", "--force").exit_code == 0


def test_the_json_answer_has_exactly_these_fields(here):
    """Whatever is added here must be public."""
    numbers = ["--delta", "1e-6", "--cutoff", "200", "--format", "json"]
    result = run("select", "sales.csv", *LISTED, *numbers)
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert {name: sorted(part) for name, part in answer.items() if isinstance(part, dict)} == {
        "question": ["listed_items", "order", "score", "source", "threshold"],
        "plan": sorted(["overbar_plan", *overbar.Plan.__dataclass_fields__]),
        "guarantee": ["delta", "epsilon", "statement", "total_delta", "unlisted_delta"],
    }
    rest = {name for name, part in answer.items() if not isinstance(part, dict)}
    assert rest == {"overbar_answer", "overbar", "item", "labels", "spent", "ledger"}
    plan = overbar.Plan.from_json(json.dumps(answer["plan"]))
    assert Fraction(answer["guarantee"]["delta"]) == Fraction(1, 10**6)
    assert float(answer["guarantee"]["epsilon"]) == overbar.guarantee(plan).epsilon("1e-6") <= 1


def test_an_answer_that_cannot_be_written_is_on_the_screen(here, monkeypatch):
    """The disk fills up after the check: what was paid for is not lost."""
    from overbar.cli.outputs import saving

    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(saving, "write_whole", full)
    result = run("select", "sales.csv", *LISTED, "--out", "answer.csv")
    assert result.exit_code == 2
    assert set(labels(result.stdout)) == HIGH
    assert "answer.csv cannot be written: No space left on device" in result.stderr


def test_an_answer_survives_whatever_goes_wrong_with_a_file(here, monkeypatch):
    from overbar.cli.outputs import saving

    def broken(*_, **__):
        raise ZeroDivisionError("SECRET")

    monkeypatch.setattr(saving, "write_page", broken)
    result = run("select", "sales.csv", *LISTED, "--out", "a.csv", "--report", "a.html")
    assert result.exit_code == 2
    assert set(labels(result.stdout)) == set(labels(Path("a.csv").read_text())) == HIGH
    assert "a.html cannot be written: ZeroDivisionError; the answer is on" in result.stderr
    assert "SECRET" not in result.stderr


def test_an_answer_survives_a_ledger_that_is_gone(here, monkeypatch):
    """What is left of the budget is a line on a page; the answer is what was paid for."""
    overbar.Ledger("budget.db").open("sales", epsilon=1)

    def gone(*_):
        raise overbar.LedgerError("the disk is gone")

    monkeypatch.setattr(overbar.Ledger, "show", gone)
    result = run("select", "sales.csv", *PAID, "--report", "a.html")
    assert result.exit_code == 0, result.stderr
    assert set(labels(result.stdout)) == HIGH
    assert "remains" not in Path("a.html").read_text()


@pytest.mark.parametrize("form", ["csv", "json", "table"])
def test_no_label_steers_a_terminal(here, monkeypatch, form):
    odd = "tea\x1b]0;x\x07\x9b31m"
    with duckdb.connect("odd.duckdb") as engine:
        engine.execute("create table t as select ? as what, range as who from range(3000)", [odd])
    ask = [
        "select", "odd.duckdb", "--table", "t", "--item", "what", "--person", "who",
        "--cutoff", "1", "--threshold", "800", "--epsilon", "1", "--delta", "1e-6",
        "--items-per-person", "1", "--candidates", "10", "--format", form,
    ]  # fmt: skip
    screen, other = os.openpty()
    done = subprocess.run([*COMMAND, *ask], stdout=other, stderr=subprocess.PIPE, check=True)
    os.close(other)
    shown = os.read(screen, 1 << 16).decode()
    os.close(screen)
    assert done.returncode == 0
    assert "tea" in shown
    assert "\x1b]" not in shown
    assert "\x9b" not in shown
    if form == "csv":  # into a pipe it goes as it is
        piped = subprocess.run([*COMMAND, *ask], capture_output=True, check=True)
        assert odd in piped.stdout.decode()


def test_unsigned_labels_go_into_parquet(here):
    with duckdb.connect("ids.duckdb") as engine:
        engine.execute(
            "create table t as select 18446744073709551615::ubigint as id, range as who "
            "from range(3000)"
        )
    result = run(
        "select", "ids.duckdb", "--table", "t", "--item", "id", "--person", "who",
        "--cutoff", "1", "--threshold", "800", "--epsilon", "1", "--delta", "1e-6",
        "--items-per-person", "1", "--candidates", "10", "--out", "a.parquet",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert pyarrow.parquet.read_table("a.parquet")["id"].to_pylist() == [2**64 - 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.csv", *LISTED], "there is no file no.csv"),
        (["sales.csv", *LISTED, "--item", "produkt"], "did you mean 'product'?"),
        (["sales.csv", *LISTED, "--out", "a.xls"], "--out must end in one of"),
        (["sales.csv", *LISTED, "--out", "no/a.csv"], "there is no folder no"),
        (["sales.csv", *LISTED, "--out", "a.csv", "--out", "a.csv"], "must be named once"),
        (["sales.csv", *LISTED, "--report", "a.csv"], "--report must end in .html"),
        (["sales.csv", *LISTED, "--format", "xml"], "--format must be one of"),
        (["sales.csv", *LISTED, "--memory", "lots"], "--memory must be a size"),
        (["sales.csv", *LISTED, "--epsilon", "-1"], "epsilon must be positive, got '-1'"),
        (["sales.csv", *LISTED, "--epsilon", "one"], "epsilon must be a number such as"),
        (["sales.csv", *LISTED, "--cutoff", "0"], "cutoff must be a positive whole number"),
        (["sales.csv", *LISTED, "--catalogue", "no.txt"], "there is no file no.txt"),
        (["sales.csv", *LISTED, "--dataset", "x"], "--dataset goes with --ledger"),
        (["sales.csv", *LISTED, "--ledger", "b.db"], "--ledger needs --dataset"),
        (["sales.csv", *LISTED, "--ledger", "b.db", "--dataset", "x"], "there is no ledger b.db"),
        (["sales.csv", *SELECT], "--items-per-person must be given without a catalogue"),
        (["sales.csv", *ASK], "--threshold must be given"),
        (["sales.csv", "--person", "customer"], "--item must name the column"),
        (["sales.csv"], "--item and --person must name columns"),
        (["sales.csv", *ASK[:4]], "these must be given: --threshold (the public level to be above"),
        (["sales.csv", *ASK[:4], "-t", "5", "-c", "3"], "--epsilon must be given: the privacy"),
        (["sales.csv", *SELECT, "--items-per-person", "6"], "--delta must be positive without"),
        (["sales.csv", *UNLISTED[:-2]], "--candidates must be given with --correction optimal"),
        (["sales.parquet", *LISTED, "--decimal-comma"], "--decimal-comma goes with csv, tsv"),
        (["sales.csv", *LISTED, "--value-range", "5"], "--value-range must be two numbers"),
        (
            ["sales.csv", *LISTED, "--value", "amount"],
            "--value and --value-range LOW,HIGH must be",
        ),
        (["sales.csv", *LISTED, "--order", "alphabetical"], "order must be one of"),
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
    few = ["--threshold", "20", "--delta", "1e-9", "--items-per-person", "6", "--candidates", "10"]
    result = run("select", "sales.csv", *ASK, *few)
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
    from overbar.cli.sources import source

    def touched(*arguments, **options):
        raise AssertionError("a dry run has opened the table")

    monkeypatch.setattr(source.Source, "open", touched)
    monkeypatch.setattr(duckdb, "connect", touched)
    result = run("select", "not-there.parquet", *UNLISTED, "--dry-run", "--format", "table")
    assert result.exit_code == 0, result.output
    for word in ("δ′", "differential privacy", "Laplace noise", "no data was touched"):
        assert word in result.output
    assert (
        run(
            "top", "not-there.csv", *ASK, "--upper-bound", "9", "--catalogue", "0..9", "--dry-run"
        ).exit_code
        == 0
    )
    with pytest.raises(AssertionError, match="has opened"):  # control: a real run would
        RUNNER.invoke(app, ["select", "sales.csv", *LISTED], catch_exceptions=False)


PAID = [*LISTED, "--ledger", "budget.db", "--dataset", "sales"]


def test_a_ledger_pays_once(here):
    ledger = overbar.Ledger("budget.db")
    ledger.open("sales", epsilon=2)
    first = run("select", "sales.csv", *PAID, "--request", "monday", "--report", "a.html")
    assert first.exit_code == 0, first.output
    assert ledger.remaining("sales") == 1
    assert "Of the budget of 2 for sales, 1 remains." in Path("a.html").read_text()
    again = run("select", "sales.csv", *PAID, "--request", "monday")
    assert again.stdout == first.stdout
    assert "the stored answer again, nothing spent now" in again.stderr
    assert ledger.remaining("sales") == 1
    other = run("select", "sales.csv", *PAID, "--request", "monday", "--threshold", "1600")
    assert other.exit_code == 2
    assert "request 'monday' was made before with another threshold" in other.stderr
    dry = run("select", "no.csv", *PAID, "--dry-run")
    assert "The ledger has ε = 1 left for sales." in dry.stdout
    much = run("select", "sales.csv", *PAID, "--epsilon", "1.5", "--out", "answer.csv")
    assert much.exit_code == 2
    assert "epsilon must be at most 1, what is left of the budget" in much.stderr
    assert not Path("answer.csv").exists()
    assert ledger.remaining("sales") == 1
    assert ledger.verify() == ledger.head


def test_what_is_refused_or_cannot_be_read_costs_nothing(here):
    ledger = overbar.Ledger("budget.db")
    ledger.open("sales", epsilon=2)
    Path("broken.parquet").write_bytes(b"PAR1 nothing PAR1")
    for wrong in (
        ["no.csv", *PAID],
        ["broken.parquet", *PAID],
        ["sales.csv", *PAID, "--item", "x"],
        ["sales.csv", *PAID, "--out", "no/a.csv"],
    ):
        result = run("select", *wrong)
        assert result.exit_code == 2, wrong
        assert result.stdout == ""
    result = run("select", "sales.csv", *PAID, "--memory", "1MB")
    assert result.exit_code == 2
    assert "--memory 8GB" in result.stderr
    assert ledger.show("sales").entries == ()
    unknown = run("select", "sales.csv", *PAID[:-1], "sale")
    assert unknown.exit_code == 2
    assert "dataset 'sale' is not in this ledger (it has: 'sales')" in unknown.stderr


def test_labels_cannot_steer_a_terminal(here):
    Path("odd.csv").write_text(
        "customer,product\n" + "".join(f"{c},\x1b[31mred\n" for c in range(4_000))
    )
    Path("odd.txt").write_text("\x1b[31mred\n")
    arguments = [*SELECT, "--catalogue", "odd.txt"]
    shown = run("select", "odd.csv", *arguments, "--format", "table")
    assert "\\x1b[31mred" in shown.output
    assert "\x1b" not in shown.output
    kept = run("select", "odd.csv", *arguments, "--format", "json")
    assert json.loads(kept.stdout)["labels"] == ["\x1b[31mred"]


def test_standard_input_and_pipes(here):
    text = Path("sales.csv").read_text()
    done = command("select", "-", "--input-format", "csv", *LISTED, input=text)
    assert done.returncode == 0, done.stderr
    assert set(labels(done.stdout)) == HIGH
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stdout + done.stderr


def test_ctrl_c_leaves_with_130(here):
    """A process that waits for its table is stopped as from a keyboard."""
    with subprocess.Popen(
        [*COMMAND, "select", "-", "--input-format", "csv", *LISTED],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        # More than a pipe holds: once it is written, the process is reading.
        process.stdin.write("customer,product\n" + "c1,tea\n" * 100_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.stdin.close()
        error = process.stderr.read()
        out = process.stdout.read()
    assert process.returncode == 130, error
    assert "Traceback" not in error
    assert out == ""


def test_whoever_stops_reading_gets_no_traceback(here):
    script = " ".join([*COMMAND, "select", "sales.csv", *LISTED]) + " | true; exit ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 141)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_an_unexpected_error_is_one_line_without_its_message(here):
    code = (
        "import sys, overbar.integrations.frames.question as q\n"
        "def broken(self, frame): raise RuntimeError('SECRET104729')\n"
        "q.Question.run = broken\n"
        "from overbar.cli import main\n"
        f"sys.argv = ['overbar', 'select', 'sales.csv', *{LISTED!r}]\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "RuntimeError at cli/asking.py:" in done.stderr
    assert "SECRET104729" not in done.stderr + done.stdout


def test_completion_in_bash():
    done = subprocess.run(
        ["bash", "-c", 'eval "$(overbar --show-completion bash)" && complete -p overbar'],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PATH": f"{Path(SCRIPT).parent}:{os.environ['PATH']}"},
    )
    assert "overbar" in done.stdout, done.stderr
    words = subprocess.run(
        [SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ
        | {
            "_OVERBAR_COMPLETE": "complete_bash",
            "COMP_WORDS": "overbar select --thresh",
            "COMP_CWORD": "2",
        },
    )
    assert "--threshold" in words.stdout
