"""Whether Parquet files are refused is told from their names and types, never by a row."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

from overbar.cli.tables import NamedColumns, ReadingError, Source, start_engine, typed_tables
from tests.cli.test_tables import rows

pytestmark = pytest.mark.one_in(3)

#: What is read, and what is said about it.
READ = NamedColumns("item", "person")


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name, **columns):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.table(columns), name)
    return name


def as_text(values):
    return pyarrow.array(values, pyarrow.binary()).view(pyarrow.string())


def refusal(*names, columns=READ):
    with pytest.raises(ReadingError) as raised:
        rows(Source.of(list(names)), columns)
    return str(raised.value)


def write_json(written):
    """Write a JSON column; the engine writes none that is broken, so bytes are put in its place."""
    with duckdb.connect() as engine:
        engine.execute(
            "copy (select '\"tea\"'::json as item, 'ann' as person) to 'a.parquet' "
            "(format parquet, compression uncompressed)"
        )
    content = Path("a.parquet").read_bytes()
    assert b'"tea"' in content
    Path("a.parquet").write_bytes(content.replace(b'"tea"', written))


JSON = [b'"tea"', b"{{{{{", b'"\xff\xff\xff"']


def test_json_is_no_label_whatever_it_holds(in_folder):
    said = set()
    for written in JSON:
        write_json(written)
        said.add(refusal("a.parquet"))
    assert said == {
        "a.parquet: --item must be text, whole numbers or dates, but 'item' is JSON"
    }  # fmt: skip
    # A column that is not read says nothing.
    assert rows(Source.of(["a.parquet"]), NamedColumns("person")) == [("ann",)]


def test_control_as_a_label_json_stops_at_a_row(in_folder, monkeypatch):
    monkeypatch.setattr(typed_tables, "NESTED", tuple(set(typed_tables.NESTED) - {"JSON"}))
    write_json(JSON[0])
    assert rows(Source.of(["a.parquet"]), NamedColumns("item")) == [('"tea"',)]
    for written in JSON[1:]:
        write_json(written)
        with pytest.raises((duckdb.Error, UnicodeDecodeError)):
            rows(Source.of(["a.parquet"]), NamedColumns("item"))


GOOD, BAD = [b"tea", b"rum"], [b"tea", b"\xff"]


@pytest.mark.parametrize("name", ["file_row_number", "filename", "one", "file_index"])
@pytest.mark.parametrize("read", [False, True])
def test_other_columns_may_have_any_name(in_folder, name, read):
    for items in (GOOD, BAD):
        other = {name: ["x", "y"], "file of a row'": [1, 2]}
        write("a.parquet", item=as_text(items), person=["1", "2"], **other)
        found = rows(Source.of(["a.parquet"]), NamedColumns("item", name if read else "person"))
        want = [items[0].decode(), None if items is BAD else items[1].decode()]
        assert found == sorted(zip(want, "xy" if read else "12", strict=True), key=str)
    # In a later file as well, where the row number is no trouble either.
    write("b.parquet", item=as_text(BAD), person=["3", "4"], **{name: ["z", "z"]})
    write("0.parquet", item=as_text(GOOD), person=["5", "6"])
    write("c.parquet", item=as_text(BAD), person=["7", "8"], file_row_number=[0, 0])
    found = rows(Source.of(["0.parquet", "b.parquet", "c.parquet"]))
    assert found == sorted(
        [("tea", "5"), ("rum", "6"), ("tea", "3"), (None, "4"), ("tea", "7"), (None, "8")], key=str
    )


#: Persons of a second file: the engine can turn the first into whole numbers, and not the second.
SECOND = [(["3", "4"], ["3", "x"], "VARCHAR"), ([3.0, 4.0], [3.0, float("nan")], "DOUBLE")]


@pytest.mark.parametrize(("fine", "odd", "kind"), SECOND)
def test_files_of_other_types_are_refused_whatever_they_hold(in_folder, fine, odd, kind):
    write("a.parquet", item=["tea", "tea"], person=[1, 2])
    for persons in (fine, odd):
        write("b.parquet", item=["tea", "tea"], person=persons)
        assert refusal("a.parquet", "b.parquet") == (
            "b.parquet: --person must be of the same type in all files; 'person' is "
            f"{kind} there, and BIGINT in a.parquet: write the files anew with one type"
        )
        assert f"'person' is BIGINT there, and {kind} in b" in refusal("b.parquet", "a.parquet")
    # A column that is not read may be what it likes.
    assert rows(Source.of(["*.parquet"]), NamedColumns("item")) == [("tea",)] * 4


@pytest.mark.parametrize(("fine", "odd", "kind"), SECOND)
def test_control_left_to_itself_the_engine_stops_at_a_value(
    in_folder, monkeypatch, fine, odd, kind
):
    monkeypatch.setattr(typed_tables, "_check_same_kinds", lambda *_: None)
    write("a.parquet", item=["tea", "tea"], person=[1, 2])
    write("b.parquet", item=["tea", "tea"], person=fine)
    assert rows(Source.of(["*.parquet"])) == [("tea", n) for n in (1, 2, 3, 4)]
    write("b.parquet", item=["tea", "tea"], person=odd)
    with pytest.raises(duckdb.Error):
        rows(Source.of(["*.parquet"]))


def test_files_of_the_same_types_in_another_order_and_folders(in_folder):
    write("p/day=1/a.parquet", item=["tea"], person=[1])
    write("p/day=x/a.parquet", person=[2], Item=["rum"])
    assert rows(Source.of(["p/*/a.parquet"])) == [("rum", 2), ("tea", 1)]
    assert rows(Source.of(["p/*/a.parquet"]), NamedColumns("day", "person")) == [("1", 1), ("x", 2)]
    write("b.parquet", person=[2])
    assert "'item' is not there, and VARCHAR in p/day=1" in refusal("p/*1/a.parquet", "b.parquet")


#: As what the engine reads the folders of two persons, and what a third person makes of it.
DAYS, ANOTHER = ("2020-01-01", "2020-1-1"), "x"


def folders(days):
    return [write(f"p/day={day}/a.parquet", item=["tea"], person=[1]) for day in days]


def test_nobody_decides_as_what_the_folders_of_others_are_read(in_folder):
    columns = NamedColumns("item", "day")
    for days in (DAYS, (*DAYS, ANOTHER)):
        assert rows(Source.of(folders(days)), columns) == sorted(("tea", day) for day in days)


def test_control_the_engine_reads_folders_by_what_they_all_are(in_folder):
    def persons(days):
        place = ", ".join(f"'{name}'" for name in folders(days))
        with duckdb.connect() as engine:
            found = engine.execute(f"select count(distinct day) from read_parquet([{place}])")
            return found.fetchone()[0]

    assert (persons(DAYS), persons((*DAYS, ANOTHER))) == (1, 3)


#: Times of NumPy that are none are written as this number, and the engine stops at it.
NOT_A_TIME = -(2**63)


def of_words(words, kind):
    width = pyarrow.int32() if kind.bit_width == 32 else pyarrow.int64()
    return pyarrow.array(words, width).view(kind)


#: Numbers that are no moments of years with four digits, in some unit or in all.
ODD_WORDS = [2**31 - 1, NOT_A_TIME, 2**63 - 1, NOT_A_TIME + 1, 2**62, -(2**62), 10**18, -(10**18)]


@pytest.mark.parametrize("kind", [pyarrow.time32("ms"), pyarrow.time64("us")], ids=str)
@pytest.mark.parametrize("odd", [[], [2**31 - 1]])
def test_times_of_day_are_refused_by_their_type(in_folder, kind, odd):
    """The engine stops at a time that it cannot hold, so one row would decide."""
    write("a.parquet", item=of_words([0, *odd], kind), person=[1, *odd])
    assert refusal("a.parquet").endswith("write the column in microseconds, as text or as dates")


@pytest.mark.parametrize("odd", [[], [NOT_A_TIME]])
def test_coarse_moments_are_refused_by_their_type(in_folder, odd):
    """Of these the engine makes microseconds, and stops where there are too many."""
    for zone in (None, "UTC"):
        write(
            "a.parquet", item=of_words([0, *odd], pyarrow.timestamp("ms", zone)), person=[1, *odd]
        )
        write(
            "b.parquet", item=of_words([0, *odd], pyarrow.timestamp("us", zone)), person=[1, *odd]
        )
        assert "'item' is in milliseconds" in refusal("a.parquet")
        assert "'item' is in milliseconds" in refusal("b.parquet", "a.parquet")
    for unit in ("s", "ms"):
        database("a.duckdb", of_words([0, *odd], pyarrow.timestamp(unit)))
        assert "the engine stops at a time" in refusal("a.duckdb")


def test_control_the_engine_stops_at_a_coarse_moment(in_folder, monkeypatch):
    monkeypatch.setattr(typed_tables, "_check_units", lambda *_: None)
    write("a.parquet", item=of_words([0], pyarrow.timestamp("ms")), person=[1])
    assert rows(Source.of(["a.parquet"])) == [("1970-01-01 00:00:00", 1)]
    write("a.parquet", item=of_words([0, NOT_A_TIME], pyarrow.timestamp("ms")), person=[1, 2])
    with pytest.raises(duckdb.Error):
        rows(Source.of(["a.parquet"]))


@pytest.mark.parametrize("stored", ["parquet", "INT96", "duckdb"])
@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("unit", ["us", "ns"])
def test_moments_become_text_and_odd_ones_are_missing(in_folder, stored, zone, unit):
    steps = 10**6 if unit == "us" else 10**9
    fine = [1_706_688_900 * steps, 1_706_688_900 * steps + steps // 4, -steps]
    items = of_words([*fine, *ODD_WORDS], pyarrow.timestamp(unit, zone))
    name = "a.duckdb" if stored == "duckdb" else "a.parquet"
    if stored == "duckdb":
        database(name, items)
    else:
        table = pyarrow.table({"item": items, "person": range(len(items))})
        old = stored == "INT96"
        pyarrow.parquet.write_table(table, name, use_deprecated_int96_timestamps=old)
    found = rows(Source.of([name]))
    assert len(found) == len(items)
    texts = {person: item for item, person in found}
    end = "+00" if zone and stored != "INT96" else ""
    want = ["2024-01-31 08:15:00", "2024-01-31 08:15:00.25", "1969-12-31 23:59:59"]
    assert [texts[person].removesuffix("+00") for person in range(3)] == want
    assert end in texts[0]
    assert texts[4] is None or unit == "ns" or stored == "INT96"  # not a time


def database(name, items):
    table = pyarrow.table({"item": items, "person": list(range(len(items)))})
    with duckdb.connect(name) as engine:
        engine.register("given", table)
        engine.execute("create or replace table t as select * from given")


def test_control_written_by_the_engine_a_moment_that_is_none_stops_it(in_folder, monkeypatch):
    monkeypatch.setattr(typed_tables, "_moment", lambda column, _: f"cast({column} as varchar)")
    database("a.duckdb", of_words([0], pyarrow.timestamp("us")))
    assert rows(Source.of(["a.duckdb"], table="t")) == [("1970-01-01 00:00:00", 0)]
    database("a.duckdb", of_words([0, NOT_A_TIME], pyarrow.timestamp("us")))
    with pytest.raises(duckdb.Error):
        rows(Source.of(["a.duckdb"], table="t"))


@pytest.mark.parametrize("columns", [READ, NamedColumns("person", "other", "item")], ids=str)
@pytest.mark.parametrize("point", [0, 2, 38])
def test_a_decimal_below_all_decimals_is_missing(in_folder, columns, point):
    words = b"".join(n.to_bytes(16, "little", signed=True) for n in (150, -(2**127), 7))
    kind = pyarrow.decimal128(38, point)
    bits = pyarrow.py_buffer(bytes([0b011]))
    items = pyarrow.Array.from_buffers(kind, 3, [bits, pyarrow.py_buffer(words)])
    write("a.parquet", item=items, person=["a", "b", "c"], other=["d", "e", "f"])
    with start_engine() as engine:
        found = Source.of(["a.parquet"]).open(engine, columns)
        text = found.project("cast(item as double)").fetchall()
    assert sorted(text, key=str) == [(150 / 10**point,), (None,), (None,)]


def plans(where=None):
    """Return how a file is read without a byte that is no UTF-8, and with one."""
    found = []
    for items in (GOOD, BAD):
        write("a.parquet", item=as_text(items), person=["1", "2"])
        with start_engine("500MB", 2) as engine:
            found.append(Source.of(["a.parquet"], where=where).open(engine, READ).explain())
    return found


@pytest.mark.parametrize("where", [None, "item = 'tea' and person = '1'"])
def test_no_byte_of_a_text_chooses_the_plan(in_folder, where):
    good, bad = plans(where)
    assert good == bad
    assert "JOIN" not in bad.upper()
    scan = bad[bad.upper().index("ARROW") :]
    assert "Filters" not in scan  # nothing is asked of a stream, so nothing is left out unseen


def test_control_a_reading_that_is_tried_first_has_two_plans(in_folder):
    found = []
    for items in (GOOD, BAD):
        write("a.parquet", item=as_text(items), person=["1", "2"])
        with duckdb.connect() as engine:
            whole = engine.sql("select * from read_parquet('a.parquet')")
            try:
                whole.fetchall()
            except duckdb.InvalidInputException:
                one, other = (
                    f"read_parquet('a.parquet', file_row_number=true, utf8_validation='{way}')"
                    for way in ("replace", "ignore")
                )
                whole = engine.sql(f"from {one} as a join {other} as b using (file_row_number)")
            found.append("JOIN" in whole.explain().upper())
    assert found == [False, True]


HALVES = pyarrow.array([1.0, 2.5]).cast(pyarrow.float16())
ODD_TYPES = {
    "halves": HALVES,
    "long decimals": pyarrow.array([1, 2]).cast(pyarrow.decimal256(50, 2)),
    "short decimals": pyarrow.array([1, 2]).cast(pyarrow.decimal128(20, 1)),
    "spans of time": pyarrow.array([1, 2**62]).view(pyarrow.duration("s")),
    "days in milliseconds": pyarrow.array([0, 86_400_000]).view(pyarrow.date64()),
    "moments": pyarrow.array([0, 2**63 - 1]).view(pyarrow.timestamp("us", "UTC")),
    "fine moments": pyarrow.array([0, 2**62]).view(pyarrow.timestamp("ns")),
    "identifiers": pyarrow.array([bytes(range(16)), None], pyarrow.uuid()),
    "a dictionary": pyarrow.array([7, 8]).dictionary_encode(),
    "views": pyarrow.array(["x", None], pyarrow.string_view()),
    "small numbers": pyarrow.array([200, None], pyarrow.uint8()),
    "truth": pyarrow.array([True, None]),
}


@pytest.mark.parametrize("kind", ODD_TYPES)
@pytest.mark.parametrize("how", [{}, {"store_schema": False}])
def test_a_column_is_the_same_beside_text_and_alone(in_folder, kind, how):
    table = pyarrow.table({"item": as_text(BAD), "person": ODD_TYPES[kind]})
    pyarrow.parquet.write_table(table, "a.parquet", **how)
    beside = rows(Source.of(["a.parquet"]))
    alone = rows(Source.of(["a.parquet"]), NamedColumns("person"))
    assert sorted((one[1:] for one in beside), key=str) == alone
    assert {item for item, _ in beside} == {"tea", None}


def test_old_moments_are_the_same_beside_text_and_alone(in_folder):
    far = [0, -62_135_596_800_000_000, 253_402_300_799_000_000]
    moments = pyarrow.array(far).view(pyarrow.timestamp("us"))
    table = pyarrow.table({"item": as_text([*BAD, b"rum"]), "person": moments})
    pyarrow.parquet.write_table(table, "a.parquet", use_deprecated_int96_timestamps=True)
    assert [one[1:] for one in sorted(rows(Source.of(["a.parquet"])), key=lambda one: one[1])] == (
        rows(Source.of(["a.parquet"]), NamedColumns("person"))
    )


def test_text_inside_of_structures_and_in_folders(in_folder):
    inner = pyarrow.StructArray.from_arrays([as_text(BAD)], ["id"])
    write("p/day=a%20b/a.parquet", user=inner, item=["x", "y"])
    write("p/day=__HIVE_DEFAULT_PARTITION__/a.parquet", user=inner, item=["x", "y"])
    source = Source.of(["p"], where="user.id = 'tea'")
    assert rows(source, NamedColumns("item", "day")) == [("x", "a b"), ("x", None)]
    assert rows(Source.of(["p"]), NamedColumns("user.id", "item")) == sorted(
        [("tea", "x"), (None, "y")] * 2, key=str
    )


def test_no_row_is_one_category_too_many(in_folder):
    """Arrow stops where a group of rows has more words than 8 bits number, as the file says."""
    small = pyarrow.dictionary(pyarrow.int8(), pyarrow.string())
    for many in (128, 129, 300):
        words = [f"i{n:03}" for n in range(many)]
        parts = [pyarrow.array(words[n : n + 100]).cast(small) for n in range(0, many, 100)]
        table = pyarrow.table({"item": pyarrow.chunked_array(parts), "person": words})
        inner = pyarrow.chunked_array([pyarrow.StructArray.from_arrays([p], ["x"]) for p in parts])
        pyarrow.parquet.write_table(table.append_column("inside", inner), "a.parquet")
        assert rows(Source.of(["a.parquet"])) == [(word, word) for word in words]
        found = rows(Source.of(["a.parquet"]), NamedColumns("inside.x", "person"))
        assert found == [(word, word) for word in words]
