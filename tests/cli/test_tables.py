"""Reading tables: every kind gives the same rows, and no row decides whether reading fails."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys

import duckdb
import pytest

from overbar.cli.tables import (
    NamedColumns,
    ReadingError,
    Source,
    check_engine,
    start_engine,
)
from overbar.errors import ParameterError

pytestmark = pytest.mark.one_in(3)

LINES = [
    ("ann", "tea"),
    ("bob", "tea"),
    ("bob", "rum é"),
    ("cat", 'a "b", c | d; e'),
]
#: What a delimited file cannot hold: there a line is a row.
ROWS = [*LINES, ("dan", "two\nlines")]
LINE_PAIRS = sorted((item, person) for person, item in LINES)
PAIRS = sorted((item, person) for person, item in ROWS)
USUAL = NamedColumns("item", "person")
ODD = 'the "item" ü'


def rows(source, columns=USUAL):
    with start_engine("500MB", 2) as engine:
        return sorted(source.open(engine, columns).fetchall(), key=str)


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def write_csv(path, names=("person", "item"), delimiter=",", newline="\n", table=LINES):
    lines = [delimiter.join(quoted(one) for one in line) for line in [names, *table]]
    path.write_bytes((newline.join(lines) + newline).encode())
    return str(path)


def write_parquet(path, table=ROWS, names=("person", "item")):
    with duckdb.connect() as engine:
        engine.execute("create table t (a varchar, b varchar)")
        engine.executemany("insert into t values (?, ?)", table)
        first, second = (quoted(name) for name in names)
        target = str(path).replace("'", "''")
        engine.execute(
            f"copy (select a as {first}, b as {second} from t) to '{target}' (format parquet)"
        )
    return str(path)


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_delimited_files_of_every_dialect(in_folder):
    for number, (delimiter, newline) in enumerate(
        [(",", "\n"), (";", "\r\n"), ("\t", "\n"), ("|", "\n")]
    ):
        name = write_csv(in_folder / f"{number}.csv", delimiter=delimiter, newline=newline)
        assert rows(Source.of([name])) == LINE_PAIRS
    tsv = write_csv(in_folder / "a.tsv", delimiter="\t")
    assert rows(Source.of([tsv])) == LINE_PAIRS
    packed = in_folder / "a.csv.gz"
    packed.write_bytes(gzip.compress((in_folder / "0.csv").read_bytes()))
    assert rows(Source.of([str(packed)])) == LINE_PAIRS
    marked = in_folder / "bom.csv"
    marked.write_bytes(b"\xef\xbb\xbf" + (in_folder / "0.csv").read_bytes())
    assert rows(Source.of([str(marked)])) == LINE_PAIRS


def test_json_lines_parquet_and_databases_give_the_same_rows(in_folder):
    lines = "".join(json.dumps({"person": a, "item": b}) + "\n" for a, b in ROWS)
    (in_folder / "a.jsonl").write_text(lines)
    assert rows(Source.of(["a.jsonl"])) == PAIRS
    assert rows(Source.of([write_parquet(in_folder / "a.parquet")])) == PAIRS
    with duckdb.connect("shop.duckdb") as engine:
        engine.execute("create schema other")
        for table in ("sales", 'other."odd.name"'):
            engine.execute(f"create table {table} (person varchar, item varchar)")
            engine.executemany(f"insert into {table} values (?, ?)", ROWS)
        engine.execute("create view seen as select * from sales")
    for table in ("sales", "seen", "main.sales"):
        assert rows(Source.of(["shop.duckdb"], table=table)) == PAIRS
    connection = sqlite3.connect("shop.sqlite")
    connection.execute("create table sales (person, item)")
    connection.executemany("insert into sales values (?, ?)", ROWS)
    connection.commit()
    connection.close()
    assert rows(Source.of(["shop.sqlite"], table="sales")) == PAIRS


def test_names_of_columns_may_be_odd(in_folder):
    columns = NamedColumns(item=ODD, person="who is it?")
    names = ("who is it?", ODD)
    assert rows(Source.of([write_csv(in_folder / "a.csv", names)]), columns) == LINE_PAIRS
    assert rows(Source.of([write_parquet(in_folder / "a.parquet", names=names)]), columns) == PAIRS
    (in_folder / "a.jsonl").write_text(json.dumps(dict(zip(names, ROWS[0], strict=True))))
    assert rows(Source.of(["a.jsonl"]), columns) == [("tea", "ann")]
    connection = sqlite3.connect("a.db")
    connection.execute(f'create table "t\'" ({quoted(names[0])}, {quoted(names[1])})')
    connection.execute("insert into \"t'\" values ('ann', 7)")
    connection.commit()
    connection.close()
    assert rows(Source.of(["a.db"], table="t'"), columns) == [("7", "ann")]


def test_names_of_files_may_look_like_patterns(in_folder):
    write_parquet(in_folder / "x1.parquet", [("eve", "gin")])
    for name in ("x[1].parquet", "x*.parquet", "it's.parquet"):
        assert rows(Source.of([write_parquet(in_folder / name)])) == PAIRS


def test_patterns_and_several_files(in_folder):
    for half, part in enumerate((LINES[:2], LINES[2:])):
        write_csv(in_folder / f"{half}.csv", table=part)
        write_parquet(in_folder / f"{half}.parquet", part)
    for ending in ("csv", "parquet"):
        assert rows(Source.of([f"*.{ending}"])) == LINE_PAIRS
        assert rows(Source.of([f"0.{ending}", f"1.{ending}"])) == LINE_PAIRS
    write_csv(in_folder / "2.csv", names=("item", "person"))
    with pytest.raises(ReadingError, match=r"2.csv must have the columns of 0.csv"):
        rows(Source.of(["*.csv"]))


def test_a_file_without_header_is_read_by_numbers(in_folder):
    name = write_csv(in_folder / "a.csv", names=LINES[0], table=LINES[1:])
    assert rows(Source.of([name], header_row=0), NamedColumns("2", "1")) == LINE_PAIRS
    for wrong in ("item", "0", "-1", "1.5", "²"):
        with pytest.raises(ParameterError, match="--item must be the number of a column") as error:
            rows(Source.of([name], header_row=0), NamedColumns(wrong, "1"))
        assert "tea" not in str(error.value)


@pytest.mark.parametrize(
    "someone",
    [
        b'eve,"oops',
        b'"eve,tea',
        b'eve,"a"b',
        b"eve;tea;x;y;z",
        b"eve,tea,more,fields,than,others",
        b"eve",
        b"eve|a|b|c",
        b"\xff\xfe",
        b"eve," + b"x" * 2_500_000,
        b'"',
    ],
)
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("first", [True, False])
def test_one_line_changes_nothing_about_the_others(in_folder, someone, header, first):
    """Neither by a quote that is never closed, nor as the first line of a file without header."""
    others = [b"ann,tea", b'bob,"a ""b"""', b"cat,rum"]
    lines = [someone, *others] if first else [*others[:1], someone, *others[1:]]
    (in_folder / "a.csv").write_bytes(b"\n".join([b"person,item"] * header + lines) + b"\n")
    wanted = USUAL if header else NamedColumns("2", "1")
    found = rows(Source.of(["a.csv"], header_row=None if header else 0), wanted)
    assert sorted(row for row in found if row[1] in ("ann", "bob", "cat")) == [
        ('a "b"', "bob"),
        ("rum", "cat"),
        ("tea", "ann"),
    ]


