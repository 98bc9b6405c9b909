"""``overbar check``: a look at a table for its owner's eyes, which is not private."""

from __future__ import annotations

from dataclasses import dataclass

from overbar.cli.options import OUTPUT, Verb, switch
from overbar.cli.table_options import ListOptions, ReadOptions

EXAMPLES = """Examples:

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
    json: bool = switch(OUTPUT, "--json", "As JSON; its first entry is the warning.")


VERB = Verb("check", CheckOptions, "What is in a file: not private.", EXAMPLES, "check_table")
