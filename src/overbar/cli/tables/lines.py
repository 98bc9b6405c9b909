"""One record a line: JSON, lines or an array of them, and FIMI ``.dat`` files of baskets.

A line that is not what it should be, or longer than the limit, is left out, whoever's it is: an
error would tell about it. So no line is looked at before the others either. JSON lines have no
header, and the first object is someone's: a key that it lacks may be in the next, and a key that
nobody has finds no rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from overbar.cli.tables.column_names import REASON, NamedColumns, identifier, literal
from overbar.cli.tables.engine import refuse

#: What a basket file has: the items of a line, and the line itself as the person.
BASKET_COLUMNS = ("item", "person")
#: LF, CR and CRLF end a line, in every file. Left to itself the engine goes by the first line end,
#: and where that is CRLF a CR in someone's row swallows the beginning of the next line.
LINE_ENDS = "new_line='\\n'"
#: A character that ends no field, so that a line stays whole.
UNUSED = "\x1f"
#: Longer lines are left out: in bytes, of a delimited file or a basket, and of JSON.
LONGEST, LONGEST_RECORD = 1_900_000, 16_000_000
MARGIN = 100_000
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},]', re.DOTALL)


def json_query(place: str, columns: NamedColumns, *, reasons: bool = False) -> str:
    """Write the reading of JSON lines: each is parsed by itself.

    A line that is no object gives nulls, and a key that is not there is no value. A name with
    points is a key of that name or, in a record without it, one inside of others.
    """
    paths: list[str] = []
    fields = []
    for _, name in columns:
        ways = dict.fromkeys((_pointer(name), _pointer(*name.split("."))))
        found = (f"record[{place}]" for place, _ in enumerate(ways, len(paths) + 1))
        fields.append(f"coalesce({', '.join(found)}) as {identifier(name)}")
        paths += ways
    picked, listed = ", ".join(fields), ", ".join(map(literal, paths))
    lines = whole_lines(place, longest=LONGEST_RECORD)
    parsed = f"json_extract_string(try_cast(line as json), [{listed}])"
    if reasons:
        odd = "json_type(try_cast(line as json)) is distinct from 'OBJECT'"
        picked += f", case when {odd} then 'no JSON object' end as {identifier(REASON)}"
        lines = f"{lines} where trim(line) <> ''"
    return f"select {picked} from (select *, {parsed} as record from {lines})"


def _pointer(*keys: str) -> str:
    """Write a way through keys as a JSON pointer."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


def array_lines(blocks: Iterable[bytes], name: str) -> Iterator[bytes]:
    r"""Yield the records of a JSON array, one a line: each is then parsed by itself.

    >>> list(array_lines([b'[{"a": "x],y"},\n {"a": [1,', b"2]}]"], "a.json"))
    [b'{"a": "x],y"}\n', b'  {"a": [1,2]}\n']
    """
    text = b"".join(blocks).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith(b"["):
        refuse(
            f"{name} must be a JSON array, which begins with [; if it has one object a line, add "
            "--input-format jsonl"
        )
    begin = depth = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in (b"[", b"{"):
            depth += 1
            begin = token.end() if depth == 1 else begin
        elif sign in (b"]", b"}"):
            depth -= 1
        if (depth == 1 and sign == b",") or depth == 0:
            yield re.sub(rb"[\r\n]", b" ", text[begin : token.start()]) + b"\n"
            begin = token.end()
        if depth == 0:
            return


def basket_query(place: str) -> str:
    """Write the reading of items and persons: a basket a line, items separated by spaces."""
    return (
        "select unnest(string_split_regex(trim(line, E' \\t\\r'), '[ \\t]+')) as item, person "
        f"from (select line, row_number() over () as person from {whole_lines(place)})"
    )


def whole_lines(
    place: str, *, unused: str = UNUSED, longest: int = LONGEST, skip_header: bool = False
) -> str:
    """Write the reading of whole lines, with nothing left for the engine to find out from them.

    The engine leaves out what is too long for it as well, but where a line stands decides about
    the last byte. So ours is the smaller limit.
    """
    return (
        f"(select line from read_csv({place}, auto_detect=false, "
        f"header={str(skip_header).lower()}, delim={literal(unused)}, quote='', escape='', "
        f"{LINE_ENDS}, columns={{'line': 'VARCHAR'}}, ignore_errors=true, strict_mode=false, "
        f"max_line_size={longest + MARGIN}) where strlen(line) <= {longest})"
    )
