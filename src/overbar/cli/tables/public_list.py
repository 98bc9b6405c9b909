"""A public list of candidates: who could be selected, decided before the data are seen."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from overbar.cli.tables.column_names import NamedColumns, identifier, reader_of
from overbar.cli.tables.encodings import is_utf8, marked, readable, unpacked
from overbar.cli.tables.engine import ReadingError, shielded, start_engine
from overbar.cli.tables.files import FORMS, STREAMS, form_of
from overbar.cli.tables.source import Source
from overbar.errors import ParameterError
from overbar.frames.columns import plain_text
from overbar.ledger.address import is_address
from overbar.words.released_answer import PublicList

Label = Any
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_RANGE = re.compile(r"(-?\d{1,18})\.\.(-?\d{1,18})")
#: A range is never written out, except for a column of text: so many of its labels take a gigabyte.
MOST_TEXTS = 5_000_000
#: Endings of tables, of which a column must be named.
TABLES = tuple(
    ending
    for form, endings in FORMS.items()
    if form not in ("duckdb", "sqlite")
    for ending in endings
    if ending != ".txt"
)
DATABASE_ENDINGS = (*FORMS["duckdb"], *FORMS["sqlite"])


def read_catalogue(
    written: str, item: str | tuple[str, ...] = "", encoding: str | None = None
) -> Sequence[Label]:
    """Return the labels: ``0..9999``, typed ones, a text file, or a table's ``file:column``.

    For an item of several columns, a table that has these. Blanks at the ends of a label are left
    out. What is no UTF-8 is read in the encoding that the table has (a list is public, and may be
    looked at), and where none was named by the rule of tables: its lines that are no UTF-8 as
    Windows-1252.

    >>> read_catalogue("1..3"), read_catalogue("north, south")
    (range(1, 4), ['north', 'south'])
    """
    name = catalogue_file(written)
    if not isinstance(item, str) and (name != written or not written.lower().endswith(TABLES)):
        raise ParameterError(
            f"--catalogue must be a table with the columns {' and '.join(item)} of --item, such as "
            f"list.csv, got {written}"
        )
    if match := _RANGE.fullmatch(written.strip()):
        first, last = int(match[1]), int(match[2])
        if last < first:
            raise ParameterError(f"--catalogue must run upward, got {written}")
        return range(first, last + 1)
    if is_typed_list(written):
        return list(dict.fromkeys(part for part in map(str.strip, written.split(",")) if part))
    if name is None or not Path(name).is_file():
        if name is not None and Path(name).exists():
            raise ParameterError(
                f"--catalogue must be a file that stays, so that others can look at it; {name} is "
                "a pipe or a folder: write the list to a file first"
            )
        raise ParameterError(
            f"--catalogue must be a file with one label a line, a table's file:column, labels "
            f"with commas, or a range such as 0..9999; there is no file {written}"
        )
    labels: Sequence[Label]
    if not isinstance(item, str):
        labels = _columns(name, item, encoding)
    elif name == written:
        labels = _lines(Path(name), encoding)
    else:
        column = written.removeprefix(f"{name}:")
        labels = [row[0] for row in _columns(name, (column,), encoding)]
    if not labels:
        raise ParameterError(f"--catalogue must list at least one label; {written} is empty")
    return labels


def catalogue_file(written: str) -> str | None:
    """Return which file a list is in; None for a range, and for labels that were typed.

    >>> catalogue_file("0..9"), catalogue_file("tea,rum"), catalogue_file("products.csv:name")
    (None, None, 'products.csv')
    """
    if is_address(written):  # which is not shown: it may have a password in it
        raise ParameterError(_no_database("it"))
    if _RANGE.fullmatch(written.strip()) or is_typed_list(written):
        return None
    name, colon, _ = written.rpartition(":")
    return name if colon and not os.path.exists(written) else written


def list_on_record(written: str | None, labels: Sequence[Label] | None) -> PublicList | None:
    """Return what a report says of a list: no folder of this machine, and a digest of its file.

    >>> str(list_on_record("0..9", range(10)))
    '0..9, 10 items'
    """
    if written is None or labels is None:
        return None
    name = catalogue_file(written)
    if name is None:
        return PublicList(written.strip(), len(labels))
    with open(name, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    folder = os.path.dirname(name)
    return PublicList(written.removeprefix(folder).lstrip(os.sep), len(labels), digest)


@contextmanager
def said_of_groups() -> Iterator[None]:
    """Let a public list be read that is one of groups: what is wrong is said of these."""
    try:
        yield
    except (ParameterError, ReadingError) as error:
        words = error.as_typed().replace("--item is a column", "its column is one")
        words = words.replace("--catalogue", "--groups")
        raise type(error)(words) from None


def is_typed_list(written: str) -> bool:
    """Tell whether labels were typed with commas between them, and no file is called that.

    >>> is_typed_list("north,south"), is_typed_list("regions.txt"), is_typed_list("a,b.csv")
    (True, False, False)
    """
    places = (written, written.rpartition(":")[0])
    if written.lower().endswith((*TABLES, *DATABASE_ENDINGS, ".txt")):
        return False  # it should be a file, and is lost
    return "," in written and not any(map(os.path.exists, places)) and not is_address(written)


def read_groups(written: str, encoding: str | None = None) -> Sequence[Label]:
    """Return the labels of groups, as a catalogue has them."""
    with said_of_groups():
        return read_catalogue(written, encoding=encoding)


def fitted(labels: Sequence[Label], kind: str, *others: str) -> Sequence[Label]:
    """Return the labels as the item column holds them, or several columns do, by their types.

    >>> fitted(range(2), "VARCHAR"), fitted(["7", "8"], "BIGINT"), fitted([("7", "8")], "INT", "X")
    (['0', '1'], [7, 8], [(7, '8')])
    >>> fitted(["2024-01-31T08:15"], "TIMESTAMP")
    ['2024-01-31 08:15:00']
    """
    if isinstance(labels[0], tuple):
        parts = zip(*labels, strict=True)
        each = (_read(part, one) for part, one in zip(parts, (kind, *others), strict=True))
        return list(dict.fromkeys(zip(*each, strict=True)))
    found = _read(labels, kind)
    return found if isinstance(found, range) else list(dict.fromkeys(found))


def _read(labels: Sequence[Label], kind: str) -> Sequence[Label]:
    """Return each label as a column of this type holds it."""
    reader = reader_of(kind)
    if reader is None:
        if isinstance(labels, range) and len(labels) > MOST_TEXTS:
            raise ParameterError(
                f"--catalogue {labels[0]}..{labels[-1]} has {len(labels):,} labels, and as text, "
                f"which --item is a column of, at most {MOST_TEXTS:,} fit; list fewer, or make "
                "the column whole numbers"
            )
        return labels if all(isinstance(one, str) for one in labels) else [str(x) for x in labels]
    read, what = reader
    if isinstance(labels, range) and read is int:
        return labels
    try:
        return [read(plain_text(label)) for label in labels]
    except (ValueError, KeyError, ArithmeticError):
        raise ParameterError(
            f"--catalogue must list {what}, because --item is a column of {kind}; nothing else "
            "could ever be found"
        ) from None


def _lines(path: Path, encoding: str | None) -> list[str]:
    if path.name.lower().endswith(DATABASE_ENDINGS):
        raise ParameterError(_no_database(path))
    if path.name.lower().endswith(TABLES):
        raise ParameterError(f"--catalogue {path} needs a column: --catalogue {path}:NAME")
    raw, encoding = _read_list(str(path), encoding)
    try:
        text = readable(raw, mend=True).decode() if encoding is None else raw.decode(encoding)
    except UnicodeError:
        raise ReadingError(
            f"--catalogue {path} must be text, one label a line, and {encoding or 'UTF-8'}"
        ) from None
    lines = [line.strip() for line in re.split(r"\r\n?|\n", text.removeprefix("\ufeff"))]
    return _labels(path, [line for line in lines if line])


def _labels(path: Path, lines: list[str]) -> list[str]:
    """Return the label of each line, without the quotes it may stand in; refuse several in one."""
    bare = [line for line in lines if not _QUOTED.fullmatch(line)]
    for sign in "\t;" if len(bare) > 1 else "\t;,|":
        if bare and len(bare) == len(lines) and all(sign in line for line in bare):
            raise ParameterError(
                f"--catalogue {path} must have one label a line, but each line has {sign!r} in it: "
                "write each label in a line of its own (in double quotes, if it has such a sign "
                f"itself), or name a column of a table, such as --catalogue {path.stem}.csv:NAME"
            )
    inner = (one[1:-1].replace('""', '"') if _QUOTED.fullmatch(one) else one for one in lines)
    return list(dict.fromkeys(one.strip() for one in inner if one.strip()))


def _read_list(name: str, encoding: str | None) -> tuple[bytes, str | None]:
    """Return what a list holds, and its encoding: None if it is UTF-8, else the one named."""
    with shielded(name), unpacked(name, by_content=True) as stream:
        raw = stream.read()
    return raw, marked(raw) or (None if is_utf8(raw) else encoding)


def _no_database(name: object) -> str:
    return f"--catalogue must not be a database; write the labels of {name} to a file, one a line"


def _columns(name: str, columns: tuple[str, ...], encoding: str | None) -> list[tuple[Any, ...]]:
    if name.lower().endswith(DATABASE_ENDINGS):
        raise ParameterError(_no_database(name))
    is_text = form_of((name,), None) in STREAMS
    with start_engine() as engine:
        source = Source.of([name], encoding=_read_list(name, encoding)[1] if is_text else None)
        relation = source.open(engine, NamedColumns(item=columns))
        for label in map(identifier, columns):
            relation = relation.filter(f"{label} is not null")
        rows = relation.distinct().order(", ".join(map(identifier, columns))).fetchall()
    labels = (tuple(one.strip() if isinstance(one, str) else one for one in row) for row in rows)
    return list(dict.fromkeys(label for label in labels if "" not in label))


def fitted_groups(
    groups: Sequence[Label] | None, kinds: Sequence[str] | None
) -> Sequence[Label] | None:
    """Return the groups as their column has them, whose type is the first of these."""
    if groups is None or kinds is None:
        return groups
    with said_of_groups():
        return fitted(groups, kinds[0])
