"""Which kind of table a name stands for, decided by the name alone."""

from __future__ import annotations

from overbar.cli.apart import STANDARD_INPUT
from overbar.errors import ParameterError

__all__ = ["DATABASES", "FORMS", "STANDARD_INPUT", "STREAMS", "form_of"]

#: Kinds of tables, and the endings that say so.
FORMS = {
    "csv": (".csv", ".txt"),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet", ".parq", ".pq"),
    "dat": (".dat",),
    "duckdb": (".duckdb", ".ddb"),
    "sqlite": (".sqlite", ".sqlite3", ".db"),
}
#: Kinds that hold several tables, so that one must be named.
DATABASES = ("duckdb", "sqlite")
#: Kinds that may arrive on standard input, and compressed.
STREAMS = ("csv", "tsv", "jsonl", "dat")
PACKED = ".gz"


def form_of(places: tuple[str, ...], asked: str | None) -> str:
    """Return the kind of the tables named, as asked for or by their endings.

    >>> form_of(("data/2024-*.csv.gz",), None), form_of(("-",), "jsonl")
    ('csv', 'jsonl')
    """
    if STANDARD_INPUT in places and len(places) > 1:
        raise ParameterError("standard input (-) must be the only source")
    for place in places:
        if "://" in place:
            raise ParameterError(f"a source must be a local file, got {place!r}; download it first")
    if asked is not None:
        _check_asked(places, asked)
        return asked
    if places == (STANDARD_INPUT,):
        raise ParameterError(
            f"standard input has no name to tell its kind; say --input-format {'|'.join(STREAMS)}"
        )
    found = {_by_ending(place) for place in places}
    if len(found) > 1:
        raise ParameterError(f"sources must be of one kind, got {', '.join(sorted(found))}")
    return found.pop()


def _check_asked(places: tuple[str, ...], asked: str) -> None:
    if asked not in FORMS:
        raise ParameterError(f"--input-format must be one of {', '.join(FORMS)}, got {asked!r}")
    if places == (STANDARD_INPUT,) and asked not in STREAMS:
        raise ParameterError(
            f"standard input can be {', '.join(STREAMS)}; {asked} must be a file with a name"
        )


def _by_ending(place: str) -> str:
    name = place.lower().removesuffix(PACKED)
    for form, endings in FORMS.items():
        if name.endswith(endings):
            if form in STREAMS or not place.lower().endswith(PACKED):
                return form
            raise ParameterError(f"{place} must be unpacked first: {form} is read in place")
    known = ", ".join(ending for endings in FORMS.values() for ending in endings)
    raise ParameterError(
        f"what {place} is cannot be told from its name; say it with --input-format "
        f"(known endings: {known})"
    )
