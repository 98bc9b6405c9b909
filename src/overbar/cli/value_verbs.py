"""What ``quantile``, ``mean`` and ``describe`` are asked by: one value of each person counts."""

from __future__ import annotations

from dataclasses import dataclass

from overbar.cli.options import PRIVACY, QUESTION, READING, Verb, option, switch
from overbar.cli.table_options import (
    COMMA_HELP,
    FileOptions,
    column_option,
    groups_option,
    groups_per_person_option,
)

QUANTILE_EXAMPLES = """Examples:

\b
What do customers spend: the median, and what 95 % do not exceed?
  overbar quantile sales.csv --value amount --person customer --at 0.5,0.95 --epsilon 1

\b
The median grade of each student's mean, in steps of one half; nothing is read:
  overbar quantile grades.csv --value grade --person student --of mean \\
      --ladder 0:20:0.5 --epsilon 1/2 --dry-run
"""
DESCRIBE_EXAMPLES = """Examples:

\b
All columns of a file that states their types; as a page:
  overbar describe survey.parquet --person respondent --epsilon 1 --delta 1e-6 -o shape.html

\b
Some columns of a text file, which does not:
  overbar describe survey.csv --person respondent --number age --number income \\
      --day born --text city --epsilon 1 --delta 1e-6
"""


@dataclass(frozen=True, kw_only=True)
class MeanOptions(FileOptions):
    """Find the mean of one value of each person, privately, without a range.

    A part of the budget finds bounds on a public ladder, as overbar quantile does, and values
    beyond them count as the bound. The interval holds the mean of these values with 95 %. How many
    persons there are is private too, and is told with noise.

    Exit codes: 0 done, 2 bad use or refused, 130 stopped by Ctrl-C.
    """

    item: list[str] | None = option(QUESTION, "COLUMN", "None.", hidden=True)
    value: str | None = column_option("The column of numbers, or of dates.")
    of: str = option(
        QUESTION,
        "NAME",
        "Which value of a person counts: sum, mean, largest, smallest, or any, by lot.",
        default="sum",
    )
    ladder: str | None = option(
        QUESTION,
        "NAME",
        "The public values that may come out, not taken from the data: numbers (two digits, the "
        "default), powers (1, 2, 5, 10), whole, days (the default for dates; to be said for a text "
        "file), LOW:HIGH:STEP, or a list with commas.",
    )
    groups: str | None = groups_option()
    groups_per_person: str | None = groups_per_person_option()
    epsilon: str | None = option(PRIVACY, "NUMBER", "The privacy budget: smaller is more private.")
    decimal_comma: bool | None = option(
        READING, None, COMMA_HELP, "--decimal-comma/--decimal-point"
    )


@dataclass(frozen=True, kw_only=True)
class QuantileOptions(MeanOptions):
    """Find which value shares of all persons do not exceed, privately, without a range.

    The median, or the value that 95 % do not exceed, of one value of each person. Values that may
    come out are on a ladder that is public; --dry-run shows it. Each has an interval that holds the
    truth with 95 %. How many persons there are is private too, and is told with noise.

    Exit codes: 0 done, 2 bad use or refused, 130 stopped by Ctrl-C.
    """

    at: str = option(QUESTION, "SHARES", "Shares of persons, such as 0.5,0.95.", default="0.5")
    no_intervals: bool = switch(
        QUESTION, "--no-intervals", "No intervals, which take two thirds of the budget."
    )


@dataclass(frozen=True, kw_only=True)
class DescribeOptions(MeanOptions):
    """Show the shape of a table, privately: bounds, quartiles, missing and common values.

    A tenth of the budget counts persons: all, and those with a value in each column. The columns
    share the rest evenly; with --delta each needs far less noise, and common values of text are
    found. Without --number, --day and --text all columns are described, by their types, if the file
    states them: Parquet, DuckDB or PostgreSQL. No row is asked what a column holds.

    Exit codes: 0 done, 2 bad use or refused, 130 stopped by Ctrl-C.
    """

    value: str | None = option(QUESTION, "COLUMN", "None.", hidden=True)
    number: list[str] | None = option(
        QUESTION,
        "COLUMN",
        "A column of numbers; may be given several times. '*' for all others of a CSV file.",
    )
    day: list[str] | None = option(
        QUESTION,
        "COLUMN",
        "A column of dates or times; may be given several times.",
    )
    text: list[str] | None = option(
        QUESTION,
        "COLUMN",
        "A column of text; may be given several times.",
    )
    of: str = option(
        QUESTION,
        "NAME",
        "Which number of a person with several rows counts: mean, sum, largest, smallest, or any.",
        default="mean",
    )
    groups: str | None = groups_option(hidden=True)
    groups_per_person: str | None = groups_per_person_option(hidden=True)
    delta: str | None = option(
        PRIVACY, "NUMBER", "The δ of (ε, δ)-differential privacy, such as 1e-6. By default 0."
    )


MEAN = Verb("mean", MeanOptions, "Means without a range, privately.", module="release")
DESCRIBE = Verb(
    "describe", DescribeOptions, "The shape of a table, privately.", DESCRIBE_EXAMPLES, "release"
)
QUANTILE = Verb(
    "quantile",
    QuantileOptions,
    "Quantiles without a range, privately.",
    QUANTILE_EXAMPLES,
    "release",
)
