"""From what was typed to files that are there; their kind is decided by their names alone."""

from __future__ import annotations

import difflib
import glob
import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from overbar.cli.file_identity import STANDARD_INPUT, identity
from overbar.cli.tables.column_names import literal
from overbar.cli.tables.encodings import PACKED, blocks_of
from overbar.cli.tables.engine import refuse
from overbar.errors import ParameterError
from overbar.ledger.address import is_address

#: Kinds of tables, and the endings that say so.
FORMS = {
    "csv": (".csv", ".txt"),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "json": (".json",),
    "parquet": (".parquet", ".parq", ".pq"),
    "duckdb": (".duckdb", ".ddb"),
    "sqlite": (".sqlite", ".sqlite3", ".db"),
    "xlsx": (".xlsx", ".xlsm"),
}
#: Kinds that are not read, and what to do.
UNREAD = {
    **dict.fromkeys(
        (".xls", ".xlsb", ".ods", ".numbers"),
        "open it in a spreadsheet program and save it as .xlsx, or as CSV; LibreOffice does it by "
        "libreoffice --headless --convert-to xlsx FILE",
    ),
    ".zip": "unpack it first (unzip FILE), or pipe it in, if one CSV is in it: unzip -p FILE | "
    "overbar … - --input-format csv",
    **dict.fromkeys((".7z", ".rar", ".tar", ".tgz"), "unpack it first"),
    **dict.fromkeys((".feather", ".arrow", ".orc", ".avro"), "write it as Parquet"),
    **dict.fromkeys((".sav", ".dta", ".rds", ".rdata", ".sas7bdat"), "write it as CSV or Parquet"),
    **dict.fromkeys((".html", ".htm", ".xml", ".pdf", ".docx"), "save the table as CSV"),
    **dict.fromkeys((".sql", ".dump"), "write the table as CSV, or ask the database itself"),
}
#: Kinds that hold several tables, so that one is named where there are several.
DATABASES = ("duckdb", "sqlite", "xlsx")
#: The kind of a table that a server has.
SERVED = "postgresql"
#: Kinds that may arrive on standard input, and compressed.
STREAMS = ("csv", "tsv", "jsonl", "json")
#: Kinds whose columns are text, whatever they look like.
TEXT_FORMS = (*STREAMS, "sqlite", "xlsx")
#: Kinds that have a line or a row of names, which may stand below a title.
HEADED = ("csv", "tsv", "xlsx")
#: How many files are named before the others are counted.
NAMED = 3


def form_of(places: tuple[str, ...], asked: str | None) -> str:
    """Return the kind of the tables named, as asked for or by their endings.

    >>> form_of(("data/2024-*.csv.gz",), None), form_of(("-",), "jsonl")
    ('csv', 'jsonl')
    """
    if STANDARD_INPUT in places and len(places) > 1:
        raise ParameterError("standard input (-) must be the only source")
    served = [place for place in places if is_address(place)]
    if served and (len(places) > 1 or asked is not None):
        raise ParameterError("an address of a table stands alone: one, without --input-format")
    if served:
        return SERVED
    for place in places:
        if "://" in place:  # whatever else is in it, it may have a password
            raise ParameterError(
                "a source must be a local file or the address of a table in PostgreSQL, got "
                f"{place.partition('://')[0]}://…; download it first"
            )
    if asked is not None:
        _check_asked(places, asked)
        return asked
    if places == (STANDARD_INPUT,):
        raise ParameterError(
            f"standard input has no name to tell its kind; add --input-format {'|'.join(STREAMS)}"
        )
    names = [name for place in places for name in _named(place)]
    forms = {_by_ending(name) for name in names}
    if len(forms) > 1:
        raise ParameterError(f"sources must be of one kind, got {', '.join(sorted(forms))}")
    return forms.pop()


def _check_asked(places: tuple[str, ...], asked: str) -> None:
    if asked not in FORMS:
        raise ParameterError(f"--input-format must be one of {', '.join(FORMS)}, got {asked!r}")
    if places == (STANDARD_INPUT,) and asked not in STREAMS:
        raise ParameterError(
            f"standard input can be {', '.join(STREAMS)}; {asked} must be a file with a name"
        )


