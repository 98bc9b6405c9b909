"""The program `overbar-lab`.

reproduce   the paper, figure by figure, and one HTML report
datasets    what is known, what is here, and how to get the rest
"""

from __future__ import annotations

import os

import typer

from overbar.cli.exit import leaving
from overbar.cli.options import Verb, Verbs
from overbar_lab.dataset_list import DatasetsOptions
from overbar_lab.reproduction import ReproduceOptions

app = typer.Typer(
    name="overbar-lab",
    cls=Verbs,
    help="The laboratory beside overbar: the paper, and seeded studies.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="overbar-lab VERB --help explains a verb.",
)
for verb in (
    Verb("reproduce", ReproduceOptions, "The paper's figures, tables and claims."),
    Verb("datasets", DatasetsOptions, "Which datasets are here; how to get others."),
):
    verb.add_to(app)


def main() -> None:
    """Run the command line."""
    # Processes that this one starts run no Python file that lies beside the data.
    os.environ["PYTHONSAFEPATH"] = "1"
    with leaving():
        app()


if __name__ == "__main__":
    main()
