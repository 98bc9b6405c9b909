"""One record a line: JSON, and FIMI ``.dat`` files of baskets.

A line that is not what it should be, or longer than the limit, is left out, whoever's it is: an
error would tell about it. So no line is looked at before the others either. JSON lines have no
header, and the first object is someone's: a key that it lacks may be in the next, and a key that
nobody has finds no rows.
"""

from __future__ import annotations

from overbar.cli.tables.column_names import REASON, NamedColumns, identifier, literal

#: What a basket file has: the items of a line, and the line itself as the person.
BASKET_COLUMNS = ("item", "person")


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


def basket_query(place: str) -> str:
    """Write the reading of items and persons: a basket a line, items separated by spaces."""
    return (
        "select unnest(string_split_regex(trim(line, E' \\t\\r'), '[ \\t]+')) as item, person "
        f"from (select line, row_number() over () as person from {place})"
    )
