"""The page of ``overbar explore``: it shows what the library computes, and computes nothing itself.

`serving` starts it, `guard` decides who is answered, and each station has a file. `page.html`,
`page.js` and `page.css` are sent as they are. Plans are computed here, by what ``overbar plan``
uses. Tables are read, and budgets spent, by the command that the page shows, in a process of its
own: so the page promises what the command line promises, and a page that dies takes no run with it.
"""

from __future__ import annotations

from dataclasses import dataclass

from overbar.cli.options import BUDGET, OUTPUT, Verb, argument, noted_head, option, switch

EXAMPLES = """Examples:

\b
Look what ε, cutoff and threshold give, without any data:
  overbar explore

\b
Ask the tables of this folder, paid for by a ledger:
  overbar explore --ledger budget.db
"""


@dataclass(frozen=True, kw_only=True)
class ExploreOptions:
    """Open a page in the browser: plan a question, ask it, and see the budget.

    The page is on this computer alone. Only the address that is printed opens it, and no request
    leaves the computer. Ctrl-C ends it.
    """

    files: list[str] | None = argument(
        default=None,
        metavar="[FILE]...",
        help="Tables to offer, in this folder; by default every table in it.",
    )
    ledger: str | None = option(
        BUDGET,
        "FILE",
        "The ledger that pays. Without one, nothing can be spent.",
        envvar="OVERBAR_LEDGER",
    )
    head: str | None = noted_head(BUDGET)
    port: int = option(OUTPUT, "NUMBER", "A port of your choice; by default a free one.", default=0)
    no_browser: bool = switch(OUTPUT, "--no-browser", "Print the address and open no browser.")


VERB = Verb(
    "explore", ExploreOptions, "A local page: look before you spend.", EXAMPLES, "explore.serving"
)
