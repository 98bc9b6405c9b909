"""One person more, with rows of whatever size: the same outcome, and memory keeps to its limit."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import zipfile

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

MILLION = 1 << 20
OTHERS = [(f"p{number}", "i0" if number % 2 else "i1") for number in range(300)]
#: Of eve: what is a label, though a long one; and what is too long for one.
LONG, TOO_LONG = "x" * 500_000, "x" * 5 * MILLION
#: Runs a command, and prints how much memory its process took at most, in bytes.
MEASURED = (
    "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:], stdout=sys.stderr); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024); sys.exit(code)"
)
TABLE = {"person": "ann", "item": "tea"}


def asked(name, memory, *more):
    """Ask for the top of a file; return the exit code, the answer and the peak of memory."""
    columns = ["--item", "item", "--person", "person", "--memory", memory, *more]
    question = ["top", name, *columns, "--cutoff", "2", "--catalogue", "i0,i1,none"]
    command = [sys.executable, "-m", "overbar", *question, "--epsilon", "50", "--format", "csv"]
    found = subprocess.run(
        [sys.executable, "-c", MEASURED, *command], capture_output=True, check=False
    )
    return found.returncode, found.stderr.decode(), int(found.stdout or 0)


def as_json_lines(path, rows):
    path.write_text(
        "".join(
            f"{json.dumps(dict(zip(TABLE, row, strict=True)), separators=(',', ':'))}\n"
            for row in rows
        )
    )


def as_json(path, rows):
    path.write_text(json.dumps([dict(zip(TABLE, row, strict=True)) for row in rows]))


def as_sqlite(path, rows):
    with sqlite3.connect(path) as file:
        file.execute("create table t (person, item)")
        file.executemany("insert into t values (?, ?)", rows)
    file.close()


def as_parquet(path, rows):
    """Each text is there once, however many rows have it."""
    persons, items = zip(*rows, strict=True)
    columns = {"person": persons, "item": pyarrow.array(items).dictionary_encode()}
    pyarrow.parquet.write_table(
        pyarrow.table(columns),
        path,
        compression="zstd",
        store_schema=False,
        dictionary_pagesize_limit=1 << 28,
    )


def as_plain_parquet(path, rows):
    persons, items = zip(*rows, strict=True)
    columns = pyarrow.table({"person": persons, "item": items})
    pyarrow.parquet.write_table(columns, path, compression="zstd", use_dictionary=False)


def as_duckdb(path, rows):
    with duckdb.connect(path, config={"storage_compatibility_version": "latest"}) as file:
        persons, items = zip(*rows, strict=True)
        rows_of_all = pyarrow.table({"person": persons, "item": items})  # noqa: F841
        file.execute("create table t as select * from rows_of_all")


def as_workbook(path, rows):
    """Each text is there once, and cells have its number."""
    texts = list(dict.fromkeys(text for row in [tuple(TABLE), *rows] for text in row))
    number = {text: place for place, text in enumerate(texts)}
    cell = '<c t="s"><v>{}</v></c>'
    lines = (
        f"<row>{''.join(cell.format(number[text]) for text in row)}</row>"
        for row in [tuple(TABLE), *rows]
    )
    write_parts(path, "".join(lines), "".join(f"<si><t>{text}</t></si>" for text in texts))


def as_inline_workbook(path, rows):
    cell = '<c t="inlineStr"><is><t>{}</t></is></c>'
    lines = (f"<row>{''.join(map(cell.format, row))}</row>" for row in [tuple(TABLE), *rows])
    write_parts(path, "".join(lines), "")


def write_parts(path, lines, texts):
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kinds = {"worksheet": "sheet.xml", "sharedStrings": "texts.xml"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        each = (
            f'<Relationship Id="{kind}" Type="{office}/{kind}" Target="{place}"/>'
            for kind, place in kinds.items()
        )
        archive.writestr("xl/_rels/workbook.xml.rels", f"<all>{''.join(each)}</all>")
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns:r="{office}"><sheet name="S" r:id="worksheet"/></workbook>',
        )
        archive.writestr("xl/sheet.xml", f"<sheetData>{lines}</sheetData>")
        archive.writestr("xl/texts.xml", f"<sst>{texts}</sst>")


#: How a file is written, its ending, the rows of one person, memory that is enough for others, and
#: how many MB the process may take, with the interpreter and its libraries. Arrow reads a page of
#: Parquet as a whole, and DuckDB many rows of a file: that is not part of the memory.
SIZES = {
    "records with lists": (as_json_lines, ".jsonl", [[1] * 7_900_000] * 2, "2GB", 500),
    "a text in rows of Parquet": (as_parquet, ".parquet", [TOO_LONG] * 400, "100MB", 2_000),
    "labels of Parquet": (
        as_parquet,
        ".parquet",
        [f"{number}{LONG}" for number in range(2_000)],
        "2GB",
        5_000,
    ),
    "texts in rows of Parquet": (
        as_plain_parquet,
        ".parquet",
        [f"{number}{TOO_LONG}" for number in range(100)],
        "100MB",
        2_000,
    ),
    "texts of Parquet": (
        as_parquet,
        ".parquet",
        [f"{number}{TOO_LONG}" for number in range(40)],
        "100MB",
        2_000,
    ),
    "a text of SQLite": (as_sqlite, ".sqlite", ["x" * 200_000_000], "60MB", 500),
    "texts of SQLite": (as_sqlite, ".sqlite", [TOO_LONG] * 20, "60MB", 500),
    "a label in cells": (as_workbook, ".xlsx", ["x" * 100_000] * 25_000, "2GB", 2_000),
    "a text in cells": (as_workbook, ".xlsx", ["x" * 4_000_000] * 1_000, "200MB", 500),
    "texts in cells": (as_inline_workbook, ".xlsx", ["x" * 4_000_000] * 60, "100MB", 500),
    "texts of DuckDB": (as_duckdb, ".duckdb", [TOO_LONG] * 400, "2GB", 3_000),
    "a label of DuckDB": (as_duckdb, ".duckdb", [LONG] * 2_000, "2GB", 7_000),
}


@pytest.mark.parametrize("kind", SIZES)
def test_one_person_decides_about_no_error(tmp_path, kind):
    write, ending, items, memory, most = SIZES[kind]
    path = tmp_path / f"a{ending}"
    for rows in (OTHERS, OTHERS + [("eve", item) for item in items]):
        write(path, rows)
        code, said, peak = asked(str(path), memory)
        path.unlink()
        assert code == 0, said
        assert ",i0\n" in said
        assert ",i1\n" in said
        assert peak < most * MILLION


def test_a_record_that_is_too_long_is_counted_by_check(tmp_path):
    fits, long = ("x" * (1_899_900 + more) for more in (0, 200))
    for write, ending in ((as_json_lines, ".jsonl"), (as_json, ".json")):
        path = tmp_path / f"a{ending}"
        command = [sys.executable, "-m", "overbar", "check", path, "--item", "item"]
        for text, is_said in ((long, True), (fits, False)):
            write(path, [("ann", "tea"), ("eve", text)])
            found = subprocess.run(
                [*command, "--person", "person"], capture_output=True, text=True, check=False
            )
            assert found.returncode == 0, found.stderr
            assert ("lines too long" in found.stdout) == is_said
