"""The first line of a text file may be someone's row: no message shows any of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from overbar.cli.tables import NamedColumns, ReadingError, Source, start_engine
from tests.cli.shop import run
from tests.cli.workbook import write_workbook


@pytest.mark.parametrize("options", [{}, {"delimiter": ";"}])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "ann@example.org,+49 30 1234,tea\nbob,2,rum\n"),
        ("a.tsv", "ann@example.org\t+49 30 1234\ttea\n"),
    ],
)
def test_a_forgotten_no_header_shows_nobodys_row(tmp_path, monkeypatch, name, content, options):
    """Neither as "its columns" nor as what was meant: the first line may be someone's."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(content)
    for wanted in ("ann@example.com", "item", "te", "+49 30 12345"):
        with (
            start_engine("500MB") as engine,
            pytest.raises(ReadingError, match="not shown, because") as error,
        ):
            Source.of([name], **options).open(engine, NamedColumns(wanted, "who"))
        said = str(error.value).replace(repr(wanted), "")
        for part in ("ann", "example", "+49", "1234", "tea"):
            assert part not in said
        assert "--header-row 0" in said


ASK = ["--item", "product", "--person", "customer"]
ROWS = [["c1", "tea"], ["c2", "rum"]]
TITLE = [["Sales of 2024"], [], ["customer", "product"], *ROWS]


@pytest.mark.parametrize("sign", [",", ";"])
@pytest.mark.parametrize("first", ["", "sep={}\r\n"])
def test_check_finds_the_line_of_the_names(tmp_path, monkeypatch, sign, first):
    monkeypatch.chdir(tmp_path)
    text = first.format(sign) + "\r\n".join(sign.join(row) for row in TITLE)
    Path("a.csv").write_text(text)
    row = 4 if first else 3
    refused = run("check", "a.csv", *ASK)
    assert refused.exit_code == 2
    assert f"Line {row} has these names: add --header-row {row}" in refused.stderr
    assert run("check", "a.csv", *ASK, "--header-row", row).exit_code == 0
    asked = run("top", "a.csv", *ASK, "--cutoff", "1", "--epsilon", "1", "--catalogue", "1..2")
    assert "has these names" not in asked.stderr  # which lie among the rows


def test_check_finds_the_row_of_the_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_workbook("a.xlsx", Sales=TITLE)
    assert "are customer, product: add --header-row 3" in run("check", "a.xlsx").stdout
    assert "add --header-row 3" in run("check", "a.xlsx", *ASK).stderr
    assert run("check", "a.xlsx", *ASK, "--header-row", "3").exit_code == 0
    gap = b'<row r="7"><c t="str"><v>customer</v></c><c t="str"><v>product</v></c></row>'
    write_workbook("b.xlsx", Sales=[["Sales"], gap, *ROWS])
    assert "add --header-row 7" in run("check", "b.xlsx", *ASK).stderr
    assert run("check", "b.xlsx", *ASK, "--header-row", "7").exit_code == 0
    assert "names of the columns" in run("check", "b.xlsx", *ASK, "--header-row", "5").stderr


@pytest.mark.parametrize(
    ("name", "first", "columns"),
    [
        ("a.csv", b"BZh91AY&SY,tea", ("2", "1")),
        ("a.csv", b"PK\x03\x04,tea", ("2", "1")),
        ("a.csv", b"c\0u\0,tea", ("2", "1")),
        ("a.csv", b"sep=;,tea", ("2", "1")),
        ("a.jsonl", b"BZh91AY&SY", ("item", "person")),
        ("a.jsonl", b"SQLite format 3\0", ("item", "person")),
    ],
)
def test_the_first_bytes_of_a_row_decide_nothing(tmp_path, name, first, columns):
    """Of a file without a header they are someone's: another row, and the others stay the same."""
    others = b"c1,tea\nc2,rum\n" if name == "a.csv" else b'{"item": "tea", "person": "c1"}\n'
    found = []
    for line in (b"", first + b"\n"):
        (tmp_path / name).write_bytes(line + others)
        source = Source.of([str(tmp_path / name)], header_row=0 if name == "a.csv" else None)
        with start_engine("500MB") as engine:
            found.append(source.open(engine, NamedColumns(*columns)).fetchall())
    assert set(found[0]) <= set(found[1])


def test_the_row_of_the_names_is_part_of_a_question(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("\n".join(",".join(row) for row in TITLE))
    Path("list.txt").write_text("tea\nrum\n")
    numbers = ["--cutoff", "2", "--epsilon", "1000", "--catalogue", "list.txt"]
    run("top", "a.csv", *ASK, *numbers, "--header-row", "3", "--save", "q.toml", "--dry-run")
    assert 'header-row = "3"' in Path("q.toml").read_text()
    assert {line[2:] for line in run("run", "q.toml").stdout.split()[1:]} == {"tea", "rum"}
    digests = {Source.of(["a.csv"], header_row=row).digest("b.db") for row in (None, 1, 3)}
    assert len(digests) == 3
