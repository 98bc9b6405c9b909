"""The header of a delimited file: read by us, so that no row decides how the file is read.

Sniffing looks at rows, and rows are private: one person's row could change how everyone's are
read. So the delimiter comes from the option, the ending or the header line, and every field is
text. A file without a header is not looked at: its first line is someone's row.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
from pathlib import Path

from overbar.cli.tables.failures import refuse, shielded

__all__ = ["Header", "file_header", "first_line", "input_header", "split_header"]

DELIMITERS = (",", ";", "\t", "|")
LONGEST = 1 << 20


class Header:
    """Names of the columns, and what separates them."""

    def __init__(self, names: tuple[str, ...], delimiter: str) -> None:
        self.names = names
        self.delimiter = delimiter


def file_header(name: str, delimiter: str | None) -> Header:
    """Return the header of a file."""
    return split_header(name, first_line(name), delimiter)


def first_line(name: str) -> bytes:
    """Return the first line of a file, packed or not."""
    with shielded(name):
        if name.lower().endswith(".gz"):
            with gzip.open(name) as stream:
                return stream.readline(LONGEST)
        with Path(name).open("rb") as plain:
            return plain.readline(LONGEST)


def input_header(descriptor: int) -> bytes:
    """Take the first line of what arrives, and not a byte more."""
    taken = bytearray()
    while not taken.endswith((b"\n", b"\r")) and len(taken) < LONGEST:
        byte = os.read(descriptor, 1)
        if not byte:
            break
        taken += byte
    return bytes(taken)


def split_header(name: str, line: bytes, delimiter: str | None) -> Header:
    """Split the first line into names. It ends where the engine ends it: at LF, CRLF or CR."""
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        refuse(f"{name} must be UTF-8 text; it begins like UTF-16: save it as UTF-8")
    try:
        text = re.split(rb"[\r\n]", line, maxsplit=1)[0].decode("utf-8-sig")
    except UnicodeDecodeError:
        refuse(f"{name} must be UTF-8 text, beginning with its header")
    if delimiter is None:
        delimiter = max(DELIMITERS, key=text.count)
    try:
        names = next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:
        refuse(f"{name} must begin with a line of column names, or give --no-header")
    return Header(tuple(names), delimiter)
