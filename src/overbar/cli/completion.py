"""What the shell offers when Tab is pressed: names that are public.

Columns are offered where a file states them as its schema: Parquet, DuckDB, SQLite. The first line
of a text file may be someone's row and is never shown. Whatever goes wrong, nothing is offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import typer

__all__ = [
    "allocations",
    "columns",
    "corrections",
    "datasets",
    "formats",
    "input_formats",
    "noises",
    "orders",
    "rounds",
    "studies",
    "tables",
    "threshold_noises",
]

Names = Callable[[typer.Context], Iterable[str]]


def _offer(names: Names) -> Callable[[typer.Context, str], list[str]]:
    """Make a completion of a function that lists names; one that could steer a terminal is none."""

    def offered(ctx: typer.Context, incomplete: str) -> list[str]:
        try:
            known = list(names(ctx))
        except Exception:
            return []
        return [name for name in known if name.startswith(incomplete) and name.isprintable()]

    return offered


def _noises(_: typer.Context) -> Iterable[str]:
    from overbar.noise import NOISES

    return ("auto", *NOISES)


def _corrections(_: typer.Context) -> Iterable[str]:
    from overbar.accuracy.correction import KINDS

    return KINDS


def _orders(_: typer.Context) -> Iterable[str]:
    from overbar.mechanism.batch_run import ORDERS

    return ORDERS


def _formats(_: typer.Context) -> Iterable[str]:
    from overbar.cli.output.answer_screen import FORMATS

    return FORMATS


def _input_formats(_: typer.Context) -> Iterable[str]:
    from overbar.cli.tables.file_kinds import FORMS

    return FORMS


def _studies(ctx: typer.Context) -> Iterable[str]:
    from overbar.paper import STUDIES

    chosen = ctx.params.get("names") or ()
    return (study.name for study in STUDIES if study.name not in chosen)


def _datasets(ctx: typer.Context) -> Iterable[str]:
    from overbar.ledger import Ledger

    path = ctx.params.get("ledger") or ctx.params["path"]
    return Ledger(Path(path), create=False).datasets()


def _tables(ctx: typer.Context) -> Iterable[str]:
    from overbar.cli.tables.schema import table_names

    return table_names(ctx.params["sources"], ctx.params.get("input_format"))


def _columns(ctx: typer.Context) -> Iterable[str]:
    from overbar.cli.tables.schema import column_names

    typed = ctx.params
    return column_names(typed["sources"], typed.get("input_format"), typed.get("table"))


noises = _offer(_noises)
threshold_noises = _offer(lambda _: ("auto", "laplace", "gaussian", "none"))
allocations = _offer(lambda _: ("variance", "appending"))
rounds = _offer(lambda _: ("unlimited",))
corrections = _offer(_corrections)
orders = _offer(_orders)
formats = _offer(_formats)
input_formats = _offer(_input_formats)
studies = _offer(_studies)
datasets = _offer(_datasets)
tables = _offer(_tables)
columns = _offer(_columns)
