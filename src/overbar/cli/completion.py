"""What the shell offers when Tab is pressed: names that are public, and nothing of a table.

Whatever goes wrong, nothing is offered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import get_args

import typer

from overbar.calibration.kind import KINDS
from overbar.calibration.request import (
    AllocationName,
    CorrectionName,
    NoiseName,
    ThresholdNoiseName,
)


def _offer(
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


noises = _offer(lambda _: get_args(NoiseName))
threshold_noises = _offer(lambda _: get_args(ThresholdNoiseName))
allocations = _offer(lambda _: get_args(AllocationName))
corrections = _offer(lambda _: get_args(CorrectionName))
mechanisms = _offer(lambda _: ("auto", *KINDS))
rounds = _offer(lambda _: ("unlimited",))
formats = _offer(lambda _: ("table", "csv", "json"))
report_formats = _offer(lambda _: ("table", "json"))


@_offer
def input_formats(_: typer.Context) -> Iterable[str]:
    """Return the kinds of tables."""
    from overbar.cli.tables.files import FORMS

    return FORMS


@_offer
def studies(ctx: typer.Context) -> Iterable[str]:
    """Return the studies that are not named yet."""
    from overbar_lab.paper import STUDIES

    chosen = ctx.params.get("names") or ()
    return (study.name for study in STUDIES if study.name not in chosen)


@_offer
def datasets(ctx: typer.Context) -> Iterable[str]:
    """Return the datasets of the ledger that is named."""
    from overbar.ledger import Ledger

    path = ctx.params.get("ledger") or ctx.params["path"]
    return Ledger(path, create=False).datasets()
