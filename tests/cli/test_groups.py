"""`--groups`: the top of each group, on the screen, in files, and what is refused."""

from __future__ import annotations

import json

import duckdb
import pytest
from pyarrow import parquet

from tests.cli.shop import run

ROWS = """
select 'north' as region, 'tea' as product, range as customer, 2020 as year from range(4000)
union all select 'south', 'rum', 9000 + range, 2021 from range(4000)
union all select 'west', 'rum', 9000 + range, 2021 from range(4000)
"""
ASK = ["--item", "product", "--person", "customer", "--catalogue", "list.txt"]
BY = ["--groups", "region=south, north", "--groups-per-person", "1"]
#: A margin of 2000 at a scale of one fails once in e^2000 runs.
NUMBERS = ["--cutoff", "1", "--epsilon", "1"]
SELECT = [*ASK, *NUMBERS, "--threshold", "2000"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("shop.duckdb") as engine:
        engine.execute(f"create table sales as {ROWS}")
        engine.sql("from sales").write_parquet("sales.parquet")
        engine.sql("from sales").write_csv("sales.csv")
    (tmp_path / "list.txt").write_text("ale\nrum\ntea\n")
    (tmp_path / "regions.txt").write_text("south\nnorth\n")
    (tmp_path / "years.csv").write_text("year\n2021\n2020\n")
    return tmp_path


@pytest.mark.parametrize("source", [["sales.csv"], ["sales.parquet"], ["shop.duckdb"]], ids=str)
@pytest.mark.parametrize("groups", ["south,north", "regions.txt"])
def test_each_group_comes_out_in_the_public_order(here, source, groups):
    by = ["--groups", f"region={groups}", "--groups-per-person", "1"]
    result = run("select", *source, *SELECT, *by)
    assert result.exit_code == 0, result.output
    assert result.stdout == "found,region,product\n1,south,rum\n1,north,tea\n"
    assert "2 of at most 2 found in 2 groups, so there may be more; pure" in result.stderr


@pytest.mark.parametrize("groups", ["2021,2020", "2020..2021", "years.csv:year"])
def test_groups_are_read_as_their_column_holds_them(here, groups):
    by = ["--groups", f"year={groups}", "--groups-per-person", "2"]
    result = run("select", "sales.parquet", *SELECT, *by)
    assert result.exit_code == 0, result.output
    wanted = ["1,2021,rum", "1,2020,tea"]
    listed = wanted if groups == "2021,2020" else wanted[::-1]
    assert result.stdout.splitlines()[1:] == listed


def test_files_the_page_and_the_screen(here):
    files = ["--out", "a.json", "--out", "a.parquet", "--out", "a.html", "--format", "table"]
    result = run("top", "sales.parquet", *ASK, *NUMBERS, *BY, "--counts", *files)
    assert result.exit_code == 0, result.output
    assert "In each group: if places 1 and 2 are" in result.stdout.replace("\n", " ")
    answer = json.loads((here / "a.json").read_text())
    assert answer["labels"] == [["south", "rum"], ["north", "tea"]]
    assert answer["item"] == ["region", "product"]
    assert answer["question"]["by"] == "region"
    assert answer["question"]["listed_items"] == 3
    assert answer["plan"]["groups"] == {"count": 2, "per_person": 1}
    table = parquet.read_table(here / "a.parquet").to_pydict()
    assert (table["found"], table["region"]) == ([1, 1], ["south", "north"])
    page = (here / "a.html").read_text()
    for words in (
        "Which 1 values of product in each region have the most counted persons?",
        "In each of 2 groups: the top 1",
        "2 found, of at most 2 in 2 groups.",
        "This is for the answers of all groups together.",
        "2, of which a person counts in at most 1, so all cost as much as one",
    ):
        assert words in page


def test_a_question_file_keeps_the_groups(here):
    (here / "there").mkdir()
    for groups in ("south,north", "regions.txt"):
        by = ["--groups", f"region={groups}", "--groups-per-person", "1"]
        saved = ["--save", "there/q.toml", "--dry-run", "--force"]
        result = run("select", "sales.csv", *SELECT, *by, *saved)
        assert result.exit_code == 0, result.output
        result = run("run", "there/q.toml")
        assert result.exit_code == 0, result.output
        assert result.stdout == "found,region,product\n1,south,rum\n1,north,tea\n"


def test_a_dry_run_and_a_plan_say_what_all_groups_cost(here):
    shown = run("top", "sales.csv", *ASK, *NUMBERS, *BY[:-1], "2", "--dry-run")
    words = " ".join(shown.stdout.split())
    assert "Guaranteed: pure differential privacy with ε = 1" in words
    assert "in at most 2 of the 2 groups" in words
    assert "so the costs of 2 runs add up" in words
    assert "Such a run costs all of it, however few are found" in words
    groups = ["--groups", "12", "--groups-per-person", "3"]
    planned = run("plan", "--top", *NUMBERS, *groups, "--format", "json")
    told = json.loads(planned.stdout)
    assert told["guarantee"]["epsilon"] == "1"
    assert told["plan"]["labels"]["query_noise"]["scale"] == "3"
    (here / "plan.json").write_text(json.dumps(told["plan"]))
    result = run("top", "sales.csv", *ASK, *BY, "--plan", "plan.json")
    assert result.exit_code == 2
    assert "the plan must be for the same --groups and --groups-per-person" in result.stderr


def test_items_per_person_are_said_to_be_those_of_each_group(here):
    """It read as if they were all of a person's: "at most 2 scores, …, in at most 1 of …"."""
    numbers = [*NUMBERS, "--groups", "12", "--groups-per-person", "3", "--items-per-person", "2"]
    shown = run("plan", "--top", *numbers, "--delta", "1e-6", "--mechanism", "histogram")
    words = " ".join(shown.stdout.split())
    assert (
        "moves at most 2 scores of each group, each by at most 1, all of them in the same "
        "direction, in at most 3 of the 12 groups."
    ) in words
    assert "histogram: a person moves at most 2 scores of each group, so noise" in words
    alone = run("plan", "--top", *NUMBERS, "--items-per-person", "2", "--delta", "1e-6")
    assert "moves at most 2 scores, each by at most 1" in " ".join(alone.stdout.split())


REFUSED = {
    "--groups-per-person must be given with --groups": BY[:-2],
    "--groups must be COLUMN=LIST, such as region=north,south, got 'south'": ["--groups", "south"],
    "there is no file nowhere.txt": ["--groups", "region=nowhere.txt"],
    "--groups must be a public list, but sales.parquet is the table itself": [
        "--groups", "region=sales.parquet:region",
    ],
    "--groups must list whole numbers, because its column is one of INTEGER": [
        "--groups", "year=a,b", "--groups-per-person", "1",
    ],
    "has no column 'regio' for --groups": ["--groups", "regio=south,north", *BY[2:]],
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused(here, message):
    result = run("select", "sales.parquet", *SELECT, *REFUSED[message])
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_other_refusals(here):
    result = run("top", "sales.csv", *ASK[:-2], *NUMBERS, *BY, "--delta", "1e-6")
    assert "--catalogue must be given with --groups" in result.stderr
    result = run("plan", *NUMBERS, "--groups", "3", "--groups-per-person", "1", "--unlisted")
    assert "--unlisted must be left out with --groups" in result.stderr
