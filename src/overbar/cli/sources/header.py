"""The header of a delimited file: read by us, so that no row decides how the file is read.

Sniffing looks at rows, and rows are private: one person's row could change how everyone's are
read. So the delimiter comes from the option, the ending or the header line, and every field is
text.
"""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path

from overbar.cli.sources.failures import refuse, shielded

__all__ = ["Header", "file_header", "first_line", "input_header", "split_header"]

DELIMITERS = (",", ";", "\t", "|")
LONGEST = 1 << 20


class Header:
    """Names of the columns, and what separates them."""

    def __init__(self, names: tuple[str, ...], delimiter: str) -> None:
        self.names = names
        self.delimiter = delimiter


def file_header(name: str, delimiter: str | None, named: bool) -> Header:
    """Return the header of a file; an unnamed column is called by its number, from 1."""
    return split_header(name, first_line(name), delimiter, named)


def first_line(name: str) -> bytes:
    """Return the first line of a file, packed or not."""
    with shielded(name):
        if name.lower().endswith(".gz"):
            with gzip.open(name) as stream:
                return stream.readline(LONGEST)
        with Path(name).open("rb") as plain:
            return plain.readline(LONGEST)


def input_header(descriptor: int) -> bytes:
    """Take the first line from standard input, and not a byte more."""
    taken = bytearray()
    while not taken.endswith(b"\n") and len(taken) < LONGEST:
        byte = os.read(descriptor, 1)
        if not byte:
            break
        taken += byte
    return bytes(taken)


def split_header(name: str, line: bytes, delimiter: str | None, named: bool) -> Header:
    """Split the first line into names."""
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        refuse(f"{name} must be UTF-8 text; it begins like UTF-16: save it as UTF-8")
    try:
        text = line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        refuse(f"{name} must be UTF-8 text, beginning with its header")
    if delimiter is None:
        delimiter = max(DELIMITERS, key=text.count)
    fields = next(csv.reader([text], delimiter=delimiter), [])
    if named:
        return Header(tuple(fields), delimiter)
    # A header's names may be shown. These fields are someone's data: only their number is taken.
    return Header(tuple(str(number) for number in range(1, len(fields) + 1)), delimiter)
