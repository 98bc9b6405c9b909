"""Options that `select` and `top` share: which table, which columns, where the answer goes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "CatalogueName",
    "DatasetName",
    "DecimalComma",
    "Delimiter",
    "DryRun",
    "Force",
    "Format",
    "InputFormat",
    "Item",
    "ItemsPerPerson",
    "LedgerFile",
    "Memory",
    "NoHeader",
    "Order",
    "Out",
    "Person",
    "Purpose",
    "Report",
    "RequestName",
    "Score",
    "Sources",
    "Table",
    "TempFolder",
    "Threads",
    "UpperBound",
    "Value",
    "ValueRange",
]

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, JSON lines, Parquet, FIMI .dat, a DuckDB or SQLite file (with --table), "
        "'*.parquet' in quotes, or - for standard input (with --input-format).",
    ),
]
Item = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column of what is counted, a product say.")
]
Person = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column that says whose row it is.")
]
Value = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="A column to sum, instead of counting persons."),
]
ValueRange = Annotated[
    str | None,
    typer.Option(
        metavar="LOW,HIGH", help="What a person's sum for an item is clamped to, such as 0,100."
    ),
]
Score = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="A column with one score for each item; needs --sensitivity."
    ),
]
UpperBound = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="A public number that no score exceeds, such as the number of people; far too high "
        "costs nothing.",
    ),
]
CatalogueName = Annotated[
    str | None,
    typer.Option(
        "--catalogue",
        metavar="LIST",
        help="The public list of items, not taken from the data: a file with one a line, a table's "
        "file:column, or 0..9999.",
    ),
]
ItemsPerPerson = Annotated[
    str | None,
    typer.Option(metavar="COUNT", help="How many items of one person count at most."),
]
DecimalComma = Annotated[
    bool,
    typer.Option("--decimal-comma", help="Numbers in --value and --score are written as 1.234,50."),
]
Table = Annotated[
    str | None, typer.Option(metavar="NAME", help="Which table of a DuckDB or SQLite file.")
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        metavar="FORM", help="csv, tsv, jsonl, parquet, dat, duckdb or sqlite; else by the ending."
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER", help="What separates fields; else by the header, or a comma."
    ),
]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="The first line is a row; columns are called 1, 2, 3.")
]
Memory = Annotated[
    str, typer.Option(metavar="SIZE", help="How much memory reading may take.", show_default=True)
]
Threads = Annotated[int | None, typer.Option(metavar="COUNT", help="How many cores may read.")]
TempFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Where rows that exceed the memory may wait; by default nowhere: they are private.",
    ),
]
Order = Annotated[
    str, typer.Option(metavar="NAME", help="In which order items are asked: random or given.")
]
LedgerFile = Annotated[
    Path | None,
    typer.Option("--ledger", metavar="FILE", help="The ledger that pays; see overbar ledger."),
]
DatasetName = Annotated[
    str | None, typer.Option("--dataset", metavar="NAME", help="Whose budget in the ledger pays.")
]
RequestName = Annotated[
    str | None,
    typer.Option(
        "--request", metavar="ID", help="The same id again gives the same answer, at no cost."
    ),
]
Purpose = Annotated[
    str | None, typer.Option(metavar="TEXT", help="What the answer is for; kept in the ledger.")
]
Out = Annotated[
    list[Path] | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Write .csv, .json, .parquet or .html; may be repeated."
    ),
]
Report = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the page for your manager, .html.")
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="On standard output: table, csv or json; else a table on a terminal, CSV in a pipe.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show plan, guarantee and cost; touch no data.")
]
