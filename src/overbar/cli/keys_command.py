"""``overbar keys``: which keys a table has, privately, where nobody has a list of them."""

from __future__ import annotations

from dataclasses import dataclass

from overbar.cli.options import PRIVACY, QUESTION, Verb, option, switch
from overbar.cli.table_options import FileOptions

EXAMPLES = """Examples:

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


VERB = Verb("keys", KeysOptions, "Keys that nobody listed, privately.", EXAMPLES, "release")
