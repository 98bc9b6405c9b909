"""What the shell offers when Tab is pressed: names that are public, and nothing of a table.

Whatever goes wrong, nothing is offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import get_args

import typer

from overbar.planning.choice import WAYS
from overbar.planning.request import (
    AllocationName,
    CorrectionName,
    NoiseName,
    ThresholdNoiseName,
)


def offer(
    names: Callable[[typer.Context], Iterable[str]],
) -> Callable[[typer.Context, str], list[str]]:
    """Make a completion of a function that lists names; one that could steer a terminal is none."""

    def offered(ctx: typer.Context, incomplete: str) -> list[str]:
        try:
            known = list(names(ctx))
        except Exception:
            return []
        return [name for name in known if name.startswith(incomplete) and name.isprintable()]

    return offered


noises = offer(lambda _: get_args(NoiseName))
threshold_noises = offer(lambda _: get_args(ThresholdNoiseName))
allocations = offer(lambda _: get_args(AllocationName))
corrections = offer(lambda _: get_args(CorrectionName))
mechanisms = offer(lambda _: ("auto", *WAYS))
rounds = offer(lambda _: ("unlimited",))
formats = offer(lambda _: ("table", "csv", "json"))
report_formats = offer(lambda _: ("table", "json"))


@offer
def input_formats(_: typer.Context) -> Iterable[str]:
    """Return the kinds of tables."""
    from overbar.cli.tables.files import FORMS

    return FORMS


@offer
def datasets(ctx: typer.Context) -> Iterable[str]:
    """Return the datasets of the ledger that is named."""
    from overbar.ledger import Ledger

    path = ctx.params.get("ledger") or ctx.params["path"]
    return Ledger(path, create=False).datasets()
