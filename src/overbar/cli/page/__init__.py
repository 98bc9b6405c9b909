"""A page to show around: one HTML file with everything in it, and nothing private.

words       what a plan promises, in words that need no mathematics
forecast    expected accuracy by margin and method
plot        curves as SVG
document    the page
look        its style
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from overbar._check import Number, rational
from overbar.cli.page.document import Purse, page
from overbar.cli.page.forecast import forecast, others_like
from overbar.cli.page.words import statement
from overbar.cli.whole_files import write_whole
from overbar.errors import ParameterError
from overbar.mechanism.selection import Selection
from overbar.plan import Plan

__all__ = ["Purse", "page", "write_page"]


def write_page(
    path: Path,
    *,
    plan: Plan,
    threshold: Number | None,
    kind: str,
    candidates: int | None = None,
    delta: Number | None = None,
    unlisted_delta: float | None = None,
    selection: Selection | None = None,
    source_name: str | None = None,
    ledger: Purse | None = None,
) -> None:
    """Write the page of a run, or of a plan that was not run.

    Parameters
    ----------
    path
        Where to; an old file is replaced by a whole new one or not at all.
    plan, threshold, kind
        What was run, and whether by "select" or "top".
    candidates
        How many candidates there are, if that is public; without it no accuracy is predicted.
    delta, unlisted_delta
        The δ at which to state the guarantee of the plan, and what unlisted candidates cost on top.
    selection
        What was found.
    source_name
        What to call the data.
    ledger
        What remains of a budget.
    """
    said = statement(plan, delta, unlisted_delta)
    seen, unseen = None, "The number of candidates is not public, so no accuracy is predicted."
    if candidates is not None:
        try:
            others = others_like(plan, said, candidates)
            seen = forecast(plan, candidates=candidates, others=others, curves=True)
        except ParameterError as error:
            unseen = str(error)
    level: Fraction | None = None if threshold is None else rational("threshold", threshold)
    text = page(
        plan,
        kind=kind,
        said=said,
        seen=seen,
        threshold=level,
        selection=selection,
        source_name=source_name,
        ledger=ledger,
        unseen=unseen,
    )
    write_whole(path, text)
