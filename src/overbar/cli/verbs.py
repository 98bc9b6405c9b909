"""What verbs are asked by whose work is loaded when they are called.

``overbar select``, ``top`` and ``keys``: `release` does the work. ``overbar watch``. ``overbar
check``: a look at a table for its owner's eyes, which is not private.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from overbar.cli.options import (
    BUDGET,
    OUTPUT,
    PRIVACY,
    QUESTION,
    PanelCommand,
    Verb,
    large_delta,
    option,
    report_format,
    switch,
)
from overbar.cli.plan_options import PlanNumbers, SelectNumbers
from overbar.cli.table_options import (
    LIST_HELP,
    FileOptions,
    ListOptions,
    ReadOptions,
    TableOptions,
    column_option,
)

SELECT_EXAMPLES = """Examples:

\b
Which products have more than 500 customers, of those on a public list?
  overbar select baskets.parquet --item product --person customer \\
      --cutoff 50 --threshold 500 --epsilon 1 --catalogue products.txt

\b
Without a list, which costs some δ; the answer in a file, and as a page:
  overbar select 'sales/*.csv' --item product --person customer \\
      --cutoff 50 --threshold 2000 --epsilon 1 --delta 1e-6 \\
      --items-per-person 20 --candidates 10000 -o answer.csv -o answer.html

\b
By turnover; a customer counts for at most 100 per product; a ledger pays:
  overbar select shop.duckdb --item product --person customer --value amount \\
      --value-range 0,100 --catalogue products.csv:name --cutoff 10 \\
      --threshold 50000 --epsilon 1/2 --ledger budget.db --dataset sales
"""
TOP_EXAMPLES = """Examples:

\b
The 50 products with the most customers, of those on a public list:
  overbar top baskets.parquet --item product --person customer \\
      --cutoff 50 --epsilon 1 --catalogue products.txt

\b
What it would cost, without touching the data:
  overbar top baskets.parquet --item product --person customer \\
      --cutoff 50 --epsilon 1 --catalogue 0..9999 --dry-run
"""
KEYS_EXAMPLES = """Examples:

\b
Which search terms do many users have?
  overbar keys searches.parquet --item term --person user --epsilon 1 --delta 1e-6

\b
What would come out, and what it would cost, without touching the data:
  overbar keys searches.parquet --item term --person user --epsilon 1 --delta 1e-6 --dry-run

\b
Nothing that fewer than 20 users have, as a public list for overbar top:
  overbar keys searches.parquet --item term --person user --epsilon 1/2 --delta 1e-6 \\
      --at-least 20 --out terms.csv

\b
How many users have each of them, with everything else in one line, as a page:
  overbar keys searches.parquet --item term --person user --epsilon 1 --delta 1e-6 \\
      --counts --out terms.html
"""
WATCH_EXAMPLES = """Examples:

\b
In which regions do more than 100 users have an event, day after day? Again tomorrow:
  overbar watch events.parquet --person user --item region --time day \\
      --catalogue regions.txt --from 2024-01-01 --threshold 100 --hits-per-person 5 \\
      --epsilon 1 --delta 1e-6 --store watch.db
