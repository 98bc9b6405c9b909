"""``overbar ledger``: budgets, what was spent of them, and whether what is kept is intact."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from overbar import _check
from overbar._numbers import short_text
from overbar.cli import completion
from overbar.cli.exit import FOUND_SOMETHING, clean, complain, refusals, tell
from overbar.cli.options import PanelCommand
from overbar.errors import LedgerError
from overbar.ledger import Account, Charge, Ledger
from overbar.ledger.fields import NEIGHBOURS, to_fields

ledger = typer.Typer(
    help="Budgets in a file or a database: what may be spent on a dataset, and what has been.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

PATH = (
    "The ledger: a file, or postgresql://USER@HOST/DATABASE (a password comes from PGPASSWORD or "
    ".pgpass)."
)
DATASET = "The dataset's name."
File = Annotated[str, typer.Argument(help=PATH, metavar="PATH")]
Name = Annotated[
    str, typer.Argument(help=DATASET, metavar="DATASET", autocompletion=completion.datasets)
]


@ledger.command("open", short_help="Give a dataset its budget, for good.", cls=PanelCommand)
def open_(
    path: File,
    dataset: Name,
    epsilon: Annotated[
        str, typer.Option(metavar="NUMBER", help="All that may ever be spent: 1, 0.1 or 1/3.")
    ],
    delta: Annotated[
        str, typer.Option(metavar="NUMBER", help="A probability such as 1e-6; 0 for pure.")
    ] = "0",
    additive: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="The share of delta set aside for costs that can only be added up; by default "
            "the first run decides.",
        ),
    ] = None,
    note: Annotated[
        str, typer.Option(metavar="TEXT", help="A note to keep, in public words.")
    ] = "",
    neighbours: Annotated[
        str,
        typer.Option(
            metavar="|".join(NEIGHBOURS),
            help="By what two data sets differ of which it is promised: all rows of one person "
            "more, one row more, or another in the place of one.",
        ),
    ] = "person",
) -> None:
    """Give a dataset its budget, once and for all; the file is made if it is not there.

    Example: overbar ledger open budgets.db baskets --epsilon 1
    """
    with refusals():
        book = Ledger(path)
        about = _check.choice("neighbours", neighbours, NEIGHBOURS)
        book.open(
            dataset, epsilon=epsilon, delta=delta, additive=additive, note=note, neighbours=about
        )
        head = book.head
    tell(f"{dataset}: epsilon {epsilon}{with_delta(delta)} may be spent in all")
    tell(f"head {head}")


@ledger.command(short_help="End all spending on a dataset.", cls=PanelCommand)
def close(path: File, dataset: Name) -> None:
    """End all spending on a dataset; its history stays."""
    with refusals():
        book = existing(path)
        book.close(dataset)
        head = book.head
    tell(f"{dataset}: closed")
    tell(f"head {head}")


@ledger.command(short_help="Recompute every hash and every balance.", cls=PanelCommand)
def verify(
    path: File,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="HEAD", help="A head written down earlier: detects an older copy of the file."
        ),
    ] = None,
) -> None:
    """Recompute every hash and every balance; exit code 1 if anything is not as it should be.

    Example: overbar ledger verify budgets.db --head 82f9e047…
    """
    with refusals():
        try:
            found = existing(path).verify(head)
        except LedgerError as error:
            complain(error.as_typed())
            raise typer.Exit(FOUND_SOMETHING) from None
    tell("intact: every row follows from those before it, and no budget is overspent")
    tell(f"head {found}")


@ledger.command(short_help="Show what was spent and what is left.", cls=PanelCommand)
def show(
    path: File,
    dataset: Annotated[
        str | None,
        typer.Argument(
            help="One dataset, with every run.",
            metavar="DATASET",
            autocompletion=completion.datasets,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, exactly.")] = False,
) -> None:
    """Show what was spent, what is held by runs that never ended, and what is left.

    The three add up to the budget: as epsilon, or as shares of it where delta is positive.

    Example: overbar ledger show budgets.db baskets
    """
    with refusals():
        book = existing(path)
        names = book.datasets() if dataset is None else (dataset,)
        accounts = [book.show(name) for name in names]
    if as_json:
        tell(json.dumps([_fields(account) for account in accounts], indent=2))
        return
    console = Console(highlight=False, markup=False)
    if not accounts:
        console.print("no dataset has a budget yet; give it one: overbar ledger open")
        return
    console.print(_table(accounts))
    if any(account.budget.delta for account in accounts):
        console.print(
            "Where delta is positive, spent, held open and left are shares of the budget.",
            soft_wrap=True,
        )
    if dataset is not None and accounts[0].budget.delta:
        console.print(f"The next run may cost {accounts[0].left}.", soft_wrap=True)
    if dataset is not None and accounts[0].entries:
        console.print(_runs(accounts[0]))
    if any(entry.open for account in accounts for entry in account.entries):
        console.print(
            "A run is open if it is under way, or if it was lost in a crash: then what it holds "
            "stays spent, because nobody knows what it had answered.",
            soft_wrap=True,
        )


@ledger.command(short_help="Copy a ledger into a database, or back.", cls=PanelCommand)
def copy(
    path: File,
    target: Annotated[
        str, typer.Argument(help="Where to: a ledger without rows.", metavar="TARGET")
    ],
) -> None:
    """Copy every row into a new ledger and verify both; spend from one of them alone afterwards.

    Example: overbar ledger copy budgets.db postgresql://ann@db.example.org/budgets
    """
    with refusals():
        made = existing(path).copy_to(target)
        head = made.head
    tell("copied and verified; spend from one of the two alone, and put the other away")
    tell(f"head {head}")


@ledger.command(short_help="Make the roles of a ledger in a database.", cls=PanelCommand)
def roles(path: File) -> None:
    """Make three roles in the database: one reads, one spends, one opens and closes.

    None of them can log in, and none may edit or delete a row. Grant them to people, in SQL.
    """
    with refusals():
        names = existing(path).make_roles()
    for name, what in zip(names, ("read", "reserve and settle", "open and close"), strict=True):
        tell(f"{name}: may {what}")


def existing(path: str) -> Ledger:
    """Open a ledger that is there: only `open` makes a new one."""
    return Ledger(path, create=False)


def with_delta(delta: str) -> str:
    """Write a delta behind an epsilon, unless it is zero."""
    return "" if _check.rational("delta", delta) == 0 else f" at delta {delta}"


def _table(accounts: list[Account]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("dataset", "state"):
        table.add_column(heading, overflow="fold")
    for heading in ("epsilon", "delta", "spent", "held open", "left", "runs"):
        table.add_column(heading, justify="right", no_wrap=True)
    for account in accounts:
        budget = account.budget
        table.add_row(
            clean(account.dataset),
            "closed" if account.closed else "open",
            short_text(budget.epsilon),
            f"{float(budget.delta):.3g}",
            amount(account, account.spent),
            amount(account, account.held),
            left_words(account),
            str(len(account.entries)),
        )
    return table


def amount(account: Account, charge: Charge) -> str:
    """Write a charge: as ε where the budget is pure, else as a share of the budget.

    With δ > 0 the share is that of the order which is least used up, the pure one included.
    """
    return short_text(charge.pure) if account.budget.delta == 0 else _percent(account, charge)[1]


def left_words(account: Account) -> str:
    """Write what is left, in the unit of what was spent."""
    if account.budget.delta == 0:
        return short_text(account.remaining)
    return "0.0%" if account.closed else _percent(account, account.spent)[0]


def _percent(account: Account, charge: Charge) -> tuple[str, str]:
    """Return the shares of the budget that are left and that a charge takes."""
    budget, total = account.budget, account.balance.total
    used = [(total.pure / budget.epsilon, charge.pure / budget.epsilon)]
    for all_, this, limit in zip(total.renyi, charge.renyi, budget.limits, strict=True):
        used.append((all_ / limit, this / limit))
    least = min(used)
    return f"{float(1 - least[0]):.1%}", f"{float(least[1]):.1%}"


def _runs(account: Account) -> Table:
    table = Table(
        box=None, pad_edge=False, title=f"Runs on {clean(account.dataset)}", title_justify="left"
    )
    for heading in ("row", "time", "kind", "purpose", "request"):
        folds = heading in ("purpose", "request")
        table.add_column(heading, overflow="fold", no_wrap=not folds)
    for heading in ("threshold", "reserved", "cost"):
        table.add_column(heading, justify="right", no_wrap=True)
    for entry in account.entries:
        threshold = "" if entry.threshold is None else short_text(Fraction(entry.threshold))
        cost = "open" if entry.cost is None else amount(account, entry.cost)
        table.add_row(
            str(entry.number),
            clean(entry.time[:16].replace("T", " ")),
            clean(entry.kind),
            clean(entry.purpose),
            clean(entry.request_id or ""),
            threshold,
            amount(account, entry.reserved),
            cost + (" (superseded)" if entry.superseded else ""),
        )
    return table


def _fields(account: Account) -> dict[str, object]:
    return {
        "dataset": account.dataset,
        "note": account.note,
        "opened": account.opened,
        "closed": account.closed,
        "budget": to_fields(account.budget),
        "spent": to_fields(account.spent),
        "held": to_fields(account.held),
        "remaining": str(account.remaining),
        "runs": [
            {
                "row": entry.number,
                "time": entry.time,
                "kind": entry.kind,
                "purpose": entry.purpose,
                "request": entry.request_id,
                "plan": json.loads(entry.plan),
                "threshold": entry.threshold,
                "neighbours": entry.neighbours,
                "reserved": to_fields(entry.reserved),
                "cost": to_fields(entry.cost),
                "superseded": entry.superseded,
            }
            for entry in account.entries
        ],
    }
