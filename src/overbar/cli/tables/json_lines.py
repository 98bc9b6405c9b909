"""JSON: one object a line, or an array that is turned into lines.

A line that is not what it should be, or longer than the limit, is left out, whoever's it is: an
error would tell about it. So no line is looked at before the others either. JSON lines have no
header, and the first object is someone's: a key that it lacks may be in the next, and a key that
nobody has finds no rows.

A JSON array is turned into one record a line while it passes by; each is then parsed by itself.

Nothing of it is kept, so an array takes no memory of its own, and an element that is too long is a
line that is too long. Only brackets, quotes and signs are looked at. Behind what is no JSON a new
element begins where that can be told: a text ends with its line, and an object stands behind a
comma in an array and behind a colon in an object. So one that is not closed does not take the
others with it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from overbar.cli.tables.column_names import REASON, NamedColumns, identifier, literal
from overbar.cli.tables.encodings import LONGEST
from overbar.cli.tables.engine import refuse

#: No more brackets inside of each other are counted.
DEEPEST = 10_000
_TEXT = rb'[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+'
_OTHER = rb'[^"{}\[\]]*+'
#: An object without others inside; a text, closed, ended by its line or cut by the end; or a sign.
_TOKEN = re.compile(
    rb'\{%b(?:"%b"%b)*+\}|"(?P<text>%b)(?P<end>"|\\?\Z)?|[\[\]{},:]'
    % (_OTHER, _TEXT, _OTHER, _TEXT)
)
_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")
_OPENING = {b"]": b"[", b"}": b"{"}
#: What an object stands behind, inside of an array or an object.
_BEFORE = {"[": b",[", "{": b":"}


def array_lines(blocks: Iterable[bytes], name: str) -> Iterator[bytes]:
    r"""Yield the records of JSON arrays, one a line.

    >>> b"".join(array_lines([b'[{"a": "x],y"},\n {"a": [1,', b"2]}]"], "a.json"))
    b'{"a": "x],y"}\n  {"a": [1,2]}\n'
    """
    arriving, taken, first = iter(blocks), b"", b""
    for block in arriving:
        taken += block
        first = taken.removeprefix(codecs.BOM_UTF8).lstrip()
        if first and len(taken) > len(codecs.BOM_UTF8):
            break
    if not first.startswith(b"["):
        refuse(
            f"{name} must be a JSON array, which begins with [; if it has one object a line, add "
            "--input-format jsonl"
        )
    yield from _lines(chain([first], arriving))


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    opened, last, carried, size = bytearray(), b"", b"", 0
    for block in blocks:
        text = carried + block
        line, parts = text.translate(_ONE_LINE), list[bytes]()
        # A text that goes on begins with its quote once more, which is not written once more.
        begin, end, carried = len(carried[:1]), len(text), b""
        for token in _TOKEN.finditer(text):
            at = token.start()
            sign = text[at : at + 1]
            if sign == b'"':
                if token["end"] in (b"", b"\\"):
                    end = token.end("text")
                    carried = b'"' + text[end:]
            elif sign == b"," and len(opened) == 1:
                parts += [line[begin:at], b"\n"]
                begin = token.end()
            elif sign in b"[{":
                if sign == b"{" and not opened:  # a bracket before closed too much
                    opened, begin = bytearray(b"["), at
                elif sign == b"{" and last not in _BEFORE[opened[-1:].decode()]:
                    parts += [line[begin:at], b"\n"]
                    begin = at
                    del opened[1:]
                if not opened:
                    begin = token.end()
                if len(token[0]) == 1:
                    opened += sign
                    del opened[DEEPEST:]
                else:
                    sign = b"}"
            elif sign in _OPENING and opened:
                closed = opened.rfind(_OPENING[sign])
                del opened[closed if closed >= 0 else 1 :]
                if not opened:
                    parts += [line[begin:at], b"\n"]
                    begin = token.end()
            last = sign
        size = 0 if parts else size
        # More of a line that is too long would change nothing.
        if opened and size <= LONGEST:
            parts.append(line[begin:end])
            size += end - begin
        yield b"".join(parts)


def json_query(place: str, columns: NamedColumns, *, reasons: bool = False) -> str:
    """Write the reading of JSON lines: each is parsed by itself.

    A line that is no object gives nulls, and a key that is not there is no value. A name with
    points is a key of that name or, in a record without it, one inside of others. No filter is
    pushed below the `unnest`, where the line would be parsed again for it.
    """
    paths: list[str] = []
    fields = []
    for _, name in columns:
        ways = dict.fromkeys((_pointer(name), _pointer(*name.split("."))))
        each = (f"parts.record[{place}]" for place, _ in enumerate(ways, len(paths) + 1))
        fields.append(f"coalesce({', '.join(each)}) as {identifier(name)}")
        paths += ways
    listed = ", ".join(map(literal, paths))
    parsed = {"record": f"json_extract_string(try_cast(line as json), [{listed}])"}
    rows = ""
    if reasons:  # of what can be parsed, an object is what begins like one
        parsed["begin"] = "left(ltrim(line, E' \\t\\r\\n'), 1)"
        odd = "parts.record is null or parts.begin <> '{'"
        fields.append(f"case when {odd} then 'no JSON object' end as {identifier(REASON)}")
        rows = " where parts.begin <> ''"
    written = ", ".join(f"'{name}': {part}" for name, part in parsed.items())
    lines = f"select unnest([{{{written}}}]) as parts from {place}"
    return f"select {', '.join(fields)} from ({lines}){rows}"


def _pointer(*keys: str) -> str:
    """Write a way through keys as a JSON pointer."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)
