"""``overbar check``: a look at a table for its owner's eyes, which is not private."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from overbar.cli.options import OUTPUT, PanelCommand, Verb, report_format, switch
from overbar.cli.table_options import ListOptions, ReadOptions

EXAMPLES = """Examples:

\b
Which columns are there, and how many rows?
  overbar check sales.csv

\b
What was read, what was left out and why, and how many items do persons have?
  overbar check sales.csv --item product --person customer

\b
Does the list fit the items, and are the amounts numbers?
  overbar check sales.csv --item product --person customer \\
      --catalogue products.txt --value amount --decimal-comma
"""


@dataclass(frozen=True, kw_only=True)
class CheckOptions(ListOptions, ReadOptions):
    """Look at a table before you ask it anything. NOT PRIVATE: do not publish what it shows.

    A release never says what was wrong with rows, because an error would tell about them. This
    does, in true numbers, to you alone: rows that were left out and why, how many entries of the
    catalogue occur, how many items persons have. It asks no ledger and writes no file.

    What you choose after a look at these numbers (a threshold, a list, a range) is not public any
    more. Use it to find out whether the file is read as it should be.
    """

    show_true_counts: bool = switch(
        OUTPUT,
        "--show-true-counts",
        "Show the ten items that most persons have, with the true number of persons.",
    )
    format_: str | None = report_format(OUTPUT)


class CheckCommand(PanelCommand):
    """A command that says of which verbs an option is that it does not have."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse the options of verbs that ask, all at once: a question is soon typed as a look."""
        known = {name: _names(verb, ctx) for name, verb in ctx.parent.command.commands.items()}
        asking = known["top"] | known["select"] | known["keys"]
        given = [word.partition("=")[0] for word in args]
        alien = [name for name in dict.fromkeys(given) if name in asking - known["check"]]
        if alien:
            ctx.fail(
                f"check looks at a table, asks nothing and writes nothing: leave out "
                f"{', '.join(alien)}, which {'is' if len(alien) == 1 else 'are'} for top, select "
                "or keys"
            )
        return super().parse_args(ctx, args)


def _names(verb: Any, ctx: Any) -> set[str]:
    return {name for one in verb.get_params(ctx) for name in (*one.opts, *one.secondary_opts)}


VERB = Verb(
    "check", CheckOptions, "What is in a file: not private.", EXAMPLES, "check_table", CheckCommand
)
