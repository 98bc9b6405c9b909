"""Sheets of .xlsx workbooks: every cell is read by itself, and none stops the reading."""

from __future__ import annotations

import io
import re
import zipfile
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import pytest

from overbar.cli.tables import (
    NamedColumns,
    ReadingError,
    Source,
    spreadsheet,
    start_engine,
    xml_pieces,
)
from overbar.cli.tables.advice import table_names
from overbar.cli.tables.public_list import read_catalogue
from overbar.errors import ParameterError
from tests.cli.shop import run
from tests.cli.test_tables import rows
from tests.cli.workbook import DAY, MOMENT, SPAN, as_bytes, styled, write_workbook

pytestmark = pytest.mark.one_in(5)

HEAD = ["person", "item", "amount"]


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def items(*cells, **options):
    """What cells are read as, each in a row of its own."""
    write_workbook("a.xlsx", sales=[HEAD, *(["ann", one] for one in cells)], **options)
    found = rows(Source.of(["a.xlsx"]))
    assert [person for _, person in found] == ["ann"] * len(cells)
    return {item for item, _ in found}


def test_cells_of_every_kind():
    assert items("Käse", "", 7, 7.0, 0.1, 1e300, "<c/>") == {"Käse", None, "7", "0.1", "1e+300"}
    assert items('<c t="b"><v>1</v></c>', '<c t="e"><v>#N/A</v></c>') == {"true", None}
    shared = ("<t>tea</t>", "<r><t>ru</t></r><r><rPr/><t>m</t></r><rPh><t>x</t></rPh>")
    cells = [f'<c t="s"><v>{n}</v></c>' for n in range(2)]
    assert items(*cells, texts=shared) == {"tea", "rum"}
    assert items('<c t="str"><v>a_x000D_b</v></c>') == {"a\rb"}


@pytest.mark.parametrize(
    ("number", "style", "text"),
    [
        (45322, DAY, "2024-01-31"),
        (45322.34375, MOMENT, "2024-01-31 08:15:00"),
        (45322.3472222222222, MOMENT, "2024-01-31 08:20:00"),
        (0.34375, MOMENT, "08:15:00"),
        (1, DAY, "1900-01-01"),
        (61, DAY, "1900-03-01"),
        (45322.5, SPAN, "45322.5"),
    ],
)
def test_days_and_moments(number, style, text):
    assert items(styled(number, style)) == {text}


def test_the_other_calendar():
    assert items(styled(43860, DAY), later=True) == {"2024-01-31"}


@pytest.mark.parametrize(
    "odd",
    [
        *(styled(n, style) for n in (1e10, -5, 1e300, -1e300, 2958466) for style in range(4)),
        '<c t="n"><v>zz</v></c>',
        "<c><v>NaN</v></c>",
        "<c><v>1e999</v></c>",
        '<c t="s"><v>999</v></c>',
        '<c t="s"><v>²</v></c>',
        f'<c t="s"><v>{"9" * 5000}</v></c>',
        f'<c t="b"><v>{"9" * 5000}</v></c>',
        '<c t="e"><v>#SPILL!</v></c>',
        '<c t="what"><v>1</v></c>',
        '<c t="d"><v>2024-99-99</v></c>',
        '<c s="99"><v>3</v></c>',
        '<c r="XFE9"><v>3</v></c>',
        '<c r="ZZZZZZZZ9"><v>3</v></c>',
        '<c r="é9"><v>3</v></c>',
        '<c r="ß1"><v>3</v></c>',
        '<c t="inlineStr"/>',
        "<c><v>" + "9" * 5000 + "</v></c>",
    ],
)
def test_no_cell_stops_the_reading_or_changes_the_others(odd):
    write_workbook("a.xlsx", sales=[HEAD, ["bob", "tea", 2], ["ann", odd, odd], ["cat", "rum", 3]])
    columns = NamedColumns("item", "person", "amount")
    found = rows(Source.of(["a.xlsx"]), columns)
    assert {("tea", "bob", 2.0), ("rum", "cat", 3.0)} <= set(found)
    assert len(found) == 3


def test_control_without_a_look_at_the_calendar_a_cell_stops_the_reading(monkeypatch):
    monkeypatch.setattr(spreadsheet, "LAST", float("inf"))
    with pytest.raises(duckdb.Error, match="cannot be read"):
        items(styled(1e300, DAY))


