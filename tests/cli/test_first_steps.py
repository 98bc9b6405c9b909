"""What a newcomer types first: too little, a spreadsheet from elsewhere, a narrow terminal."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overbar.cli import app
from overbar.cli.tables import NamedColumns, Source, start_engine

RUNNER = CliRunner()
COLUMNS = ["--item", "Größe", "--person", "Kundennummer"]
ASK = [*COLUMNS, "--cutoff", "3", "--epsilon", "1", "--catalogue", "liste.txt"]
TURNOVER = ["--value", "Betrag in €", "--value-range", "0,2000"]
#: How many persons bought what, and what each of them paid.
PERSONS = {"Äpfel, rot": 900, "Brötchen": 600, "Käse": 300, "Öl": 20, "Müsli": 3}
AMOUNTS = {
    "Äpfel, rot": "0,75",
    "Brötchen": "12,25",
    "Käse": "1.234,50",
    "Öl": "99.000,00",
    "Müsli": "2",
}


@pytest.fixture
def german(tmp_path, monkeypatch):
    """What a spreadsheet saves in Germany: a mark, semicolons, decimal commas, CR LF."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    lines = ["Kundennummer;Straße;Größe;Betrag in €", ";;;", "000001;;;5,00", ";x;Käse;7,00"]
    for item, count in PERSONS.items():
        lines += [f'{n:06d};"Hof 1; links";"{item}";{AMOUNTS[item]}' for n in range(count)]
    Path("verkäufe.csv").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    Path("liste.txt").write_bytes("\r\n".join([*PERSONS, "Sekt"]).encode())


def run(*arguments):
    return RUNNER.invoke(app, list(arguments))


def labels(text):
    return [row[1] for row in list(csv.reader(io.StringIO(text)))[1:]]


def test_all_that_is_lacking_is_said_at_once(german):
    refused = run("top", "verkäufe.csv", *COLUMNS)
    assert refused.exit_code == 2
    for option in ("--cutoff", "--epsilon"):
        assert f"{option} (" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_scores_bring_their_own_items(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("n.csv").write_text("product,n\ntea,90000\nrum,3\n")
    scores = ["--item", "product", "--score", "n", "--sensitivity", "0,1"]
    found = run("top", "n.csv", *scores, "-c", "1", "--epsilon", "1")
    assert labels(found.stdout) == ["tea"], found.output


def test_a_spreadsheet_from_elsewhere(german):
    result = run("top", "verkäufe.csv", *ASK)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "found,Größe"
    assert labels(result.stdout) == ["Äpfel, rot", "Brötchen", "Käse"]


WITH_COMMA = {
    "2,5": 2.5,
    "1.234,50": 1234.5,
    "12.345.678": 12345678.0,
    " -7 ": -7.0,
    ",5": 0.5,
    "1,5e2": 150.0,
    **dict.fromkeys(
        ["12.50", "1.2345", "31.12.2024", "1234.567,0", "1,2,3", "7 €", "1 234,5", "."]
    ),
    **dict.fromkeys([".", "1..234", "inf", "nan", ",", "-"]),
}


def test_a_point_is_between_groups_of_three_alone(tmp_path):
    lines = [f"{place};tea;{written}" for place, written in enumerate(WITH_COMMA)]
    (tmp_path / "a.csv").write_text("\n".join(["person;item;amount", *lines]))
    source = Source.of([str(tmp_path / "a.csv")], decimal_comma=True)
    columns = NamedColumns("item", "person", "amount")
    with start_engine() as engine:
        rows = {int(row[1]): row[2] for row in source.open(engine, columns).fetchall()}
    assert [rows[place] for place in range(len(rows))] == list(WITH_COMMA.values())


def test_decimal_commas_are_said_and_not_found_out(german):
    asked = ["select", "verkäufe.csv", *ASK, *TURNOVER, "--threshold", "100000"]
    assert labels(run(*asked, "--decimal-comma").stdout) == ["Käse"]
    # As English numbers, no text of the column is one but 2: so it must be said.
    silent = run(*asked)
    assert silent.exit_code == 2
    assert "add --decimal-comma, or --decimal-point" in silent.stderr
    plain = run(*asked, "--decimal-point")
    assert plain.exit_code == 0, plain.output
    assert labels(plain.stdout) == []


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("words", [[], ["ledger"]])
def test_the_list_of_verbs_is_not_cut(words, width):
    result = RUNNER.invoke(app, [*words, "--help"], env={"COLUMNS": str(width)})
    assert result.exit_code == 0
    listed = result.stdout.split("Commands:")[1]
    assert "..." not in listed
    assert max(map(len, listed.splitlines())) <= width


@pytest.mark.parametrize("command", ["select", "top"])
def test_help_says_that_a_misspelt_key_of_json_lines_is_not_refused(command):
    """Which keys there are is known from rows alone, and no row is asked."""
    said = " ".join(run(command, "--help").output.replace("│", " ").split())
    assert "a key that no line has is not refused, and finds nothing" in said
