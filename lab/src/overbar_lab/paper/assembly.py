"""Make a report: compute or load each table, draw it, judge the claims, write the files."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from overbar_lab.paper.chart import (
    FAST_FONTS,
    FORMATS,
    PRINTED_FONTS,
    load_drawing,
    own_settings,
    saved,
)
from overbar_lab.paper.claim import JudgedClaim
from overbar_lab.paper.claims import judged
from overbar_lab.paper.paper_page import page
from overbar_lab.paper.study import (
    FEW_RUNS,
    SECONDS,
    Conditions,
    Study,
    Table,
    csv_text,
    text_of,
    without_times,
)
from overbar_lab.simulation.seeded_runs import silent

#: Rooms that no table depends on. (Claims and pages are written anew each time.)
NOT_FOR_TABLES = (
    "program.py",
    "reproduction.py",
    "cli",
    "mechanism",
    "sampling",
    "integrations",
    "ledger",
    "audit",
    "paper/appendix_claims.py",
    "paper/assembly.py",
    "paper/chart.py",
    "paper/claim",
    "paper/figures.py",
    "paper/formula_studies.py",
    "paper/looks.py",
    "paper/open_",
    "paper/panels.py",
    "paper/paper_page.py",
    "paper/simulated_claims.py",
    "paper/studies.py",
)
#: What a figure depends on besides its table.
FOR_FIGURES = ("paper/chart.py", "paper/figures.py", "paper/looks.py", "paper/panels.py")
#: What tables are made with: the library, and the laboratory.
PACKAGES = (Path(str(files("overbar"))), Path(__file__).parents[1])


@cache
def code_version(only: tuple[str, ...] = ()) -> str:
    """Return a hash of the source files that matter, or of those that are named.

    The versions of the packages that draw numbers and figures are part of it.
    """
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            name = path.relative_to(package).as_posix()
            if name.startswith(only) if only else not name.startswith(NOT_FOR_TABLES):
                digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    for name in ("matplotlib",) if only else ("numpy", "scipy"):
        try:
            digest.update(f"{name} {version(name)}".encode())
        except PackageNotFoundError:
            digest.update(f"{name} missing".encode())
    return digest.hexdigest()


def table_key(study: Study, conditions: Conditions) -> str:
    """Return the name of a study's table in the cache.

    Two figures over one computation share a table. Runs and seed count where there is chance.
    """
    compute = getattr(study.compute, "func", study.compute)
    named = compute if hasattr(compute, "__qualname__") else type(compute)
    parts = [
        f"{named.__module__}.{named.__qualname__}",
        *(f"{name}={text_of(value)}" for name, value in study.parameters.items()),
        *conditions.data.checksums(study.datasets),
        code_version(),
        study.source,
    ]
    if study.simulated:
        parts += [f"runs={conditions.runs}", f"seed={conditions.seed}"]
    return _hash(parts)


def figure_key(study: Study, table: str, fonts: int) -> str:
    """Return what a study's figure depends on: its table and how it is drawn."""
    draw = str(getattr(study.draw, "__qualname__", repr(study.draw)))
    return _hash([table, draw, code_version(FOR_FIGURES), study.source, f"fonts={fonts}"])


