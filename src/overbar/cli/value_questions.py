"""What was typed for `quantile`, `mean` and `describe`: columns, and what is asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from typing import Any

from overbar import _check
from overbar.cli.options import all_given, column_and_list, if_given, pair
from overbar.cli.tables import NamedColumns, Source, start_engine
from overbar.cli.tables.files import SERVED, existing_files
from overbar.cli.tables.public_list import Label
from overbar.cli.value_verbs import DescribeOptions, MeanOptions, QuantileOptions
from overbar.errors import ParameterError
from overbar.frames import Question
from overbar.frames.measure import share_inside
from overbar.frames.quantiles import QuantileQuestion
from overbar.frames.shape import KINDS, ShapeQuestion, typed_columns

#: All columns that are not named otherwise.
ALL = ["*"]


def value_columns(options: MeanOptions, source: Source) -> NamedColumns:
    """Return the columns that were asked for, without a look at any row."""
    if not isinstance(options, DescribeOptions):
        person, value = options.person, options.value
        by = None if options.groups is None else column_and_list(options.groups)[0]
        if options.item:
            raise ParameterError("--item must be left out: quantiles are of --value and --person")
        if person is not None and person == value:
            raise ParameterError("--value and --person must be two columns")
        if by is not None and by in (person, value):
            raise ParameterError("--groups must have a column of their own")
        if options.ladder == "days" and value is not None:
            return NamedColumns((), person, day=(value,), groups=by)
        return NamedColumns((), person, value, groups=by)
    all_given(person=options.person)
    if options.groups or options.groups_per_person:
        raise ParameterError(
            "--groups must be left out: the shape is that of the whole table. Ask quantile, mean "
            "or top about each group"
        )
    if options.item or options.value:
        raise ParameterError(
            "--number, --day and --text name columns here, and not --item, --value"
        )
    named = {kind: list(getattr(options, kind) or ()) for kind in KINDS}
    taken = {options.person, *named["day"], *named["text"]}
    if named["number"] == ALL and source.form in ("csv", "tsv"):
        names = source.header(existing_files(source.places)[0]).names
        named["number"] = [name for name in names if name not in taken]
    if not any(named.values()):
        if source.form not in (SERVED, "parquet", "duckdb"):
            raise ParameterError(
                "--number, --day and --text must name columns: a file of this kind does not say "
                "what they hold, and no row is asked; --number '*' is all others of a CSV file"
            )
        with closing(start_engine()) as engine:
            typed = typed_columns(source.whole(engine))
        for each in typed:
            named[each.kind] += [each.name] * (each.name != options.person)
    number, day, text = (tuple(named[kind]) for kind in KINDS)
    return NamedColumns((), options.person, number=number, day=day, text=text)


def fitted_to(table: Any, question: Question) -> Question:
    """Return what is asked of this table: the type of a column may say which ladder it is."""
    return question.fitted(table) if isinstance(question, QuantileQuestion) else question


def value_question(
    options: MeanOptions, columns: NamedColumns, groups: Sequence[Label] | None
) -> Question:
    """Return what is asked; refuse a question that lacks something."""
    if isinstance(options, DescribeOptions):
        all_given(epsilon=options.epsilon)
        return ShapeQuestion.of(
            None,
            person=str(columns.person),
            epsilon=options.epsilon or "",
            delta=options.delta or 0,
            number=columns.number,
            day=columns.day,
            text=columns.text,
            of=options.of,
            ladder=options.ladder,
        )
    all_given(value=options.value, person=options.person, epsilon=options.epsilon)
    names = ("value", "person", "epsilon", "of", "ladder")
    typed = {name: getattr(options, name) for name in names}
    typed["groups"] = None if columns.groups is None else {columns.groups: groups}
    few = if_given(_check.whole, "groups_per_person", options.groups_per_person)
    typed["groups_per_person"] = few
    if not isinstance(options, QuantileOptions):
        return QuantileQuestion.of(**typed, at=None)
    shares, intervals = options.at.split(","), not options.no_intervals
    return QuantileQuestion.of(**typed, at=shares, intervals=intervals)


def range_or_auto(name: str, written: str) -> tuple[Fraction, Fraction] | str:
    """Read the range of a column, or that it is to be found first."""
    return pair(name, written) if share_inside(written) is None else written