#: Rows that make a document no XML, or look like several, or hide what follows.
ODD_ROWS = [
    *(f"<row><c t='str'><v>{text}</v></c></row>".encode() for text in ("a\x01b", "&#1;", "&what;")),
    b"<row><c t='str'><v>\xff</v></c></row>",
    b"<row><c t='str'><v>a & b</v></c></row>",
    b"<row><c t='str'><v>a < b</v></c></row>",
    b"<row><c r='\xc3\x9f1'><v>1</v></c><c r='SS1'><v>2</v></c><c r='\xc4\xb11'/></row>",
    *(b"<row><c>" + text for text in (b"", b"</row>", b"<!--", b"<![CDATA[", b"<?what", b'<v a="')),
    *(
        b"<row><c/></row>" + text
        for text in (b"<!--", b"-->", b"<![CDATA[", b"]]>", b"</sheetData>")
    ),
    b"<row><c t='str'><v><![CDATA[<row></sheetData></all><all>]]></v></c></row>",
    b"<row><row><c/></row></row>",
    b"<!DOCTYPE a [<!ENTITY b 'c'>]><row/>",
    b"<row/><!-- <row> -->" + b"<z:row xmlns:z='z'/>" + b"<\xc3\xa9:row xmlns:\xc3\xa9='z'/>",
    b"<row><c><v>" + b"<t>" * 5_000 + b"</v></c></row>",
    b"<row r='99999999999999999999'><c r='A0'/><c r='A1048577'/><c r='B1'/><c r='B1'/></row>",
    b"<row>" + b"<c/>" * 20_000 + b"</row>",
    b"<row><c t='str'><v>" + b"x" * xml_pieces.LONGEST_PIECE + b"</v></c></row>",
]
OTHERS = [["bob", "tea", 2], ["cat", "rum", 3], ["dan", "gin", 4]]


@pytest.mark.parametrize("odd", ODD_ROWS)
def test_no_row_stops_the_reading_or_changes_the_others(odd, monkeypatch):
    """XML is whole or nothing to other readers."""
    monkeypatch.setattr(xml_pieces, "BLOCK", 7 if len(odd) < 9_999 else 1 << 16)
    write_workbook("a.xlsx", sales=[HEAD, *OTHERS * 9, odd, *OTHERS])
    found = rows(Source.of(["a.xlsx"]), NamedColumns("item", "person", "amount"))
    kept = [one for one in found if one[1] in ("bob", "cat", "dan")]
    assert len(kept) == len(OTHERS) * 10
    assert set(kept) == {(item, person, amount) for person, item, amount in OTHERS}


def test_two_odd_rows_are_read_as_each_alone():
    """What one opens another may close: read together they would be something else."""

    def read(*odd):
        sheet = b"<sheetData>" + b"".join([*odd, b"<row r='9'/>"]) + b"</sheetData>"
        found = list(xml_pieces.elements(io.BytesIO(sheet), "row"))[:-1]
        for row in found:
            if row is not None:
                row.tail = None
        return [None if row is None else ElementTree.tostring(row) for row in found]

    alone = {odd: read(odd) for odd in ODD_ROWS[:-3]}
    for one, other in product(alone, repeat=2):
        assert read(one, other) == [*alone[one], *alone[other]]


def test_control_read_at_once_two_odd_rows_are_another():
    monkey = b"<row><c><!--" + b"<row>--></c></row>"
    assert len(ElementTree.fromstring(b"<all>" + monkey + b"</all>")) == 1
    assert list(xml_pieces.elements(io.BytesIO(monkey), "row")) == [None, None]


@pytest.mark.parametrize("odd", ["a\x01b", "&#1;", "&what;", b"\xff", "</si>", "<si>", "a & b"])
def test_no_shared_text_changes_the_others(odd):
    """The places of texts count: one that cannot be read keeps its own."""
    texts = ["<t>tea</t>", as_bytes("<t>%s</t>").replace(b"%s", as_bytes(odd)), "<t>rum</t>"]
    found = items(*(f'<c t="s"><v>{n}</v></c>' for n in (0, 2 + (odd == "<si>"))), texts=texts)
    assert found == {"tea", "rum"}


def test_a_tag_in_a_section_of_a_shared_text_is_text():
    texts = ["<t><![CDATA[<si>&]]></t>", "<!-- <si> --><t>rum</t>"]
    assert items(*(f'<c t="s"><v>{n}</v></c>' for n in (0, 1)), texts=texts) == {"<si>&", "rum"}


@pytest.mark.parametrize("encoding", ["zzz", "uu", "utf-7", "hex"])
def test_an_encoding_that_no_part_may_have_is_refused(encoding):
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    write_workbook("a.xlsx", head=head, sales=[HEAD, *OTHERS])
    with pytest.raises(ReadingError, match="must be written in UTF-8 or UTF-16"):
        rows(Source.of(["a.xlsx"]))
    with pytest.raises(ParameterError, match="--encoding must be utf-8"):
        Source.of(["a.csv"], encoding=encoding)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "latin-1"])
def test_parts_in_other_encodings(encoding):
    head = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    write_workbook("a.xlsx", head=head, sales=[HEAD, ["ann", "Käse", 1]])
    with zipfile.ZipFile("a.xlsx") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile("a.xlsx", "w") as archive:
        for name, part in parts.items():
            again = part.decode().encode(encoding) if "sheet1" in name else part
            archive.writestr(name, again)
    assert rows(Source.of(["a.xlsx"])) == [("Käse", "ann")]