def test_tables_without_rows(in_folder):
    (in_folder / "head.csv").write_text("person,item\n")
    assert rows(Source.of(["head.csv"])) == []
    (in_folder / "none.jsonl").write_text("")
    assert rows(Source.of(["none.jsonl"])) == []
    write_parquet(in_folder / "none.parquet", [("x", "y")])
    (in_folder / "none.csv").write_text("")
    with pytest.raises(ReadingError, match=r"none\.csv is empty"):
        rows(Source.of(["none.csv"]))


SECRET = "SECRET104729"


def test_broken_rows_are_left_out_and_never_raise(in_folder):
    """Whatever a row holds, the others are read: its presence is not told by an error."""
    good = b"ann,tea,1\n"
    for broken in (
        b"bob\n",
        b'x"y,"a"b,2\n',
        b"\xff\xfe,\xc3,1\n",
        b"\x00,\x00,\x00\n",
        b"a,b,c,d,e,f\n",
        b"bob,gin,many\n",
        b"\r\n\r\n",
        b"bob,gin," + b"9" * 400 + b"\n",
    ):
        (in_folder / "a.csv").write_bytes(b"person,item,amount\n" + good + broken + good)
        found = rows(Source.of(["a.csv"]), NamedColumns("item", "person", "amount"))
        assert found.count(("tea", "ann", 1.0)) == 2, broken
    for line in (b"not json\n", b'{"person": "b', b"[1]\n", b'{"person":{"a":[]},"amount":"x"}\n'):
        first = b'{"person":"ann","item":"tea","amount":1}\n'
        (in_folder / "a.jsonl").write_bytes(first + line)
        found = rows(Source.of(["a.jsonl"]), NamedColumns("item", "person", "amount"))
        assert ("tea", "ann", 1.0) in found
    connection = sqlite3.connect("a.db")
    connection.execute("create table t (person, item, amount)")
    connection.execute("insert into t values ('ann', 'tea', 1)")
    connection.execute("insert into t values (x'ff', cast(x'ff' as text), 'many')")
    connection.commit()
    connection.close()
    found = rows(Source.of(["a.db"], table="t"), NamedColumns("item", "person", "amount"))
    assert ("tea", "ann", 1.0) in found
    assert len(found) == 2


