"""``overbar ledger spend``: book another mechanism, before it is used."""

from __future__ import annotations

from dataclasses import dataclass

from overbar import _check
from overbar._check import Number
from overbar.cli import completion
from overbar.cli.exit import complain, tell
from overbar.cli.ledger_command import DATASET, PATH, existing, with_delta
from overbar.cli.options import Verb, all_given, argument, option
from overbar.errors import ParameterError
from overbar.ledger.fields import NEIGHBOURS


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
    purpose: str = option(None, "TEXT", "What it is for; public.", default="")


def run(options: SpendOptions) -> None:
    """Book what was typed, and say where."""
    renyi = None if options.renyi is None else _divergences(options.renyi)
    all_given(neighbours=options.neighbours)
    booking = existing(options.path).booking(
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
    found: dict[Number, Number] = {order: cost for order, _, cost in pairs}
    if not all(colon for _, colon, _ in pairs) or len(found) < len(written):
        raise ParameterError(
            "--renyi must be an order and a cost such as 8:0.01, each order once, got "
            + ", ".join(map(repr, written))
        )
    return found


VERB = Verb("spend", SpendOptions, "Book another mechanism, before it is used.")