"""


@dataclass(frozen=True, kw_only=True)
class SelectOptions(SelectNumbers, TableOptions):
    """Find the items of a table above a threshold, up to the cutoff, privately.

    The score of an item is the number of persons that have it; with --value, the sum of a column.

    Give the items with --catalogue, a public list. A list taken from the data is not public, and
    then nothing is guaranteed. Without a list, the items are read off the table; this needs
    --delta and --candidates. Without --items-per-person, or if the threshold is low, keys that many
    persons hold are found first, from the same budget.

    Lines that cannot be read are left out: an error would tell about them. overbar check shows
    this to the owner of a file alone.

    Exit codes: 0 done, 2 bad use or refused, 130 stopped by Ctrl-C.
    """


@dataclass(frozen=True, kw_only=True)
class TopOptions(PlanNumbers, TableOptions):
    """Find the top items of a table, privately: as many as the cutoff, whether high or not.

    The score of an item is the number of persons that have it; with --value, the sum of a column.

    Give the items with --catalogue, a public list; the top is filled up with items that nobody
    has. A list taken from the data is not public, and then nothing is guaranteed. Without a list,
    keys that many persons hold are found first, from the same budget; this needs --delta.

    overbar check shows the owner of a file, and nobody else, how it is read.
    """


@dataclass(frozen=True, kw_only=True)
class KeysOptions(FileOptions):
    """Find the keys of a column that many persons have, privately, without a list of them.

    The answer has the keys that came out, sorted. How many others there are stays hidden. It has
    no counts, unless --counts asks for them: then a quarter of the budget goes to noisy counts of
    the keys that came out, each with an interval, and of everything else together.

    In each round so many keys of each person count, chosen by lot; who has fewer counts for more
    in each. Keys that are out are left aside in the next round. How many persons a key needs is
    said beforehand: see --dry-run. overbar check shows the owner of a file how it is read.

    Exit codes: 0 done, 2 bad use or refused, 130 stopped by Ctrl-C.
    """

    epsilon: str | None = option(PRIVACY, "NUMBER", "The privacy budget: smaller is more private.")
    delta: str | None = option(
        PRIVACY,
        "NUMBER",
        "The δ of (ε, δ)-differential privacy, a small number such as 1e-6. Half of it is the "
        "chance that a key comes out that one person alone has.",
    )
    delta_is_large: bool = large_delta()
    items_per_person: str | None = option(
        QUESTION,
        "COUNT",
        "So many keys of each person count in each round; 10 by default. --dry-run shows what "
        "other numbers would give.",
    )
    rounds: str | None = option(QUESTION, "COUNT", "How many rounds; 3 by default.")
    at_least: str | None = option(
        QUESTION, "COUNT", "Keys that fewer persons have never come out, whatever the noise is."
    )
    counts: bool = switch(
        QUESTION, "--counts", "Count the persons of each key that came out, and everything else."
    )


@dataclass(frozen=True, kw_only=True)
class WatchOptions(FileOptions):
    """Raise an alarm where an item has more persons on a day than the threshold: for ever.

    Each person counts in so many alarms and is then left out, which nobody is told. Every item of
    the public list is asked about on every day, with rows or without. The store remembers the last
    day and all alarms: the same command goes on tomorrow, or after a crash, and costs nothing more.
    It says who was counted, so it is as private as the data.

    Exit codes: 0 done, 2 bad use or refused, 130 stopped by Ctrl-C.
    """

    time: str | None = column_option("The column that says on which day: 2024-01-31, or a moment.")
    from_: str | None = option(
        QUESTION,
        "DAY",
        "The first day, such as 2024-01-31; public, not taken from the data.",
        "--from",
    )
    to: str | None = option(QUESTION, "DAY", "The last day; by default yesterday, by the clock.")
    catalogue: str | None = option(QUESTION, "LIST", LIST_HELP)
    threshold: str | None = option(
        QUESTION, "NUMBER", "The public number that persons are compared with.", "--threshold", "-t"
    )
    hits_per_person: str | None = option(
        PRIVACY, "COUNT", "In how many alarms one person counts; then they are left out."
    )
    epsilon: str | None = option(PRIVACY, "NUMBER", "The privacy budget, for all days together.")
    delta: str | None = option(PRIVACY, "NUMBER", "The δ of it, a small number such as 1e-6.")
    delta_is_large: bool = large_delta()
    persons: str | None = option(
        QUESTION, "COUNT", "About how many persons there are, a public guess: says what wears off."
    )
    store: Path | None = option(
        BUDGET, "FILE", "Who was counted, and how far it came. Without it nothing goes on tomorrow."
    )


SELECT = Verb(
    "select", SelectOptions, "Items above a threshold, privately.", SELECT_EXAMPLES, "release"
)
TOP = Verb("top", TopOptions, "The highest items, privately.", TOP_EXAMPLES, "release")
KEYS = Verb("keys", KeysOptions, "Keys that nobody listed, privately.", KEYS_EXAMPLES, "release")
WATCH = Verb("watch", WatchOptions, "Alarms for ever, privately.", WATCH_EXAMPLES, "watch_command")


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


CHECK = Verb(
    "check", CheckOptions, "What is in a file: not private.", EXAMPLES, "check_table", CheckCommand
)