def _hash(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


#: Told which study is done, how long its table took, and whether that came from the cache.
Notify = Callable[[Study, float, bool], None]


@dataclass
class MadeReport:
    """What a report run did.

    Attributes
    ----------
    page
        The HTML report.
    computed, recalled, drawn
        Names of studies whose table was computed, came from the cache, or whose figure was drawn.
    findings
        The claims that the studies decide.
    """

    page: Path
    computed: list[str] = field(default_factory=list)
    recalled: list[str] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    findings: list[JudgedClaim] = field(default_factory=list)


def make_report(
    studies: Sequence[Study], conditions: Conditions, out: Path, notify: Notify | None = None
) -> MadeReport:
    """Make the tables, figures, claims and page of some studies.

    Everything lands below `out`: ``csv/``, ``figures/``, ``timings/`` for what is true of one
    machine only, ``claims.csv``, ``report.html``, and ``cache/``.
    """
    report = MadeReport(out / "report.html")
    keys: dict[str, str] = {}
    tables: dict[str, Table] = {}
    shared: dict[str, Table] = {}
    at_once = _computed_at_once(studies, conditions, out)
    for study in studies:
        start = time.perf_counter() - at_once.get(study.name, 0)
        key, table = _recalled(study, conditions, out)
        known = table is not None and study.name not in at_once
        if table is None:
            key, table = _computed(study, conditions, out)
        table = shared.setdefault(key, table)
        (report.recalled if known else report.computed).append(study.name)
        keys[study.name], tables[study.name] = key, table
        _write_if_new(out, f"csv/{study.name}.csv", csv_text(without_times(table)))
        if table and any(name.endswith(SECONDS) for name in table[0]):
            _write_if_new(out, f"timings/{study.name}.csv", csv_text(table))
        if notify is not None:
            notify(study, time.perf_counter() - start, known)
    # Nobody prints figures of few runs.
    fonts = FAST_FONTS if conditions.runs < FEW_RUNS else PRINTED_FONTS
    stamps = {study.name: figure_key(study, keys[study.name], fonts) for study in studies}
    waiting = [
        study
        for study in studies
        if study.draw and tables[study.name] and not _drawn(out, study, stamps[study.name])
    ]
    if waiting:
        load_drawing()
    figures = conditions.each(lambda study: rendered(study, tables[study.name], fonts), waiting)
    for study, forms in zip(waiting, figures, strict=True):
        for form, content in forms.items():
            write(out, f"figures/{study.name}.{form}", content)
        write(out, f"cache/{study.name}.figure", stamps[study.name])
        report.drawn.append(study.name)
    report.findings = judged(tables, conditions.each)
    for name, timed in (("claims.csv", False), ("timings/claims.csv", True)):
        rows = [finding.row() for finding in report.findings if finding.claim.timed == timed]
        if rows:
            _write_if_new(out, name, csv_text(rows))
        else:
            (out / name).unlink(missing_ok=True)
    write(out, "report.html", page(studies, tables, report.findings, conditions, out))
    return report


#: So many studies with few runs are shared out among processes, not the points of each: starting
#: them anew for every study takes longer than its points, and they forget what two studies need.
FEW_STUDIES = 8


def _computed_at_once(
    studies: Sequence[Study], conditions: Conditions, out: Path
) -> dict[str, float]:
    """Compute the tables that are missing if runs are few; return how long each took."""
    missing: dict[str, Study] = {}
    if conditions.runs < FEW_RUNS:
        for study in studies:
            key, table = _recalled(study, conditions, out)
            if table is None:
                missing.setdefault(key, study)
    if len(missing) < FEW_STUDIES:
        return {}
    alone = replace(conditions, workers=1, report=silent)

    def seconds(study: Study) -> float:
        start = time.perf_counter()
        _computed(study, alone, out)
        return time.perf_counter() - start

    waiting = list(missing.values())
    spent = conditions.each(seconds, waiting)
    return {study.name: time for study, time in zip(waiting, spent, strict=True)}


def _computed(study: Study, conditions: Conditions, out: Path) -> tuple[str, Table]:
    """Compute a table and keep it under its name in the cache."""
    table = study.compute(conditions)
    # Files that turned out unusable change what the table is a table of.
    key = table_key(study, conditions)
    write(out, f"cache/{key}.json", json.dumps(table, indent=0))
    return key, table


def rendered(study: Study, table: Table, fonts: int = PRINTED_FONTS) -> dict[str, bytes]:
    """Draw a study in every format."""
    assert study.draw is not None
    with own_settings():
        figure = study.draw(table)
        return {form: saved(figure, form, fonts) for form in FORMATS}


def _recalled(study: Study, conditions: Conditions, out: Path) -> tuple[str, Table | None]:
    """Look for a table in the cache; before and after finding out which files can be used."""
    key = table_key(study, conditions)
    if not (out / f"cache/{key}.json").is_file() and study.datasets:
        conditions.data.load(study.datasets)
        key = table_key(study, conditions)
    try:
        return key, json.loads((out / f"cache/{key}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return key, None


def _write_if_new(out: Path, name: str, text: str) -> None:
    path = out / name
    if not path.is_file() or path.read_bytes() != text.encode():
        write(out, name, text)


def _drawn(out: Path, study: Study, key: str) -> bool:
    """Whether the figures that lie there are those that would be drawn."""
    stamp = out / f"cache/{study.name}.figure"
    return (
        all((out / f"figures/{study.name}.{form}").is_file() for form in FORMATS)
        and stamp.is_file()
        and stamp.read_text(encoding="utf-8") == key
    )


def write(folder: Path, name: str, content: bytes | str) -> None:
    """Write a file below a folder; a reader sees the old content or the new, never a part."""
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
