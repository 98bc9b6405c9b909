"""Rows of delimited files, slowly: one line after another, one character after another."""

from __future__ import annotations

import codecs

LONGEST = 1_900_000
#: Bytes that Windows-1252 leaves empty stand for themselves.
EMPTY = (0x81, 0x8D, 0x8F, 0x90, 0x9D)


def lines_of(content, encoding=None):
    """Yield the lines of a file as text, None where one cannot be read; CR and LF end a line."""
    if encoding is None:
        content = content.removeprefix(codecs.BOM_UTF8)
    for line in content.replace(b"\r", b"\n").split(b"\n"):
        yield text_of(line, encoding)


def text_of(line, encoding=None):
    if encoding is not None:
        try:
            return line.decode(encoding)
        except UnicodeDecodeError:
            return None
    try:
        return line.decode()
    except UnicodeDecodeError:
        letters = (chr(b) if b in EMPTY else bytes([b]).decode("cp1252") for b in line)
        return "".join(letters)


def fields_of(line, sign):
    """Return the fields of a line; the last is None where what begins with a quote has no end."""
    fields, place = [], 0
    while True:
        text = ""
        if place < len(line) and line[place] == '"':
            place += 1
            while True:
                if place >= len(line):
                    return [*fields, None]
                if line[place] != '"':
                    text += line[place]
                elif line[place : place + 2] == '""':
                    text += '"'
                    place += 1
                else:
                    break
                place += 1
            place += 1
            if place < len(line) and line[place] != sign:
                return [*fields, None]
        else:
            text = line[place:].split(sign, 1)[0]
            place += len(text)
        fields.append(text)
        if place >= len(line):
            return fields
        place += 1


def rows_of(contents, sign, wanted, *, header=True, encoding=None):
    """Return the wanted fields (numbers or names) of all lines of files that count."""
    found = []
    for content in contents:
        lines = list(lines_of(content, encoding))
        names = fields_of(lines.pop(0), sign) if header else None
        places = [names.index(one) if header else one for one in wanted]
        for line in lines:
            if not line or len(line.encode()) > LONGEST:
                continue
            fields = fields_of(line, sign)
            whole = fields if fields[-1] is not None else fields[:-1]
            if header and len(fields) > len(names):
                continue
            row = tuple((whole[at] if at < len(whole) else None) or None for at in places)
            if any(row):
                found.append(row)
    return found
