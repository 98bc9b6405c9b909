"""Options that `select` and `top` share: which table, which columns, where the answer goes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from overbar.cli import completion
from overbar.cli.options import BUDGET, EXPERTS, OUTPUT, QUESTION, READING, option
from overbar.cli.plan_options import PlanNumbers, SelectNumbers

__all__ = ["SelectOptions", "TableOptions", "TopOptions"]


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """What was typed about a table and its answer."""

    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLE",
            help="A file: CSV, TSV, JSON lines, Parquet, FIMI .dat, DuckDB or SQLite (with "
            "--table); '*.parquet' in quotes for many; - for standard input (with --input-format).",
            rich_help_panel=QUESTION,
        ),
    ]
    item: Annotated[
        str | None,
        option(
            QUESTION,
            metavar="COLUMN",
            help="The column of what is counted, such as a product. JSON lines have no header: a "
            "key that no line has is not refused, and finds nothing.",
            autocompletion=completion.columns,
        ),
    ] = None
    person: Annotated[
        str | None,
        option(
            QUESTION,
            metavar="COLUMN",
            help="The column that says whose row it is.",
            autocompletion=completion.columns,
        ),
    ] = None
    value: Annotated[
        str | None,
        option(
            QUESTION,
            metavar="COLUMN",
            help="A column to sum, instead of counting persons.",
            autocompletion=completion.columns,
        ),
    ] = None
    value_range: Annotated[
        str | None,
        option(
            QUESTION,
            metavar="LOW,HIGH",
            help="Limits of a person's sum for one item, such as 0,100; beyond them it is cut off.",
        ),
    ] = None
    score: Annotated[
        str | None,
        option(
            QUESTION,
            metavar="COLUMN",
            help="A column with one score for each item; needs --sensitivity.",
            autocompletion=completion.columns,
        ),
    ] = None
    catalogue: Annotated[
        str | None,
        option(
            QUESTION,
            "--catalogue",
            metavar="LIST",
            help="The public list of items, not taken from the data: a text file with one item per "
            "line, a column of a table (file:column), or whole numbers (0..9999).",
        ),
    ] = None
    items_per_person: Annotated[
        str | None,
        option(
            QUESTION,
            metavar="COUNT",
            help="At most this many items per person are counted, chosen at random.",
        ),
    ] = None
    ledger: Annotated[
        Path | None,
        option(
            BUDGET, "--ledger", metavar="FILE", help="The ledger that pays; see overbar ledger."
        ),
    ] = None
    dataset: Annotated[
        str | None,
        option(
            BUDGET,
            "--dataset",
            metavar="NAME",
            help="The dataset in the ledger whose budget pays.",
            autocompletion=completion.datasets,
        ),
    ] = None
    request: Annotated[
        str | None,
        option(
            BUDGET,
            "--request",
            metavar="ID",
            help="The same id again gives the same answer, at no cost.",
        ),
    ] = None
    purpose: Annotated[
        str | None,
        option(BUDGET, metavar="TEXT", help="What the answer is for; kept in the ledger."),
    ] = None
    out: Annotated[
        list[Path] | None,
        option(
            OUTPUT,
            "--out",
            "-o",
            metavar="FILE",
            help="Write the answer to .csv, .json, .parquet or .html; may be repeated.",
        ),
    ] = None
    report: Annotated[Path | None, option(OUTPUT, metavar="FILE", help="Write an HTML report.")] = (
        None
    )
    format_: Annotated[
        str | None,
        option(
            OUTPUT,
            "--format",
            metavar="NAME",
            help="On standard output: table, csv or json. By default a table on a terminal, and "
            "CSV in a pipe.",
            autocompletion=completion.formats,
        ),
    ] = None
    force: Annotated[bool, option(OUTPUT, "--force", help="Replace files that exist.")] = False
    dry_run: Annotated[
        bool, option(OUTPUT, "--dry-run", help="Show plan, guarantee and cost; read no data.")
    ] = False
    table: Annotated[
        str | None,
        option(
            READING,
            metavar="NAME",
            help="Which table of a DuckDB or SQLite file.",
            autocompletion=completion.tables,
        ),
    ] = None
    input_format: Annotated[
        str | None,
        option(
            READING,
            metavar="NAME",
            help="csv, tsv, jsonl, parquet, dat, duckdb or sqlite. By default told from the name.",
            autocompletion=completion.input_formats,
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        option(
            READING,
            metavar="CHARACTER",
            help="What separates fields. By default detected from the header, else a comma.",
        ),
    ] = None
    no_header: Annotated[
        bool,
        option(READING, "--no-header", help="The first line is a row; columns are called 1, 2, 3."),
    ] = False
    decimal_comma: Annotated[
        bool,
        option(
            READING,
            "--decimal-comma",
            help="Numbers in --value and --score are written as 1.234,50.",
        ),
    ] = False
    memory: Annotated[
        str,
        option(
            READING, metavar="SIZE", help="How much memory reading may take.", show_default=True
        ),
    ] = "2GB"
    threads: Annotated[
        int | None, option(READING, metavar="COUNT", help="How many cores may read.")
    ] = None
    temp_folder: Annotated[
        Path | None,
        option(
            READING,
            metavar="FOLDER",
            help="Rows that do not fit into memory may be stored here meanwhile. They are private, "
            "so by default nothing is stored.",
        ),
    ] = None
    order: Annotated[
        str,
        option(
            EXPERTS,
            metavar="NAME",
            help="In which order items are compared: random or given.",
            autocompletion=completion.orders,
        ),
    ] = "random"


@dataclass(frozen=True, kw_only=True)
class SelectOptions(SelectNumbers, TableOptions):
    """What was typed for `overbar select`."""


@dataclass(frozen=True, kw_only=True)
class TopOptions(PlanNumbers, TableOptions):
    """What was typed for `overbar top`."""

    upper_bound: Annotated[
        str | None,
        option(
            QUESTION,
            metavar="NUMBER",
            help="A public number that no score exceeds, such as the number of people; far too "
            "high costs nothing.",
        ),
    ] = None
