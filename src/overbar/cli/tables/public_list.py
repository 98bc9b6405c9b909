"""A public list of candidates: who could be selected, decided before the data are seen."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from overbar.cli.tables.column_names import NamedColumns, identifier
from overbar.cli.tables.engine import ReadingError, start_engine
from overbar.cli.tables.files import DATABASES, FORMS
from overbar.cli.tables.source import Source
from overbar.errors import ParameterError
from overbar.frames import DatabaseTable
from overbar.ledger.address import is_address

Label = str | int
_RANGE = re.compile(r"(-?\d{1,18})\.\.(-?\d{1,18})")
#: A range is never written out, except for a column of text: so many of its labels take a gigabyte.
MOST_TEXTS = 5_000_000
#: Endings of tables, of which a column must be named.
TABLES = tuple(
    ending
    for form, endings in FORMS.items()
    if form not in (*DATABASES, "dat")
    for ending in endings
    if ending != ".txt"
)
DATABASE_ENDINGS = tuple(ending for form in DATABASES for ending in FORMS[form])


def read_catalogue(written: str) -> Sequence[Label]:
    """Return the labels: ``0..9999``, a text file with one a line, or a table's ``file:column``.

    >>> read_catalogue("1..3")
    range(1, 4)
    """
    name = catalogue_file(written)
    if match := _RANGE.fullmatch(written.strip()):
        first, last = int(match[1]), int(match[2])
        if last < first:
            raise ParameterError(f"--catalogue must run upward, got {written}")
        return range(first, last + 1)
    if name is None or not Path(name).is_file():
        if name is not None and Path(name).exists():
            raise ParameterError(
                f"--catalogue must be a file that stays, so that others can look at it; {name} is "
                "a pipe or a folder: write the list to a file first"
            )
        raise ParameterError(
            f"--catalogue must be a file with one label a line, a table's file:column, or a "
            f"range such as 0..9999; there is no file {written}"
        )
    labels: Sequence[Label]
    if name == written:
        labels = _lines(Path(name))
    else:
        labels = _column(name, written.removeprefix(f"{name}:"))
    if not labels:
        raise ParameterError(f"--catalogue must list at least one label; {written} is empty")
    return labels


def catalogue_file(written: str) -> str | None:
    """Return which file a list is in; None for a range.

    >>> catalogue_file("0..9"), catalogue_file("products.csv:name")
    (None, 'products.csv')
    """
    if is_address(written):  # which is not shown: it may have a password in it
        raise ParameterError(_no_database("it"))
    if _RANGE.fullmatch(written.strip()):
        return None
    name, colon, _ = written.rpartition(":")
    return name if colon and not os.path.exists(written) else written


def fitted(labels: Sequence[Label], kind: str) -> Sequence[Label]:
    """Return the labels as the item column holds them: text or whole numbers.

    >>> fitted(range(2), "VARCHAR"), fitted(["7", "8"], "BIGINT")
    (['0', '1'], [7, 8])
    """
    if kind == "VARCHAR":
        if isinstance(labels, range) and len(labels) > MOST_TEXTS:
            raise ParameterError(
                f"--catalogue {labels[0]}..{labels[-1]} has {len(labels):,} labels, and as text, "
                f"which --item is a column of, at most {MOST_TEXTS:,} fit; list fewer, or make "
                "the column whole numbers"
            )
        return labels if all(isinstance(one, str) for one in labels) else [str(x) for x in labels]
    if kind.endswith(("INT", "INTEGER")) and not isinstance(labels, range):
        try:
            return [int(label) for label in labels]
        except ValueError:
            raise ParameterError(
                f"--catalogue must list whole numbers, because --item is a column of {kind}"
            ) from None
    return labels


def _lines(path: Path) -> list[str]:
    if path.name.lower().endswith(DATABASE_ENDINGS):
        raise ParameterError(_no_database(path))
    if path.name.lower().endswith(TABLES):
        raise ParameterError(f"--catalogue {path} needs a column: --catalogue {path}:NAME")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError):
        raise ReadingError(f"--catalogue {path} must be UTF-8 text, one label a line") from None
    lines = (line.rstrip("\r") for line in text.split("\n"))
    return list(dict.fromkeys(line for line in lines if line))


def _no_database(name: object) -> str:
    return f"--catalogue must not be a database; write the labels of {name} to a file, one a line"


def _column(name: str, column: str) -> list[Label]:
    if name.lower().endswith(DATABASE_ENDINGS):
        raise ParameterError(_no_database(name))
    with start_engine() as engine:
        relation = Source.of([name]).open(engine, NamedColumns(item=column))
        assert not isinstance(relation, DatabaseTable)
        label = identifier(column)
        rows = relation.distinct().filter(f"{label} is not null").order(label).fetchall()
    return [row[0] for row in rows]
