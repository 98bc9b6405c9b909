"""Files as people have them, against the engine's own count of the same file.

Run with ``python -m benchmarks tables``. Persons and items are texts. Each run is a process of its
own with two threads, and its clock starts after the same was done to a few rows. Ours opens the
file, counts persons for each item and selects from a public list; the engine's own is a count of
distinct persons, and not private. For ``.xlsx`` the engine has none: there a bare look at every
element stands beside ours. Runs take turns, and the smallest of each counts. `check` is measured
against ours.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import redirect_stdout
from pathlib import Path
from xml.etree import ElementTree

import duckdb

from overbar.cli.tables import NamedColumns, Source, start_engine
from overbar.frames import select

ROWS, CELLS = 5_000_000, 100_000
ITEMS, PERSONS = 30_000, 1_000_000
ROUNDS = 2
#: Where the files of a few rows are.
FEW = "few"
COLUMNS = NamedColumns("item", "person")
COUNT = "select item, count(distinct person) from {} where person is not null group by item"
#: The kinds of files: what the engine reads them by, and what is owed in processor time.
KINDS = {
    "short.csv": ("read_csv('{}')", 2),
    "wide.csv": ("read_csv('{}')", 2),
    "commas.csv": ("read_csv('{}')", 3),
    "quoted.csv": ("read_csv('{}')", 3),
    "short.csv.gz": ("read_csv('{}')", 2),
    "latin.csv": ("read_csv('{}', encoding='latin-1')", None),
    "lines.jsonl": ("read_json('{}', columns={{item: 'VARCHAR', person: 'VARCHAR'}})", None),
    "table.parquet": ("read_parquet('{}')", None),
    "sheet.xlsx": (None, None),
}
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def write_files(folder: Path, rows: int) -> None:
    """Write the same rows in every way, fewer into the sheet."""
    item = f"'i' || cast(floor(exp(random() * ln({ITEMS}))) as bigint)"
    person = f"'p' || cast(floor(random() * {PERSONS}) as bigint)"
    wide = ", ".join(f"'value {n}' as column{n}" for n in range(18))
    ways = {
        "short.csv": "select person, item from rows",
        "wide.csv": f"select person, {wide}, item from rows",
        "commas.csv": "select person, 'x, \"y\" z' as note, item from rows",
        "latin.csv": "select person, case when hash(person) % 4 = 0 then 'süß' else 'x' end as "
        "note, item from rows",
        "lines.jsonl": "select person, item from rows",
        "table.parquet": "select person, item from rows",
    }
    with duckdb.connect(config={"threads": 2}) as engine:
        engine.execute("select setseed(0.25)").fetchall()
        engine.execute(f"create table rows as select {person} as person, {item} as item "
                       f"from range({rows})")  # fmt: skip
        for name, query in ways.items():
            how = {"jsonl": "json", "parquet": "parquet"}.get(name.rpartition(".")[2], "csv")
            engine.execute(f"copy ({query}) to '{folder / name}' (format {how})")
        engine.execute(f"copy rows to '{folder / 'quoted.csv'}' (force_quote *)")
        some = engine.execute(f"select person, item from rows limit {min(rows, CELLS)}").fetchall()
    text = (folder / "latin.csv").read_text()
    (folder / "latin.csv").write_text(text, encoding="latin-1")
    with (
        (folder / "short.csv").open("rb") as file,
        gzip.open(folder / "short.csv.gz", "wb", compresslevel=1) as packed,
    ):
        shutil.copyfileobj(file, packed)
    _write_sheet(folder / "sheet.xlsx", [("person", "item"), *some])


def _write_sheet(path: Path, rows: list[tuple[str, str]]) -> None:
    cell = '<c t="inlineStr"><is><t>{}</t></is></c>'
    lines = (f"<row>{''.join(map(cell.format, row))}</row>" for row in rows)
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{LINKS}"><sheets>'
        '<sheet name="rows" r:id="a"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/'
        f'package/2006/relationships"><Relationship Id="a" Type="{LINKS}/worksheet" '
        'Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}"><sheetData>{"".join(lines)}'
        "</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)


def own(path: str) -> int:
    """Let the engine count by itself."""
    reading = KINDS[Path(path).name][0]
    if reading is None:
        with zipfile.ZipFile(path) as archive:
            sheet = archive.open("xl/worksheets/sheet1.xml")
            return sum(part.tag.endswith("row") for _, part in ElementTree.iterparse(sheet))
    with duckdb.connect(config={"threads": 2}) as engine:
        return len(engine.sql(COUNT.format(reading.format(path))).to_arrow_table())


def ours(path: str) -> int:
    """Select from a public list, as the command line does."""
    listed = [f"i{number}" for number in range(1, ITEMS + 1)]
    with start_engine() as engine:
        engine.execute("set threads = 2")
        table = Source.of([path]).open(engine, COLUMNS)
        found = select(table, item="item", person="person", cutoff=50, epsilon=1, threshold=10_000,
                       catalogue=listed)  # fmt: skip
        return len(found)


def look(path: str) -> int:
    """Have the owner look at it, as the command line does; what is shown is not looked at."""
    from overbar.cli import app

    app(["check", path, "--item", "item", "--person", "person", "--format", "json"],
        standalone_mode=False)  # fmt: skip
    return 0


WAYS = {"own": own, "ours": ours, "check": look}


def measure(way: str, path: str, *, twice: bool = True) -> dict[str, float]:
    """Run in this process, on a few rows first, and return what the second run took."""
    with redirect_stdout(io.StringIO()):
        if twice:
            WAYS[way](str(Path(path).parent / FEW / Path(path).name))
        start, work = time.perf_counter(), time.process_time()
        WAYS[way](path)
    return {"seconds": time.perf_counter() - start, "processor": time.process_time() - work}


def measured(way: str, path: str) -> dict[str, float]:
    """Run in a process of its own, and return what it took."""
    command = [sys.executable, "-m", "benchmarks.tables", way, path]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    taken: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return taken


def rows(check: bool = False) -> list[dict[str, object]]:
    """Return one row for each kind of file."""
    count = 1_000 if check else ROWS
    best: dict[tuple[str, str], dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / FEW).mkdir()
        write_files(Path(folder) / FEW, 10)
        write_files(Path(folder), count)
        for _ in range(1 if check else ROUNDS):
            for name in KINDS:
                for way in WAYS:
                    path = f"{folder}/{name}"
                    taken = measure(way, path, twice=False) if check else measured(way, path)
                    before = best.get((name, way), taken)
                    best[name, way] = {key: min(taken[key], before[key]) for key in taken}
    return [_row(name, owed, count, best) for name, (_, owed) in KINDS.items()]


def _row(
    name: str, owed: int | None, count: int, best: dict[tuple[str, str], dict[str, float]]
) -> dict[str, object]:
    first, second, third = (best[name, way] for way in WAYS)
    return {
        "name": f"{name}, {min(count, CELLS) if name.endswith('xlsx') else count:,} rows",
        "own, processor s": first["processor"],
        "ours, processor s": second["processor"],
        "processor ratio": second["processor"] / first["processor"],
        "wall ratio": second["seconds"] / first["seconds"],
        "check to ours": third["processor"] / second["processor"],
        "owed": "" if owed is None else f"at most {owed} in processor time",
    }


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:3])))
