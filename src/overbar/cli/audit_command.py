"""``overbar audit``: try to break every privacy claim of this package, on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from overbar.cli.exit import FOUND_SOMETHING, tell
from overbar.cli.file_identity import check_outputs
from overbar.cli.options import Verb, option, switch
from overbar.errors import ParameterError

if TYPE_CHECKING:
    from overbar.audit.table import Table

EXAMPLES = """Examples:

\b
overbar audit
overbar audit --quick
overbar audit --minutes 20 --report audit.html

Leaves with 1 if a claim is violated, or if a mechanism known to be broken is not caught.
"""

FULL_MINUTES = 3.0
QUICK_MINUTES = 0.25
#: A table in a pipe is as wide as this.
PIPE_WIDTH = 132


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Try to break every privacy claim of this package. Reads no data of yours.

    Our own mechanisms are taken apart exactly and by samples of real releases. Mechanisms that are
    known to be broken must be caught on the way: they show that the audit works.
    """

    minutes: float | None = option(
        None, "NUMBER", "About how many minutes it may take; 3 by default."
    )
    report: Path | None = option(None, "FILE", "Write an HTML report.")
    quick: bool = switch(None, "--quick", "Main settings only, in a quarter of a minute.")
    as_json: bool = switch(None, "--json", "Write JSON to standard output.")
    force: bool = switch(None, "--force", "Replace files that exist.")


def run(options: AuditOptions) -> None:
    """Audit the package, and leave with 1 if something was found."""
    minutes, quick = options.minutes, options.quick
    if minutes is not None and quick:
        raise ParameterError("--quick and --minutes exclude each other; leave one out")
    if minutes is not None and not 0 < minutes <= 1e5:
        raise ParameterError(f"--minutes must be positive, got {minutes:g}")
    check_outputs([options.report], {}, force=options.force)
    allowed = 60 * (minutes or (QUICK_MINUTES if quick else FULL_MINUTES))
    table = _audited(allowed, thorough=not quick)
    _deliver(table, options.report, options.as_json)
    if not table.passed:
        raise typer.Exit(FOUND_SOMETHING)


VERB = Verb("audit", AuditOptions, "Try to break every privacy claim.", EXAMPLES)


def _audited(seconds: float, *, thorough: bool) -> Table:
    from overbar.audit.package import audit_package
    from overbar.cli.progress import steps_done

    with steps_done() as progress:
        task = progress.add_task("exact", total=None)

        def told(done: int, total: int, following: str) -> None:
            progress.update(task, completed=done, total=total, description=following)

        return audit_package(seconds, thorough=thorough, progress=told)


def _deliver(table: Table, report: Path | None, as_json: bool) -> None:
    from overbar._files import write_whole
    from overbar.cli.output.audit_output import as_json as json_text
    from overbar.cli.output.audit_output import page

    if report is not None:
        write_whole(report, page(table))
    if as_json:
        tell(json_text(table))
    else:
        _show(table)
    if report is not None:
        tell(f"report: {report}", err=as_json)


def _show(table: Table) -> None:
    from rich.console import Console
    from rich.table import Table as Grid

    from overbar.audit.table import CAUGHT, KEPT
    from overbar.cli.output.audit_output import HEAD, cells

    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, emoji=False, width=PIPE_WIDTH)
    for title, control in (("Our claims", False), ("Controls, known to be broken", True)):
        grid = Grid(title=title, title_justify="left", box=None, pad_edge=False)
        for place, name in enumerate(HEAD):
            grid.add_column(name, overflow="fold", ratio=3 if place == 0 else None)
        for row in table.rows:
            if row.control == control:
                good = row.verdict in {CAUGHT, KEPT}
                grid.add_row(*cells(row), style="" if good else "bold red")
        console.print(grid)
        console.print()
    for row in table.violations:
        console.print(f"violated: {row.subject}, {row.claim}\n  {row.evidence}", style="bold red")
    for name in table.missed:
        console.print(f"missed: {name}; the audit is too weak, give it more minutes")
    console.print(
        f"{table.summary}. The chance of a false alarm is at most {table.false_alarm:g} in all; "
        f"{table.seconds:.0f} seconds."
    )
