"""``overbar audit``: try to break every privacy claim of this package, on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from overbar.cli.exit import FOUND_SOMETHING, tell
from overbar.cli.file_identity import check_outputs
from overbar.cli.options import Verb, option, report_format, switch
from overbar.errors import ParameterError

if TYPE_CHECKING:
    from overbar.audit.package import Table

EXAMPLES = """Examples:

\b
overbar audit
overbar audit --quick
overbar audit --minutes 20 --out audit.html

Leaves with 1 if a claim is violated, or if a mechanism known to be broken is not caught.
"""

FULL_MINUTES = 3.0
QUICK_MINUTES = 0.25


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    """Try to break every privacy claim of this package. Reads no data of yours.

    Our own mechanisms are taken apart exactly and by samples of real releases. Mechanisms that are
    known to be broken must be caught on the way: they show that the audit works.
    """

    minutes: float | None = option(
        None, "NUMBER", "About how many minutes it may take; 3 by default."
    )
    out: Path | None = option(None, "FILE", "Write a report to an .html file.", "--out", "-o")
    quick: bool = switch(None, "--quick", "Main settings only, in a quarter of a minute.")
    format_: str | None = report_format(None)
    force: bool = switch(None, "--force", "Replace files that exist.")


def run(options: AuditOptions) -> None:
    """Audit the package, and leave with 1 if something was found."""
    from overbar.cli.screen import wants_json

    minutes, quick = options.minutes, options.quick
    if minutes is not None and quick:
        raise ParameterError("--quick and --minutes exclude each other; leave one out")
    if minutes is not None and not 0 < minutes <= 1e5:
        raise ParameterError(f"--minutes must be positive, got {minutes:g}")
    as_json = wants_json(options.format_)
    check_outputs([options.out], {}, force=options.force)
    if options.out is not None and options.out.suffix.lower() != ".html":
        raise ParameterError(f"--out must end in .html, got {options.out}")
    allowed = 60 * (minutes or (QUICK_MINUTES if quick else FULL_MINUTES))
    table = _audited(allowed, thorough=not quick)
    _deliver(table, options.out, as_json)
    if not table.passed:
        raise typer.Exit(FOUND_SOMETHING)


VERB = Verb("audit", AuditOptions, "Try to break every privacy claim.", EXAMPLES)


def _audited(seconds: float, *, thorough: bool) -> Table:
    from overbar.audit.package import audit_package
    from overbar.cli.screen import steps_done

    with steps_done() as progress:
        task = progress.add_task("exact", total=None)

        def told(done: int, total: int, following: str) -> None:
            progress.update(task, completed=done, total=total, description=following)

        return audit_package(seconds, thorough=thorough, progress=told)


def _deliver(table: Table, report: Path | None, as_json: bool) -> None:
    from overbar._files import write_whole
    from overbar.audit.audit_report import audit_report
    from overbar.cli.screen import show
    from overbar.report.as_html import report_page

    if report is not None:
        write_whole(report, report_page(audit_report(table, page=True), wide=True))
    show(audit_report(table), as_json=as_json)
    if report is not None:
        tell(f"report: {report}", err=as_json)
