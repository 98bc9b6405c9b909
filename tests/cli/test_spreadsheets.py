"""Sheets of .xlsx workbooks: every cell is read by itself, and none stops the reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from overbar.cli.tables import NamedColumns, ReadingError, Source, spreadsheet
from overbar.cli.tables.public_list import read_catalogue
from overbar.cli.tables.schema import table_names
from tests.cli.test_tables import rows
from tests.cli.workbook import DAY, MOMENT, SPAN, styled, write_workbook

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
    with pytest.raises(OverflowError):
        items(styled(1e300, DAY))


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


def test_a_list_may_be_a_column_of_a_sheet():
    write_workbook("a.xlsx", sales=[HEAD, ["ann", "tea "], ["bob", "rum"], ["cat", "tea"]])
    assert read_catalogue("a.xlsx:item") == ["rum", "tea"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no", b"\xd0\xcf\x11\xe0"])
def test_a_broken_workbook_is_refused_in_our_words(content):
    Path("a.xlsx").write_bytes(content)
    with pytest.raises(ReadingError, match=r"a.xlsx cannot be read as .xlsx; is it whole"):
        rows(Source.of(["a.xlsx"]))
