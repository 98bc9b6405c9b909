"""A sheet of an ``.xlsx`` workbook, read by us into memory, every cell as text.

Readers of others stop at a cell that they cannot hold: a span of a million years, an error of a new
kind, a number that is none. Here such a cell has no value, and no row decides whether reading
fails. A number is written as Python does, a day as 2024-01-31, a moment as 2024-01-31 08:15:00.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import IO
from xml.etree import ElementTree

import duckdb

from overbar.cli.tables.column_names import NamedColumns
from overbar.cli.tables.delimited import named_places
from overbar.cli.tables.engine import keep_rows, refuse
from overbar.cli.tables.public_values import moment_text
from overbar.cli.tables.typed_tables import chosen_table

#: A sheet has no more columns.
MOST_COLUMNS = 16_384
#: Formats of days and moments that have a number of their own.
DAYS = frozenset((*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)))
#: The first day after the last that Excel has, and how much later its other calendar begins.
LAST, LATER = 2_958_466, 1_462
#: What is raised where a part is missing, cut off or locked.
BROKEN = (KeyError, EOFError, OSError, RuntimeError)
_ESCAPED = re.compile("_x(0009|000A|000D|005F)_")
_NO_FORMAT = re.compile(r'"[^"]*"|\\.|\[[^]]*\]|_.|\*.')


def sheet_names(name: str) -> list[str]:
    """Return the names of the sheets."""
    with _workbook(name) as archive:
        return list(_sheets(archive)[0])


def sheet_table(
    engine: duckdb.DuckDBPyConnection, name: str, table: str | None, columns: NamedColumns
) -> duckdb.DuckDBPyRelation:
    """Return columns of a sheet, by the names in its first row that is not empty."""
    with _workbook(name) as archive:
        sheets, later = _sheets(archive)
        table = chosen_table(name, table, list(sheets), "sheet")
        texts, days = _shared_texts(archive), _styles_of_days(archive)
        with archive.open(sheets[table]) as stream:
            rows = (
                {at: text for at, text in cells if text}
                for cells in _rows(stream, texts, days, later)
            )
            first = next((row for row in rows if row), {})
            names = [first.get(at, "") for at in range(max(first, default=-1) + 1)]
            places = named_places(f"{name} ({table})", names, columns)
            picked = (tuple(row.get(at) for at in places.values()) for row in rows if row)
            return keep_rows(engine, list(places), picked)


@contextmanager
def _workbook(name: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(name) as archive:
            yield archive
    except (*BROKEN, zipfile.BadZipFile, zlib.error, ElementTree.ParseError):
        pass
    else:
        return
    refuse(f"{name} cannot be read as .xlsx; is it whole, and without a password?")


def _local(element: ElementTree.Element) -> str:
    """Return the name of an element without its space, of which there are two."""
    return element.tag.rpartition("}")[2]


def _part(archive: zipfile.ZipFile, kind: str) -> str | None:
    """Return the part of a kind that belongs to the workbook."""
    return next((place for _, what, place in _relations(archive) if what == kind), None)


def _relations(archive: zipfile.ZipFile) -> Iterator[tuple[str, str, str]]:
    for each in ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels")):
        target = each.get("Target", "")
        place = target[1:] if target.startswith("/") else f"xl/{target}"
        yield each.get("Id", ""), each.get("Type", "").rpartition("/")[2], place


def _sheets(archive: zipfile.ZipFile) -> tuple[dict[str, str], bool]:
    """Return the parts of the sheets by their names, and whether days begin in 1904."""
    places = {name: place for name, kind, place in _relations(archive) if kind == "worksheet"}
    sheets, later = {}, False
    for each in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter():
        if _local(each) == "sheet":
            name = next((each.attrib[key] for key in each.attrib if key.endswith("}id")), "")
            if name in places:
                sheets[each.get("name", "")] = places[name]
        elif _local(each) == "workbookPr":
            later = each.get("date1904") in ("1", "true")
    return sheets, later


def _shared_texts(archive: zipfile.ZipFile) -> list[str]:
    place, found = _part(archive, "sharedStrings"), []
    if place is not None:
        with archive.open(place) as stream:
            for _, element in ElementTree.iterparse(stream):
                if _local(element) == "si":
                    found.append(_text(element))
                    element.clear()
    return found


def _text(element: ElementTree.Element) -> str:
    """Return a text that may have runs of several looks; how it is spoken is none of it."""
    runs = [each for each in element if _local(each) in ("t", "r")]
    parts = [one for run in runs for one in ([run] if _local(run) == "t" else run)]
    text = "".join(one.text or "" for one in parts if _local(one) == "t")
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _styles_of_days(archive: zipfile.ZipFile) -> frozenset[str]:
    """Return the styles in which a number is a day, a moment or a time of day."""
    place = _part(archive, "styles")
    if place is None:
        return frozenset()
    root = ElementTree.fromstring(archive.read(place))
    own = {
        each.get("numFmtId"): each.get("formatCode", "")
        for each in root.iter()
        if _local(each) == "numFmt"
    }
    found = set()
    for formats in (each for each in root if _local(each) == "cellXfs"):
        for style, each in enumerate(formats):
            number = each.get("numFmtId", "0")
            code = own.get(number)
            if code is None:
                is_day = number.isdecimal() and int(number) in DAYS
            else:
                spans = re.search(r"\[[hms]+\]", code, re.IGNORECASE)
                plain = _NO_FORMAT.sub("", code).lower()
                is_day = not spans and re.search("[dmyhs]", plain) is not None
            if is_day:
                found.add(str(style))
    return frozenset(found)


def _rows(
    stream: IO[bytes], texts: list[str], days: frozenset[str], later: bool
) -> Iterator[Iterator[tuple[int, str | None]]]:
    for _, row in ElementTree.iterparse(stream):
        if _local(row) == "row":
            yield _cells(row, texts, days, later)
            row.clear()


def _cells(
    row: ElementTree.Element, texts: list[str], days: frozenset[str], later: bool
) -> Iterator[tuple[int, str | None]]:
    at = -1
    for cell in row:
        at = _column(cell.get("r", ""), at)
        if at < MOST_COLUMNS:
            yield at, _value(cell, texts, days, later)


def _column(reference: str, before: int) -> int:
    """Return the column of a cell such as AB7, from 0; the next one where it does not say."""
    at = 0
    for letter in reference.rstrip("0123456789")[:4]:
        at = 26 * at + ord(letter.upper()) - ord("A") + 1
    return at - 1 if at > 0 else before + 1


def _value(
    cell: ElementTree.Element, texts: list[str], days: frozenset[str], later: bool
) -> str | None:
    parts = {_local(each): each for each in cell}
    kind, written = cell.get("t", "n"), parts["v"].text or "" if "v" in parts else ""
    if kind == "inlineStr":
        return _text(parts["is"]) if "is" in parts else None
    if kind == "s":
        number = int(written) if re.fullmatch("[0-9]{1,9}", written) else len(texts)
        return texts[number] if number < len(texts) else None
    if kind == "b":
        return {"1": "true", "0": "false"}.get(written)
    if kind in ("str", "d"):
        return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), written)
    return _number(written, cell.get("s", "") in days, later) if kind == "n" else None


def _number(written: str, is_day: bool, later: bool) -> str | None:
    """Write a number; nothing where it is none, or a day that Excel does not have."""
    try:
        number = float(written)
    except ValueError:
        return None
    if not is_day:
        whole = abs(number) < 2**53 and number == int(number)
        return str(int(number)) if whole else repr(number)
    number += LATER if later else 0
    if not 0 <= number < LAST:
        return None
    # Excel has a 29 February 1900, and days before it are one more than they should be.
    since = timedelta(milliseconds=round(number * 86_400_000))
    moment = datetime(1899, 12, 30) + since + timedelta(days=1 <= number < 60)
    if number < 1:
        return moment_text(moment)[11:]
    return moment_text(moment).removesuffix(" 00:00:00")
