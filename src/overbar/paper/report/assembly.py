"""Make a report: compute or load each table, draw it, judge the claims, write the files."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from overbar._files import write_whole
from overbar.paper.claims import judged
from overbar.paper.report.fingerprint import figure_key, table_key
from overbar.paper.report.html_page import Leaf, page
from overbar.paper.report.painter import Painter
from overbar.paper.study import (
    SECONDS,
    Conditions,
    Study,
    Table,
    csv_text,
    from_json,
    to_json,
    without_times,
)

#: So many figures are drawn as quickly as another process is started.
FEW_FIGURES = 3
#: Told which study is done, how long its table took, and whether that came from the cache.
Report = Callable[[Study, float, bool], None]
#: Where files wait until they are whole. A killed run leaves its rest here and nowhere else.
UNFINISHED = ".unfinished"


@dataclass
class Made:
    """What a report run did.

    Attributes
    ----------
    page
        The HTML report.
    computed, recalled, drawn
        Names of studies whose table was computed, came from the cache, or whose figure was drawn.
    seconds
        How long each computed table took.
    verdicts
        One for each claim.
    """

    page: Path
    computed: list[str] = field(default_factory=list)
    recalled: list[str] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    verdicts: list[str] = field(default_factory=list)


def make_report(
    studies: Sequence[Study],
    conditions: Conditions,
    out: Path,
    report: Report | None = None,
) -> Made:
    """Make the tables, figures, claims and page of some studies.

    Everything lands below `out`: ``csv/``, ``figures/``, ``timings/`` for what is true of one
    machine only, ``claims.csv``, ``report.html``, and ``cache/``.
    """
    clear_unfinished(out)
    made = Made(out / "report.html")
    tables: dict[str, Table] = {}

    def deliver(study: Study, png: bytes, svg: bytes) -> None:
        write(out, f"figures/{study.name}.png", png)
        write(out, f"figures/{study.name}.svg", svg)
        write(out, f"cache/{study.name}.figure", figure_key(study, keys[study.name]))
        made.drawn.append(study.name)

    keys: dict[str, str] = {}
    figures = sum(study.draw is not None for study in studies)
    with Painter(deliver, apart=figures > FEW_FIGURES) as painter:
        for study in studies:
            start = time.perf_counter()
            key, table = _recalled(study, conditions, out)
            if table is None:
                table = study.compute(conditions)
                # Files that turned out unusable change what the table is a table of.
                key = table_key(study, conditions)
                write(out, f"cache/{key}.json", to_json(table))
                made.computed.append(study.name)
                made.seconds[study.name] = time.perf_counter() - start
                known = False
            else:
                made.recalled.append(study.name)
                known = True
            keys[study.name], tables[study.name] = key, table
            _write_tables(out, study, table)
            if study.draw is not None and table and not _drawn(out, study, key):
                painter.order(study, table)
            if report is not None:
                report(study, time.perf_counter() - start, known)
    findings = judged(tables)
    made.verdicts += [finding.verdict.verdict for finding in findings]
    for name, timed in (("claims.csv", False), ("timings/claims.csv", True)):
        rows = [finding.row() for finding in findings if finding.claim.timed == timed]
        _write_if_new(out, name, csv_text(rows))
    if made.seconds:
        write(out, "timings/studies.json", json.dumps(made.seconds, indent=1))
    leaves = [Leaf.of(study, tables[study.name], out, conditions) for study in studies]
    write(out, "report.html", page(leaves, findings, conditions))
    clear_unfinished(out)
    return made


def _recalled(study: Study, conditions: Conditions, out: Path) -> tuple[str, Table | None]:
    """Look for a table in the cache; before and after finding out which files can be used."""
    key = table_key(study, conditions)
    path = out / "cache" / f"{key}.json"
    if not path.is_file() and study.datasets:
        conditions.data.load(study.datasets)
        key = table_key(study, conditions)
        path = out / "cache" / f"{key}.json"
    try:
        return key, from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return key, None


def _write_tables(out: Path, study: Study, table: Table) -> None:
    """Write what two machines must agree on under csv/, and the rest under timings/."""
    _write_if_new(out, f"csv/{study.name}.csv", csv_text(without_times(table)))
    if table and any(name.endswith(SECONDS) for name in table[0]):
        _write_if_new(out, f"timings/{study.name}.csv", csv_text(table))


def _write_if_new(out: Path, name: str, text: str) -> None:
    path = out / name
    if not path.is_file() or path.read_bytes() != text.encode():
        write(out, name, text)


def _drawn(out: Path, study: Study, key: str) -> bool:
    """Whether the figures that lie there are those of this table."""
    figures = [out / "figures" / f"{study.name}.{form}" for form in ("png", "svg")]
    stamp = out / "cache" / f"{study.name}.figure"
    return (
        all(path.is_file() for path in figures)
        and stamp.is_file()
        and stamp.read_text(encoding="utf-8") == figure_key(study, key)
    )


def write(folder: Path, name: str, content: bytes | str) -> Path:
    """Write a file below a folder; a reader sees the old content or the new, never a part."""
    target = folder / name
    waiting = folder / UNFINISHED
    for place in (waiting, target.parent):
        place.mkdir(parents=True, exist_ok=True)
    write_whole(target, content, waiting=waiting)
    return target


def clear_unfinished(folder: Path) -> None:
    """Remove what a killed run may have left."""
    waiting = folder / UNFINISHED
    if waiting.is_dir():
        for path in waiting.iterdir():
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            waiting.rmdir()