def _by_ending(place: str) -> str:
    name = place.lower()
    packed = next(filter(name.endswith, PACKED), "")
    name = name.removesuffix(packed)
    for form, endings in FORMS.items():
        if name.endswith(endings):
            if form in STREAMS or not packed:
                return form
            raise ParameterError(f"{place} must be unpacked first: {form} is read in place")
    if (instead := UNREAD.get(os.path.splitext(name)[1])) is not None:
        written = instead.replace("FILE", shlex.quote(place))
        raise ParameterError(f"{place} is of a kind that is not read: {written}")
    known = ", ".join(ending for endings in FORMS.values() for ending in endings)
    raise ParameterError(
        f"the kind of {place} cannot be told from its name; add --input-format NAME"
        f"{', or call it NAME.csv' + packed if packed else ''} "
        f"(known endings: {known})"
    )


def _named(place: str) -> list[str]:
    """Return the names that tell of which kind a source is: of a folder, those of its files."""
    if not os.path.isdir(place):
        return [place]
    names = matching_files(place)
    if not names:
        refuse(f"{place} is a folder without files; name a file, or a folder with some")
    return names


def existing_files(places: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files that names and patterns stand for, each once, sorted within a pattern."""
    names: list[str] = []
    for place in places:
        if os.path.isfile(place):  # a name that merely looks like a pattern
            names.append(place)
        elif os.path.isdir(place):
            names += _named(place)
        elif glob.has_magic(place):
            matches = [name for name in matching_files(place) if os.path.isfile(name)]
            if not matches:
                refuse(f"no file matches {place}")
            names += matches
        else:
            refuse(f"there is no file {place}{_nearest(place)}")
    once: dict[object, str] = {}
    for name in names:
        if not os.access(name, os.R_OK):
            refuse(f"{name} may not be read: permission denied")
        once.setdefault(identity(name), name)
    return tuple(once.values())


def matching_files(place: str) -> list[str]:
    """Return what a name, a pattern or a folder stands for; nothing is opened or refused.

    Of a folder that is all files in it and in its folders, but for hidden ones and those that
    begin with a line below, such as _SUCCESS: writers of tables leave them there.
    """
    if os.path.isdir(place):
        return sorted(
            os.path.join(folder, name)
            for folder, _, names in os.walk(place)
            for name in names
            if not name.startswith((".", "_"))
        )
    if os.path.lexists(place) or not glob.has_magic(place):
        return [place]
    names = sorted(glob.glob(place, recursive=True))
    # A file of this name that a pattern finds is not what is piped in.
    return [os.path.join(os.curdir, name) if name == STANDARD_INPUT else name for name in names]


def short_list(names: Sequence[str]) -> str:
    """Name the first few, and count the rest.

    >>> short_list(["a", "b", "c", "d", "e"])
    'a b c and 2 more'
    """
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return " ".join(names[:NAMED]) + more


def engine_names(files: Sequence[str]) -> str:
    """Write names of files for SQL, so that the engine does not take one for a pattern."""
    return f"[{', '.join(literal(glob.escape(name)) for name in files)}]"


def _nearest(place: str) -> str:
    folder = Path(place).parent
    if not folder.is_dir():
        return f": the folder {folder} does not exist"
    close = difflib.get_close_matches(Path(place).name, os.listdir(folder), n=1)
    return (
        f"; did you mean {folder / close[0] if str(folder) != '.' else close[0]}?" if close else ""
    )


def pipe_among(places: tuple[str, ...], form: str) -> str | None:
    """Return the pipe or device that a source is, if it is one; it must then be the only source."""
    for place in places:
        try:
            mode = os.stat(place).st_mode
        except OSError:
            continue
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            continue
        if len(places) > 1:
            refuse(f"{place} is a pipe and must be the only source; put all rows into one pipe")
        if form not in STREAMS:
            refuse(f"{place} is a pipe, and {form} is read in place: write it to a file first")
        return place
    return None


def arriving(place: str | None) -> Iterator[bytes]:
    """Yield all there is of a pipe, or of standard input, from where it stands."""
    source = 0 if place is None else os.open(place, os.O_RDONLY)
    with open(source, "rb", closefd=source != 0) as stream:
        yield from blocks_of(stream)
