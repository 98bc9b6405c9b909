"""The program `overbar-lab`.

reproduce   the paper, figure by figure, and one HTML report
datasets    what is known, what is here, and how to get the rest
"""

from __future__ import annotations

import os
from typing import Any

import typer
from typer.core import TyperGroup

from overbar.errors import OverbarError
from overbar_lab.datasets.registry import status
from overbar_lab.reproduction import DataDir, reproduce

BAD_USE = 2


class _Verbs(TyperGroup):
    """All verbs; what is refused is said in one line."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb."""
        try:
            return super().invoke(ctx)
        except (OverbarError, OSError) as error:
            typer.echo(f"overbar-lab: {error}", err=True)
            raise typer.Exit(BAD_USE) from None


app = typer.Typer(
    name="overbar-lab",
    cls=_Verbs,
    help="The laboratory beside overbar: the paper, and seeded studies.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="overbar-lab VERB --help explains a verb.",
)
app.command()(reproduce)


@app.command()
def datasets(data_dir: DataDir = None) -> None:
    """List the datasets: which are here, and where to get the others."""
    states = status(data_dir)
    width = max(len(state.entry.name) for state in states)
    for state in states:
        known = state.entry
        records = f"{known.records:>9,}" if known.records else f"{'–':>9}"
        typer.echo(
            f"{'here   ' if state.here else 'missing'}  {known.name:<{width}}  {records} records  "
            f"{known.items:>6,} items  threshold {known.threshold:>6,}  c = {known.cutoff}"
        )
    missing = [state for state in states if not state.here]
    if missing:
        typer.echo("\nHow to get the rest:")
        for state in missing:
            typer.echo(f"- {state.line}")


def main() -> None:
    """Run the command line."""
    # Processes that this one starts run no Python file that lies beside the data.
    os.environ["PYTHONSAFEPATH"] = "1"
    app()


if __name__ == "__main__":
    main()