def test_what_the_engine_says_is_not_passed_on(in_folder):
    """Control: DuckDB's own message quotes the row."""
    (in_folder / "bad.csv").write_text(f"person,item\nann,1\nbob,{SECRET}\n")
    with duckdb.connect() as engine, pytest.raises(duckdb.Error, match=SECRET):
        engine.sql(
            "select * from read_csv('bad.csv', columns={'person':'varchar','item':'integer'})"
        ).fetchall()
    for name in ("bad.parquet", "bad.duckdb", "bad.sqlite"):
        (in_folder / name).write_text(f"{SECRET}\n" * 50)
        table = None if name == "bad.parquet" else "t"
        with pytest.raises(ReadingError, match=name) as error:
            rows(Source.of([name], table=table))
        assert SECRET not in str(error.value)
        assert error.value.__suppress_context__ or error.value.__context__ is None


@pytest.mark.parametrize(
    ("places", "options", "message"),
    [
        (["a.xyz"], {}, "cannot be told from its name"),
        (["a.csv", "b.parquet"], {}, "must be of one kind"),
        (["-"], {}, "--input-format"),
        (["-"], {"input_format": "parquet"}, "must be a file with a name"),
        (["-", "a.csv"], {}, "must be the only source"),
        (["s3://shop/a.csv"], {}, "must be a local file"),
        (["a.csv"], {"input_format": "excel"}, "--input-format must be one of"),
        (["a.csv"], {"table": "t"}, "--table goes with PostgreSQL or a DuckDB"),
        (["a.parquet"], {"decimal_comma": True}, "--decimal-comma goes with"),
        (["a.csv"], {"encoding": "utf-7"}, "--encoding must be utf-8, utf-16, latin-1"),
        (["a.csv"], {"encoding": "no\0such"}, "--encoding must be utf-8, utf-16, latin-1"),
        (["a.csv"], {"encoding": "cp037"}, "--encoding must be utf-8, utf-16, latin-1"),
        (["a.csv"], {"encoding": "unicode_escape"}, "--encoding must be utf-8, utf-16, latin-1"),
        (["a.parquet"], {"encoding": "latin-1"}, "--encoding goes with csv, tsv"),
        (["a.csv"], {"where": "a = b"}, "--where must compare columns with numbers"),
        (["a.csv"], {"where": "a = 1 or b = 2"}, "--where must compare columns with numbers"),
        (["a.csv"], {"where": "a = 1; drop table t"}, "--where must compare columns"),
        (["a.csv"], {"where": "a => 1"}, "--where must compare columns with numbers"),
        (["a.csv"], {"where": "a = 1 and"}, "--where must compare columns with numbers"),
        (["a.csv"], {"delimiter": ",,"}, "--delimiter must be one character"),
        (["a.parquet"], {"delimiter": ","}, "go with csv and tsv"),
        (["a.parquet.gz"], {}, "must be unpacked first"),
    ],
)
def test_what_was_typed_is_checked_without_opening_anything(places, options, message):
    with pytest.raises(ParameterError) as error:
        Source.of(places, **options)
    assert message in str(error.value)


