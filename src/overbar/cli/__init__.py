"""The command line.

check       a look at a table for its owner's eyes: not private
plan        what is guaranteed and what to expect, before any data is touched
select      what is above a threshold in a table, privately
top         the most frequent items of a table, privately
keys        which keys a table has, privately, without a list of them
watch       alarms day by day, privately, without end
run         one of these, from a file that can be reviewed and repeated
explore     a local page: look before you spend
ledger      budgets in a file: what may be spent, and what was
"""

from __future__ import annotations

import os
import sys
from importlib import metadata
from typing import Annotated

from overbar.cli.exit import leaving

__all__ = ["app", "main"]

try:
    import rich
    import typer
except ImportError:
    app = None
else:
    del rich
    from overbar.cli import (
        explore,
        ledger_command,
        plan_options,
        question_file,
        verbs,
    )
    from overbar.cli.options import Verbs

    app = typer.Typer(
        name="overbar",
        cls=Verbs,
        help="What is over the bar, without telling on anyone.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="overbar VERB --help explains a verb.",
    )
    # Short helps fit a terminal of 60 columns; a longer one would be cut.
    for verb in (
        verbs.SELECT,
        verbs.TOP,
        verbs.KEYS,
        verbs.WATCH,
        verbs.CHECK,
        question_file.VERB,
        plan_options.VERB,
        explore.VERB,
    ):
        verb.add_to(app)
    ledger_command.SPEND.add_to(ledger_command.ledger)
    app.add_typer(
        ledger_command.ledger, name="ledger", short_help="Budgets in a file: granted, spent, left."
    )

    def _version(asked: bool) -> None:
        if asked:
            typer.echo(f"overbar {metadata.version('overbar')}")
            raise typer.Exit

    @app.callback()
    def _overbar(
        version: Annotated[
            bool,
            typer.Option("--version", help="Show the version.", callback=_version, is_eager=True),
        ] = False,
    ) -> None:
        """What is over the bar, without telling on anyone."""


def main() -> None:
    """Run the command line."""
    if app is None:
        print(
            "overbar: the command line needs typer and rich; install them: pip install "
            "'overbar[cli]'",
            file=sys.stderr,
        )
        sys.exit(2)
    # Processes that this one starts run no Python file that lies beside the data.
    os.environ["PYTHONSAFEPATH"] = "1"
    with leaving():
        app()
