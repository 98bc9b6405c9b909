"""Groups of rows of Parquet are read in one of two ways, by their size: both give the same rows."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import pyarrow
import pytest
from pyarrow.parquet import ParquetWriter

from overbar.cli.tables import parquet_stream

COLUMNS = {
    "person": pyarrow.array(["ann", None, "é" * 3000, "x" * 2**20, "ann"]),
    "item": pyarrow.array(["tea", "rum", "tea", "ale", None]).dictionary_encode(),
    "shop": pyarrow.array([{"town": "Ulm", "no": 1}, None, {"town": None}, {"no": 2}, {}]),
    "price": pyarrow.array([1, None, 2, 3, -4], pyarrow.float16()),
    "large": pyarrow.array([Decimal(1), None, Decimal(2), None, None], pyarrow.decimal256(50)),
    "day": pyarrow.array([datetime(2024, 1, 31), None, None, None, None]),
    "a.b": pyarrow.array(["x", "y", None, "", "\n"]),
    "raw": pyarrow.array([b"1", b"\xff", None, b"", b"2"]).view(pyarrow.string()),
}


@pytest.fixture
def files(tmp_path):
    table = pyarrow.table(COLUMNS)
    for region in ("north", "__HIVE_DEFAULT_PARTITION__"):
        folder = tmp_path / f"region={region}"
        folder.mkdir()
        with ParquetWriter(folder / "a.parquet", table.schema) as file:
            for _ in range(2):
                file.write_table(table)
    return sorted(map(str, tmp_path.glob("*/*.parquet")))


def rows(files):
    [stream] = parquet_stream.parquet_streams(files, [*COLUMNS, "region"])
    found = pyarrow.table(stream)
    raw = found["raw"].cast(pyarrow.large_binary())
    return found.schema, found.set_column(found.schema.get_field_index("raw"), "raw", raw)


def test_large_groups_have_the_same_rows(files, monkeypatch):
    schema, small = rows(files)
    read = []
    a_little = parquet_stream._a_little

    def watched(*group):
        read.append(group)
        return a_little(*group)

    monkeypatch.setattr(parquet_stream, "_a_little", watched)
    for name, value in (("LARGE", 0), ("PART", 1), ("FEWEST", 2)):
        monkeypatch.setattr(parquet_stream, name, value)
    again, large = rows(files)
    assert len(read) == 4
    assert again == schema
    assert large.to_pylist() == small.to_pylist()
    assert len(large) == 20
    assert {row["person"] for row in large.to_pylist()} == {"ann", None, "é" * 3000}
