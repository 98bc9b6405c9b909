"""Files as people have them, and what happens: the table of docs/messy-files.md, replayed.

Each file is refused before anything is spent, gives the right answer, or is answered in silence and
explained by `overbar check`. At ε = 200 a wrong answer to a right file has a chance below 10⁻¹⁰⁰.
"""

from __future__ import annotations

import datetime
import json
import re
import sqlite3
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from tests.cli.shop import run
from tests.cli.workbook import SPAN, styled, write_workbook

PAGE = Path(__file__).parents[2] / "docs" / "messy-files.md"
#: Who bought what: 40 persons the first, 30 the second, nobody the others.
ROWS = [(f"k{n}", item) for item, count in (("Käse", 40), ("Öl", 30)) for n in range(count)]
LIST = ["Käse", "Öl", "Tee", "Rum"]
ASK = ["--item", "product", "--person", "customer"]
SPENT = ["--cutoff", "2", "--epsilon", "200", "--catalogue", "list.txt"]
SUMS = ["--value", "amount", "--value-range", "0,100"]


def lines(rows=ROWS, head="customer,product", sign=","):
    return "\n".join([head, *(sign.join(map(str, row)) for row in rows)]) + "\n"


def table(name="t.csv", encoding="utf-8", text=None):
    Path(name).write_bytes((lines() if text is None else text).encode(encoding))
    return [name]


def records(key="product"):
    return [{"user": {"id": person}, key: {"name": item}} for person, item in ROWS]


def json_lines(key="product"):
    return "\n".join(map(json.dumps, records(key)))


def listing(text, encoding="utf-8"):
    Path("list.txt").write_bytes(text.encode(encoding))


def stored(items, name="t.parquet"):
    persons = [person for person, _ in ROWS]
    pyarrow.parquet.write_table(pyarrow.table({"customer": persons, "product": items}), name)
    return [name]


def moments(unit="us"):
    when = {"Käse": datetime.datetime(2024, 1, 31, 8), "Öl": datetime.datetime(2024, 2, 1)}
    return pyarrow.array([when[item] for _, item in ROWS], pyarrow.timestamp(unit))


def days():
    when = {"Käse": datetime.date(2024, 1, 31), "Öl": datetime.date(2024, 2, 1)}
    return [when[item] for _, item in ROWS]


def amounts(sign, comma):
    head = sign.join(("customer", "product", "amount"))
    cell = '"3,50"' if sign == "," else "3,50" if comma else "3.50"
    return lines([(*row, cell) for row in ROWS], head, sign)


def german_sheet():
    rows = [["customer", "product"], *map(list, ROWS)]
    write_workbook("t.xlsx", Verkauf=rows)
    return ["t.xlsx"]


def odd_sheet():
    rows = [["customer", "product"], *map(list, ROWS), ["x", styled(1e300, SPAN)]]
    write_workbook("t.xlsx", Verkauf=[*rows, ["y", '<c t="e"><v>#SPILL!</v></c>']])
    return ["t.xlsx"]


def two_sheets():
    write_workbook("t.xlsx", Verkauf=[["a"]], Notizen=[["b"]])
    return ["t.xlsx"]


def database(*names):
    with sqlite3.connect("t.db") as engine:
        for name in names:
            engine.execute(f"create table {name} (customer, product)")
            engine.executemany(f"insert into {name} values (?, ?)", ROWS)
    engine.close()
    return ["t.db"]


def folder():
    Path("in").mkdir()
    for part, rows in (("a", ROWS[::2]), ("b", ROWS[1::2])):
        with pyarrow.output_stream(f"in/{part}.csv.zst", compression="zstd") as file:
            file.write(lines(rows).encode())
    return ["in"]


def of_years():
    rows = [(*row, 2024) for row in ROWS] + [(f"k{n}", "Tee", 2023) for n in range(90)]
    return table(text=lines(rows, "customer,product,year"))


def inner(rows):
    return stored(pyarrow.array([{"name": item} for _, item in rows]))


