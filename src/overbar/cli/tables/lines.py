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
        found = (f"record[{place}]" for place, _ in enumerate(ways, len(paths) + 1))
        fields.append(f"coalesce({', '.join(found)}) as {identifier(name)}")
        paths += ways
    picked, listed = ", ".join(fields), ", ".join(map(literal, paths))
    parsed = f"json_extract_string(try_cast(line as json), [{listed}])"
    lines = place
    if reasons:
        odd = "json_type(try_cast(line as json)) is distinct from 'OBJECT'"
        parsed = f"list_append({parsed}, case when {odd} then 'no JSON object' end)"
        picked += f", record[-1] as {identifier(REASON)}"
        lines = f"{place} where trim(line) <> ''"
    return f"select {picked} from (select unnest([{parsed}]) as record from {lines})"


def _pointer(*keys: str) -> str:
    """Write a way through keys as a JSON pointer."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


def basket_query(place: str) -> str:
    """Write the reading of items and persons: a basket a line, items separated by spaces."""
    return (
        "select unnest(string_split_regex(trim(line, E' \\t\\r'), '[ \\t]+')) as item, person "
        f"from (select line, row_number() over () as person from {place})"
    )
