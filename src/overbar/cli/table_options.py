"""Options that verbs share: which table, which columns, where the answer goes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from overbar.cli import completion
from overbar.cli.options import BUDGET, OUTPUT, QUESTION, READING, argument, option, switch

_column = partial(option, QUESTION, "COLUMN", autocompletion=completion.columns)


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What was typed about a table, and how it is read."""

    sources: list[str] = argument(
        metavar="TABLE",
        help="A file: CSV, TSV, JSON, Parquet, Excel .xlsx, FIMI .dat, DuckDB or SQLite; a folder, "
        "or '*.parquet' in quotes, for many; - for standard input (with --input-format); a table "
        "in PostgreSQL: postgresql://USER@HOST/DATABASE (with --table).",
        rich_help_panel=QUESTION,
    )
    item: list[str] | None = option(
        QUESTION,
        "COLUMN",
        "The column that names the item, such as a product; several name it together, each with "
        "--item. JSON lines have no header: a key that no line has is not refused, and finds "
        "nothing. A field inside of another is OUTER.INNER.",
        autocompletion=completion.columns,
    )
    person: str | None = _column("The column that says whose row it is.")
    table: str | None = option(
        READING,
        "NAME",
        "Which table of a DuckDB or SQLite file, or sheet of an .xlsx file; the only one by "
        "default. In PostgreSQL: schema.table.",
        autocompletion=completion.tables,
    )
    input_format: str | None = option(
        READING,
        "NAME",
        "csv, tsv, jsonl, json, parquet, dat, duckdb, sqlite or xlsx. By default the ending of the "
        "name tells.",
        autocompletion=completion.input_formats,
    )
    delimiter: str | None = option(
        READING,
        "CHARACTER",
        "What separates fields. By default detected from the header, else a comma.",
    )
    no_header: bool = switch(
        READING,
        "--no-header",
        "The first line is a row, not names; columns are called 1, 2, 3.",
    )
    header_row: str | None = option(
        READING,
        "NUMBER",
        "In which line the names of the columns are, if a title stands above them; of .xlsx, in "
        "which row. Lines above are left out. By default the first.",
    )
    encoding: str | None = option(
        READING,
        "NAME",
        "How text is stored, such as latin-1, cp1252 or utf-16. By default UTF-8, or what a mark "
        "before the header says.",
    )
    where: str | None = option(
        QUESTION,
        "CONDITION",
        "Only rows for which it holds, such as \"year >= 2024 AND country = 'DE'\".",
    )
    memory: str = option(READING, "SIZE", "How much memory reading may take.", default="2GB")
    threads: int | None = option(READING, "COUNT", "How many cores reading may use.")
    temp_folder: Path | None = option(
        READING,
        "FOLDER",
        "A folder for rows that do not fit into memory, during the run. Rows are private, so by "
        "default nothing is stored.",
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
        BUDGET, "ID", "An id of your choice. The same id again gives the same answer, at no cost."
    )
    purpose: str | None = option(
        BUDGET, "TEXT", "What the answer is for; kept in the ledger and on the report."
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
        "On standard output: table, csv or json. By default a table on a terminal, and CSV in a "
        "pipe.",
        "--format",
        autocompletion=completion.formats,
    )
    save: Path | None = option(
        OUTPUT,
        "FILE",
        "Write the question to a .toml file, for overbar run: what was typed, no data, no answer.",
    )
    force: bool = switch(OUTPUT, "--force", "Replace files that exist.")
    dry_run: bool = switch(OUTPUT, "--dry-run", "Show plan, guarantee and cost; read no data.")


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """Which numbers there are, and which items there may be."""

    value: str | None = _column("A column of numbers to add up, instead of counting persons.")
    score: str | None = _column(
        "A column with one score for each item; needs --sensitivity. Without --catalogue the "
        "items of the table count as public."
    )
    catalogue: str | None = option(
        QUESTION,
        "LIST",
        "The public list of items, not taken from the data: a text file with one item per line, a "
        "column of a table (file:column), or whole numbers (0..9999). With several --item, a table "
        "with these columns.",
    )
    decimal_comma: bool | None = option(
        READING,
        None,
        "Numbers in --value and --score are written as 1.234,50, or as 1234.50. To be said where ; "
        "separates fields.",
        "--decimal-comma/--decimal-point",
    )


@dataclass(frozen=True, kw_only=True)
class TableOptions(ListOptions, FileOptions):
    """What `select` and `top` share beside that."""

    value_range: str | None = option(
        QUESTION,
        "LOW,HIGH",
        "The lowest and highest sum that one person can have for one item, such as 0,100; a sum "
        "outside counts as the nearer end.",
    )
    items_per_person: str | None = option(
        QUESTION,
        "COUNT",
        "At most this many items per person are counted, in each group by itself, chosen at "
        "random.",
    )
    by: str | None = _column(
        "A column of groups, such as a region: each group is asked by itself, and all of it costs "
        "ε together. Needs --groups, --groups-per-person and --catalogue."
    )
    groups: str | None = option(
        QUESTION,
        "LIST",
        "The public list of groups, not taken from the data: north,south, or as for --catalogue.",
    )
    groups_per_person: str | None = option(
        QUESTION,
        "COUNT",
        "In how many groups a person counts at most, chosen at random: 1 if everybody is in one.",
    )
