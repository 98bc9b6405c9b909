"""The command line: one file for each verb.

reproduce   the paper, figure by figure, and one HTML report
datasets    what is known, what is here, and how to get the rest
"""

from __future__ import annotations

import sys

__all__ = ["app", "main"]

try:
    import rich
    import typer
except ImportError:
    app = None
else:
    del rich
    from overbar.cli.datasets import datasets
    from overbar.cli.reproduce import reproduce

    app = typer.Typer(
        name="overbar",
        help="What is over the bar, without telling on anyone.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command()(reproduce)
    app.command()(datasets)

    @app.callback()
    def _overbar() -> None:
        """What is over the bar, without telling on anyone."""


def main() -> None:
    """Run the command line."""
    if app is None:
        print(
            "overbar: the command line needs typer and rich; install them: "
            "pip install 'overbar[paper]'",
            file=sys.stderr,
        )
        sys.exit(2)
    app()