NUMBERS = "7,8\n" + "".join(f"{n},8\n" for n in range(40)) + "".join(f"{n},9\n" for n in range(30))
RIGHT = ["Käse", "Öl"]
TIMES = "2024-01-31T08:00\n2024-02-01\n2024-03-01\n"
#: What the file is, how it is made, what is typed, and what happens: a sentence, or an answer.
MESSY = [
    ("a table in latin-1", lambda: table(encoding="latin-1"), ASK, "right", RIGHT),
    ("the same, with `--encoding latin-1`", lambda: table(encoding="latin-1"),
     [*ASK, "--encoding", "latin-1"], "right", RIGHT),
    ("UTF-8, with `--encoding latin-1`", table, [*ASK, "--encoding", "latin-1"], "shown",
     "all lines are UTF-8, and not in ASCII alone: leave out --encoding"),
    ("a header in latin-1", lambda: table(text=lines(head="customer,größe"), encoding="latin-1"),
     ["--item", "größe", "--person", "customer"], "right", RIGHT),
    ("UTF-16 with a mark, as spreadsheets save “Unicode text”",
     lambda: table("t.tsv", "utf-16", lines(head="customer\tproduct", sign="\t")), ASK, "right",
     RIGHT),
    ("an encoding that nobody knows", table, [*ASK, "--encoding", "latin-99"], "refused",
     "--encoding must be utf-8, utf-16, latin-1, cp1252"),
    ("`;` between fields and a column of values", lambda: table(text=amounts(";", comma=True)),
     [*ASK, *SUMS], "refused", "add --decimal-comma, or --decimal-point"),
    ("the same, with `--decimal-comma`", lambda: table(text=amounts(";", comma=True)),
     [*ASK, *SUMS, "--decimal-comma"], "right", RIGHT),
    ("decimal commas in quotes, fields separated by commas",
     lambda: table(text=amounts(",", comma=True)), [*ASK, *SUMS], "shown",
     "most values are no numbers: if they are like 1.234,50, add --decimal-comma"),
    ("a catalogue with blanks at the ends",
     lambda: (listing("Käse  \r\n Öl\t\r\nTee \r\n"), table())[1], ASK, "right", RIGHT),
    ("a catalogue in latin-1", lambda: (listing("Käse\nÖl\n", "latin-1"), table())[1], ASK,
     "right", RIGHT),
    ("items with blanks, or in other letters",
     lambda: table(text=lines([(a, f" {b.upper()}") for a, b in ROWS])), ASK, "shown",
     "2 items would be on the catalogue but for blanks at their ends, the case of letters"),
    ("nested JSON lines, by `product.name` and `user.id`",
     lambda: table("t.jsonl", text=json_lines()),
     ["--item", "product.name", "--person", "user.id"], "right", RIGHT),
    ("a JSON field that holds objects", lambda: table("t.jsonl", text=json_lines()),
     ["--item", "product", "--person", "user.id"], "shown",
     "some items are objects or lists: name a field, such as product.NAME"),
    ("a key of JSON lines that is spelled wrong", lambda: table("t.jsonl", text=json_lines("prod")),
     ["--item", "product", "--person", "user.id"], "shown", "no row has anything in 'product'"),
    ("a JSON array", lambda: table("t.json", text=json.dumps(records(), indent=1)),
     ["--item", "product.name", "--person", "user.id"], "right", RIGHT),
    ("one JSON object a line, in a file called `.json`",
     lambda: table("t.json", text=json_lines()), ["--item", "product.name", "--person", "user.id"],
     "refused", "t.json must be a JSON array, which begins with ["),
    ("a column of structures in Parquet", lambda: inner(ROWS), ASK, "refused",
     "name a field of it, such as product.NAME"),
    ("the same, by `product.name`", lambda: inner(ROWS),
     ["--item", "product.name", "--person", "customer"], "right", RIGHT),
    ("a column of moments against a list of words", lambda: stored(moments()), ASK, "refused",
     "--catalogue must list moments such as 2024-01-31 08:15:00"),
    ("a column of moments against a list of moments",
     lambda: (listing(TIMES), stored(moments()))[1], ASK, "right",
     ["2024-01-31 08:00:00", "2024-02-01 00:00:00"]),
    ("a column of moments in milliseconds", lambda: stored(moments("ms")), ASK, "refused",
     "write the column in microseconds, as text or as dates"),
    ("a column of days against a list of days",
     lambda: (listing("2024-01-31\n2024-02-01\n2024-03-01\n"), stored(days()))[1], ASK, "right",
     ["2024-01-31", "2024-02-01"]),
    ("quotes that never end",
     lambda: table(text=lines([(a, f'"{b}') for a, b in ROWS])), ASK, "shown",
     "left out: quotes that do not end"),
    ("rows with too few fields", lambda: table(text=lines([row[:1] for row in ROWS])), ASK, "shown",
     "left out: too few fields"),
    ("a comma too many in a row", lambda: table(text=lines([(*row, "x") for row in ROWS])), ASK,
     "shown", "left out: too many fields"),
    ("a forgotten `--no-header` where columns are called by numbers",
     lambda: (listing("8\n9\n7\n"), table(text=NUMBERS))[1], ["--item", "8", "--person", "7"],
     "said", "looks like someone's row: all of it is numbers or dates"),
    ("an `.xlsx` sheet with umlauts", german_sheet, ASK, "right", RIGHT),
    ("cells that other readers stop at", odd_sheet, ASK, "right", RIGHT),
    ("a workbook of two sheets, none named", two_sheets, ASK, "refused",
     "--table must name a sheet of t.xlsx; its sheets: Verkauf, Notizen"),
    ("a database of two tables, none named", lambda: database("a", "b"), ASK, "refused",
     "--table must name a table of t.db; its tables: a, b"),
    ("a database of one table", lambda: database("a"), ASK, "right", RIGHT),
    ("a folder of `.csv.zst` files", folder, ASK, "right", RIGHT),
    ("rows of other years, with `--where \"year = 2024\"`", of_years,
     [*ASK, "--where", "year = 2024"], "right", RIGHT),
]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "typed", "outcome", "want"), [one[1:] for one in MESSY], ids=[one[0] for one in MESSY]
)
def test_what_happens(tmp_path, monkeypatch, make, typed, outcome, want):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    listing("\n".join(LIST) + "\n")
    sources = make()
    run("ledger", "open", "budget.db", "d", "--epsilon", "1000")
    paid = ["--ledger", "budget.db", "--dataset", "d"]
    answer = run("top", *sources, *typed, *SPENT, *paid, "--format", "json")
    spent = run("ledger", "show", "budget.db", "d").stdout.splitlines()[1].split()[-1]
    if outcome == "refused":
        assert answer.exit_code == 2
        assert want in answer.stderr
        assert spent == "0"  # runs
        return
    assert answer.exit_code == 0, answer.output
    assert spent == "1"
    if outcome == "right":
        assert json.loads(answer.stdout)["labels"] == want
    elif outcome == "said":
        assert want in answer.stderr
    else:
        assert want not in answer.output
        kept = [one for one in typed if one not in SUMS[2:]]
        shown = run("check", *sources, *kept, "--catalogue", "list.txt")
        assert want in " ".join(shown.stdout.split()), shown.output


def test_the_page_has_the_same_table():
    rows = re.findall(r"^\| (.+?) \| (refused|right|shown|said)(?:: \*(.+)\*)? \|$",
                      PAGE.read_text(), re.MULTILINE)  # fmt: skip
    assert len(rows) == len(MESSY) >= 25
    for (what, outcome, sentence), (title, _, _, happens, want) in zip(rows, MESSY, strict=True):
        assert (what, outcome) == (title, happens)
        if outcome != "right":
            assert sentence == want
