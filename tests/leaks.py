"""Leaks that were in the house or could be, each put back by a changed line: the nets must see it.

`tests/frozen/seam.py` offers them by name, so that no suite knows the room that is broken. Whoever
replaces a room puts its leaks back here in the new one.
"""

from __future__ import annotations

import inspect

import narwhals as nw

import overbar
from overbar import ScoreError
from overbar.cli.tables import delimited, typed_tables
from overbar.frames import (
    columns,
    contributions,
    key_search,
    narwhals_table,
    postgres_query,
    question,
    scoring,
    texts,
)
from overbar.frames.amounts import ROW_LIMIT, Amounts
from overbar.frames.postgres_query import GROUP, Query
from overbar.mechanisms import SetUnionPlan
from overbar.runs.hidden_bar import HiddenBar


def overheard(patch, hear):
    """Somebody hears the scores of a release, where they are there."""
    honest = question.scored

    def leaky(*asked):
        found = honest(*asked)
        hear(found.steps.tolist())
        return found

    patch.setattr(question, "scored", leaky)


def peeked_labels(table, names, person=None):
    """What an object column of pandas is, is judged by its first hundred values."""
    if isinstance(table, nw.LazyFrame):
        return table
    for name in names:
        if table.schema[name] == nw.Object:
            words = [texts.object_text(value) for value in table[name].to_list()]
            plain = nw.new_series(name, words, nw.String, backend=table.implementation)
            table = table.with_columns(plain)
    return table


def labels_by_a_look(patch):
    patch.setattr(texts, "plain_labels", peeked_labels)


def labels_as_they_are_typed(patch):
    """Pandas makes floats of whole numbers where one is missing."""
    patch.setattr(narwhals_table, "number_kind", lambda table, name: table.collect_schema()[name])


def days_by_their_years(patch):
    def by_years(table, names):
        schema = table.collect_schema()
        days = [nw.col(name) for name in names if schema[name] == nw.Date]
        chosen = (nw.when(day.dt.year().is_between(1, 9999)).then(day) for day in days)
        return table.with_columns(*chosen)

    patch.setattr(columns, "known_days", by_years)


def nan_is_the_highest(patch):
    """What is no number counts as the highest there is."""
    row, written = Amounts.row, postgres_query._fine_steps

    def highest(amounts):
        value = nw.col(amounts.column).cast(nw.Float64)
        there = ~(value.is_null() | value.is_nan())
        return nw.when(there).then(row(amounts)).otherwise(nw.lit(ROW_LIMIT))

    def highest_there(*how):
        return written(*how).replace("< 'NaN'", "<= 'NaN'")

    patch.setattr(Amounts, "row", highest)
    patch.setattr(postgres_query, "_fine_steps", highest_there)


def statistics_decide(patch):
    """What a file states about a column is believed."""
    for module in (texts, typed_tables):
        patch.setattr(module, "row_by_row", lambda column: column)


def a_row_decides_an_error(patch):
    """Whether an error is raised depends on one row more or less."""
    honest = scoring.scored

    def scored(*asked):
        found = honest(*asked)
        if found.steps.sum() % 2:
            raise ScoreError("the sum of all is odd")
        return found

    for module in (scoring, question):
        patch.setattr(module, "scored", scored)


def weights_rounded_up(patch):
    exact = SetUnionPlan.weight
    patch.setattr(SetUnionPlan, "weight", lambda plan, t: exact(plan, t) + 1)


def lots_after_a_look(patch):
    """Everybody keeps what most others hold: one person more changes what the others keep."""

    def looked(pairs, most, _key, _groups):
        here = pairs.collect()
        items, persons = here["item"].to_list(), here["person"].to_list()
        rows = sorted(range(len(items)), key=lambda row: (-items.count(items[row]), items[row]))
        first = {row for at, row in enumerate(rows) if _before(persons, rows[:at], row) < most}
        held = [min(most, persons.count(person)) for person in persons]
        column = nw.new_series("kept", held, nw.Int64, backend=here.implementation)
        shared = here.select("item").with_columns(column)
        yield key_search.masked(shared, [row in first for row in range(len(items))]).lazy()

    patch.setattr(contributions, "bounded", looked)


def _before(persons, rows, row):
    return sum(persons[other] == persons[row] for other in rows)


def _lots_of_a_server(change):
    """Lots in PostgreSQL are drawn by other words than the honest ones."""
    honest = Query._by_lot

    def by_lot(query, pairs, unit, what, *how):
        return change(lambda unit: honest(query, pairs, unit, what, *how), pairs, unit, what)

    return lambda patch: patch.setattr(Query, "_by_lot", by_lot)


def lines_end_at_a_control_sign(patch):
    cut = delimited._cut

    def cut_off(lines, *rest):
        return cut(f"(select split_part(line, '\x1f', 1) as line from {lines})", *rest)

    patch.setattr(delimited, "_cut", cut_off)


def noise_in_a_repr(patch):
    """The noise of a threshold, which a closure holds, is written down."""

    def told(bar):
        door = getattr(bar, "passes", bar.passing)
        cells = (cell.cell_contents for cell in door.__closure__)
        return f"HiddenBar({[value for value in cells if isinstance(value, int)]})"

    patch.setattr(HiddenBar, "__repr__", told)


def doors_are_open(patch):
    """Errors leave a batch with all frames that they went through."""
    for name in ("select", "top"):
        patch.setattr(overbar, name, inspect.unwrap(getattr(overbar, name)))


LEAKS = {
    "labels by a look at the first rows": labels_by_a_look,
    "labels as they are typed": labels_as_they_are_typed,
    "days by their years": days_by_their_years,
    "NaN is the highest": nan_is_the_highest,
    "statistics decide": statistics_decide,
    "a row decides an error": a_row_decides_an_error,
    "weights rounded up": weights_rounded_up,
    "lots after a look": lots_after_a_look,
    "lines end at a control sign": lines_end_at_a_control_sign,
    "noise in a repr": noise_in_a_repr,
    "doors are open": doors_are_open,
    # Of PostgreSQL: no limit of groups, none of items, and lots that are not each person's own.
    "all groups of a person": _lots_of_a_server(
        lambda lots, pairs, unit, what: pairs if what == GROUP else lots(unit)
    ),
    "all items of a person": _lots_of_a_server(
        lambda lots, pairs, unit, what: pairs if what == "item" else lots(unit)
    ),
    "lots of all together": _lots_of_a_server(
        lambda lots, pairs, unit, what: lots(unit.replace("person", "true"))
    ),
}
