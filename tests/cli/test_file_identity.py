"""The table is never its own list, its own plan or an output; a dry run does not open it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import overbar
from overbar.cli import file_identity
from tests.cli.shop import HIGH, LISTED, SELECT, UNLISTED, labels, run
from tests.prepared import program
from tests.queue_plans import queue_plan

#: A product that one customer has, in a table that is read as its own list.
PRIVATE = "customer,product\n" + "".join(f"c{n},tea\n" for n in range(99)) + "ann,SECRET\n"
NOT_PUBLIC = "what is taken from the data is not public"
OWN = [*SELECT[:-2], "--threshold", "0", "--catalogue"]


@pytest.fixture
def private(here):
    Path("private.csv").write_text(PRIVATE)
    Path("link.csv").symlink_to("private.csv")
    os.link("private.csv", "hard.csv")
    Path("folder").mkdir()
    Path("folder/up.csv").symlink_to("../link.csv")
    return here


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
@pytest.mark.parametrize(
    ("source", "listed"),
    [
        ("private.csv", "private.csv"),
        ("private.csv", "./private.csv"),
        ("private.csv", "folder/../private.csv"),
        ("private.csv", "link.csv"),
        ("private.csv", "hard.csv"),
        ("private.csv", "folder/up.csv"),
        ("link.csv", "hard.csv"),
        ("priv*.csv", "private.csv"),
        ("**/*.csv", "hard.csv"),
        ("private.csv", "{}/private.csv"),
    ],
)
def test_the_table_as_its_own_list_is_refused(private, source, listed, dry):
    result = run("select", source, *OWN, listed.format(private) + ":product", *dry)
    assert result.exit_code == 2
    assert NOT_PUBLIC in result.stderr
    assert "SECRET" not in result.output


def test_control_without_the_check_the_only_one_comes_out(private, monkeypatch):
    """The old way: one person's product is released, and called pure."""
    monkeypatch.setattr("overbar.cli.release.keep_apart", lambda *_, **__: None)
    own = ["--item", "product", "--person", "customer", "--cutoff", "9", "--epsilon", "9"]
    # Far below, so that the noise does not decide whether the control shows anything.
    result = run("select", "private.csv", *own, "-t", "-99", "--catalogue", "private.csv:product")
    assert result.exit_code == 0, result.stderr
    assert "SECRET" in result.stdout
    assert "pure differential privacy" in result.stderr


def test_standard_input_as_its_own_list_is_refused(private):
    for listed in ("private.csv:product", "/dev/stdin:product"):
        with Path("private.csv").open() as stream:
            done = subprocess.run(
                [program(), "select", "-", "--input-format", "csv", *OWN, listed],
                stdin=stream, capture_output=True, text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 2
        assert NOT_PUBLIC in done.stderr
    piped = subprocess.run(
        [program(), "select", "-", "--input-format", "csv", *OWN, "/dev/stdin"],
        input=PRIVATE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert piped.returncode == 2
    assert NOT_PUBLIC in piped.stderr
    assert "SECRET" not in piped.stderr + piped.stdout


def test_lists_that_cannot_be_looked_at_are_refused(here):
    read, write = os.pipe()
    try:
        result = run("select", "sales.csv", *SELECT, "--catalogue", f"/dev/fd/{read}")
    finally:
        os.close(read)
        os.close(write)
    assert result.exit_code == 2
    assert "write the list to a file first" in result.stderr
    for database in ("shop.db", "shop.db:product", "shop.duckdb:sales.product"):
        result = run("select", "sales.csv", *SELECT, "--catalogue", database)
        assert result.exit_code == 2
        assert "must not be a database; write the labels" in result.stderr


def test_a_list_beside_the_table_is_fine(here):
    """Another file of the same content is not seen to be the same: the page says so."""
    Path("list.csv").write_text("product\ntea\nrum é\n")
    result = run("select", "sales.csv", *SELECT, "--catalogue", "list.csv:product")
    assert result.exit_code == 0, result.stderr
    assert set(labels(result.stdout)) <= HIGH


@pytest.mark.parametrize("catalogue", [[*LISTED], [*UNLISTED]])
def test_a_dry_run_does_not_open_the_table(here, catalogue):
    """The table is a pipe that nobody writes to: whoever opened it would wait for ever."""
    os.mkfifo("private.csv")
    ask = [program(), "select", "private.csv", *catalogue]
    done = subprocess.run(
        [*ask, "--dry-run"], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert "no data was touched" in done.stdout
    # Control: the run itself opens it, and is still waiting for a writer.
    with subprocess.Popen(ask, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as asked:
        with Path("private.csv").open("w") as pipe:  # opens only once the run has
            pipe.write(Path("sales.csv").read_text())
        out, err = asked.communicate(timeout=600)
    assert asked.returncode == 0, err
    assert set(labels(out)) == HIGH


def test_the_table_is_not_its_plan(private):
    ask = ["--item", "product", "--person", "customer", "-t", "9", "--catalogue", "products.txt"]
    for plan in ("private.csv", "link.csv"):
        result = run("select", "private.csv", *ask, "--plan", plan)
        assert result.exit_code == 2
        assert f"{plan} is the table itself" in result.stderr
    both = subprocess.run(
        [program(), "select", "-", "--input-format", "csv", *ask, "--plan", "-", "--dry-run"],
        input=PRIVATE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert both.returncode == 2
    assert "- is the table itself" in both.stderr


@pytest.mark.parametrize(
    ("target", "what"),
    [
        ("private.csv", "the table"),
        ("link.csv", "the table"),
        ("hard.csv", "the table"),
        ("list.csv", "the catalogue"),
        ("plan.json", "the plan"),
        ("ledger.json", "the ledger"),
    ],
)
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_an_output_never_replaces_what_is_read(private, target, what, force):
    overbar.Ledger("budget.db").open("sales", epsilon=2)
    Path("ledger.json").symlink_to("budget.db")
    Path("list.csv").symlink_to("products.txt")
    plan = queue_plan(epsilon="1/2", cutoff=3, monotonic=True, candidates=8)
    Path("plan.json").write_text(plan.to_json())
    before = Path(target).read_bytes()
    ask = ["--item", "product", "--person", "customer", "-t", "9", "--catalogue", "products.txt"]
    ask += ["--plan", "plan.json", "--ledger", "budget.db", "--dataset", "sales", "--out", target]
    result = run("select", "private.csv", *ask, *force)
    assert result.exit_code == 2
    assert f"{target} is {what} that this run reads, and would be lost" in result.stderr
    assert Path(target).read_bytes() == before
    assert overbar.Ledger("budget.db").remaining("sales") == 2


def test_one_output_under_two_names_is_refused(here):
    Path("a.csv").write_text("")
    Path("b.csv").symlink_to("a.csv")
    result = run("select", "sales.csv", *LISTED, "--out", "a.csv", "--out", "b.csv", "--force")
    assert result.exit_code == 2
    assert "b.csv must be named once" in result.stderr


def test_what_a_name_stands_for(private):
    one = file_identity.identity("private.csv")
    assert one == file_identity.identity("folder/up.csv") == file_identity.identity("hard.csv")
    assert one != file_identity.identity("sales.csv")
    assert file_identity.identity("not-there") == file_identity.identity(
        private / "folder" / ".." / "not-there"
    )
