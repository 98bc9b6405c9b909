"""Other encodings, packings and shapes of text: told by the user or the name, never by a row."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from overbar.cli.tables import NamedColumns, ReadingError, Source, encodings
from overbar.cli.tables.public_list import read_catalogue
from tests.cli.test_tables import rows

pytestmark = pytest.mark.one_in(5)

TABLE = "person,item\nann,Käse\nbob,Öl\n"
WANT = [("Käse", "ann"), ("Öl", "bob")]


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "iso8859-15", "mac-roman", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_encoding_that_is_named(encoding, end):
    text = TABLE.replace("item", "größe").replace("\n", end)
    Path("a.csv").write_bytes(text.encode(encoding))
    Path("b.csv").write_bytes(text.replace("bob", "cat").encode(encoding).rstrip(b"\r\n\0"))
    found = rows(Source.of(["a.csv"], encoding=encoding), NamedColumns("größe", "person"))
    assert found == WANT
    both = rows(Source.of(["?.csv"], encoding=encoding), NamedColumns("größe", "person"))
    assert len(both) == 4


def test_letters_of_several_bytes():
    Path("a.jsonl").write_bytes('{"item":"お茶","person":"1"}\n'.encode("shift_jis"))
    assert rows(Source.of(["a.jsonl"], encoding="shift_jis")) == [("お茶", "1")]


def test_a_mark_is_no_letter_of_the_first_line():
    for order in ("utf-16-le", "utf-16-be"):
        Path("a.csv").write_bytes("\ufeffann,Käse\n".encode(order))
        found = rows(Source.of(["a.csv"], encoding="utf-16", header_row=0), NamedColumns("2", "1"))
        assert found == [("Käse", "ann")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_a_mark_before_the_header_tells(encoding):
    marked = TABLE if encoding == "utf-16" else f"\ufeff{TABLE}"
    Path("a.csv").write_bytes(marked.encode(encoding))
    assert rows(Source.of(["a.csv"])) == WANT
    Path("b.csv").write_text(TABLE)
    assert rows(Source.of(["a.csv", "b.csv"])) == sorted(WANT * 2)


def test_a_header_that_is_no_utf8_is_read_by_the_rule_of_lines():
    Path("a.csv").write_bytes("person,größe\nann,Käse\n".encode("latin-1"))
    assert rows(Source.of(["a.csv"]), NamedColumns("größe", "person")) == [("Käse", "ann")]


def test_a_line_that_is_no_utf8_is_read_as_windows_1252_and_changes_no_other():
    """Whatever bytes it has: those without a letter in Windows-1252 are control characters."""
    every = bytes(range(0x80, 0x100))
    someone = [b"K\xe4se", b"\x80uro", b"\xc3\xa4 \xff", b"\x81\x8d\x8f\x90\x9d", every]
    want = ["Käse", "€uro", "Ã¤ ÿ", "\x81\x8d\x8f\x90\x9d"]
    assert len({encodings.of_windows(bytes([byte])) for byte in range(256)}) == 256
    for count in range(len(someone) + 1):
        text = b"person,item\n" + TABLE.encode().partition(b"\n")[2]
        text += b"".join(b"eve,%s\n" % item for item in someone[:count])
        Path("a.csv").write_bytes(text)
        found = rows(Source.of(["a.csv"]))
        assert set(WANT) <= set(found)
        assert {item for item, person in found if person == "eve"} >= set(want[:count])
        assert len(found) == 2 + count


def test_half_a_letter_of_utf16_is_left_out_and_not_mended():
    text = "\ufeffperson,item\nann,Käse\neve,".encode("utf-16-le") + b"\x00\xd8\xe4\x00\n\x00"
    Path("a.csv").write_bytes(text)
    assert rows(Source.of(["a.csv"])) == [("Käse", "ann")]


def test_a_line_without_letters_in_an_encoding_that_was_named_is_left_out():
    Path("a.csv").write_bytes(b"person,item\nann,K\xe4se\neve,\x81\n")
    assert rows(Source.of(["a.csv"], encoding="cp1252")) == [("Käse", "ann")]


@pytest.mark.parametrize("encoding", ["cp1252", "shift_jis", "utf-16-le", "gb18030"])
@pytest.mark.parametrize("someone", [b"\x81", b"\xff\xfe", b"\x81\x81", b"a,b\x8f", b"\x00\xd8"])
@pytest.mark.parametrize("first", [True, False])
def test_a_line_that_cannot_be_decoded_changes_nothing_about_the_others(encoding, someone, first):
    header, *lines = ("person,item\n", "ann,tea\n", "bob,rum\n")
    if encoding == "utf-16-le" and len(someone) % 2:
        someone += b"\0"
    odd = someone + "\n".encode(encoding)
    plain = [line.encode(encoding) for line in lines]
    some = [odd, *plain] if first else [*plain[:1], odd, *plain[1:]]
    Path("a.csv").write_bytes(header.encode(encoding) + b"".join(some))
    found = rows(Source.of(["a.csv"], encoding=encoding))
    assert {("tea", "ann"), ("rum", "bob")} <= set(found)
    assert len(found) <= 3


def test_control_an_encoding_with_signs_for_more_lets_a_row_swallow_the_next(monkeypatch):
    monkeypatch.setattr(encodings, "_is_single", lambda _: True)
    for someone, want in ((b"eve,gin", {"ann", "eve"}), (b"eve,gin\\", set())):
        Path("a.csv").write_bytes(b"person,item\n" + someone + b"\nann,tea\n")
        found = rows(Source.of(["a.csv"], encoding="unicode_escape"))
        assert {person for _, person in found} == want


def test_packed_files_and_folders():
    Path("in/deep").mkdir(parents=True)
    with pyarrow.output_stream("in/a.csv.zst", compression="zstd") as file:
        file.write(TABLE.encode())
    Path("in/deep/b.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    Path("in/_SUCCESS").touch()
    Path("in/.hidden").touch()
    assert rows(Source.of(["in/a.csv.zst"])) == WANT
    assert rows(Source.of(["in"])) == sorted(WANT * 2)
    latin = [Path("l.csv.zst"), Path("l.csv.gz")]
    with pyarrow.output_stream(str(latin[0]), compression="zstd") as file:
        file.write(TABLE.encode("latin-1"))
    latin[1].write_bytes(gzip.compress(TABLE.encode("latin-1")))
    assert rows(Source.of([str(one) for one in latin], encoding="latin-1")) == sorted(WANT * 2)
    Path("in/notes.parquet").touch()
    with pytest.raises(Exception, match="must be of one kind, got csv, parquet"):
        Source.of(["in"])
    latin[1].write_bytes(latin[1].read_bytes()[:30])
    with pytest.raises(ReadingError, match="is it complete"):
        rows(Source.of(["l.csv.gz"], encoding="latin-1"))


RECORDS = [{"person": "ann", "item": 'a],[ "b" \\'}, {"person": "bob", "item": {"x": [1, {}]}}]


@pytest.mark.parametrize("indent", [None, 2])
def test_arrays_of_records(indent):
    Path("a.json").write_text(json.dumps(RECORDS, indent=indent))
    found = rows(Source.of(["a.json"]))
    assert found == [('a],[ "b" \\', "ann"), ('{"x":[1,{}]}', "bob")]
    Path("empty.json").write_text("[ ]")
    assert rows(Source.of(["empty.json"])) == [(None, None)]


@pytest.mark.parametrize("odd", ["NaN", "1e999", "[[[]]]", '"\\ud800"', "{}", "9" * 5000, "nope"])
def test_a_record_changes_nothing_about_the_others(odd):
    Path("a.json").write_text(f'[{{"item":{odd},"person":{odd}}}, {odd}, {json.dumps(RECORDS[0])}]')
    assert ('a],[ "b" \\', "ann") in rows(Source.of(["a.json"]))
    if odd == "nope":  # parsed as a whole, one record would decide about all
        with pytest.raises(ValueError):
            json.loads(Path("a.json").read_text())


def test_one_object_a_line_is_no_array():
    Path("a.json").write_text('{"item":"tea"}\n')
    with pytest.raises(ReadingError, match=r"begins with \[; .* --input-format jsonl"):
        rows(Source.of(["a.json"]))


def test_fields_inside_of_others():
    columns = NamedColumns("order.item.name", "user/id.x~")
    record = {"order": {"item": {"name": "tea"}}, "user/id": {"x~": 7}}
    plain = {"order.item.name": "rum", "user/id.x~": "8", "order": 1}
    Path("a.jsonl").write_text("\n".join(map(json.dumps, [record, plain, {"order": []}, 3])))
    assert rows(Source.of(["a.jsonl"]), columns)[:2] == [("rum", "8"), ("tea", "7")]
    table = pyarrow.Table.from_pylist([{"order": {"item": {"name": "tea"}}, "person": "7"}])
    pyarrow.parquet.write_table(table, "a.parquet")
    named = NamedColumns("order.item.name", "person")
    assert rows(Source.of(["a.parquet"]), named) == [("tea", "7")]
    with pytest.raises(ReadingError, match=r"is STRUCT.*name a field of it, such as order.NAME"):
        rows(Source.of(["a.parquet"]), NamedColumns("order", "person"))
    with pytest.raises(ReadingError, match=r"has no column 'order.item.x'"):
        rows(Source.of(["a.parquet"]), NamedColumns("order.item.x", "person"))


def test_text_inside_of_others_that_is_no_utf8_is_missing():
    text = pyarrow.array([b"tea", b"\xff"], pyarrow.binary()).view(pyarrow.string())
    inner = pyarrow.StructArray.from_arrays([text], ["name"])
    pyarrow.parquet.write_table(pyarrow.table({"order": inner, "person": ["1", "2"]}), "a.parquet")
    found = rows(Source.of(["a.parquet"]), NamedColumns("order.name", "person"))
    assert found == [("tea", "1"), (None, "2")]


def test_lists_are_public_and_looked_at():
    """Lines of a list that are no UTF-8 are Windows-1252, or what --encoding says."""
    Path("l.txt").write_bytes("Käse \r Öl\r\nKäse\t\n".encode("latin-1") + "Käse\n".encode())
    assert read_catalogue("l.txt") == ["Käse", "Öl"]
    Path("l.txt").write_bytes("Käse \r Öl\r\nKäse\t\n".encode("cp850"))
    assert read_catalogue("l.txt") == ["K„se", "™l"]
    assert read_catalogue("l.txt", encoding="cp850") == ["Käse", "Öl"]
    Path("l.csv").write_bytes("größe\nKäse \nÖl\n".encode("latin-1"))
    assert read_catalogue("l.csv:größe") == ["Käse", "Öl"]
    assert read_catalogue("l.csv:größe", encoding="cp1252") == ["Käse", "Öl"]
    # A list of UTF-8 beside a table of another encoding stays what it is.
    Path("l.txt").write_text("Käse\n")
    assert read_catalogue("l.txt", encoding="cp1252") == ["Käse"]
    Path("l.txt").write_text("Käse\n", encoding="utf-16")
    assert read_catalogue("l.txt") == ["Käse"]
