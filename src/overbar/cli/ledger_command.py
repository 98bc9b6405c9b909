"""``overbar ledger``: budgets, what was spent of them, and whether what is kept is intact."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

import typer

from overbar import _check
from overbar._check import Number
from overbar.cli import completion
from overbar.cli.exit import FOUND_SOMETHING, complain, refusals, tell
from overbar.cli.options import (
    DELTA_IS_LARGE,
    PanelCommand,
    Verb,
    all_given,
    argument,
    noted_head,
    option,
)
from overbar.errors import LedgerError, ParameterError
from overbar.ledger import Ledger
from overbar.ledger.fields import NEIGHBOURS
from overbar.words.promise import too_large_delta

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
        str | None,
        typer.Option(metavar="NUMBER", help="All that may ever be spent: 1, 0.1 or 1/3."),
    ] = None,
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
    delta_is_large: Annotated[
        bool, typer.Option(DELTA_IS_LARGE[0], help=DELTA_IS_LARGE[1])
    ] = False,
) -> None:
    """Give a dataset its budget, once and for all; the file is made if it is not there.

    Example: overbar ledger open budgets.db baskets --epsilon 1
    """
    with refusals():
        about = _check.choice("neighbours", neighbours, NEIGHBOURS)
        all_given(epsilon=epsilon)
        assert epsilon is not None
        _check.usual_delta(delta, is_large=delta_is_large)
        book = Ledger(path)
        book.open(
            dataset,
            epsilon=epsilon,
            delta=delta,
            additive=additive,
            note=note,
            neighbours=about,
        )
        head = book.head
    tell(f"{dataset}: epsilon {epsilon}{with_delta(delta)} may be spent in all")
    tell(f"head {head}")
    for sentence in too_large_delta(float(_check.probability("delta", delta))):
        complain(sentence)


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
    from overbar.words.account_report import INTACT

    with refusals():
        try:
            newest = existing(path).verify(head)
        except LedgerError as error:
            complain(error.as_typed())
            raise typer.Exit(FOUND_SOMETHING) from None
    tell(INTACT)
    tell(f"head {newest}")


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
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="table (the default) or json, which is exact.",
            autocompletion=completion.report_formats,
        ),
    ] = None,
) -> None:
    """Show what was spent, what is held by runs that never ended, and what is left.

    The three add up to the budget: as epsilon, or as shares of it where delta is positive.

    Example: overbar ledger show budgets.db baskets
    """
    from overbar.cli.screen import show as show_report
    from overbar.cli.screen import wants_json
    from overbar.words.account_report import account_fields, account_report

    with refusals():
        as_json = wants_json(format_)
        book = existing(path)
        names = book.datasets() if dataset is None else (dataset,)
        accounts = [book.show(name) for name in names]
    if as_json:
        tell(json.dumps([account_fields(account) for account in accounts], indent=2))
    else:
        show_report(account_report(accounts, runs=dataset is not None))


def existing(path: str, head: str | None = None) -> Ledger:
    """Open a ledger that is there: only `open` makes a new one."""
    return Ledger(path, create=False, head=head)


def with_delta(delta: str) -> str:
    """Write a delta behind an epsilon, unless it is zero."""
    return "" if _check.rational("delta", delta) == 0 else f" at delta {delta}"


@dataclass(frozen=True, kw_only=True)
class SpendOptions:
    """Book one run of another mechanism, before it is used; all of it stays spent.

    Example: overbar ledger spend budgets.db baskets --epsilon 0.1 --neighbours person
    """

    path: str = argument(metavar="PATH", help=PATH)
    dataset: str = argument(metavar="DATASET", help=DATASET, autocompletion=completion.datasets)
    epsilon: str | None = option(None, "NUMBER", "What one run of the mechanism costs.")
    delta: str = option(None, "NUMBER", "Its delta; 0 for pure.", default="0")
    renyi: list[str] | None = option(
        None,
        "ORDER:COST",
        "Instead of epsilon: its Rényi divergence of an order above 1, such as 8:0.01; may be "
        "given several times. The dataset needs a delta.",
    )
    rho: str | None = option(None, "NUMBER", "Instead of epsilon: it is rho-zCDP.")
    neighbours: str | None = option(
        None,
        "|".join(NEIGHBOURS),
        "By what two data sets differ of which the cost speaks: all rows of one person more, one "
        "row more, or another in the place of one. It must be what the dataset was opened for.",
    )
    request: str | None = option(None, "ID", "An id of your own; it is booked once.")
    head: str | None = noted_head(None)
    purpose: str = option(None, "TEXT", "What it is for; public.", default="")


def run(options: SpendOptions) -> None:
    """Book what was typed, and say where."""
    renyi = None if options.renyi is None else _divergences(options.renyi)
    all_given(neighbours=options.neighbours)
    booking = existing(options.path, options.head).booking(
        options.dataset, request_id=options.request, purpose=options.purpose
    )
    receipt = booking.spend(
        epsilon=options.epsilon,
        delta=options.delta,
        renyi=renyi,
        rho=options.rho,
        neighbours=_check.choice("neighbours", options.neighbours, NEIGHBOURS),
    )
    cost = f"epsilon {options.epsilon}{with_delta(options.delta)}"
    if renyi is not None:
        cost = "divergence " + ", ".join(f"{one} at order {a}" for a, one in renyi.items())
    elif options.rho is not None:
        cost = f"rho {options.rho}"
    spent = f"{options.dataset}: {cost} is spent, in row {receipt.number}"
    try:
        tell(spent)
        tell(f"head {receipt.head}")
    except OSError:
        complain(f"{spent}, but standard output cannot be written")
        raise


def _divergences(written: list[str]) -> dict[Number, Number]:
    pairs = [one.partition(":") for one in written]
    costs: dict[Number, Number] = {order: cost for order, _, cost in pairs}
    if not all(colon for _, colon, _ in pairs) or len(costs) < len(written):
        raise ParameterError(
            "--renyi must be an order and a cost such as 8:0.01, each order once, got "
            + ", ".join(map(repr, written))
        )
    return costs


SPEND = Verb("spend", SpendOptions, "Book another mechanism, before it is used.")
