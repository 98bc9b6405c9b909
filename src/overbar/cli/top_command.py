"""``overbar top``: the highest items of a table, privately."""

from __future__ import annotations

from dataclasses import dataclass

from overbar.cli.options import Verb
from overbar.cli.plan_options import PlanNumbers
from overbar.cli.table_options import TableOptions

EXAMPLES = """Examples:

\b
The 50 products with the most customers, of those on a public list:
  overbar top baskets.parquet --item product --person customer \\
      --cutoff 50 --epsilon 1 --catalogue products.txt

\b
What it would cost, without touching the data:
  overbar top baskets.parquet --item product --person customer \\
      --cutoff 50 --epsilon 1 --catalogue 0..9999 --dry-run
"""


@dataclass(frozen=True, kw_only=True)
class TopOptions(PlanNumbers, TableOptions):
    """Find the top items of a table, privately: as many as the cutoff, whether high or not.

    The score of an item is the number of persons that have it; with --value, the sum of a column.
    The answer has the names of the items found, in the order found;
    with --counts also noisy counts.

    Give the items with --catalogue, a public list; the top is filled up with items that nobody
    has. A list taken from the data is not public, and then nothing is guaranteed. Without a list,
    keys that many persons hold are found first, from the same budget; this needs --delta.

    overbar check shows the owner of a file, and nobody else, how it is read.
    """


VERB = Verb("top", TopOptions, "The highest items, privately.", EXAMPLES, "release")
