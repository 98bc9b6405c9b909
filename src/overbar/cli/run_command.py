"""``overbar run``: a question from a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from overbar.cli.options import OUTPUT, QUESTION, Verb, argument, switch
from overbar.cli.question_file import read_question
from overbar.cli.table_options import FileOptions

EXAMPLES = """Examples:

\b
Write a question without asking it, look at it, and run it:
  overbar top sales.csv --item product --person customer --catalogue products.txt \\
      --cutoff 10 --epsilon 1 --save question.toml --dry-run
  overbar run question.toml
"""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Put the question of a file that --save of select, top, keys or plan has written.

    The file names a verb and its options, as in epsilon = "1". It holds no data and no answer.
    Files that it names are looked for beside it. With a ledger and a request in it, a second run
    gives the same answer and costs nothing. Where it names no ledger, OVERBAR_LEDGER does.
    """

    question: Path = argument(
        metavar="QUESTION", help="A .toml file.", rich_help_panel=QUESTION, show_default=False
    )
    force: bool = switch(OUTPUT, "--force", "Replace files that exist.")
    dry_run: bool = switch(OUTPUT, "--dry-run", "Show plan, guarantee and cost; read no data.")


VERB = Verb("run", RunOptions, "A question from a file.", EXAMPLES)


def run(asked: RunOptions) -> None:
    """Read a question and put it."""
    options, verb = read_question(asked.question)
    options = replace(options, force=asked.force)
    if isinstance(options, FileOptions):  # a plan is a dry run
        options = replace(options, dry_run=asked.dry_run)
    verb.run(options)
