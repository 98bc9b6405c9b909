"""What is asked of a table in PostgreSQL, in SQL, after a look at its columns alone.

What other engines do by Narwhals is said here by the same rules: labels are compared by their
bytes, a person counts once for an item, sums are whole numbers of fine steps. No row can stop the
query: what has no label is missing before it is cast, and floats are kept from the overflow and
underflow that PostgreSQL stops at.

Theory: :doc:`/theory/tables`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import Any, NamedTuple

import narwhals as nw

from overbar.errors import ParameterError, named
from overbar.frames.amounts import ROW_LIMIT, Amounts
from overbar.frames.catalogue import Catalogue
from overbar.frames.columns import label_kind, refuse_missing, refuse_what_is_no_number
from overbar.frames.inferred import refuse_other_kind, refuse_other_part
from overbar.frames.measure import Measure
from overbar.frames.one_spelling import of_postgres
from overbar.frames.texts import EXACT, LONGEST

#: Types of PostgreSQL, by what Narwhals would call them. A domain counts as what it is made of.
WHOLE, FLOATS, TEXTS = (
    ("int2", "int4", "int8"),
    ("float4", "float8"),
    ("text", "varchar", "bpchar", "name", "uuid", "citext"),
)
KINDS: dict[str, nw.dtypes.DType] = {
    **dict.fromkeys(WHOLE, nw.Int64()),
    **dict.fromkeys(FLOATS, nw.Float64()),
    **dict.fromkeys(TEXTS, nw.String()),
    "bool": nw.Boolean(),
    "date": nw.Date(),
    "numeric": nw.Decimal(),
}
#: How labels of each kind travel. Days are counted from the first of 1970.
SENT_AS = {"text": "text", "whole": "bigint", "boolean": "boolean", "date": "integer"}
#: Below this a float is divided to zero without being it, and PostgreSQL would stop.
NEXT_TO_NOTHING = "1e-200"
#: The first of the labels that a combination is made of.
GROUP = "split_part(item, '/', 1)"


class Column(NamedTuple):
    """What the database declares about a column."""

    kind: str
    #: Whether values that are equal there have equal bytes.
    exact: bool
    declared: str


class Query:
    """What is asked of a table, in SQL. Made after a look at its columns alone."""

    def __init__(
        self,
        place: str,
        there: dict[str, Column],
        measure: Measure,
        grid: Fraction,
        catalogue: Catalogue | None,
    ) -> None:
        self._measure, self._place = measure, place
        self.listed: list[Any] | None = None
        labels, items = measure.labels, list(measure.labels)[: len(measure.items)]
        self.kinds = dict.fromkeys(("score", "rows", "no number"), "whole")
        picked = []
        for role, name in labels.items():
            self.kinds[role] = declared_kind(role.split()[0], name, there)
            picked.append(f'{_label(role, name, there[name].kind)} AS "{role}"')
        self.item_kinds = tuple(self.kinds[role] for role in items)
        if catalogue is not None:
            self._refuse_other_kinds(catalogue)
        chosen = ["item"] + [role for role in labels if role not in items]
        if len(items) > 1:
            parts = " || '/' || ".join(_part(f'"{role}"', self.kinds[role]) for role in items)
            short = f"CASE WHEN octet_length({parts}) <= {LONGEST} THEN {parts} END"
            chosen[0] = f'({short}) COLLATE "C" AS item'
            self.kinds["item"] = "text"
        if measure.column is not None:
            picked.append(f"{self._value(there, measure.column, grid)} AS value")
            chosen.append("value")
        self._labels = picked
        there_are = " AND ".join(f'"{role}" IS NOT NULL' for role in labels)
        self._rows = (
            f"SELECT {', '.join(chosen)} FROM (SELECT {', '.join(picked)} FROM {place}) "
            f"AS labelled WHERE {there_are}"
        )
        named = ["item IS NOT NULL"] * (len(items) > 1)
        if wanted := " AND ".join([*named, *self._on(catalogue)]):
            self._rows = f"SELECT * FROM ({self._rows}) AS named WHERE {wanted}"

    def _refuse_other_kinds(self, catalogue: Catalogue) -> None:
        refuse = refuse_other_kind if len(self.item_kinds) == 1 else refuse_other_part
        listed = zip(self._measure.items, self.item_kinds, catalogue.kinds, strict=True)
        for name, kind, part in listed:
            refuse(name, kind, part)

    def _value(self, there: dict[str, Column], name: str, grid: Fraction) -> str:
        parameter = "score" if self._measure.kind == "score" else "value"
        refuse_missing(parameter, name, list(there))
        declared = there[name].kind
        kind = KINDS.get(declared, nw.Unknown())
        if parameter == "score" and declared == "numeric":
            kind = nw.Unknown()
        column = identifier(name)
        refuse_what_is_no_number(parameter, name, kind)
        if parameter == "value":
            assert self._measure.value_range is not None
            self._amounts = Amounts(name, kind, self._measure.value_range, grid)
            return _fine_steps(column, declared, self._amounts)
        if declared in WHOLE:
            return f"{column}::bigint"
        self.kinds["score"] = "float"
        usable = "{0} < 'NaN'" if self._measure.value_range else "abs({0}) < 'Infinity'"
        return f"CASE WHEN {usable.format(f'{column}::float8')} THEN {column}::float8 END"

    def _on(self, catalogue: Catalogue | None) -> Iterator[str]:
        """Yield what keeps items that are on the catalogue."""
        if catalogue is None:
            return
        labels = catalogue.labels
        if catalogue.ends is not None and (catalogue.contiguous or isinstance(labels, range)):
            yield "item BETWEEN {} AND {}".format(*catalogue.ends)
            if isinstance(labels, range) and not catalogue.contiguous:
                # In numbers that no difference leaves.
                yield f"(item::numeric - {labels[0]}) %% {abs(labels.step)} = 0"
            return
        first = date(1970, 1, 1)
        self.listed = [
            (label - first).days if isinstance(label, date) else label
            for label in catalogue.written
            if not (isinstance(label, str) and "\0" in label)  # which no text has there
        ]
        yield f"item IN (SELECT unnest(%(listed)s::{SENT_AS[catalogue.kind]}[]))"

    @property
    def highest(self) -> str:
        """The largest score of each item."""
        return f"SELECT item, coalesce(max(value), 0) FROM ({self._rows}) AS rows GROUP BY item"

    def look(self, there: dict[str, Column], value: str | None) -> str:
        """Return how many rows there are of each combination of labels, and have no number."""
        none = "0"
        if value is not None:
            refuse_missing("value", value, list(there))
            kind = there[value].kind
            refuse_what_is_no_number("value", value, KINDS.get(kind, nw.Unknown()))
            column = identifier(value)
            nan = f" OR {column} = 'NaN'" if kind in (*FLOATS, "numeric") else ""
            none = f"CASE WHEN {column} IS NULL{nan} THEN 1 ELSE 0 END"
        labels = ", ".join(f'"{role}"' for role in self._measure.labels)
        return (
            f"SELECT {labels}, count(*), sum(none)::bigint FROM (SELECT {', '.join(self._labels)}, "
            f"{none} AS none FROM {self._place}) AS labelled GROUP BY {labels}"
        )

    @property
    def pairs(self) -> str:
        """What each person adds to each item."""
        by = "GROUP BY item, person"
        if self._measure.kind == "count":
            return f"SELECT item, person, 1::bigint AS share FROM ({self._rows}) AS rows {by}"
        total = _clipped("sum(value)", -self._amounts.limit, self._amounts.limit)
        above, below = self._amounts.ratio
        steps = f"floor((total::float8 * {_float(above)} + {_float(below)}) / {_float(2 * below)})"
        return (
            f"SELECT item, person, {_clipped(f'{steps}::bigint', *self._amounts.ends)} AS share "
            f"FROM (SELECT item, person, {total}::bigint AS total FROM ({self._rows}) AS rows {by})"
            " AS totals"
        )

    @property
    def totals(self) -> str:
        """The score of each item."""
        score = "count(*)" if self._measure.kind == "count" else "sum(share)::bigint"
        return f"SELECT item, {score} FROM ({self.pairs}) AS pairs GROUP BY item"

    @property
    def limited(self) -> str:
        """The score of each item, of which a person has at most so many, chosen by lot.

        Of groups before, if these are limited too: then so many items of each of them.
        """
        most, groups = self._measure.items_per_person, self._measure.lots
        kept, unit = self.pairs, "person"
        if groups is not None:
            kept = self._by_lot(kept, unit, GROUP, groups)
        if most is not None:
            unit = unit if self._measure.by is None else f"{unit}, {GROUP}"
            kept = self._by_lot(kept, unit, "item", most)
        return f"SELECT item, sum(share)::bigint FROM ({kept}) AS kept GROUP BY item"

    def _by_lot(self, pairs: str, unit: str, what: str, most: int) -> str:
        """Return the pairs of each unit that have one of the first so many places.

        Only units of more pairs than that get numbers to be sorted by; they keep the smallest.
        """
        over = f"count(*) OVER (PARTITION BY {unit}) > {most}"
        # From the last byte to the first, and in C: other collations may call two numbers equal.
        digits = " || ".join(f"substr(digest, {place}, 2)" for place in range(31, 0, -2))
        order = f'PARTITION BY {unit} ORDER BY ({digits}) COLLATE "C", {what}'
        return (
            "SELECT item, person, share FROM (SELECT item, person, share, "
            f"dense_rank() OVER ({order}) AS place FROM (SELECT item, person, share, "
            f"CASE WHEN {over} THEN {self._digest(what)} END AS digest FROM ({pairs}) AS pairs"
            f") AS held) AS placed WHERE place <= {most}"
        )

    def _digest(self, what: str) -> str:
        """MD5(key|person|item) or MD5(key|person|group), as all engines write them."""
        person, thing = _written("person", self.kinds["person"]), _written(what, self.kinds["item"])
        return f"md5(%(key)s::text || '|' || {person} || '|' || {thing})"


def declared_kind(role: str, name: str, there: dict[str, Column]) -> str:
    """Return what the labels of a column are; refuse by what is declared about it."""
    refuse_missing(role, name, list(there))
    column = there[name]
    kind = KINDS.get(column.kind)
    if kind is None or column.kind == "numeric":
        raise ParameterError(
            f"{named(role)} must be a column of text, whole numbers, dates or booleans, got "
            f"{name!r} of type {column.declared}; cast it to text in a view"
        )
    if role == "person" and not column.exact:
        raise ParameterError(
            f"{named('person')} must be a column in which equal values are written the same, got "
            f"{name!r}, for which the database says that different texts are one; make a view "
            "that has one text for each person, such as lower(name)"
        )
    return label_kind(role, name, kind)


def _label(role: str, name: str, kind: str) -> str:
    """Return a column as labels; null where a value has none. Never fails on a value."""
    column = identifier(name)
    if kind in TEXTS:
        text = f"{column}::text"
        spelled = of_postgres(text) if role == "person" else text
        return f'(CASE WHEN octet_length({text}) <= {LONGEST} THEN {spelled} END) COLLATE "C"'
    if kind in WHOLE:
        return f"{column}::bigint"
    if kind in FLOATS:
        value = f"{column}::float8"
        inside = f"abs({value}) < {EXACT}::float8 AND {value} = floor({value})"
        return f"CASE WHEN {inside} THEN {value}::bigint END"
    return _day(column) if kind == "date" else column


def _day(column: str) -> str:
    """Return days from the first of 1970; some are infinite, and have no difference to a day."""
    inside = f"{column} >= date '0001-01-01' AND {column} < date '10000-01-01'"
    return f"CASE WHEN {inside} THEN {column}::date - date '1970-01-01' END"


def _written(label: str, kind: str) -> str:
    """Return a label as text."""
    if kind == "date":
        return f"to_char(date '1970-01-01' + {label}, 'YYYY-MM-DD')"
    return f"{label}::text"


def _part(label: str, kind: str) -> str:
    """Return a label as the text that it has in a combination: see `columns`."""
    if kind == "text":
        return f"replace(replace({label}, '~', '~0'), '/', '~1')"
    return f"initcap({label}::text)" if kind == "boolean" else _written(label, kind)


def _fine_steps(column: str, kind: str, amounts: Amounts) -> str:
    """Return a column as whole numbers of fine steps; zero where there is no number."""
    digits = amounts.digits
    if amounts.whole:
        steps = _clipped(f"{column}::bigint", -ROW_LIMIT, ROW_LIMIT)
        return f"CASE WHEN {column} IS NOT NULL THEN {steps} ELSE 0 END"
    if kind == "numeric":  # exactly, as it is written
        end = f"'{ROW_LIMIT}e{-digits}'::numeric"
        inside = f"least(greatest({column}, -{end}), {end})"
        steps = f"floor({inside} * '1e{digits}'::numeric + 0.5)::bigint"
        return f"CASE WHEN {column} < 'NaN' THEN {steps} ELSE 0 END"
    value, power = f"{column}::float8", _float(10 ** abs(digits))
    end = _float(Fraction(2 * ROW_LIMIT) / Fraction(10) ** digits)
    inside = f"least(greatest({value}, -{end}), {end})"
    steps = f"{inside} * {power}" if digits >= 0 else f"{inside} / {power}"
    steps = f"floor({_clipped(steps, -ROW_LIMIT, ROW_LIMIT, 'float8')} + 0.5::float8)::bigint"
    counts = f"{value} < 'NaN'" + (f" AND abs({value}) > {NEXT_TO_NOTHING}" * (digits < 0))
    return f"CASE WHEN {counts} THEN {steps} ELSE 0 END"


def _clipped(value: str, low: int, high: int, kind: str = "bigint") -> str:
    """Return a number within two ends. It must not be null, of which the greatest is the other."""
    return f"least(greatest({value}, '{low}'::{kind}), '{high}'::{kind})"


def _float(number: int | Fraction) -> str:
    return f"'{float(number)!r}'::float8"


def identifier(name: str) -> str:
    """Write a name for SQL that has parameters in it."""
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'
