"""``overbar select``, ``top`` and ``keys``: what each is asked by. `release` does the work."""

from __future__ import annotations

from dataclasses import dataclass

from overbar.cli.options import PRIVACY, QUESTION, Verb, option, switch
from overbar.cli.plan_options import PlanNumbers, SelectNumbers
from overbar.cli.table_options import FileOptions, TableOptions

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
    items_per_person: str | None = option(
        QUESTION, "COUNT", "So many keys of each person count in each round; 100 by default."
    )
    rounds: str | None = option(QUESTION, "COUNT", "How many rounds; 3 by default.")
    at_least: str | None = option(
        QUESTION, "COUNT", "Keys that fewer persons have never come out, whatever the noise is."
    )
    counts: bool = switch(
        QUESTION, "--counts", "Count the persons of each key that came out, and everything else."
    )


SELECT = Verb(
    "select", SelectOptions, "Items above a threshold, privately.", SELECT_EXAMPLES, "release"
)
TOP = Verb("top", TopOptions, "The highest items, privately.", TOP_EXAMPLES, "release")
KEYS = Verb("keys", KeysOptions, "Keys that nobody listed, privately.", KEYS_EXAMPLES, "release")
