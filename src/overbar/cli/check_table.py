"""From what was typed to a look at the table: the work of `check`. Nothing is written or booked."""

from __future__ import annotations

import dataclasses
import json

from overbar.cli.check_command import CheckOptions
from overbar.cli.exit import tell
from overbar.cli.output.screen import Screen
from overbar.cli.release import named_table, opened
from overbar.cli.tables.column_names import REASON, identifier, literal
from overbar.cli.tables.public_list import fitted, read_catalogue
from overbar.cli.tables.source import TEXT_FORMS
from overbar.cli.tables.unreadable import unreadable_lines
from overbar.errors import ParameterError
from overbar.frames import DatabaseTable, OwnerCheck, check


def run(options: CheckOptions) -> None:
    """Look at the table and show true numbers, marked as what they are."""
    source, columns = named_table(options)
    if source.served is not None:
        raise ParameterError("check looks at files; look at a table in PostgreSQL with SQL")
    if not isinstance(columns.item, str):
        raise ParameterError("--item must be one column for check; look at several one by one")
    listed = options.catalogue
    labels = None if listed is None else read_catalogue(listed, encoding=source.encoding)
    source = dataclasses.replace(source, reasons=True)
    unreadable, guess = unreadable_lines(source)
    with opened(options, source, columns, None) as (relation, kinds):
        assert not isinstance(relation, DatabaseTable)
        why = identifier(REASON)
        reasons = dict(
            relation.filter(f"{why} is not null").aggregate(f"{why}, count(*)").fetchall()
        )
        found = check(
            relation.filter(f"{why} is null"),
            item=columns.item,
            person=columns.person,
            value=columns.value or columns.score,
            catalogue=None if labels is None else fitted(labels, *kinds),
            show_true_counts=options.show_true_counts,
        )
        inner = f"regexp_matches({identifier(columns.item)}, {literal('^[{[]')})"
        is_json = source.form in ("json", "jsonl")
        nested = len(relation.filter(inner).limit(1).fetchall()) if is_json else 0
    left_out = {**unreadable, **reasons}
    notes = list(found.notes)
    if guess == "utf-8":
        notes.append("all lines are UTF-8, and not in ASCII alone: leave out --encoding")
    elif guess is not None:
        notes.append(f"lines that are no UTF-8 look like {guess}: add --encoding {guess}")
    if 2 * (found.no_number or 0) > found.counted and source.form in TEXT_FORMS:
        notes.append("most values are no numbers: if they are like 1.234,50, add --decimal-comma")
    if nested:
        notes.append(f"some items are objects or lists: name a field, such as {columns.item}.NAME")
    _show(
        dataclasses.replace(
            found,
            rows=found.rows + sum(left_out.values()),
            left_out={**left_out, **found.left_out},
            notes=tuple(notes),
        ),
        as_json=options.json,
    )


def _show(found: OwnerCheck, *, as_json: bool) -> None:
    if as_json:
        tell(json.dumps(found.to_dict(), indent=2, default=str))
        return
    screen = Screen()
    for line in repr(found).split("\n"):
        screen.line(line)
