"""CSV and TSV: streamed by DuckDB line by line, every field as text.

A line is a row. Were a quoted value to go on in the next line, a quote that one person's row opens
and never closes would swallow the rows of everybody behind. So each line is split by itself: what
comes of it depends on that line and on the header. A line that cannot be split, has too few fields
or more than the header, or is too long is left out, whoever's it is: an error there would tell
about a row. (A comma too many moves the fields behind it into columns of others.) An empty field is
no value.

Sniffing looks at rows, and rows are private: one person's row could change how everyone's are read.
So the delimiter comes from the option, the ending or the header line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from overbar.cli.tables.column_names import (
    COMMA,
    REASON,
    Header,
    NamedColumns,
    find_number,
    identifier,
    literal,
    named_places,
    same_columns,
)
from overbar.cli.tables.engine import refuse


def delimited_query(
    place: str,
    columns: NamedColumns,
    delimiter: str | None,
    headers: Sequence[Header],
    *,
    decimal_said: bool = True,
    reasons: bool = False,
) -> str:
    """Write the reading of sources that all have the same header, or none.

    `headers` has that of each source; it is empty where there are none.
    """
    places, sign = split_places(columns, delimiter, headers)
    if sign == ";" and columns.numbers() and not decimal_said:
        refuse(
            f"{headers[0].source if headers else 'the table'} has ; between its fields, as where "
            "numbers are written 1.234,50: add --decimal-comma, or --decimal-point if they are "
            "written 1234.50"
        )
    most = len(headers[0].names) if headers else None
    fields = {wanted: _field(at) for wanted, at in places.items()}
    if reasons:
        labels = [places[name] for part, name in columns if part in ("item", "person")]
        fields[REASON] = _reason(sign, max(labels), most)
    named = ", ".join(f"fields.{identifier(name)}" for name in fields)
    written = ", ".join(f"{literal(name)}: {field}" for name, field in fields.items())
    lines = _cut(place, places.values(), sign, most)
    fit = "" if reasons or most is None else f" where coalesce(len(parts.plain) <= {most}, true)"
    rows = f"select {named} from (select unnest([{{{written}}}]) as fields from ({lines}){fit})"
    return rows if reasons else f"{rows} where coalesce({named}) is not null"


def split_places(
    columns: NamedColumns, delimiter: str | None, headers: Sequence[Header]
) -> tuple[dict[str, int], str]:
    """Return where the columns are, and what separates fields: by the headers, or by numbers."""
    if headers:
        first = same_columns(headers)
        return named_places(first.source, first.names, columns), first.delimiter
    return {wanted: find_number(part, wanted) for part, wanted in columns}, delimiter or COMMA


def _cut(lines: str, places: Iterable[int], sign: str, most: int | None) -> str:
    """Write how lines are cut into `parts`: all fields of a plain one, those wanted of another.

    A line without quotes is split as a whole, and so is one whose fields are all in quotes, with
    none inside: between two fields there is only `","` then. In another each field is found by a
    pattern. No filter is pushed below an `unnest`, where it would cut the lines again for itself.
    """
    few = "true" if most is None else f"not regexp_matches(line, {_more_than(sign, most)})"
    fields = ", ".join(
        f"'at{place}': regexp_extract(line, {_up_to(sign, place)}, 1)" for place in places
    )
    inside, between = "substr(line, 2, length(line) - 2)", literal(f'"{sign}"')
    plain = (
        f"case when not contains(line, '\"') then string_split(line, {literal(sign)}) "
        f"when regexp_matches(line, {_all_quoted(sign)}) then string_split({inside}, {between}) end"
    )
    parts = f"'plain': plain, 'quoted': case when plain is null and {few} then {{{fields}}} end"
    split = f"select line, {plain} as plain from {lines}"
    return f"select line, unnest([{{{parts}}}]) as parts from ({split})"


def _field(place: int) -> str:
    """Write what a field holds; null where it is empty or not there."""
    quoted = f"parts.quoted.at{place}"
    bare = f"replace(substr({quoted}, 2, length({quoted}) - 2), '\"\"', '\"')"
    text = f"case when starts_with({quoted}, '\"') then {bare} else {quoted} end"
    return f"nullif(coalesce(parts.plain[{place + 1}], {text}), '')"


def _pattern(delimiter: str) -> tuple[str, str]:
    """Write what separates fields, and what a field looks like, in quotes or not.

    Two quotes in a row are one that is meant: so each quote ends a text and may begin another.
    After every character there is one way on, which makes it fast.
    """
    sign = f"\\x{{{ord(delimiter):x}}}"
    return sign, f'(?:(?:"[^"]*")+|[^"{sign}][^{sign}]*|)'


def _up_to(delimiter: str, place: int) -> str:
    """Write what a line looks like up to a field, which is the one in brackets."""
    sign, field = _pattern(delimiter)
    return literal(f"^{f'{field}{sign}' * place}({field})(?:{sign}|$)")


def _all_quoted(delimiter: str) -> str:
    """Write what a line looks like whose fields are all in quotes, with none inside."""
    sign, _ = _pattern(delimiter)
    return literal(f'^"[^"]*"(?:{sign}"[^"]*")*$')


def _more_than(delimiter: str, most: int) -> str:
    """Write what a line looks like that has more fields."""
    sign, field = _pattern(delimiter)
    return literal("^" + f"{field}{sign}" * most)


def _reason(delimiter: str, place: int, most: int | None) -> str:
    """Write why a line has no field at a place, for the owner of the file."""
    sign, field = _pattern(delimiter)
    whole = literal(f"^{field}(?:{sign}{field})*$")
    torn = f"not regexp_matches(line, {whole})"
    lost = f"not regexp_matches(line, {_up_to(delimiter, place)})"
    many = "false" if most is None else f"coalesce(len(parts.plain) > {most}, parts.quoted is null)"
    few = "'too few fields'"
    return (
        f"case when {many} then 'too many fields' "
        f"when parts.plain is not null then if(len(parts.plain) > {place}, null, {few}) "
        f"when {lost} then if({torn}, 'quotes that do not end', {few}) end"
    )
