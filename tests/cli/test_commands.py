from __future__ import annotations

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from overbar.cli import app, main

RUNNER = CliRunner()
COMMAND = [sys.executable, "-m", "overbar"]


def run(*arguments):
    return RUNNER.invoke(app, [str(one) for one in arguments])


def test_without_typer_there_is_one_line(tmp_path):
    """A Python in which typer cannot be imported names the extra and leaves with two."""
    (tmp_path / "typer.py").write_text("raise ImportError('no typer here')\n")
    result = subprocess.run(
        COMMAND,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "pip install 'overbar[cli]'" in result.stderr


def test_main_is_the_entry_point(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["overbar", "--version"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0


def test_help_may_be_asked_for_in_words():
    for words in (["help"], ["help", "top"], ["help", "ledger", "open"]):
        told, usual = run(*words), run(*words[1:], "--help")
        assert (told.exit_code, told.output) == (0, usual.output)
    assert run("help", "nonsense").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["top", "a.csv", "--threshold", "5"], "there is no --threshold here: top finds the high"),
        (["keys", "a.csv", "--threshold", "5"], "there is no --threshold here: how many persons"),
        (["keys", "a.csv", "--cutoff", "5"], "overbar top; see overbar keys --help"),
        (["keys", "a.csv", "--catalogue", "a.txt"], "keys is for those who have no list"),
        (["select", "a.csv", "--seed", "5"], "whoever knows a seed can compute the noise"),
        (["check", "a.zip"], "unzip -p a.zip | overbar … - --input-format csv"),
        (["check", "a b.zip"], "unzip 'a b.zip'"),
        (["check", "a.xls"], "--convert-to xlsx a.xls"),
        (["check", "a.ods"], "save it as .xlsx, or as CSV"),
        (["check", "a.bz2"], "or call it NAME.csv.bz2"),
        (["check", "a.parquet.bz2"], "must be unpacked first"),
    ],
)
def test_what_people_look_for_gets_a_sentence(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output.replace("\n", " ")
    assert result.output.count("\n") == 1
