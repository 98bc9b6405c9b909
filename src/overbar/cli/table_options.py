"""Options that verbs share: which table, which columns, where the answer goes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from overbar.cli import completion
from overbar.cli.options import (
    BUDGET,
    OUTPUT,
    QUESTION,
    READING,
    argument,
    noted_head,
    option,
    switch,
)

column_option = partial(option, QUESTION, "COLUMN")
groups_option = partial(
    option,
    QUESTION,
    "COLUMN=LIST",
    "A column of groups and the public list of them, such as region=north,south or as for "
    "--catalogue. Each is asked by itself, and all of it costs ε together.",
)
groups_per_person_option = partial(
    option, QUESTION, "COUNT", "In how many groups a person counts at most."
)
LIST_HELP = (
    "The public list of items, not taken from the data: tea,rum; a text file with one item per "
    "line; a table's file:column; or whole numbers (0..9999). With several --item, a table with "
    "these columns."
)
COMMA_HELP = "Numbers are written as 1.234,50, or as 1234.50. To be said where ; separates fields."


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What was typed about a table, and how it is read."""

    sources: list[str] = argument(
        metavar="TABLE",
        help="A file: CSV, TSV, JSON, Parquet, Excel .xlsx, DuckDB or SQLite; a folder "
        "or '*.parquet' for many; - for standard input; or, with --table, "
        "postgresql://USER@HOST/DATABASE.",
        rich_help_panel=QUESTION,
    )
    item: list[str] | None = option(
        QUESTION,
        "COLUMN",
        "The column that names the item, such as a product; several name it together, each with "
        "--item. A field inside of another is OUTER.INNER. JSON lines: a key that no line has is "
        "not refused, and finds nothing.",
    )
    person: str | None = column_option("The column that says whose row it is.")
    table: str | None = option(
        READING,
        "NAME",
        "Which table of a database, or sheet of a workbook.",
    )
    input_format: str | None = option(
        READING,
        "NAME",
        "csv, tsv, jsonl, json, parquet, duckdb, sqlite or xlsx. By default the name tells.",
        autocompletion=completion.input_formats,
    )
    delimiter: str | None = option(
        READING,
        "CHARACTER",
        "What separates fields. By default the header tells.",
    )
    header_row: str | None = option(
        READING,
        "NUMBER",
        "The line with the names of the columns, if a title stands above; 0 for none: columns are "
        "1, 2, 3.",
    )
    encoding: str | None = option(
        READING,
        "NAME",
        "How text is stored, such as cp1252. By default UTF-8, or what a mark before the header "
        "says.",
    )
    where: str | None = option(
        QUESTION,
        "CONDITION",
        "Only such rows: \"year >= 2024 AND country = 'DE'\".",
    )
    memory: str = option(READING, "SIZE", "How much memory reading may take.", default="2GB")
    temp_folder: Path | None = option(
        READING,
        "FOLDER",
        "For rows that do not fit into memory. They are private, so by default none are stored.",
    )


@dataclass(frozen=True, kw_only=True)
class FileOptions(ReadOptions):
    """That, who pays, and where the answer goes."""

    ledger: str | None = option(
        BUDGET,
        "FILE",
        "The ledger that pays; see overbar ledger.",
        envvar="OVERBAR_LEDGER",
    )
    dataset: str | None = option(
        BUDGET,
        "NAME",
        "The dataset in the ledger whose budget pays.",
        autocompletion=completion.datasets,
    )
    request: str | None = option(
        BUDGET, "ID", "Your own id. The same again: the same answer, at no cost."
    )
    head: str | None = noted_head(BUDGET)
    purpose: str | None = option(
        BUDGET, "TEXT", "What the answer is for; on the report and in the ledger."
    )
    out: list[Path] | None = option(
        OUTPUT,
        "FILE",
        "Write the answer to a .csv, .json or .parquet file, or a report to an .html file; may be "
        "given several times.",
        "--out",
        "-o",
    )
    format_: str | None = option(
        OUTPUT,
        "NAME",
        "table, csv or json. By default CSV in a pipe, else a table.",
        "--format",
        autocompletion=completion.formats,
    )
    save: Path | None = option(
        OUTPUT, "FILE", "Write what was typed to a .toml file, for overbar run."
    )
    force: bool = switch(OUTPUT, "--force", "Replace files that exist.")
    dry_run: bool = switch(OUTPUT, "--dry-run", "Show plan, guarantee and cost; read no data.")


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """Which numbers there are, and which items there may be."""

    value: str | None = column_option("A column to add up, instead of counting persons.")
    score: str | None = column_option(
        "One score for each item; needs --sensitivity. Without --catalogue its items count as "
        "public."
    )
    catalogue: str | None = option(QUESTION, "LIST", LIST_HELP)
    decimal_comma: bool | None = option(
        READING,
        None,
        COMMA_HELP,
        "--decimal-comma/--decimal-point",
    )


@dataclass(frozen=True, kw_only=True)
class TableOptions(ListOptions, FileOptions):
    """What `select` and `top` share beside that."""

    value_range: str | None = option(
        QUESTION,
        "LOW,HIGH",
        "A public range, such as 0,100, to which one person's sum for one item is clamped. Noise "
        "grows with its width.",
    )
    items_per_person: str | None = option(
        QUESTION,
        "COUNT",
        "So many items of a person count, by lot.",
    )
    groups: str | None = groups_option()
    groups_per_person: str | None = groups_per_person_option()