def test_missing_files_columns_and_tables_name_what_is_there(in_folder):
    write_csv(in_folder / "sales.csv")
    write_parquet(in_folder / "sales.parquet")
    with duckdb.connect("shop.duckdb") as engine:
        engine.execute("create table sales (person varchar, item varchar)")
    connection = sqlite3.connect("shop.db")
    connection.execute("create table sales (person, item)")
    connection.close()
    for places, table, columns, message in (
        (["salse.csv"], None, NamedColumns("item"), "did you mean sales.csv?"),
        (["no/sales.csv"], None, NamedColumns("item"), "the folder no does not exist"),
        (["*.tsv"], None, NamedColumns("item"), r"no file matches \*.tsv"),
        (
            ["sales.parquet"],
            None,
            NamedColumns("Items"),
            r"did you mean 'item'\?.*'person', 'item'",
        ),
        (["shop.duckdb"], "sale", NamedColumns("item"), "no table 'sale'; its tables: sales"),
        (["shop.db"], "sale", NamedColumns("item"), "no table 'sale'; its tables: sales"),
        (["shop.db"], "sales", NamedColumns("x"), r"no column 'x' for --item.*'person', 'item'"),
    ):
        with pytest.raises(ReadingError, match=message):
            rows(Source.of(places, table=table), columns)
    with duckdb.connect("b.duckdb"), pytest.raises(ReadingError, match="one file at a time"):
        rows(Source.of(["*.duckdb"]), NamedColumns("item"))
    (in_folder / "twice.csv").write_text("item,item\n1,2\n")
    with pytest.raises(ReadingError, match="2 columns called 'item'"):
        rows(Source.of(["twice.csv"]), NamedColumns("item"))
    (in_folder / "folder").mkdir()
    with pytest.raises(ReadingError, match="is a folder without files"):
        rows(Source.of(["folder"], input_format="csv"), NamedColumns("item"))


def test_types_of_stored_columns_are_public_and_checked(in_folder):
    with duckdb.connect() as engine:
        engine.execute(
            "copy (select 1 as item, [1] as list, 'x' as word, 2.5::decimal(4,1) as amount) "
            "to 'a.parquet' (format parquet)"
        )
    source = Source.of(["a.parquet"])
    found = rows(source, NamedColumns("item", "word", "amount"))
    assert [tuple(map(str, row)) for row in found] == [("1", "x", "2.5")]
    with pytest.raises(ReadingError, match=r"but 'list' is INTEGER\[\]"):
        rows(source, NamedColumns("list"))
    with pytest.raises(ReadingError, match="--value must be a column of numbers"):
        rows(source, NamedColumns("item", "amount", "word"))


def test_labels_of_rare_types_become_text(in_folder):
    with duckdb.connect() as engine:
        engine.execute(
            "copy (select uuid '00000000-0000-0000-0000-000000000001' as id, 1.50::decimal(4,2) as "
            "price, 7::tinyint as small, "
            "interval 3 days as span) to 'a.parquet' (format parquet)"
        )
    source = Source.of(["a.parquet"])
    assert rows(source, NamedColumns("price", "id")) == [
        ("1.50", "00000000-0000-0000-0000-000000000001")
    ]
    assert rows(source, NamedColumns("small", "span")) == [(7, "3 days")]
    with pytest.raises(ReadingError, match="--value must be a column of numbers"):
        rows(source, NamedColumns("small", "id", "span"))


@pytest.mark.parametrize(
    ("form", "text", "options"),
    [
        ("csv", "person,item\nann,tea\nbob,rum\n", ""),
        ("csv", "ann,tea\nbob,rum\n", ", header_row=0"),
        ("tsv", "person\titem\nann\ttea\nbob\trum\n", ""),
        ("jsonl", '{"person":"ann","item":"tea"}\n{"person":"bob","item":"rum"}\n', ""),
    ],
)
def test_standard_input(form, text, options):
    names = "('2', '1')" if options else "('item', 'person')"
    code = (
        "from overbar.cli.tables import *\n"
        f"source = Source.of(['-'], input_format={form!r}{options})\n"
        f"print(sorted(source.open(start_engine(), NamedColumns{names}).fetchall()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=text, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[('rum', 'bob'), ('tea', 'ann')]", done.stderr


def test_the_engine_keeps_to_its_limits(in_folder):
    with start_engine("300MB") as engine:
        settings = dict(engine.sql("select name, value from duckdb_settings()").fetchall())
    assert settings["temp_directory"] == ""
    assert settings["memory_limit"].startswith("28")  # 300 MB in MiB
    for wrong in (("two", None), ("2GB", in_folder / "none")):
        with pytest.raises(ParameterError):
            check_engine(*wrong)
    assert os.listdir(in_folder) == []
