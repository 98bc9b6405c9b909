"""``overbar select``: what is above a threshold in a table, privately."""

from __future__ import annotations

from dataclasses import dataclass

from overbar.cli.options import Verb
from overbar.cli.plan_options import SelectNumbers
from overbar.cli.table_options import TableOptions

EXAMPLES = """Examples:

\b
Which products have more than 500 customers, of those on a public list?
  overbar select baskets.parquet --item product --person customer \\
      --cutoff 50 --threshold 500 --epsilon 1 --catalogue products.txt

\b
Without a list, which costs some δ; with the answer in a file, and an HTML report:
  overbar select 'sales/*.csv' --item product --person customer \\
      --cutoff 50 --threshold 2000 --epsilon 1 --delta 1e-6 \\
      --items-per-person 20 --candidates 10000 --out answer.csv --out answer.html

\b
By turnover; each customer counts for at most 100 per product, and a ledger pays:
  overbar select shop.duckdb --table sales --item product --person customer \\
      --value amount --value-range 0,100 --catalogue products.csv:name \\
      --cutoff 10 --threshold 50000 --epsilon 1/2 --ledger budget.db --dataset sales
"""


@dataclass(frozen=True, kw_only=True)
class SelectOptions(SelectNumbers, TableOptions):
    """Find the items of a table above a threshold, up to the cutoff, privately.

    The score of an item is the number of persons that have it; with --value, the sum of a column.
    The answer has the names of the items found, in the order found;
    with --counts also noisy counts.

    Give the items with --catalogue, a public list. A list taken from the data is not public, and
    then nothing is guaranteed. Without a list, the items are read off the table; this needs
    --delta and --candidates. Without --items-per-person, or if the threshold is low, keys that many
    persons hold are found first, from the same budget.

    The delimiter is detected from the header; files are read as UTF-8 unless --encoding or a mark
    says otherwise. Values of CSV, TSV, JSON, .dat, .xlsx and SQLite are read as text. Lines that
    cannot be read are left out: an error would reveal something about them. overbar check shows
    the owner of a file, and nobody else, what was left out.

    Exit codes: 0 done, 2 bad use or refused, 130 stopped by Ctrl-C.
    """


VERB = Verb("select", SelectOptions, "Items above a threshold, privately.", EXAMPLES, "release")
