"""Catalogues: lists of labels that are public, in the words of the column they are for."""

from datetime import date

import duckdb
import pytest

from overbar.cli.tables.public_list import fitted, read_catalogue
from overbar.errors import OverbarError, ParameterError


def test_catalogues(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_catalogue("0..9999") == range(10_000)
    assert read_catalogue("-2..0") == range(-2, 1)
    (tmp_path / "names.txt").write_bytes("tea\r\nrum é\r\n\r\ntea\n a b \n".encode())
    assert read_catalogue("names.txt") == ["tea", "rum é", "a b"]
    (tmp_path / "names.csv").write_text("id,label\n1,tea\n2,rum\n3,tea\n4,\n")
    assert read_catalogue("names.csv:label") == ["rum", "tea"]
    with duckdb.connect() as engine:
        engine.execute("copy (select range as id from range(3)) to 'n.parquet' (format parquet)")
    assert read_catalogue("n.parquet:id") == [0, 1, 2]
    for wrong in ("none.txt", "9..1", "names.csv", "names.csv:x", "names.xyz:x"):
        with pytest.raises(OverbarError):
            read_catalogue(wrong)
    assert fitted(range(2), "VARCHAR") == ["0", "1"]
    assert fitted(range(10**18), "BIGINT") == range(10**18)
    with pytest.raises(ParameterError, match=r"0..99999999 has 100,000,000 labels, and as text"):
        fitted(range(10**8), "VARCHAR")
    assert fitted(["3"], "UBIGINT") == [3]
    assert fitted(range(2), "INTEGER") == range(2)
    zoned = ["2024-01-31 08:15:00.25+00", "2024-01-31T09:15:00.250+01:00"]
    for kind, given, want in (
        (
            "TIMESTAMP",
            ["2024-01-31", "2024-01-31T08:15"],
            ["2024-01-31 00:00:00", "2024-01-31 08:15:00"],
        ),
        ("TIMESTAMP WITH TIME ZONE", zoned, zoned[:1]),
        ("DATE", ["2024-01-31"], [date(2024, 1, 31)]),
        ("BOOLEAN", ["True", "false", "TRUE"], [True, False]),
        ("DECIMAL(10,2)", ["1", "1.5", "-0.50"], ["1.00", "1.50", "-0.50"]),
        ("HUGEINT", ["07"], ["7"]),
        ("DOUBLE", ["7"], [7]),
    ):
        assert fitted(given, kind) == want
    for kind, given, message in (
        ("BIGINT", "tea", "whole numbers"),
        ("DOUBLE", "1.5", "whole numbers"),
        ("TIMESTAMP", "tea", "moments such as 2024-01-31 08:15:00, because --item is a column of"),
        ("TIMESTAMP", zoned[0], "moments such as"),
        ("TIMESTAMP WITH TIME ZONE", "2024-01-31", "moments with a zone"),
        ("DATE", "31.1.2024", "dates such as 2024-01-31"),
        ("BOOLEAN", "yes", "true and false"),
        ("DECIMAL(10,2)", "1.555", "numbers with at most 2 digits"),
        ("DECIMAL(10,2)", "nan", "numbers with at most 2 digits"),
    ):
        with pytest.raises(ParameterError, match=message):
            fitted([given], kind)