def test_prefixes_other_spaces_and_what_comes_behind():
    """Excel gives rows an attribute of another space, and some writers prefix every tag."""
    sheet = [
        HEAD,
        b'<row x14ac:dyDescent="1"><c t="str"><v>ann</v></c><c t="str"><v>tea</v></c></row>',
    ]
    write_workbook("a.xlsx", sales=sheet)
    with zipfile.ZipFile("a.xlsx") as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    plain = parts["xl/worksheets/sheet1.xml"].replace("<worksheet ", '<worksheet xmlns:x14ac="u" ')
    prefixed = re.sub("<(/?)", r"<\1x:", plain).replace("xmlns=", "xmlns:x=")
    tail = f"</sheetData>{'<a/>' * (xml_pieces.LONGEST_PIECE // 4)}"
    plain = plain.replace("</sheetData>", tail)
    for part in (plain, prefixed):
        with zipfile.ZipFile("a.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in {**parts, "xl/worksheets/sheet1.xml": part}.items():
                archive.writestr(name, text)
        assert rows(Source.of(["a.xlsx"])) == [("tea", "ann")]


def test_the_owner_sees_how_many_rows_are_broken():
    write_workbook("a.xlsx", sales=[HEAD, *OTHERS, ODD_ROWS[0], ODD_ROWS[1]])
    found = run("check", "a.xlsx", "--item", "item", "--person", "person")
    assert re.search("left out: broken rows +2", found.stdout)


def test_a_broken_row_of_names_is_refused():
    write_workbook("a.xlsx", sales=[b"<row/>", ODD_ROWS[0], HEAD, *OTHERS])
    with pytest.raises(ReadingError, match="must begin with a row of column names"):
        rows(Source.of(["a.xlsx"]))


def test_parts_of_any_size_take_little_memory():
    with zipfile.ZipFile("a.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/_rels/workbook.xml.rels", " " * (spreadsheet.LONGEST_PART + 1))
    with pytest.raises(ReadingError, match=r"workbook.xml.rels must not be longer than 16,777,216"):
        rows(Source.of(["a.xlsx"]))
    write_workbook("a.xlsx", texts=["<t>" + "x" * 1_000 + "</t>"] * 30_000, sales=[HEAD, *OTHERS])
    with (
        start_engine("10MB", 1) as engine,
        pytest.raises(ReadingError, match="more memory than --memory allows"),
    ):
        Source.of(["a.xlsx"]).open(engine, NamedColumns("item", "person"))


def test_sheets_headers_and_blank_rows():
    sheet = [
        [],
        [None, None],
        [None, *HEAD],
        [None, "ann", "tea", 1.5],
        [],
        [None, "bob", "rum", 2],
    ]
    write_workbook("a.xlsx", sales=sheet, other=[["x"]])
    assert table_names(["a.xlsx"], None) == ["sales", "other"]
    with pytest.raises(ReadingError, match=r"a sheet of a.xlsx; its sheets: sales, other"):
        rows(Source.of(["a.xlsx"]))
    with pytest.raises(ReadingError, match="no sheet 'sale'; its sheets: sales, other"):
        rows(Source.of(["a.xlsx"], table="sale"))
    found = rows(Source.of(["a.xlsx"], table="sales"), NamedColumns("item", "person", "amount"))
    assert found == [("rum", "bob", 2.0), ("tea", "ann", 1.5)]
    with pytest.raises(ReadingError, match=r"no column 'x' for --item; .* not shown"):
        rows(Source.of(["a.xlsx"], table="sales"), NamedColumns("x"))


def test_numbers_as_text_may_have_a_decimal_comma():
    """Cells that hold numbers say so themselves: 1.125 is no 1125 beside 1.125,5."""
    amounts = {"ann": 1.125, "bob": "12,5", "cat": "1.125,5", "dan": 7, "eve": 1e-7, "flo": "1.5"}
    write_workbook("a.xlsx", sales=[HEAD, *([who, 2.5, n] for who, n in amounts.items())])
    source = Source.of(["a.xlsx"], decimal_comma=True, where="amount < 2000")
    read = {
        who: (item, n) for item, who, n in rows(source, NamedColumns("item", "person", "amount"))
    }
    numbers = {"ann": 1.125, "bob": 12.5, "cat": 1125.5, "dan": 7.0, "eve": 1e-7}  # 1.5 is none
    assert read == {who: ("2.5", number) for who, number in numbers.items()}


def test_a_list_may_be_a_column_of_a_sheet():
    write_workbook("a.xlsx", sales=[HEAD, ["ann", "tea "], ["bob", "rum"], ["cat", "tea"]])
    assert read_catalogue("a.xlsx:item") == ["rum", "tea"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no", b"\xd0\xcf\x11\xe0"])
def test_a_broken_workbook_is_refused_in_our_words(content):
    Path("a.xlsx").write_bytes(content)
    with pytest.raises(ReadingError, match=r"a.xlsx cannot be read as .xlsx; is it whole"):
        rows(Source.of(["a.xlsx"]))
