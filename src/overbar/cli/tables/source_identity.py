"""What a ledger is told about a source: which files they are, however their paths are written.

Names without folders are put down in words. The folders go into a digest, seen from the ledger, so
that both can move together, and no path of a machine is stored.
"""

from __future__ import annotations

import os
from pathlib import Path

from overbar.cli.tables.file_kinds import STANDARD_INPUT
from overbar.cli.tables.files import matching_files, short_list
from overbar.cli.tables.source import Source
from overbar.ledger.description import digest_of

__all__ = ["source_digest", "source_words"]


def source_words(source: Source) -> str:
    """Return names of files without their folders."""
    files = _files(source)
    return short_list([os.path.basename(name) for name in files]) if files else "what is piped in"


def source_digest(source: Source, ledger: Path) -> str:
    """Return a digest that is the same for the same files, read the same way."""
    folder = os.path.dirname(os.path.realpath(ledger))
    places = [os.path.relpath(name, folder) for name in _files(source)]
    how = (source.form, source.table, source.delimiter, source.named, source.decimal_comma)
    return digest_of([*how, *places])


def _files(source: Source) -> list[str]:
    """Return the files behind names, patterns and links; none for standard input and pipes."""
    names = [name for place in source.places for name in matching_files(place)]
    found = {os.path.realpath(name) for name in names if name != STANDARD_INPUT}
    return sorted(name for name in found if os.path.isfile(name))
