"""A sheet of an ``.xlsx`` workbook, read by us, every cell as text.

Readers of others stop at a cell that they cannot hold: a span of a million years, an error of a new
kind, a number that is none. Here such a cell has no value, a row that is no XML is left out, and no
row decides whether reading fails. A number is written as Python does, a day as 2024-01-31, a moment
as 2024-01-31 08:15:00.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Collection, Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import islice, product
from string import ascii_uppercase
from sys import getsizeof
from xml.etree import ElementTree

import duckdb

from overbar.cli.tables.arrow_streams import short, stream_of_rows
from overbar.cli.tables.column_names import (
    IN_A_SHEET,
    REASON,
    NamedColumns,
    moment_text,
    named_places,
)
from overbar.cli.tables.engine import OUT_OF_MEMORY, refuse, shielded
from overbar.cli.tables.typed_tables import chosen_table
from overbar.cli.tables.xml_pieces import Piece, elements, local_name
from overbar.errors import OverbarError

#: A sheet has no more columns.
MOST_COLUMNS = 16_384
#: Parts that say what is where are no longer than this, in bytes.
LONGEST_PART = 1 << 24
#: What is left of the memory, in bytes, is no less than this.
LEAST_LEFT = 1 << 22
#: Formats of days and moments that have a number of their own.
DAYS = frozenset((*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)))
#: The first day after the last that Excel has, and how much later its other calendar begins.
LAST, LATER = 2_958_466, 1_462
#: How long a day is, in milliseconds.
DAY = 86_400_000
_ESCAPED = re.compile("_x(0009|000A|000D|005F)_")
_NO_FORMAT = re.compile(r'"[^"]*"|\\.|\[[^]]*\]|_.|\*.')


def sheet_names(name: str) -> list[str]:
    """Return the names of the sheets."""
    with _workbook(name) as archive:
        return list(_sheets(archive)[0])


def sheet_table(
    engine: duckdb.DuckDBPyConnection,
    name: str,
    table: str | None,
    columns: NamedColumns,
    *,
    header_row: int | None = None,
    with_comma: Collection[str] = (),
    reasons: bool = False,
) -> duckdb.DuckDBPyRelation:
    """Return columns of a sheet, by the names in its first row that is not empty, or in another.

    Some have numbers as text, written `with_comma`: there a cell that holds a number has one too.
    """
    with _workbook(name) as archive:
        sheets, later = _sheets(archive)
        table = chosen_table(name, table, list(sheets), "sheet")
        cells = Cells(_shared_texts(engine, archive), _styles_of_days(archive), later)
        with archive.open(sheets[table]) as stream:
            names = _names(elements(stream, "row"), cells, f"{name} ({table})", header_row)
    places = named_places(f"{name} ({table})", names, columns, IN_A_SHEET)
    commas = frozenset(at for one, at in places.items() if one in with_comma)
    wanted = replace(cells, commas=commas)

    def picked() -> Iterator[tuple[str | None, ...]]:
        with _workbook(name) as archive, archive.open(sheets[table]) as stream:
            rows = elements(stream, "row")
            _names(rows, cells, name, header_row)
            yield from _picked(rows, wanted, list(places.values()), reasons=reasons)

    stream_of_cells = stream_of_rows([*places, *([REASON] if reasons else [])], picked)
    engine.register("rows of a sheet", stream_of_cells)
    return engine.sql('select * from "rows of a sheet"')


def first_rows(
    engine: duckdb.DuckDBPyConnection, name: str, table: str | None
) -> Iterator[tuple[int, Iterable[str]]]:
    """Yield what is in the rows of a sheet, by their numbers, for its owner."""
    with _workbook(name) as archive:
        sheets, later = _sheets(archive)
        cells = Cells(_shared_texts(engine, archive), _styles_of_days(archive), later)
        with archive.open(sheets[chosen_table(name, table, list(sheets), "sheet")]) as stream:
            for number, row in _numbered(elements(stream, "row")):
                yield number, [] if row is None else cells.of(row, range(MOST_COLUMNS)).values()


def odd_cells(name: str, table: str | None) -> tuple[int, int]:
    """Return how many cells have a formula without a result, and how many areas are merged."""
    with _workbook(name) as archive:
        sheets, _ = _sheets(archive)
        place = sheets[chosen_table(name, table, list(sheets), "sheet")]
        with archive.open(place) as stream:
            cells = (cell for row in elements(stream, "row") for cell in (row or ()))
            parts = ({local_name(each): each.text for each in cell} for cell in cells)
            bare = sum("f" in part and not part.get("v") for part in parts)
        with archive.open(place) as stream:
            return bare, sum(1 for _ in elements(stream, "mergeCell"))


def _numbered(rows: Iterator[Piece]) -> Iterator[tuple[int, Piece]]:
    """Yield rows with the numbers that they have in the sheet, where empty ones are left out."""
    number = 0
    for row in rows:
        written = "" if row is None else row.get("r", "")
        plain = 0 < len(written) < 9 and written.isascii() and written.isdecimal()
        number = int(written) if plain else number + 1
        yield number, row


def _names(rows: Iterator[Piece], cells: Cells, name: str, at: int | None) -> list[str]:
    """Return what the first row has that is not empty, or the one that was named."""
    for number, row in _numbered(rows):
        if at is not None and number < at:
            continue
        if at is not None and number > at:
            break
        if row is None:
            refuse(f"{name} must begin with a row of column names, and its first is broken")
        if first := cells.of(row, range(MOST_COLUMNS)):
            return [first.get(at, "") for at in range(max(first) + 1)]
    return []


def _picked(
    rows: Iterator[Piece], cells: Cells, places: list[int], *, reasons: bool
) -> Iterator[tuple[str | None, ...]]:
    """Yield what is in the columns; a row with nothing there is none."""
    wanted, no_reason = frozenset(places), (None,) * reasons
    for row in rows:
        texts = {} if row is None else cells.of(row, wanted)
        if texts:
            yield (*map(texts.get, places), *no_reason)
        elif row is None and reasons:
            yield (*(None for _ in places), "broken rows")


@contextmanager
def _workbook(name: str) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(name) as archive:
            yield archive
    except (OverbarError, MemoryError):
        raise
    except Exception:  # what a file that is cut off, changed or locked is broken by has many types
        pass
    else:
        return
    refuse(
        f"{name} cannot be read as .xlsx; is it whole, and without a password? If it is text, add "
        "--input-format csv"
    )


def _small(archive: zipfile.ZipFile, place: str) -> ElementTree.Element:
    """Return a part that says what is where; packed, it may be of any size."""
    with archive.open(place) as stream:
        text = stream.read(LONGEST_PART + 1)
    if len(text) > LONGEST_PART:
        refuse(f"{archive.filename}: {place} must not be longer than {LONGEST_PART:,} bytes")
    return ElementTree.fromstring(text)


def _part(archive: zipfile.ZipFile, kind: str) -> str | None:
    """Return the part of a kind that belongs to the workbook."""
    return next((place for _, what, place in _relations(archive) if what == kind), None)


def _relations(archive: zipfile.ZipFile) -> Iterator[tuple[str, str, str]]:
    for each in _small(archive, "xl/_rels/workbook.xml.rels"):
        target = each.get("Target", "")
        place = target[1:] if target.startswith("/") else f"xl/{target}"
        yield each.get("Id", ""), each.get("Type", "").rpartition("/")[2], place


def _sheets(archive: zipfile.ZipFile) -> tuple[dict[str, str], bool]:
    """Return the parts of the sheets by their names, and whether days begin in 1904."""
    places = {name: place for name, kind, place in _relations(archive) if kind == "worksheet"}
    sheets, later = {}, False
    for each in _small(archive, "xl/workbook.xml").iter():
        if local_name(each) == "sheet":
            name = next((each.attrib[key] for key in each.attrib if key.endswith("}id")), "")
            if name in places:
                sheets[each.get("name", "")] = places[name]
        elif local_name(each) == "workbookPr":
            later = each.get("date1904") in ("1", "true")
    return sheets, later


def _shared_texts(engine: duckdb.DuckDBPyConnection, archive: zipfile.ZipFile) -> list[str | None]:
    """Return the texts that cells refer to by number. They are held in memory, all of them.

    What they take, the engine does not get.
    """
    place, texts = _part(archive, "sharedStrings"), list[str | None]()
    if place is None:
        return texts
    limit = "select parse_formatted_bytes(current_setting('memory_limit'))"
    [(left,)] = engine.execute(limit).fetchall()
    with archive.open(place) as stream:
        for element in elements(stream, "si", numbered=True):
            texts.append(None if element is None else short(_text(element)))
            left -= getsizeof(texts[-1]) + 8
            if left < LEAST_LEFT:
                refuse(f"{archive.filename}: {OUT_OF_MEMORY}")
    with shielded(str(archive.filename)):
        engine.execute(f"set memory_limit = '{left} bytes'")
    return texts


def _text(element: ElementTree.Element) -> str:
    """Return a text that may have runs of several looks; how it is spoken is none of it."""
    parts = list[ElementTree.Element]()
    for each in element:
        kind = each.tag.rpartition("}")[2]
        parts += [each] if kind == "t" else each if kind == "r" else ()
    return _unescaped("".join([one.text or "" for one in parts if local_name(one) == "t"]))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _styles_of_days(archive: zipfile.ZipFile) -> frozenset[str]:
    """Return the styles in which a number is a day, a moment or a time of day."""
    place = _part(archive, "styles")
    if place is None:
        return frozenset()
    root = _small(archive, place)
    own = {
        each.get("numFmtId"): each.get("formatCode", "")
        for each in root.iter()
        if local_name(each) == "numFmt"
    }
    styles = set()
    for formats in (each for each in root if local_name(each) == "cellXfs"):
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
                styles.add(str(style))
    return frozenset(styles)


@dataclass(frozen=True)
class Cells:
    """How cells are read: with shared texts, styles of days, and the day that is the first."""

    texts: list[str | None]
    days: frozenset[str]
    later: bool
    #: Columns in which a number is written with a decimal comma.
    commas: frozenset[int] = frozenset()

    def of(self, row: ElementTree.Element, wanted: Container[int]) -> dict[int, str]:
        """Return what is in wanted columns of a row, empty cells aside."""
        at, filled, known = -1, {}, _columns()
        for cell in row:
            letters = cell.get("r", "").rstrip("0123456789")
            at = known.get(letters, at + 1)
            # One that no column has is nowhere; the next may stand behind it.
            if at in wanted and (not letters or letters in known) and (text := self._value(cell)):
                comma = at in self.commas and cell.get("t", "n") == "n"
                filled[at] = text.replace(".", ",") if comma else text
        return filled

    def _value(self, cell: ElementTree.Element) -> str | None:
        kind, written, inline = cell.get("t", "n"), "", None
        for part in cell:
            name = part.tag.rpartition("}")[2]
            if name == "v":
                written = part.text or ""
            elif name == "is":
                inline = part
        if kind == "inlineStr":
            return None if inline is None else _text(inline)
        if kind == "s":
            plain = len(written) < 10 and written.isascii() and written.isdecimal()
            number = int(written) if plain else len(self.texts)
            return self.texts[number] if number < len(self.texts) else None
        if kind == "b":
            return {"1": "true", "0": "false"}.get(written)
        if kind in ("str", "d"):
            return _unescaped(written)
        if kind == "n":
            return _number(written, cell.get("s", "") in self.days, self.later)
        return None


@cache
def _columns() -> dict[str, int]:
    """Return the places of all columns, from 0, by what they are called: A, B, …, XFD."""
    names = (letters for size in (1, 2, 3) for letters in product(ascii_uppercase, repeat=size))
    return {"".join(letters): at for at, letters in enumerate(islice(names, MOST_COLUMNS))}


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
    # The end of the last day is rounded to no day behind it: there is none.
    since = timedelta(milliseconds=min(round(number * DAY), LAST * DAY - 1))
    # Excel has a 29 February 1900, and days before it are one more than they should be.
    moment = datetime(1899, 12, 30) + since + timedelta(days=1 <= number < 60)
    if number < 1:
        return moment_text(moment)[11:]
    return moment_text(moment).removesuffix(" 00:00:00")
