"""Lines of delimited files across blocks of any size, and how often a line is cut."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from overbar.cli.tables import NamedColumns, Source, encodings, start_engine
from tests.reference import lines as reference


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_long_lines_and_lines_across_blocks(in_folder, monkeypatch):
    lines = [b"ann,tea", b'eve,"' + b"x" * 70_000 + b'"', b"bob,r\xfcm", b"cat,\xc3\xa4"] * 9
    lines += [b"eve," + b"z" * size for size in (1_899_996, 1_899_997, 17_000_000)]
    content = b"person,item\r\n" + b"\r\n".join(lines)
    Path("a.csv").write_bytes(content)
    want = Counter(reference.rows_of([content], ",", ["item", "person"]))
    for block in (1 << 18, 4099, 7):
        monkeypatch.setattr(encodings, "BLOCK", block)
        with start_engine("1GB") as engine:
            engine.execute("set threads = 2")
            if block == 7:  # small blocks, so a small file
                Path("a.csv").write_bytes(content[:3_000])
                want = Counter(reference.rows_of([content[:3_000]], ",", ["item", "person"]))
            found = Source.of(["a.csv"]).open(engine, NamedColumns("item", "person")).fetchall()
        assert Counter(found) == want


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_line_is_cut_once_whatever_is_asked_of_its_fields(in_folder, form):
    """No filter goes below the barrier. Rows would be the same without it, and time would not."""
    lines = {"csv": "item,person\na,b\n", "jsonl": '{"item":"a","person":"b"}\n'}
    Path(f"a.{form}").write_text(lines[form])
    cut = {"csv": "regexp_extract(line", "jsonl": "json_extract_string("}[form]
    with start_engine() as engine:
        rows = Source.of([f"a.{form}"]).open(engine, NamedColumns("item", "person"))
        written = rows.sql_query()
        assert cut in written
        plan = _plan_of(rows)  # what is cut behind it is not shown
        assert plan.count(cut) == plan.count("string_split(") == 0
        bare = re.sub(r"unnest\(\[(.*?)\]\) as (record|fields|parts)", r"\1 as \2", written)
        assert _plan_of(engine.sql(bare)).count(cut) > 0


def _plan_of(rows):
    return rows.filter("item is not null and person is not null").aggregate("item").explain()
